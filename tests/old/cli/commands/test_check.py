"""`gelu check`, as a user runs it."""

import csv
import io
import json
import math
import re
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import all_forms
from tests.old.cli.runner import assert_all_refused, assert_refused, gelu, refusal, run_gelu
from tests.old.published import FILES, LISTED, REFUTED

COLUMNS = ["line", "x", "column", "published", "correct", "off_by", "verdict"]


def check(text, *words):
    return run_gelu("check", "-", *words, stdin=text.encode())


def wrong(answer):
    """The line and column of each wrong figure."""
    assert answer.code == (1 if "wrong\n" in answer.out else 0)
    return [(row["line"], row["column"]) for row in answer.rows if row["verdict"] == "wrong"]


# The published tables


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_published_figure_is_judged(path):
    answer = run_gelu("check", path)
    with path.open(encoding="utf-8") as file:
        header, *lines = csv.reader(file)
    assert answer.columns == COLUMNS
    assert [[row[name] for name in COLUMNS[:4]] for row in answer.rows] == [
        [str(number), line[0], column, figure]
        for number, line in enumerate(lines, 2)
        for column, figure in zip(header[1:], line[1:], strict=True)
    ]
    found = {
        (path.name, row["x"], row["column"]) for row in answer.rows if row["verdict"] == "wrong"
    }
    assert found == {case for case in REFUTED if case[0] == path.name}
    assert answer.code == bool(found)
    count = f"{len(found)} of {len(answer.rows)}" if found else f"{len(answer.rows)} figures, none"
    assert answer.err.startswith(f"gelu: note: {count} ")


def test_the_wrong_ones_are_those_of_the_errata():
    rows = [
        (path.name, row["x"], row["column"], row["published"], row["correct"])
        for path in FILES
        for row in run_gelu("check", path, "--wrong").rows
    ]
    listed = [
        (*row[:4], str(round(Decimal(row[4]), -Decimal(row[3]).as_tuple().exponent)))
        for row in LISTED
    ]
    assert sorted(rows) == sorted(listed)
    assert len(rows) == 11


def test_how_far_off_is_in_units_of_the_last_decimal():
    (row,) = check("x,tanh\n-3,-0.0040\n").rows
    assert (row["correct"], row["off_by"]) == ("-0.0036", "3.626")


def test_the_correct_figure_has_as_many_digits_as_asked_for():
    rows = check("x,tanh\n-3,-0.0040\n1,0.8412\n", "--digits", "8").rows
    assert [row["correct"] for row in rows] == ["-0.0036373921", "0.84119199"]
    assert [row["off_by"] for row in rows] == ["3.626", "0.080"]


# What gelu prints is right


@pytest.mark.parametrize("digits", [1, 17, 30])
def test_a_table_of_every_form_is_right(digits):
    points = ["-5.3", "1.7", "1e-9", "-38.2", "inf", "-inf", "nan", "-0", "1e20"]
    forms = ",".join(all_forms())
    table = gelu("table", *points, "--form", forms, "--digits", digits).out
    answer = check(table)
    assert wrong(answer) == []
    assert len(answer.rows) == 9 * 2 * len(all_forms())


@pytest.mark.parametrize("form", ["sigmoid:beta=1.5957691", "quick_gelu", "noisy_relu:sigma=2"])
@pytest.mark.parametrize("name", ["csv", "tsv"])
def test_names_and_parameters_are_those_of_the_table(form, name):
    table = gelu(
        "table", "-2", "0.3", "--form", form, "--quantity", "gradient", "--format", name
    ).out
    assert wrong(check(table.replace("sigmoid_", f"{form}_"))) == []


def test_what_lies_far_below_float64_is_judged_as_well():
    table = gelu("table", "-50", "-1000", "-1e6", "--form", "exact", "--digits", "20").out
    assert wrong(check(table)) == []
    assert wrong(check(table.replace("e-", "9e-"))) == [
        (line, column) for line in "234" for column in ("exact", "exact_gradient")
    ]


def test_figures_of_another_size_are_only_wrong():
    for figure in ("1e-5000", "1e-300000", "1e-99999999999", "1e99999999999", "7e7"):
        lines = [f"{x},{figure}" for x in ("1", "-1e6", "0", "-inf")]
        answer = check("\n".join(["x,exact", *lines]))
        assert wrong(answer) == [(line, "exact") for line in "2345"]
        assert answer.err.count("\n") == 1


