"""What is asked in vain is said, and what is said of a number holds."""

import re
from fractions import Fraction

import numpy as np
import pytest

from gelu_cli.arithmetic.formats import find_format
from tests.cli.runner import assert_refused, run_gelu

HUGE = "1e99999999999999999999"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "figures.csv").write_text("x,exact\n1,0.8413\n")
    return tmp_path


IN_VAIN = [
    ("variance --form relu --seed 1", "--seed", "--samples"),
    ("sweep --dtype float8_e5m2 --seed 1", "--seed", "every float8_e5m2"),
    ("sweep --all --seed 1 --range 1:2", "--seed", "every float32"),
    ("check figures.csv --worst 3", "--dtype"),
    ("check figures.csv --target=", "--dtype"),
    ("check figures.csv --dtype bfloat16 --quantity gradient", "--quantity", "--all"),
    ("error --form tanh --input=", "cannot read ''"),
    ("table 1 --no-header --format json", "--no-header", "csv", "tsv"),
    ("forms --no-header -f table", "--no-header", "csv", "tsv"),
    ("table 1 -o a.xlsx", "'.xlsx'", "--format", ".csv"),
    ("table 1 -o a.dat", "'.dat'", "--format"),
]
TWICE = [
    ("table 1 --digits 3 -d 4", "--digits"),
    ("table 1 --format csv -f json", "--format"),
    ("table --input a.txt --input b.txt", "--input"),
    ("error --view summary --view regions", "--view"),
    ("sweep --impl a:b --impl c:d", "--impl"),
    ("sweep --dtype bfloat16 --dtype float16", "--dtype"),
]
NUMBERS = [
    (f"table {HUGE}", f"exponent of '{HUGE}' is beyond"),
    (f"table 0x1p{HUGE[2:]}", "exponent of '0x1p"),
    (f"variance --sigma {HUGE}", f"--sigma: the exponent of '{HUGE}' is beyond"),
    ("table " + "1" * 5000, "4000 characters"),
]


@pytest.mark.parametrize(("line", "fragments"), [(line, rest) for line, *rest in IN_VAIN])
def test_an_option_that_would_do_nothing_is_refused(line, fragments):
    assert_refused(run_gelu(*line.split()), *fragments)


@pytest.mark.parametrize(("line", "option"), TWICE)
def test_an_option_of_one_value_is_not_given_two(line, option):
    assert_refused(run_gelu(*line.split()), f"{option} is given more than once")


def test_flags_and_lists_may_be_given_twice():
    words = ["table", "1", "-q", "-q", "--form", "relu", "--form", "tanh", "--show", "value"]
    assert run_gelu(*words, "--show", "gradient").code == 0


UNEXPECTED = [
    ("locate silu", "unexpected 'silu'; write --form silu"),
    ("variance sigmoid:beta=2", "write --form sigmoid:beta=2"),
    ("plot gate", "write --show gate"),
    ("sweep erfc", "write --routine erfc"),
    ("sweep bfloat16", "write --dtype bfloat16"),
    ("check figures.csv b.csv", "unexpected 'b.csv'; gelu check takes one FILE"),
    ("forms -3", "unexpected '-3'; gelu forms takes options alone"),
    ("table exact 1", "'exact' is a form, not a point; write --form exact"),
    ("error tanh:c=0", "write --form tanh:c=0"),
]
FILES = [
    ("check results.npy", "results.npy is a .npy file", "--input", "gelu check --all --dtype"),
    ("table --input results.dat", "results.dat is a .npy file"),
    ("check utf16.csv", "utf16.csv is not text in UTF-8"),
    ("table --input figures.csv", "line 1 of figures.csv: 'x' is not a number", "--column NAME"),
    ("table --input words.txt", "line 2 of words.txt: 'two' is not a number"),
]


@pytest.mark.parametrize(("line", "fragment"), UNEXPECTED)
def test_a_word_too_many_is_told_where_it_belongs(line, fragment):
    assert_refused(run_gelu(*line.split()), fragment)


