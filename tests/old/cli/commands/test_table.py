"""`gelu table`: the columns of the contract, and the numbers that belong in them."""

import json
import re
from decimal import Decimal
from fractions import Fraction
from itertools import chain

import numpy as np
import pytest
from mpmath import MPContext

from gelu_cli.old.arithmetic.formats import FORMATS, find_format
from gelu_cli.old.formulas import OF_GATES, QUANTITIES, all_forms
from tests.old.cli.runner import gelu
from tests.old.report.documents import TEXT_FORMATS
from tests.truth.mpmath import FORMS, M, decimal_of, fraction, nearest, truth

GATED = [name for name, form in all_forms().items() if form.has_gate]
POINTS = ["-3.1", "-1", "-0.001", "0.3", "2.7"]


def columns(*words):
    return gelu("table", "1", *words).columns


def test_by_default_the_three_forms_with_value_and_gradient():
    pairs = [[form, f"{form}_gradient"] for form in ("exact", "tanh", "sigmoid")]
    assert columns() == ["x", *chain.from_iterable(pairs)]


def test_forms_are_outermost_and_quantities_in_the_order_asked_for():
    words = [
        "--form=silu",
        "--quantity=gate",
        "--quantity=value",
        "--form=exact",
        "--quantity=curvature",
    ]
    silu = ["silu_gate", "silu", "silu_curvature"]
    assert columns(*words) == ["x", *silu, "exact_gate", "exact", "exact_curvature"]


def test_what_is_asked_for_twice_is_shown_once():
    words = ["--form=tanh", "--form=tanh", "--quantity=value", "--quantity=value"]
    assert columns(*words) == ["x", "tanh"]


@pytest.mark.parametrize("form", all_forms())
def test_a_column_is_named_by_its_form_and_quantity(form):
    quantities = [each for each in QUANTITIES if each not in OF_GATES or form in GATED]
    names = [form if each == "value" else f"{form}_{each}" for each in quantities]
    shown = [word for each in quantities for word in ("--quantity", each)]
    assert columns("--form", form, *shown) == ["x", *names]
    assert columns("--form", form, "--quantity", "all") == ["x", *names]


def test_a_parameter_is_part_of_the_name_of_the_column():
    words = ["--form", "quick:beta=1.6", "--form", "sigmoid", "--quantity", "value"]
    assert columns(*words) == ["x", "quick:beta=1.6", "sigmoid"]


CHOSEN = {
    "elu:alpha=1.5": {"alpha": "1.5"},
    "tanh:c=0.1": {"c": "0.1"},
    "sigmoid:beta=1/3": {"beta": "1/3"},
    "noisy_relu:sigma=0.25": {"sigma": "0.25"},
}


@pytest.mark.parametrize("form", [*FORMS, *CHOSEN])
def test_what_is_printed_is_the_definition_rounded_once(form):
    name, chosen = form.partition(":")[0], CHOSEN.get(form, {})
    shown = [each for each in QUANTITIES if each not in OF_GATES or name in GATED]
    answer = gelu("table", *POINTS, "--form", form, "--quantity", ",".join(shown))
    for row in answer.rows:
        for quantity in shown:
            column = form if quantity == "value" else f"{form}_{quantity}"
            want = truth(name, quantity, Fraction(float(row["x"])), **chosen)
            assert float(row[column]) == nearest(want), (row["x"], column)


@pytest.mark.parametrize("form", all_forms())
def test_limits_are_answers_and_nan_stays_nan(form):
    words = ["--form", form, "--quantity", "value"]
    rows = gelu("table", "-inf", "-1e30", "inf", "nan", *words).rows
    assert [row["x"] for row in rows] == ["-inf", "-1e+30", "inf", "NaN"]
    limit, far, infinite, nan = (row[form] for row in rows)
    assert (limit, infinite, nan) == (far, "inf", "NaN")


def test_a_negative_zero_is_kept_and_its_value_is_one():
    (row,) = gelu("table", "-0", "--quantity", "value").rows
    assert set(row.values()) == {"-0.0"}


