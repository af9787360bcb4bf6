"""`gelu table`: the columns of the contract, and the numbers that belong in them."""

import json
import math
import re
from decimal import Decimal
from itertools import chain

import ml_dtypes
import numpy as np
import pytest
from mpmath import MPContext

from gelu_cli.arithmetic.formats import FORMATS, find_format
from gelu_cli.forms import OF_GATES, QUANTITIES, all_forms
from gelu_cli.report.formats import text_formats
from tests.cli.runner import gelu
from tests.truth.mpmath import decimal_of

mp = MPContext()
mp.dps = 80
GATED = [name for name, form in all_forms().items() if form.has_gate]


def exact(x):
    return x * mp.ncdf(x)


def tanh(x, c="0.044715"):
    return x / 2 * (1 + mp.tanh(mp.sqrt(2 / mp.pi) * (x + mp.mpf(c) * x**3)))


def sigmoid(x, beta="1.702"):
    return x / (1 + mp.exp(-mp.mpf(beta) * x))


def elu(x, alpha="1"):
    return x if x > 0 else mp.mpf(alpha) * mp.expm1(x)


def noisy_relu(x, sigma="1"):
    sigma = mp.mpf(sigma)
    return x * mp.ncdf(x / sigma) + sigma * mp.npdf(x / sigma)


def hard(x):
    return x * min(mp.mpf(1), max(mp.mpf(0), (mp.mpf("1.702") * x + 3) / 6))


def igelu(x):
    a, b, z = mp.mpf("-0.2888"), mp.mpf("-1.769"), x / mp.sqrt(2)
    return x / 2 * (1 + mp.sign(z) * (a * (min(abs(z), -b) + b) ** 2 + 1))


def erf_as(x):
    z = abs(x) / mp.sqrt(2)
    a = ["0.254829592", "-0.284496736", "1.421413741", "-1.453152027", "1.061405429"]
    t = 1 / (1 + mp.mpf("0.3275911") * z)
    tail = mp.fsum(mp.mpf(each) * t**k for k, each in enumerate(a, 1)) * mp.exp(-z * z)
    return x / 2 * (1 + mp.sign(x) * (1 - tail))


def polynomial(x):
    if abs(x) > mp.mpf("2.775023"):
        return max(mp.zero, x)
    odd = {1: "0.37476888", 3: "-0.042710738", 5: "0.0022649414"}
    return x * (0.5 + sum(mp.mpf(c) * x**n for n, c in odd.items()))


DEFINITIONS = {
    "igelu": igelu,
    "erf_as": erf_as,
    "polynomial": polynomial,
    "exact": exact,
    "tanh": tanh,
    "tanh_taylor": lambda x: tanh(x, (4 - mp.pi) / (6 * mp.pi)),
    "sigmoid": sigmoid,
    "sigmoid_taylor": lambda x: sigmoid(x, mp.sqrt(8 / mp.pi)),
    "silu": lambda x: sigmoid(x, 1),
    "elu": elu,
    "elu:alpha=1.5": lambda x: elu(x, "1.5"),
    "tanh:c=0.1": lambda x: tanh(x, "0.1"),
    "sigmoid:beta=1/3": lambda x: sigmoid(x, mp.mpf(1) / 3),
    "noisy_relu": noisy_relu,
    "noisy_relu:sigma=0.25": lambda x: noisy_relu(x, "0.25"),
    "relu": lambda x: max(x, mp.mpf(0)),
    "softplus": lambda x: mp.log1p(mp.exp(x)),
    "mish": lambda x: x * mp.tanh(mp.log1p(mp.exp(x))),
    "hard": hard,
}
POINTS = ["-3.1", "-1", "-0.001", "0.3", "2.7"]


def columns(*words):
    return gelu("table", "1", *words).columns


def test_by_default_the_three_forms_with_value_and_gradient():
    pairs = [[form, f"{form}_gradient"] for form in ("exact", "tanh", "sigmoid")]
    assert columns() == ["x", *chain.from_iterable(pairs)]