@settings(max_examples=25)
@given(st.data())
def test_a_changed_digit_is_found_where_it_is(data):
    digits = str(data.draw(st.integers(1, 25)))
    table = gelu("table", "-3.1", "1.7", "--form", "sigmoid", "--digits", digits).out
    rows = list(csv.reader(io.StringIO(table)))
    line = data.draw(st.integers(1, len(rows) - 1))
    column = data.draw(st.integers(1, len(rows[0]) - 1))
    figure = Decimal(rows[line][column])
    least = 9 if 15 <= int(digits) <= 17 else 2  # within one unit x may stand for its float64
    step = data.draw(st.integers(least, 99)) * data.draw(st.sampled_from([-1, 1]))
    sign, shown, exponent = figure.as_tuple()
    changed = int("".join(map(str, shown))) * (-1 if sign else 1) + step
    rows[line][column] = f"{changed}e{exponent}"
    text = "\n".join(map(",".join, rows))
    assert wrong(check(text)) == [(str(line + 1), rows[0][column])]


# How figures may be written


WAYS = [
    ("x,exact\n-1,-.1587\n", "-0.1587"),
    ("x,exact\n−1,−0.1587\n", "-0.1587"),
    ("x,exact\n-1,-1.587e-1\n", "-0.1587"),
    ("x,exact\n-1,-1.587E-01\n", "-0.1587"),
    ("x,exact\n -1 , -0.1587 \n", "-0.1587"),
    ('"x","exact"\r\n"-1","-0.1587"\r\n', "-0.1587"),
    ("\ufeffx,exact\n-1,-0.1587", "-0.1587"),
    ("x\texact\n-1\t-0.1587\n", "-0.1587"),
    ("x;exact\n-1;-0.1587\n", "-0.1587"),
    ("exact,x\n-0.1587,-1\n", "-0.1587"),
    ("x,none\n-1,-0.1587\n", "-0.1587"),
    ("x,exact\n0x1p+3,8\n", "8"),
    ("x,relu\n1/3,0.333\n", "0.333"),
    ("x,relu\n+1_000,1_000.\n", "1000"),
    ("x,relu\ninf,inf\n", "inf"),
    ("x,relu\nNaN,nan\n", "NaN"),
    ("x,exact\n\n , \n-1,-0.1587\n\n", "-0.1587"),
]


def test_ways_to_write_a_figure():
    for text, published in WAYS:
        answer = check(text)
        figures = [row["published"] for row in answer.rows]
        assert (text, answer.code, figures) == (text, 0, [published])


def test_the_sign_of_zero_and_the_zeros_of_a_figure_are_printed():
    rows = check("x,exact\n0.0,0.000\n-9,-0.00\n3,0.00\n").rows
    assert [row["x"] for row in rows] == ["0.0", "-9", "3"]
    assert [row["published"] for row in rows] == ["0.000", "-0.00", "0.00"]
    assert [row["verdict"] for row in rows] == ["right", "right", "wrong"]


def test_empty_cells_are_left_out():
    answer = check("x,exact,exact_gradient\n0,,0.5\n1,0.8413,\n2,,\n")
    assert [(row["line"], row["column"]) for row in answer.rows] == [
        ("2", "exact_gradient"),
        ("3", "exact"),
    ]


@pytest.mark.parametrize("words", [(), ("--dtype", "bfloat16")])
def test_results_that_json_has_as_null_are_left_out_with_a_note(words):
    table = gelu("table", "0.5", "inf", "nan", "--form", "exact", "-f", "json").out
    answer = run_gelu("check", "-", *words, stdin=table.encode())
    assert answer.code == 0
    assert (
        "gelu: note: 3 cells may be infinite or NaN, which JSON writes as null, and are left out; "
        "the first: line 3 of stdin, column 'exact'\n"
    ) in answer.err
    assert "JSON" not in run_gelu("check", "-", *words, "-q", stdin=table.encode()).err
    assert "JSON" not in check("x,exact\n1,0.8413\n2,\n", *words).err


def test_json_has_long_figures_as_text():
    figure = gelu("table", "1", "--form", "exact", "--digits", "20").rows[0]["exact"]
    answer = check(f"x,exact\n1,{figure}\n1,0.84\n", "--format", "json")
    long, short = json.loads(answer.out)
    assert (long["published"], long["correct"]) == (figure, figure)
    assert short["published"] == 0.84


