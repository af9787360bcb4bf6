"""`identify`, the command and the function: what made the values is found from them alone."""

import re
from fractions import Fraction

import numpy as np
import pytest

from gelu_cli import identify
from tests.runner import gelu
from tests.truth.mpmath import FORMS, M, fraction, nearest, ratio, to_places

COLUMNS = ["form", "parameter", "routine", "agree", "of", "max_off", "verdict"]
INTERVAL = re.compile(r"(\w+) in \[(\S+), (\S+)\]")


def printed(function, points, places):
    """Words X=Y of a function, rounded to so many decimals."""
    return [f"{x}={to_places(function(ratio(x)), places):f}" for x in points]


def best(run, *columns):
    return tuple(run.rows[0][name] for name in columns)


@pytest.mark.parametrize("name", ["exact", "silu", "igelu", "elu", "mish"])
def test_a_form_is_found_from_its_values(name):
    run = gelu("identify", *printed(FORMS[name], [2, "-0.75"], 6))
    assert list(run.rows[0]) == COLUMNS
    assert best(run, "form", "agree", "of", "verdict") == (name, "2", "2", "explains all")


def test_a_gate_and_a_gradient_in_place_of_a_value_are_found():
    cases = {
        "exact_gradient": lambda x: M.diff(FORMS["exact"], x),
        "tanh_gate": lambda x: FORMS["tanh"](x) / x,
    }
    for label, function in cases.items():
        assert best(gelu("identify", *printed(function, [1, "-2"], 6)), "form") == (label,)


@pytest.mark.parametrize(
    ("name", "parameter", "secret", "other"),
    [("tanh", "c", "0.0451", "tanh:c=0.045"), ("sigmoid", "beta", "1.6237", "sigmoid:beta=1.7")],
)
def test_a_parameter_is_an_interval_whose_ends_are_the_last_to_explain(
    name, parameter, secret, other
):
    """Within it all values are as printed; 2 % of its width beyond an end one of them is not."""
    points = ["1", "2", "-0.5"]
    values = printed(lambda x: FORMS[name](x, **{parameter: secret}), points, 5)
    found = identify(values)
    row = next(each for each in found if (each.parameter or "").startswith(f"{parameter} in"))
    low, high = (Fraction(end) for end in INTERVAL.fullmatch(row.parameter).groups()[1:])
    assert (row.form.split(":")[0], row.verdict) == (name, "explains all")
    assert low <= Fraction(secret) <= high
    assert low <= Fraction(row.form.partition("=")[2]) <= high
    assert other not in [each.form for each in found if each.verdict == "explains all"]
    for end, outside in ((low, -1), (high, 1)):
        for step, same in ((-outside, True), (outside, False)):
            moved = end + step * (high - low) / 50
            again = printed(lambda x, p=moved: FORMS[name](x, **{parameter: p}), points, 5)
            assert (again == values) is same


def test_errors_are_in_units_of_the_last_decimal():
    words = ["2=1.9546", "-1=-0.1588", "3=2.996"]
    run = gelu("identify", *words)
    for row in run.rows:
        if row["form"] in FORMS and not row["routine"]:
            off = []
            for word in words:
                x, _, y = word.partition("=")
                unit = Fraction(10) ** -len(y.partition(".")[2])
                off.append(abs(fraction(FORMS[row["form"]](ratio(x))) - Fraction(y)) / unit)
            assert float(row["max_off"]) == pytest.approx(float(max(off)), abs=6e-4)
            assert int(row["agree"]) == sum(each <= Fraction(1, 2) for each in off)


def test_values_that_are_cut_are_known():
    """GELU(2) is 1.95449… and GELU(−1) −0.15865…: the fourth decimals are cut."""
    run = gelu("identify", "-1=-0.1586", "2=1.9544")
    assert best(run, "form", "routine", "agree") == ("exact", "truncated", "2")
    assert "x = -1 distinguishes exact (cut) from tanh" in run.err


def tanh_sum(x):
    """½x·(1 + tanh u), in the format of x; every operation is rounded."""
    one = x.dtype.type
    u = one(np.sqrt(2 / np.pi)) * (x + one(0.044715) * x * x * x)
    return one(0.5) * x * (one(1) + np.tanh(u))


@pytest.mark.parametrize(
    ("inner", "routine"), [(np.float16, "tanh_sum"), (np.float32, "tanh_sum:compute=float32")]
)
def test_a_routine_is_found_from_its_results(inner, routine):
    x = np.linspace(-4, 4, 401).astype(np.float16)
    y = tanh_sum(x.astype(inner)).astype(np.float16)
    found = identify((x, y), dtype="float16")[0]
    # The tanh of numpy in float32 is within an ULP: a result in 400 may round the other way.
    assert (found.form, found.routine, found.of) == ("tanh", routine, 401)
    assert found.agree >= 400