def test_forms_are_outermost_and_quantities_in_the_order_asked_for():
    words = ["--form=silu", "--show=gate", "--show=value", "--form=exact", "--show=curvature"]
    silu = ["silu_gate", "silu", "silu_curvature"]
    assert columns(*words) == ["x", *silu, "exact_gate", "exact", "exact_curvature"]


def test_what_is_asked_for_twice_is_shown_once():
    words = ["--form=tanh", "--form=tanh", "--show=value", "--show=value"]
    assert columns(*words) == ["x", "tanh"]


@pytest.mark.parametrize("form", all_forms())
def test_a_column_is_named_by_its_form_and_quantity(form):
    quantities = [each for each in QUANTITIES if each not in OF_GATES or form in GATED]
    names = [form if each == "value" else f"{form}_{each}" for each in quantities]
    shown = [word for each in quantities for word in ("--show", each)]
    assert columns("--form", form, *shown) == ["x", *names]
    assert columns("--form", form, "--show", "all") == ["x", *names]


def test_a_parameter_is_part_of_the_name_of_the_column():
    words = ["--form", "quick:beta=1.6", "--form", "sigmoid", "--show", "value"]
    assert columns(*words) == ["x", "quick:beta=1.6", "sigmoid"]


@pytest.mark.parametrize("form", {**all_forms(), **DEFINITIONS})
def test_a_value_is_its_definition_rounded_once(form):
    answer = gelu("table", *POINTS, "--form", form, "--show", "value")
    for row in answer.rows:
        assert float(row[form]) == float(DEFINITIONS[form](mp.mpf(float(row["x"]))))


@pytest.mark.parametrize("form", all_forms())
def test_gradient_and_curvature_are_the_derivatives_of_the_value(form):
    """Central differences of the value column to 60 digits, away from every kink."""
    h = mp.mpf("1e-15")
    for x in ("-1.3", "0.7"):
        near = [mp.nstr(mp.mpf(x) + k * h, 40) for k in (-1, 0, 1)]
        shown = ["--show", "value", "--show", "gradient", "--show", "curvature"]
        below, at, above = gelu("table", *near, "--form", form, *shown, "--digits", "60").rows
        f0, f1, f2 = (mp.mpf(row[form]) for row in (below, at, above))
        assert mp.almosteq(mp.mpf(at[f"{form}_gradient"]), (f2 - f0) / (2 * h), 1e-25, 1e-25)
        assert mp.almosteq(mp.mpf(at[f"{form}_curvature"]), (f2 - 2 * f1 + f0) / h**2, 1e-25, 1e-25)


@pytest.mark.parametrize("form", GATED)
def test_a_gate_times_x_is_the_value(form):
    words = ["--form", form, "--show", "gate", "--show", "value", "--digits", "60"]
    for row in gelu("table", *POINTS, *words).rows:
        product = mp.mpf(row["x"]) * mp.mpf(row[f"{form}_gate"])
        assert mp.almosteq(mp.mpf(row[form]), product, 1e-58)


@pytest.mark.parametrize("form", all_forms())
def test_limits_are_answers_and_nan_stays_nan(form):
    words = ["--form", form, "--show", "value"]
    rows = gelu("table", "-inf", "-1e30", "inf", "nan", *words).rows
    assert [row["x"] for row in rows] == ["-inf", "-1e+30", "inf", "NaN"]
    limit, far, infinite, nan = (row[form] for row in rows)
    assert (limit, infinite, nan) == (far, "inf", "NaN")


def test_a_negative_zero_is_kept_and_its_value_is_one():
    (row,) = gelu("table", "-0", "--show", "value").rows
    assert set(row.values()) == {"-0.0"}


@pytest.mark.parametrize("digits", [1, 2, 6, 15, 17])
def test_digits_are_significant_and_each_is_right(digits):
    answer = gelu("table", *POINTS, "--form", "exact", "--show", "value", "--digits", digits)
    for row in answer.rows:
        number = Decimal(row["exact"])
        assert len(number.as_tuple().digits) == digits
        assert number == decimal_of(exact(mp.mpf(float(row["x"]))), digits)