def test_only_the_wrong_ones():
    text = "x,exact\n-1,-0.1587\n1,0.8414\n"
    assert [row["line"] for row in check(text, "--wrong").rows] == ["3"]
    right = check(text.replace("8414", "8413"), "--wrong")
    assert (right.code, right.out) == (0, ",".join(COLUMNS) + "\n")


COUNTED = [
    ("x,exact\n1,0.85\n", "the figure is wrong"),
    ("x,exact\n1,0.85\n2,1.9545\n", "1 of 2 figures is wrong"),
    ("x,exact\n1,0.85\n2,2.9545\n", "2 of 2 figures are wrong"),
    ("x,exact\n1,0.8413\n", "the figure is right"),
    ("x,exact\n1,0.8413\n2,1.9545\n", "2 figures, none of them wrong"),
]


def test_figures_are_counted_as_people_count():
    for text, said in COUNTED:
        assert re.search(f"note: {said}(; (it is that|they are those) of .*)?\n", check(text).err)


# Tables in a format


@pytest.mark.parametrize("bits", [[], ["--bits"]], ids=["", "bits"])
@pytest.mark.parametrize("dtype", [name for name, each in FORMATS.items() if each.width < 64])
def test_a_table_in_a_format_is_told_which(dtype, bits):
    """That it is right there is tested in test_check_results.py."""
    table = gelu("table", "-3", "-1", "0", "0.5", "1", "3", "--dtype", dtype, *bits).out
    of_bits, of_decimals = ("it holds bit patterns", "FORMAT"), (f"numbers of {dtype}, not", dtype)
    said, named = of_bits if bits else of_decimals
    assert_refused(check(table), said, f"add --dtype {named}\n")


def test_the_figure_that_tells_is_shown():
    table = gelu("table", "-4", "--dtype", "float32").out
    assert check(table).err == (
        "gelu: the figures are numbers of float32, not decimals "
        "(line 2: exact at x = -4.0 is -0.000126684972201474); add --dtype float32\n"
    )


def test_of_few_results_the_formats_are_told_at_the_end():
    answer = check("x,exact\n1,0.83984375\n")
    assert wrong(answer) == [("2", "exact")]
    assert answer.err == (
        "gelu: note: the figure is wrong; it is right as a result in bfloat16: see --dtype\n"
    )
    answer = check("x,exact,tanh\n-1,-0.15625,-0.15625\n1,0.8413,\n")
    assert answer.err == (
        "gelu: note: 2 of 3 figures are wrong; they are right as results in float8_e5m2 or "
        "float8_e4m3fn: see --dtype\n"
    )


def test_one_figure_of_people_among_results_leaves_the_verdict_as_it_was():
    table = gelu("table", "-3", "-1", "1", "--dtype", "float32", "--form", "exact").out
    answer = check(table + "2,1.954,1.085\n")
    assert len(wrong(answer)) == 6
    assert "they are right as results in float32: see --dtype" in answer.err
    answer = check(table + "2,1.955,1.085\n")
    assert len(wrong(answer)) == 7
    assert answer.err == "gelu: note: 7 of 8 figures are wrong\n"


def test_results_in_the_digits_of_their_own_format_are_told_to_be_some():
    """As numpy prints them: 0.8413447 for the float32 0.8413447141647339."""
    x = np.linspace(-5, 5, 41, dtype=np.float32)
    cdf = 1 + np.array([math.erf(each / math.sqrt(2)) for each in x], np.float32)
    y = np.float32(0.5) * x * cdf  # with errors of its own
    table = "x,exact\n" + "".join(f"{a!s},{b!s}\n" for a, b in zip(x, y, strict=True))
    answer = check(table)
    assert answer.code == 1
    assert "figures are wrong; all of them may be results in float32: see --dtype\n" in answer.err
    assert "float32" not in check(table + "0.3,0.185373398\n").err


# What cannot be judged


