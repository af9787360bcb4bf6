"""Values at points: columns, digits, formats, and where points come from."""

from decimal import Decimal
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from mpmath import MPContext

from gelu_cli import table
from gelu_cli.inputs.point_lists import MANY
from tests.runner import gelu
from tests.truth.mpmath import FORMS, decimal_of, identical, nearest, truth

POINTS = ["-3.1", "-1", "-0.001", "0.3", "2.7"]
QUANTITIES = [
    "value",
    "gradient",
    "curvature",
    "gate",
    "complement",
    "gate_gradient",
    "mask_variance",
]
WITHOUT_A_GATE = ("value", "gradient", "curvature", "complement")
GATELESS = {"elu", "softplus", "noisy_relu", "squareplus"}
CHOSEN = {
    "elu:alpha=1.5": {"alpha": "1.5"},
    "tanh:c=0.1": {"c": "0.1"},
    "sigmoid:beta=1/3": {"beta": "1/3"},
    "noisy_relu:sigma=0.25": {"sigma": "0.25"},
}
FORMATS = ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]


def columns(*words):
    return list(gelu("table", "1", *words).rows[0])


def test_columns_are_forms_times_quantities_each_once():
    for words, names in {
        "": "exact exact_gradient tanh tanh_gradient sigmoid sigmoid_gradient",
        "--form silu,exact --quantity gate,value": "silu_gate silu exact_gate exact",
        "--form tanh --form tanh,quick_gelu --quantity value,value": "tanh quick_gelu",
        "--form sigmoid:beta=1.6 --quantity curvature": "sigmoid:beta=1.6_curvature",
        "--form softplus --quantity all": "softplus softplus_gradient softplus_curvature "
        "softplus_complement",
    }.items():
        assert columns(*words.split()) == ["x", *names.split()]


def test_what_is_printed_is_the_definition_rounded_once():
    for form in [*FORMS, *CHOSEN]:
        name, chosen = form.partition(":")[0], CHOSEN.get(form, {})
        quantities = WITHOUT_A_GATE if name in GATELESS else QUANTITIES
        for row in gelu("table", *POINTS, "--form", form, "--quantity", "all").rows:
            for quantity in quantities:
                column = form if quantity == "value" else f"{form}_{quantity}"
                want = truth(name, quantity, Fraction(float(row["x"])), **chosen)
                assert float(row[column]) == nearest(want), (row["x"], column)


def test_limits_are_answers_nan_stays_nan_and_minus_zero_its_sign():
    for form in FORMS.keys() - {"squareplus", "leaky_relu"}:  # at −10³⁰ these are off their limits
        rows = gelu(
            "table", "-inf", "-1e30", "inf", "nan", "--form", form, "--quantity", "value"
        ).rows
        assert [row["x"] for row in rows] == ["-inf", "-1e+30", "inf", "NaN"]
        limit, far, infinite, nan = (row[form] for row in rows)
        assert (limit, infinite, nan) == (far, "inf", "NaN")
    (row,) = gelu("table", "-0", "--quantity", "value").rows
    assert {*row.values()} == {"-0.0"}


def test_digits_are_significant_and_each_is_right():
    """Above 17 of them x is the number that was typed, not its nearest float64."""
    typed = {
        "0.1": "1/10",
        "-1/3": "-1/3",
        "0x1.8p-3": "3/16",
        "2^-70": f"1/{2**70}",
        "5:5.5:/1": "5",
        "9.046875": "9.046875",
    }
    for digits in (1, 6, 17, 18, 60):
        rows = gelu("table", *typed, "--form", "exact", "--quantity", "value", "-d", digits).rows
        for row, exact in zip(rows, map(Fraction, typed.values()), strict=True):
            x = exact if digits > 17 else Fraction(float(exact))
            assert len(Decimal(row["exact"]).as_tuple().digits) == digits
            assert Decimal(row["exact"]) == decimal_of(truth("exact", "value", x), digits)
            printed = Decimal(row["x"])
            assert printed == decimal_of(exact, digits) or Fraction(printed) == x or digits <= 17


def test_thousands_of_digits_and_numbers_beyond_float64():
    context = MPContext()
    context.dps = 4400
    (row,) = gelu("table", "1", "--form", "softplus", "--quantity", "value", "-d", 4300).rows
    scaled = int(context.nint(context.log(1 + context.e) * context.mpf(10) ** 4299))
    assert Decimal(row["softplus"]).as_tuple().digits == Decimal(scaled).as_tuple().digits
    (row,) = gelu("table", "1e400", "--form", "relu", "--quantity", "value", "-d", 20).rows
    assert Decimal(row["x"]) == Decimal(row["relu"]) == Decimal("1e400")