@pytest.mark.parametrize("digits", [18, 30, 60])
def test_above_17_digits_the_number_is_the_one_that_was_typed(digits):
    words = ["0.1", "-1/3", "0x1.8p-3", "1e-30", "5:6:/2"]
    typed = [mp.mpf("0.1"), -mp.mpf(1) / 3, mp.mpf("0.1875"), mp.mpf("1e-30"), mp.mpf(5), mp.mpf(6)]
    rows = gelu("table", *words, "--form", "exact", "--show", "value", "--digits", digits).rows
    for row, x in zip(rows, typed, strict=True):
        assert Decimal(row["exact"]) == decimal_of(exact(x), digits)
        assert len(Decimal(row["exact"]).as_tuple().digits) == digits
        assert Decimal(row["x"]) in (decimal_of(x, digits), Decimal(mp.nstr(x, 60)).normalize())


@pytest.mark.parametrize("digits", [4300, 5000])
def test_thousands_of_digits_are_right_to_the_last(digits):
    context = MPContext()
    context.dps = digits + 20
    (row,) = gelu("table", "1", "--form", "softplus", "--show", "value", "-d", digits).rows
    value = context.log(1 + context.e)
    scaled = int(context.nint(value * context.mpf(10) ** (digits - 1)))
    assert Decimal(row["softplus"]).as_tuple().digits == Decimal(scaled).as_tuple().digits


def test_a_number_beyond_float64_can_be_had_with_more_digits():
    (row,) = gelu("table", "1e400", "--form", "relu", "--show", "value", "--digits", 20).rows
    assert Decimal(row["x"]) == Decimal(row["relu"]) == Decimal("1e400")


BYTE = [name for name, each in FORMATS.items() if each.width == 8]


def numpy_dtype(name):
    return np.dtype(getattr(ml_dtypes, name, name))


def patterns(numbers):
    width = 2 * numbers.dtype.itemsize
    bits = numbers.view(f"u{numbers.dtype.itemsize}")
    return [f"0x{each:0{width}x}" for each in bits.tolist()]


def every_finite(name):
    """Every finite number of a format in the order of its bit patterns."""
    dtype = numpy_dtype(name)
    bits = np.arange(2 ** (8 * dtype.itemsize), dtype=f"u{dtype.itemsize}")
    numbers = bits.view(dtype)
    with np.errstate(invalid="ignore"):
        return numbers[np.isfinite(numbers.astype(np.float64))]


@pytest.mark.parametrize("dtype", FORMATS)
def test_with_a_dtype_x_and_results_are_rounded_to_it(dtype):
    words = ["--form", "exact", "--show", "value", "--bits", "--dtype", dtype]
    answer = gelu("table", *POINTS, "-0", "1e-3", "300", *words)
    assert answer.columns == ["x", "x_bits", "exact", "exact_bits"]
    typed = np.array([*map(float, POINTS), -0.0, 1e-3, 300.0])
    with np.errstate(all="ignore"):
        x = typed.astype(numpy_dtype(dtype))
        want = np.array([float(exact(mp.mpf(float(each)))) for each in x]).astype(x.dtype)
    want[len(POINTS)] = -0.0  # mpmath has no negative zero
    assert list(map(repr, answer.floats("x"))) == [repr(float(each)) for each in x]
    assert [row["x_bits"] for row in answer.rows if row["x"] != "NaN"] == [
        text for text, number in zip(patterns(x), x, strict=True) if not math.isnan(number)
    ]
    for row, number, text in zip(answer.rows, want, patterns(want), strict=True):
        assert repr(float(row["exact"])) == repr(float(number))
        assert row["exact_bits"] == text or math.isnan(number)


@pytest.mark.parametrize(
    "dtype", [*BYTE, "float16", pytest.param("bfloat16", marks=pytest.mark.slow)]
)
def test_all_takes_every_finite_number_in_the_order_of_its_bits(dtype):
    words = ["--all", "--bits", "--form", "relu", "--show", "value", "--dtype", dtype]
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
    x = every_finite(dtype).astype(np.float64)
    value = np.array([float(exact(mp.mpf(each))) for each in x.tolist()])
    gradient = [float(mp.ncdf(each) + each * mp.npdf(each)) for each in map(mp.mpf, x.tolist())]
    for name, numbers in (("exact", value), ("exact_gradient", np.array(gradient))):
        want = numbers.astype(numpy_dtype(dtype))
        for row, number, text in zip(rows, want, patterns(want), strict=True):
            assert float(row[name]) == float(number)
            assert row[f"{name}_bits"] == text or number == 0