@pytest.mark.parametrize(("line", "fragments"), [(line, rest) for line, *rest in FILES])
def test_a_file_of_another_kind_is_told_from_a_broken_one(folder, line, fragments):
    (folder / "utf16.csv").write_bytes("x,exact\n1,0.8\n".encode("utf-16"))
    (folder / "words.txt").write_text("1\ntwo\n")
    for name in ("results.npy", "results.dat"):
        with (folder / name).open("wb") as file:
            np.save(file, np.zeros(256, np.float16))
    answer = run_gelu(*line.split())
    assert_refused(answer, *fragments)
    assert (".npy" in answer.err) == ("results" in line)
    assert ("--column" in answer.err) == ("figures" in line)


@pytest.mark.parametrize("name", ["bf16", "half", "fp32", "float", "double", "e4m3"])
def test_a_format_has_the_names_that_others_give_it(name):
    words = ["table", "1.2345", "--form", "relu", "--dtype"]
    assert run_gelu(*words, name) == run_gelu(*words, find_format(name).name)
    assert find_format(name).name != name


def test_a_function_of_one_number_is_told_how_to_take_arrays(folder):
    (folder / "one.py").write_text(
        "import math\n\n\ndef f(x):\n    return 0.5 * x * math.erfc(-x / math.sqrt(2))\n\n\n"
        "def broken(x):\n    raise ValueError('no')\n"
    )
    words = ["sweep", "--dtype", "float8_e5m2", "--impl"]
    assert_refused(run_gelu(*words, "one.py:f"), "one.py:f raised TypeError", "numpy.vectorize")
    assert "vectorize" not in run_gelu(*words, "one.py:broken").err


@pytest.mark.parametrize(("line", "named"), NUMBERS)
def test_a_number_out_of_bounds_is_not_called_no_number(line, named):
    answer = run_gelu(*line.split())
    assert_refused(answer, named)
    assert "not a number" not in answer.err


def test_a_figure_with_an_exponent_out_of_bounds_is_not_called_no_number():
    assert_refused(run_gelu("check", "-", stdin=f"x,exact\n1,{HUGE}\n".encode()), "exponent of")


@pytest.mark.parametrize("line", ["variance --sigma abc", "table 1 -d abc", "sweep --max-ulp abc"])
def test_the_hint_for_an_option_offers_nothing_that_it_refuses(line):
    answer = run_gelu(*line.split())
    assert_refused(answer, f"{line.split()[-2].replace('-d', '--digits')}: 'abc' is not a number")
    for refused in ("inf", "nan", " -3", "START"):
        assert refused not in answer.err


# Verdicts


@pytest.mark.parametrize("got", ["nan", "inf"])
def test_a_result_that_is_no_number_fails_with_what_is_right(got):
    words = ["check", "-", "--dtype", "float8_e5m2", "--max-ulp", "9999"]
    answer = run_gelu(*words, stdin=f"x,relu\n3,{got}\n".encode())
    assert answer.code == 1
    assert f"{got} at x = 3.0, where 3.0 is right" in answer.err
    assert "--max-ulp" in answer.err


@pytest.mark.parametrize("limit", ["0.5", "1/2", "0.50000001", "0.5000000000001"])
def test_an_error_that_exceeds_the_limit_is_printed_larger_than_the_limit(limit):
    # GELU(2⁻²⁴) is a little more than 2⁻²⁵, half a ULP of float16: 0.5 + 0.4·2⁻²⁴ from 0.
    words = ["check", "-", "--dtype", "float16", "--max-ulp", limit]
    answer = run_gelu(*words, stdin=b"x,exact\n0x1p-24,0\n")
    assert answer.code == 1
    found = re.search(r"(\S+) ULP at x = \S+ exceeds --max-ulp (\S+)", answer.err)
    assert Fraction(found[1]) > Fraction(found[2]) == Fraction(limit)


@pytest.mark.parametrize(
    ("stdin", "said"),
    [
        (b"x,exact\n1,0.85\n", "the figure is wrong"),
        (b"x,exact\n1,0.85\n2,1.9545\n", "1 of 2 figures is wrong"),
        (b"x,exact\n1,0.85\n2,2.9545\n", "2 of 2 figures are wrong"),
        (b"x,exact\n1,0.8413\n", "the figure is right"),
        (b"x,exact\n1,0.8413\n2,1.9545\n", "2 figures, none of them wrong"),
    ],
)
def test_figures_are_counted_as_people_count(stdin, said):
    assert f"note: {said}\n" in run_gelu("check", "-", stdin=stdin).err
