"""Numbers as expressions, wherever the command line takes numbers: π, √2, 2^-126."""

from decimal import Decimal
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from tests.old.cli.runner import assert_refused, gelu, run_gelu
from tests.truth.mpmath import FORMS, M, decimal_of, fraction, nearest

POINTS = {
    "pi": M.pi,
    "-pi/2": -M.pi / 2,
    "√2": M.sqrt(2),
    "-sqrt(2/pi)": -M.sqrt(2 / M.pi),
    "-2**-126": M.mpf(2) ** -126 * -1,
    "10*pi": 10 * M.pi,
    "-e**3": -(M.e**3),
}


def test_by_default_a_point_is_the_nearest_float64_and_stands_anywhere():
    places = [[*POINTS, "--form", "relu"], ["--form", "relu", *POINTS], ["--", *POINTS]]
    for place in places:
        assert gelu("table", *place).floats("x") == [nearest(fraction(+x)) for x in POINTS.values()]


@pytest.mark.parametrize("dtype", ["bfloat16", "float32", "float16"])
def test_in_a_format_a_point_is_its_nearest_number_rounded_once(dtype):
    names = [word for word in POINTS if "126" not in word]
    found = gelu("table", *names, "--dtype", dtype, "--form", "relu").floats("x")
    assert found == [nearest(fraction(+POINTS[word]), dtype) for word in names]


@pytest.mark.parametrize("name", FORMS)
def test_above_17_digits_the_values_are_those_at_the_real_number(name):
    points = [word for word in POINTS if word != "√2"]
    rows = gelu("table", *points, "--quantity", "value", "--form", name, "--digits", 40).rows
    for row, word in zip(rows, points, strict=True):
        assert Decimal(row["x"]) == decimal_of(+POINTS[word], 40) or "126" in word
        assert Decimal(row[name]) == decimal_of(FORMS[name](+POINTS[word]), 40), word


def test_far_out_what_is_left_of_x_keeps_its_digits():
    """X − f(x) = x·erfc(x/√2)/2 is 10⁻⁵³⁵⁷ at 50π, and 10⁻²¹⁴³³⁴⁰ at 1000π."""
    words = [
        "50*pi",
        "1000*pi",
        "--quantity",
        "complement",
        "--form",
        "exact,relu",
        "--digits",
        "30",
    ]
    rows = gelu("table", *words).rows
    for row, n in zip(rows, (50, 1000), strict=True):
        x = n * M.pi
        left = x * M.erfc(x / M.sqrt(2)) / 2
        assert Decimal(row["exact_complement"]) == Decimal(M.nstr(left, 30))
        assert Decimal(row["relu_complement"]) == 0


def test_an_error_far_out_is_that_at_the_real_number():
    (row,) = gelu("error", "20*pi", "--form", "sigmoid", "--digits", "30").rows
    x = 20 * M.pi
    left = x / (1 + M.exp(M.mpf("1.702") * x)) - x * M.erfc(x / M.sqrt(2)) / 2
    assert Decimal(row["abs_error"]) == Decimal(M.nstr(abs(left), 30))


def test_a_point_on_a_kink_has_the_value_there():
    """igelu's gate is clipped at x = 1.769·√2, where it is 1."""
    (row,) = gelu("table", "1.769*√2", "--form", "igelu", "--quantity", "gate", "--digits", 20).rows
    assert Decimal(row["igelu_gate"]) == 1
    (row,) = gelu("table", "pi", "--form", "relu", "--quantity", "gradient", "--digits", 20).rows
    assert Decimal(row["relu_gradient"]) == 1


def test_a_range_of_irrationals_ends_where_its_steps_land():
    found = gelu("table", "-pi:pi:pi/4", "--form", "relu").floats("x")
    assert found == [nearest(fraction(M.pi * k / 4)) if k else 0.0 for k in range(-4, 5)]
    thirds = gelu("table", "0:sqrt(2):/4", "--form", "relu", "--digits", "30").rows
    assert [Decimal(row["x"]) for row in thirds] == [
        decimal_of(M.sqrt(2) * k / 3, 30) if k else 0 for k in range(4)
    ]


def test_many_points_of_a_range_are_each_the_nearest_float64():
    found = gelu("table", "-pi:pi:/10001", "--form", "relu", "--quantity", "value").floats("x")
    step = fraction(M.pi / 5000)
    want = [nearest(k * step) for k in range(-5000, 5001)]
    assert found == want
    in_format = gelu("table", "-pi:pi:/2001", "--form", "relu", "--dtype", "bfloat16").floats("x")
    assert in_format == [nearest(k * 5 * step, "bfloat16") for k in range(-1000, 1001)]


def test_streams_and_files_hold_expressions_as_well(tmp_path):
    path = tmp_path / "points.txt"
    path.write_text("pi\n1/3 2^-3, √2\n-2pi;e\n")
    found = gelu("table", "--input", path, "--form", "relu").floats("x")
    assert found == [np.pi, 1 / 3, 1 / 8, np.sqrt(2), -2 * np.pi, np.e]
    column = b"x,name\npi,one\n-e/2,two\n"
    assert run_gelu("table", "-", "--column", "x", stdin=column).floats("x") == [np.pi, -np.e / 2]


def test_check_takes_x_as_typed_or_as_the_nearest_float64():
    digits = str(decimal_of(FORMS["exact"](+M.pi), 30))
    table = f"x,exact\npi,{digits}\n{np.pi!r},{digits}\npi,3.1389532188605234\n"
    checked = run_gelu("check", "-", stdin=table.encode())
    assert [row["verdict"] for row in checked.rows] == ["right", "wrong", "right"]
    (row, *_) = checked.rows
    assert row["x"] == "3.1415926535897932"


def test_options_that_take_numbers():
    ends = gelu("error", "--form", "relu", "--range", "-pi:pi", "--view", "regions")
    assert (ends.floats("low")[0], ends.floats("high")[-1]) == (-np.pi, np.pi)
    for word, number in (("2**-3", 0.125), ("sqrt(2)", 2**0.5), ("2*pi", 2 * np.pi)):
        words = ("variance", "--form", "relu", "--sigma")
        assert gelu(*words, word).out == gelu(*words, repr(number)).out
    beta = [gelu("table", 1, "--form", f"sigmoid:beta={word}", "--no-header").out
            for word in ("2**-1", ".5")]  # fmt: skip
    assert beta[0] == beta[1]
    refused = run_gelu("table", 1, "--form", "sigmoid:beta=sqrt(3)")
    assert_refused(
        refused, "'beta=sqrt(3)' is no fraction: write its digits, beta=1.7320508075688772"
    )


def test_inputs_of_a_kernel_are_rounded_once_and_it_is_said():
    answer = run_gelu("sweep", "erfc", "--dtype", "bfloat16", "--at", "pi,2^-3")
    assert answer.floats("x") == [float(ml_dtypes.bfloat16(np.pi)), 0.125]
    assert "3.141592653589793 is 3.140625" in answer.err


def test_numbers_are_words_for_points_and_never_names_of_columns():
    table = b"e,x\n1,2\n"
    assert run_gelu("table", "-", "--column", "e", stdin=table).floats("x") == [1]
    assert run_gelu("table", "-", "--form", "relu", stdin=table).floats("x") == [2]
    assert float(Fraction(1)) in run_gelu("table", "e/e", "--form", "relu").floats("x")