@pytest.mark.parametrize("digits", [1, 6, 17, 18, 60])
def test_digits_are_significant_and_each_is_right(digits):
    """Above 17 of them the number is the one that was typed, and not the float64 nearest to it."""
    words = ["0.1", "-1/3", "0x1.8p-3", "1e-30", "5:6:/2"]
    typed = [Fraction(each) for each in ("1/10", "-1/3", "3/16", "1e-30", "5", "6")]
    rows = gelu("table", *words, "--form", "exact", "--quantity", "value", "--digits", digits).rows
    for row, x in zip(rows, typed, strict=True):
        number = Decimal(row["exact"])
        assert len(number.as_tuple().digits) == digits
        assert number == decimal_of(truth("exact", "value", x if digits > 17 else float(x)), digits)
        if digits > 17:
            assert Decimal(row["x"]) in (decimal_of(x, digits), decimal_of(x, 60).normalize())


def test_thousands_of_digits_are_right_to_the_last():
    digits = 4300  # of as many Python makes no int unless it is told to
    context = MPContext()
    context.dps = digits + 20
    (row,) = gelu("table", "1", "--form", "softplus", "--quantity", "value", "-d", digits).rows
    value = context.log(1 + context.e)
    scaled = int(context.nint(value * context.mpf(10) ** (digits - 1)))
    assert Decimal(row["softplus"]).as_tuple().digits == Decimal(scaled).as_tuple().digits


def test_a_number_beyond_float64_can_be_had_with_more_digits():
    (row,) = gelu("table", "1e400", "--form", "relu", "--quantity", "value", "--digits", 20).rows
    assert Decimal(row["x"]) == Decimal(row["relu"]) == Decimal("1e400")


BYTE = [name for name, each in FORMATS.items() if each.width == 8]


def patterns(numbers):
    width = 2 * numbers.dtype.itemsize
    bits = numbers.view(f"u{numbers.dtype.itemsize}")
    return [f"0x{each:0{width}x}" for each in bits.tolist()]


def every_finite(name):
    """Every finite number of a format in the order of its bit patterns."""
    dtype = np.dtype(name)
    bits = np.arange(2 ** (8 * dtype.itemsize), dtype=f"u{dtype.itemsize}")
    numbers = bits.view(dtype)
    with np.errstate(invalid="ignore"):
        return numbers[np.isfinite(numbers.astype(np.float64))]


@pytest.mark.parametrize("dtype", FORMATS)
def test_with_a_dtype_x_and_results_are_rounded_to_it(dtype):
    words = ["--form", "exact", "--quantity", "value", "--bits", "--dtype", dtype]
    answer = gelu("table", *POINTS, "1e-3", "300", *words)
    assert answer.columns == ["x", "x_bits", "exact", "exact_bits"]
    typed = [*POINTS, "1e-3", "300"]
    x = np.array([nearest(Fraction(each), dtype) for each in typed])
    want = np.array([nearest(fraction(FORMS["exact"](M.mpf(each))), dtype) for each in x.tolist()])
    assert answer.floats("x") == x.tolist()
    assert answer.floats("exact") == want.tolist()
    assert [row["x_bits"] for row in answer.rows] == patterns(x.astype(dtype))
    assert [row["exact_bits"] for row in answer.rows] == patterns(want.astype(dtype))


@pytest.mark.parametrize(
    "dtype",
    [*BYTE, *(pytest.param(each, marks=pytest.mark.slow) for each in ("float16", "bfloat16"))],
)
def test_all_takes_every_finite_number_in_the_order_of_its_bits(dtype):
    words = ["--all", "--bits", "--form", "relu", "--quantity", "value", "--dtype", dtype]
    header, *lines = gelu("table", *words).out.splitlines()
    x, x_bits, _, relu_bits = zip(*(line.split(",") for line in lines), strict=True)
    numbers = every_finite(dtype)
    assert header == "x,x_bits,relu,relu_bits"
    assert list(x_bits) == patterns(numbers)
    assert list(x) == list(map(repr, numbers.astype(np.float64).tolist()))
    positive = len(numbers) // 2
    assert relu_bits[:positive] == x_bits[:positive]