BAD_TABLES = [
    ("", "stdin is empty"),
    ("x,exact\n", "stdin holds no figures"),
    ("x,exact\n1,\n", "stdin holds no figures"),
    ("y,exact\n1,2\n", "stdin has no column 'x'; it has: y, exact"),
    ("x,note\n1,good\n", "column 'note' of stdin: it is named after no form", "name a column"),
    ("x,exat\n1,2\n", "column 'exat'", "did you mean 'exact'"),
    ("x,tnah_gradient\n1,2\n", "did you mean 'tanh_gradient' for 'tnah_gradient'?"),
    ("x,softplus_gate\n1,2\n", "'softplus' has no gate"),
    ("x,sigmoid:bta=1\n1,2\n", "did you mean 'beta'"),
    ("x,exact′,exact_gradient\n1,2,3\n", "the column 'exact_gradient' twice"),
    ("x,exact,exact\n1,2,3\n", "the column 'exact' twice"),
    ("x,exact\n1,0.8413\n2\n", "line 3 of stdin has 1 cell, its header 2"),
    ("x,exact\n1,0.8413,2\n", "line 2 of stdin has 3 cells, its header 2"),
    ("x,exact\n1,oops\n", "line 2 of stdin, column 'exact': 'oops' is not a number"),
    ("x,exact\n1,<0.84\n", "line 2 of stdin, column 'exact': '<0.84' is not", "--skip-unreadable"),
    ("x,exact\n1,0x1p-1\n", "'0x1p-1' is not a decimal", "with --dtype FORMAT"),
    ("x,exact\n1,0x3f57\n", "'0x3f57' is not a decimal", "with --dtype FORMAT"),
    ("x,exact\n1e9999,1\n", "line 2 of stdin", "exponent of '1e9999'"),
    ("x,exact\n1,1e999999999999999999\n", "exponent of '1e999999999999999999'"),
    ("x,exact\noops,1\n", "line 2 of stdin, column 'x': 'oops'"),
    ("x,exact\n,1\n", "line 2 of stdin, column 'x': there is no number"),
    ('x,exact\n1,"0.8413\n2,3\n', "stdin ends inside a quoted cell"),
    ('x,exact\n1,"2"3"\n"\n', "stdin"),
]


def test_a_bad_table_is_one_line():
    found = {text: refusal(check(text), *fragments) for text, *fragments in BAD_TABLES}
    assert not {text: fault for text, fault in found.items() if fault}


@pytest.mark.parametrize(
    "data", [b"x,exact\n1,\xff\n", "x,exact\n1,2\n".encode("utf-16"), bytes(range(128, 256))]
)
def test_what_is_no_text_is_one_line(data):
    assert_refused(run_gelu("check", "-", stdin=data), "stdin is not text")


BAD_LINES = [
    ([], "FILE"),
    (["missing.csv"], "cannot read 'missing.csv': No such file"),
    (["."], "cannot read '.'"),
    (["a.csv", "b.csv"], "b.csv"),
    (["-", "--digits", "0"], "--digits 0"),
    (["-", "--wrogn"], "--wrong"),
]


def test_a_bad_line_is_refused():
    assert_all_refused("check", cases=BAD_LINES)


@pytest.mark.parametrize(
    ("text", "said"),
    [("x,exact\n1,0.8413\n2,oops\n", "line 3"), ("x,exact\n1,0x1p-1\n", "--dtype FORMAT")],
)
def test_a_refused_table_leaves_an_old_file(tmp_path, text, said):
    path = tmp_path / "a.csv"
    path.write_text("old")
    assert_refused(check(text, "-o", path), said)
    assert path.read_text() == "old"


def test_without_a_file_the_message_says_what_to_give():
    assert_refused(run_gelu("check"), "no file", "FILE", "stdin")


def test_what_is_right_beyond_half_a_decimal_is_told_as_what_it_is_right():
    lines = "x,exact\n0.1,0.05398278372770290\n1,0.8413\n"
    table = run_gelu("check", "-", "-f", "table", stdin=lines.encode()).out
    assert "≤ 0.5 is right" in " ".join(table.split())
    assert "right beyond 0.5" not in table
    written = gelu("table", "0.1:1:0.1", "--form", "sigmoid").out.encode()
    rows = run_gelu("check", "-", stdin=written).rows
    beyond = sum(float(row["off_by"]) > 0.5 for row in rows if row["verdict"] == "right")
    table = " ".join(run_gelu("check", "-", "-f", "table", stdin=written).out.split())
    assert beyond > 1
    assert f"right beyond 0.5: {beyond} figures are each the float64 nearest" in table


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x,exact\n1,0.8412\n", "the figure is wrong; it is that of tanh\n"),
        ("x,exact\n1,0.73\n2,1.76\n", "2 of 2 figures are wrong; they are those of silu\n"),
        ("x,exact\n1,0.5\n", "the figure is wrong\n"),
        ("x,tanh_gradient\n1,1.0833\n", "the figure is wrong; it is that of exact or erf_as\n"),
    ],
)
def test_it_says_whose_figures_wrong_ones_are(text, said):
    assert f"note: {said}" in check(text).err