@pytest.mark.parametrize("name", ["bf16", "half", "fp32", "float", "double", "e4m3"])
def test_a_format_has_the_names_that_others_give_it(name):
    words = ["table", "1.2345", "--form", "relu", "--dtype"]
    assert gelu(*words, name).out == gelu(*words, find_format(name).name).out
    assert find_format(name).name != name


def numbers_in(text):
    text = re.sub(r" \\times 10\^\{(-?\d+)\}", r"e\1", text)
    return [float(each) for each in re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?", text)]


@pytest.mark.parametrize("extra", [[], ["--digits", "5"], ["--digits", "17"], ["--digits", "25"]])
@pytest.mark.parametrize("name", text_formats())
def test_every_format_holds_the_same_numbers(name, extra, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")  # so that all numbers of a row are on one line
    digits = extra or ["--digits", "6"]  # what people read has 6 unless asked otherwise
    if name not in ("table", "markdown"):
        digits = extra
    words = ["table", "-3", "1e-9", "0.1", "1e9", "--show", "value", "--form", "exact"]
    words += ["--form", "silu"]
    want = [float(cell) for row in gelu(*words, *digits).rows for cell in row.values()]
    assert numbers_in(gelu(*words, *extra, "--format", name).out)[: len(want)] == want


def test_json_is_standard_and_csv_lossless():
    words = ["table", "-inf", "inf", "nan", "-0", "1e-7", "--form", "relu", "--show", "value"]

    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    objects = json.loads(gelu(*words, "-f", "json").out, parse_constant=refuse)
    lines = gelu(*words, "-f", "jsonl").out.splitlines()
    assert [json.loads(line, parse_constant=refuse) for line in lines] == objects
    assert [each["x"] for each in objects] == ["-inf", "inf", "nan", -0.0, 1e-7]
    assert [each["relu"] for each in objects] == [0.0, None, None, 0.0, 1e-7]
    assert [row["x"] for row in gelu(*words).rows] == ["-inf", "inf", "NaN", "-0.0", "1e-07"]


def test_json_numbers_of_more_than_17_digits_are_strings():
    words = ["table", "0.1", "--form", "exact", "--show", "value", "-f", "json", "--digits"]
    (short,), (long,) = (json.loads(gelu(*words, digits).out) for digits in (17, 18))
    assert isinstance(short["exact"], float)
    assert (type(long["x"]), long["x"], type(long["exact"])) == (str, "0.1", str)


def test_a_wide_table_off_a_terminal_is_plain_and_as_wide_as_it_needs(monkeypatch):
    monkeypatch.setenv("COLUMNS", "2000")
    forms = [word for form in all_forms() for word in ("--form", form)]
    words = [*POINTS, *forms, "--show", "value", "--digits", "17"]
    text = gelu("table", *words, "--format", "table").out
    assert "\x1b" not in text
    assert "…" not in text
    lines = [line for line in text.splitlines() if line.lstrip().startswith("-3.1")]
    assert len(lines) == 1
    assert len(lines[0].split()) == 1 + len(all_forms())
    assert not any(line.endswith(" ") for line in text.splitlines())


def test_latex_says_infinity_and_nan_in_its_own_words():
    text = gelu("table", "-inf", "nan", "1e-9", "--form", "relu", "-f", "latex").out
    assert r"$-\infty$" in text
    assert r"$\mathrm{NaN}$" in text
    assert r"$1 \times 10^{-9}$" in text


def test_csv_has_line_feeds_and_shortest_digits():
    assert gelu("table", "0.1", "1e22", "1e-5", "--form", "relu", "--show", "value").out == (
        "x,relu\n0.1,0.1\n1e+22,1e+22\n1e-05,1e-05\n"
    )


def test_quiet_changes_no_number():
    assert gelu("table", *POINTS, "-q").out == gelu("table", *POINTS, "--quiet").out
    assert gelu("table", *POINTS, "-q").out == gelu("table", *POINTS).out