def test_results_are_explained_bit_for_bit_in_any_order():
    points = [Fraction(n, 16) for n in range(-40, 41) if n]
    results = [nearest(fraction(FORMS["silu"](ratio(x))), "bfloat16") for x in points]
    words = [f"{float(x)!r}={y!r}" for x, y in zip(points, results, strict=True)]
    found = identify(words, dtype="bfloat16")
    assert (found[0].form, found[0].routine, found[0].agree) == ("silu", None, len(points))
    words[-1] = f"2.5={results[-1] + 2.0**-6!r}"  # the next number
    found = identify(words[::-1], dtype="bfloat16")
    assert (found[0].form, found[0].agree, found[0].max_off) == ("silu", len(points) - 1, 1.0)
    assert identify(words, dtype="bfloat16").view("summary") == found.view("summary")


def test_a_note_names_an_x_that_distinguishes_the_best_with_right_values():
    for words, pattern in {
        (
            "1=0.841192",
            "2.5=2.484916",
        ): r"x = (2.5) distinguishes (tanh) from (exact): the value is 2.484916, "
        r"tanh gives (\S+), exact (\S+)",
        ("1=0.84",): r"do not distinguish (exact) from (tanh); x = (\S+) would(?:, with \d+ "
        r"decimals)?: exact gives (\S+), tanh (\S+)",
    }.items():
        said = re.search(pattern.replace("(2.5)", r"(\S+)"), gelu("identify", *words).err).groups()
        (x,) = [each for each in said if each[-1:].isdigit() and each in (said[0], said[2])]
        for name, value in zip([each for each in said if each in FORMS], said[3:], strict=True):
            places = len(value.partition(".")[2])
            assert value == f"{to_places(FORMS[name](ratio(x)), places):f}"


FILES = {
    "csv": (
        "grad",
        "x,theirs,grad,bits\n1,0.84134,1.08296,0\n2,1.95450,1.08610,0\n-1,-0.15866,,0\n",
    ),
    "md": (
        "d/dx tanh",
        "| x | theirs | d/dx tanh |\n| - | - | - |\n| 1 | 0.84134 | 1.08296 |\n"
        "| 2 | 1.95450 | 1.08610 |\n| −1 | -0.15866 | — |\n",
    ),
    "json": (
        "tanh_gradient",
        '[{"x": 1, "theirs": 0.84134, "tanh_gradient": 1.08296},'
        '{"x": 2, "theirs": "1.95450", "tanh_gradient": "1.08610"}, {"x": -1, "theirs": -0.15866}]',
    ),
}


def test_each_column_of_a_file_is_explained_by_itself(tmp_path):
    alone = gelu("identify", "1=0.84134", "2=1.95450", "-1=-0.15866").rows
    for kind, (second, text) in FILES.items():
        (tmp_path / f"a.{kind}").write_text(text)
        run = gelu("identify", tmp_path / f"a.{kind}")
        assert list(run.rows[0]) == ["column", *COLUMNS]
        rows = run.rows
        count = len(alone)
        assert [row.pop("column") for row in rows[: count + 1]] == ["theirs"] * count + [second]
        assert rows[:count] == alone, kind
        assert (rows[count]["form"], rows[count]["of"]) == ("tanh", "2")


def test_a_bare_pipe_and_options_read_the_same_file(tmp_path):
    text = "t,y\n1,0.8413447\n2,1.9544997\n"
    (tmp_path / "t.csv").write_text(text)
    words = ["--column", "t", "--dtype", "float32", "-q"]
    run = gelu("identify", "--input", tmp_path / "t.csv", *words)
    assert (run.err, best(run, "form", "agree")) == ("", ("exact", "2"))
    assert gelu("identify", *words, stdin=text) == run == gelu("identify", "-", *words, stdin=text)


def test_a_terminal_says_which_row_explains_all_in_eighty_columns():
    run = gelu("identify", "1=0.8548", "-1=-0.1452", "2=1.9439", terminal=True)
    said = r"sigmoid:beta=1.773, beta in \[1.772352, 1.773117\], explains 3 of 3 values\."
    assert re.search(said, run.out)
    assert re.search(r"sigmoid:beta=1.773  beta in \[1.772352, 1.773117\] +3 +3 +0.373", run.out)
    assert "sigmoid:beta=1.773: github.com/ml-explore/mlx" in run.out
    both = gelu("identify", "-1=-0.1586", "2=1.9544", "0=0", terminal=True)
    assert "explains 3 of 3 values; so do others." in both.out
    assert max(map(len, (run.out + both.out).splitlines())) <= 80


def test_two_arrays_that_are_no_pair_are_refused():
    x = np.array([1.0, 2.0])
    with pytest.raises(ValueError, match="unknown quantity"):
        identify(x, x)