@pytest.mark.parametrize("dtype", BYTE)
def test_golden_vectors_are_each_correctly_rounded(dtype):
    rows = gelu("table", "--all", "--bits", "--form", "exact", "--dtype", dtype).rows
    assert len(rows) == len(every_finite(dtype))
    for row in rows:
        x = M.mpf(float(row["x"]))
        true = {"exact": x * M.ncdf(x), "exact_gradient": M.ncdf(x) + x * M.npdf(x)}
        for column, value in true.items():
            want = nearest(fraction(value), dtype) if abs(value) > M.mpf("1e-99") else 0
            assert float(row[column]) == want
            (bits,) = patterns(np.array([want]).astype(dtype))
            assert row[f"{column}_bits"] == bits or want == 0


@pytest.mark.parametrize("name", ["bf16", "half", "fp32", "float", "double", "e4m3"])
def test_a_format_has_the_names_that_others_give_it(name):
    words = ["table", "1.2345", "--form", "relu", "--dtype"]
    assert gelu(*words, name).out == gelu(*words, find_format(name).name).out
    assert find_format(name).name != name


def numbers_in(text):
    text = re.sub(r" \\times 10\^\{(-?\d+)\}", r"e\1", text)
    return [float(each) for each in re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?", text)]


@pytest.mark.parametrize("extra", [[], ["--digits", "5"], ["--digits", "17"], ["--digits", "25"]])
@pytest.mark.parametrize("name", TEXT_FORMATS)
def test_every_format_holds_the_same_numbers(name, extra, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")  # so that all numbers of a row are on one line
    digits = extra or ["--digits", "6"]  # what people read has 6 unless asked otherwise
    if name not in ("table", "markdown", "latex"):
        digits = extra
    words = ["table", "-3", "1e-9", "0.1", "1e9", "--quantity", "value", "--form", "exact"]
    words += ["--form", "silu"]
    want = [float(cell) for row in gelu(*words, *digits).rows for cell in row.values()]
    assert numbers_in(gelu(*words, *extra, "--format", name).out)[: len(want)] == want


def test_json_is_standard_and_csv_lossless():
    words = ["table", "-inf", "inf", "nan", "-0", "1e-7", "--form", "relu", "--quantity", "value"]

    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    objects = json.loads(gelu(*words, "-f", "json").out, parse_constant=refuse)
    lines = gelu(*words, "-f", "jsonl").out.splitlines()
    assert [json.loads(line, parse_constant=refuse) for line in lines] == objects
    assert [each["x"] for each in objects] == ["-inf", "inf", "nan", -0.0, 1e-7]
    assert [each["relu"] for each in objects] == [0.0, None, None, 0.0, 1e-7]
    assert [row["x"] for row in gelu(*words).rows] == ["-inf", "inf", "NaN", "-0.0", "1e-07"]


def test_a_wide_table_off_a_terminal_is_plain_and_as_wide_as_it_needs(monkeypatch):
    monkeypatch.setenv("COLUMNS", "2000")
    forms = [word for form in all_forms() for word in ("--form", form)]
    words = [*POINTS, *forms, "--quantity", "value", "--digits", "17"]
    text = gelu("table", *words, "--format", "table").out
    assert "\x1b" not in text
    assert "…" not in text
    lines = [line for line in text.splitlines() if line.lstrip().startswith("-3.1")]
    assert len(lines) == 1
    assert len(lines[0].split()) == 1 + len(all_forms())
    assert not any(line.endswith(" ") for line in text.splitlines())


def test_csv_has_line_feeds_and_shortest_digits():
    assert gelu("table", "0.1", "1e22", "1e-5", "--form", "relu", "--quantity", "value").out == (
        "x,relu\n0.1,0.1\n1e+22,1e+22\n1e-05,1e-05\n"
    )