def test_with_a_dtype_x_and_results_are_rounded_to_it():
    for dtype in FORMATS:
        rows = gelu(
            "table",
            *POINTS,
            "9.25",
            "--form",
            "exact",
            "--quantity",
            "value",
            "--bits",
            "--dtype",
            dtype,
        ).rows
        assert list(rows[0]) == ["x", "x_bits", "exact", "exact_bits"]
        for row, typed in zip(rows, [*POINTS, "9.25"], strict=True):
            x = nearest(Fraction(typed), dtype)
            want = nearest(truth("exact", "value", Fraction(x)), dtype)
            for name, number in (("x", x), ("exact", want)):
                assert float(row[name]) == number, (dtype, typed)
                scalar = np.array([number]).astype(dtype)
                (bits,) = scalar.view(f"u{scalar.itemsize}").tolist()
                assert row[f"{name}_bits"] == f"0x{bits:0{2 * scalar.itemsize}x}"


def test_all_takes_each_finite_number_by_its_bits():
    for dtype in ("float8_e4m3fn", "float8_e5m2"):
        rows = gelu("table", "--all", "--bits", "--form", "relu,exact", "--dtype", dtype).rows
        numbers = np.arange(256, dtype=np.uint8).view(getattr(ml_dtypes, dtype)).astype(float)
        assert [float(row["x"]) for row in rows] == numbers[np.isfinite(numbers)].tolist()
        for row in rows:
            x = Fraction(float(row["x"]))
            assert float(row["relu"]) == max(0, x)
            if 0 < abs(x) < 12:
                assert float(row["exact"]) == nearest(truth("exact", "value", x), dtype)


def test_many_points_have_the_digits_of_few():
    x = [*np.linspace(-9, 9, 600).tolist(), -40.0, 1e-300, 1e300]
    words = ["--form", "exact,igelu", "--quantity", "value,gradient,complement"]
    many = gelu("table", *map(repr, x), *words).rows
    few = [gelu("table", *map(repr, x[k : k + 3]), *words).rows for k in range(0, 603, 67)]
    assert [
        many[k + i]
        for k, rows in zip(range(0, 603, 67), few, strict=True)
        for i in range(len(rows))
    ] == [row for rows in few for row in rows]
    assert [row["x"] for row in many] == list(map(repr, x))


def test_each_format_holds_the_same_numbers():
    words = ["table", "-3", "1e-9", "nan", "inf", "--form", "exact", "--quantity", "value"]
    first, second = (nearest(truth("exact", "value", Fraction(x))) for x in (-3, 1e-9))
    six = decimal_of(truth("exact", "value", Fraction(-3)), 6)
    assert gelu(*words).out == f"x,exact\n-3.0,{first}\n1e-09,{second}\nNaN,NaN\ninf,inf\n"
    assert gelu(*words, "-f", "json").json == [
        {"x": -3.0, "exact": first},
        {"x": 1e-9, "exact": second},
        {"x": "NaN", "exact": "NaN"},
        {"x": "Infinity", "exact": "Infinity"},
    ]
    latex = gelu(*words, "-f", "latex").out.splitlines()
    assert latex[2:4] == ["x & exact \\\\", r"\midrule"]
    assert latex[4].split(" & ") == ["$-3$", f"${six}$ \\\\"]
    markdown = gelu(*words, "-f", "markdown").out.splitlines()
    assert markdown[0::2][:2] == ["| x | exact |", f"| -3 | {six} |"]
    shown = gelu(*words, terminal=True).out
    assert str(six) in shown
    assert "each result is the nearest decimal of 6 digits" in shown


def test_python_takes_words_numbers_and_arrays():
    for x in ([1, "1/3"], ["1", "1/3"], "1 1/3", np.array([[1.0], [1 / 3]]), (1.0, 1 / 3)):
        found = table(x, ["exact", "tanh"], "value")
        assert list(found.x) == [1.0, 1 / 3]
        for name in ("exact", "tanh"):
            want = [nearest(truth(name, "value", Fraction(each))) for each in (1.0, 1 / 3)]
            assert list(found.columns[name]) == want
    pandas = pytest.importorskip("pandas")
    frame = table(np.linspace(-1, 1, 1000), "exact").to_pandas()
    assert list(frame.columns) == ["x", "exact", "exact_gradient"]
    pandas.testing.assert_series_equal(
        frame["x"], pandas.Series(np.linspace(-1, 1, 1000), name="x")
    )
    sixteen = table([0.1], "exact", "value", dtype=np.float16).columns["exact"][0]
    tenth = Fraction(nearest(Fraction(1, 10), "float16"))
    assert identical(sixteen, nearest(truth("exact", "value", tenth), "float16"))


def test_numbers_are_rounded_once_to_a_dtype_however_many():
    """A float64 at a tie of float32, and the decimal above it that was typed."""
    typed = ["1.0000000596046448"] * MANY
    assert Fraction(typed[0]) > Fraction(float(typed[0])) == 1 + Fraction(1, 1 << 24)
    from_words = table(typed, "exact", "value", dtype="float32").x
    words = ("table", "-", "--dtype", "float32", "--form", "exact")
    from_file = [float(row["x"]) for row in gelu(*words, stdin="\n".join(typed)).rows]
    assert {*from_words} == {*from_file} == {1 + 2**-23}
    assert len(from_words) == len(from_file) == MANY
