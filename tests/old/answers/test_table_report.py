"""The table: its columns, its rows, and what rounding does to each."""

import math
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gelu_cli import gelu
from gelu_cli.errors import UsageError
from gelu_cli.old.answers.table import table
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import all_forms, find_form
from gelu_cli.old.report import read
from gelu_cli.old.values.points import FewPoints, ManyPoints
from tests.truth.mpmath import bits, decimal_of, nearest, truth

EXACT, TANH, RELU = map(find_form, ("exact", "tanh", "relu"))
BFLOAT16 = FORMATS["bfloat16"]
BOTH = ("value", "gradient")


def names(report):
    return [column.name for column in report.columns]


def tabulate(blocks, *words, **options):
    """Return the table of blocks of points, arrays of many or lists of few."""
    several = (FewPoints(b) if isinstance(b, list) else ManyPoints(b) for b in blocks)
    return table(several, *words, **options)


def rows(report):
    return read(report)[0]


def test_forms_are_outermost_and_a_value_bears_the_forms_own_name():
    report = tabulate([[1.0]], [EXACT, TANH], ["gradient", "value", "gate", "curvature"])
    suffixes = ("_gradient", "", "_gate", "_curvature")
    assert names(report) == [
        "x",
        *(f"{form}{end}" for form in ("exact", "tanh") for end in suffixes),
    ]
    headings = [column.heading for column in report.columns[:5]]
    assert headings == ["x", "exact′", "exact", "exact gate", "exact″"]
    quick = find_form("sigmoid").with_settings("sigmoid:beta=2", {"beta": Fraction(2)})
    assert names(tabulate([[1.0]], [quick])) == ["x", "sigmoid:beta=2", "sigmoid:beta=2_gradient"]


def test_a_point_is_evaluated_as_it_is_and_shown_as_its_nearest_float64():
    third = Fraction(1, 3)
    for x in (-0.5, third):
        want = [nearest(truth("exact", quantity, x)) for quantity in ("value", "gradient")]
        assert rows(tabulate([[x]], [EXACT])) == [(float(x), *want)]


def test_many_points_count_as_typed_as_well_as_few():
    points = [Fraction(n, 1000) for n in range(1, 601)]
    whole = rows(tabulate([points], [RELU], ["value"], digits=20))
    assert [Fraction(y) for _, y in whole] == points  # none of them is a float64


def test_rows_come_in_the_blocks_of_the_points_as_they_are_asked_for():
    endless = ([float(n), n + 0.5] for n in count())
    blocks = iter(tabulate(endless, [RELU], ["value"]).stream)
    assert next(blocks) == [(0.0, 0.0), (0.5, 0.5)]
    assert next(blocks) == [(1.0, 1.0), (1.5, 1.5)]


@pytest.mark.parametrize(
    ("x", "text"),
    [(Fraction(1, 10), "0.1"), (Fraction(-7, 8), "-0.875"), (Fraction(10**30), "1" + "0" * 30),
     (Fraction(1, 3), "0." + "3" * 50), (0.1, "0.1"), (-0.0, "-0.0"), (math.inf, "inf")],
)  # fmt: skip
def test_with_digits_x_is_what_was_typed(x, text):
    (row,) = rows(tabulate([[x]], [RELU], ["value"], digits=50))
    assert format(row[0], "f" if isinstance(row[0], Decimal) else "") == text


@pytest.mark.parametrize(
    ("x", "text"), [("999", "999"), ("1000", "1E+3"), ("1234", "1234"), ("1234.5", "1234.5")]
)
def test_a_whole_x_is_written_out_up_to_so_many_digits(x, text):
    (row,) = rows(tabulate([[Fraction(x)]], [RELU], ["value"], digits=3))
    assert row[0] == Decimal(x)
    assert str(row[0]) == text


def test_with_digits_the_results_are_decimals_of_so_many():
    x = Fraction(1, 10)
    (row,) = rows(tabulate([[x]], [EXACT, TANH], digits=50))
    want = [truth(form, quantity, x) for form in ("exact", "tanh") for quantity in BOTH]
    assert row[1:] == tuple(decimal_of(each, 50) for each in want)


def test_infinities_and_nan_stay_floats_among_decimals():
    up, nan = rows(tabulate([[math.inf, math.nan]], [EXACT], ["value"], digits=4))
    assert up == (math.inf, math.inf)
    assert all(map(math.isnan, nan))


@pytest.mark.parametrize("x", [0.1, Fraction(1, 10), 33.3, -300.3, 1e-45])
def test_a_dtype_rounds_x_and_then_each_result(x):
    (row,) = rows(tabulate([[x]], [EXACT], dtype=BFLOAT16))
    at = nearest(Fraction(x), "bfloat16")
    want = [nearest(truth("exact", quantity, at), "bfloat16") if at else gradient / 2
            for gradient, quantity in enumerate(BOTH)]  # fmt: skip
    assert list(map(repr, row)) == list(map(repr, (at, *want)))


def test_of_the_largest_numbers_of_a_dtype_gelu_is_the_number():
    (row,) = rows(tabulate([[3e38]], [EXACT], dtype=BFLOAT16))
    assert row == (float(np.array(3e38).astype("bfloat16")),) * 2 + (1,)


def test_bits_are_numpys_patterns_beside_each_number():
    report = tabulate([[0.1, -0.0, -1e30]], [EXACT], dtype=BFLOAT16, bits=True)
    assert names(report) == ["x", "x_bits", "exact", "exact_bits",
                             "exact_gradient", "exact_gradient_bits"]  # fmt: skip
    for row in rows(report):
        for number, pattern in zip(row[::2], row[1::2], strict=True):
            assert pattern == f"0x{bits(np.array(number).astype('bfloat16')):04x}"


def test_digits_round_what_a_dtype_has_already_rounded():
    (row,) = rows(tabulate([[0.1]], [EXACT], ["value"], digits=3, dtype=BFLOAT16))
    want = nearest(truth("exact", "value", 0.10009765625), "bfloat16")
    assert row == (0.10009765625, Decimal(f"{want:.3g}"))


def test_beyond_e4m3_there_is_nan_alone():
    (row,) = rows(tabulate([[math.inf]], [EXACT], dtype=FORMATS["float8_e4m3fn"], bits=True))
    assert all(map(math.isnan, row[::2]))
    assert set(row[1::2]) == {"0x7f"}


def test_bits_without_a_dtype_and_a_gate_where_there_is_none_are_usage_errors():
    with pytest.raises(UsageError, match="add --dtype"):
        tabulate([[1.0]], [EXACT], bits=True)
    with pytest.raises(UsageError, match="'elu' has no gate"):
        tabulate([[1.0]], [EXACT, find_form("elu")], ["value", "gate"])


@pytest.mark.parametrize(
    ("options", "title", "fact"),
    [
        ({}, "Values and gradients", "each correctly rounded to float64"),
        ({"digits": 30}, "Values and gradients", "30 significant digits, each right"),
        ({"dtype": BFLOAT16}, "Values and gradients in bfloat16",
         "each correctly rounded to bfloat16"),
        ({"quantities": ["gate"]}, "Gates", "each correctly rounded to float64"),
        ({"quantities": ["value", "gradient", "curvature"], "dtype": BFLOAT16, "digits": 6},
         "Values, gradients and curvatures in bfloat16",
         "each correctly rounded to bfloat16, 6 significant digits"),
    ],
)  # fmt: skip
def test_the_report_says_what_it_shows_and_how_it_is_rounded(options, title, fact):
    report = tabulate([[1.0]], [EXACT], **options)
    assert (report.title, read(report)[1].facts["rounding"]) == (title, fact)
    assert report.digits == options.get("digits")


# Whole blocks: the same rows as one by one


SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, -5e-324, 1e30, -38.5, -0.75179152]
POINTS = st.lists(st.floats() | st.floats(-45, 45), min_size=20, max_size=30)


@settings(deadline=None, max_examples=8)
@given(POINTS, st.sampled_from(sorted(all_forms())), st.data())
def test_a_long_block_has_the_rows_of_short_ones(points, name, data):
    form = find_form(name)
    quantities = ["value", "gradient", "curvature"]
    options = data.draw(
        st.sampled_from(
            [{}, {"digits": 6}, {"digits": 14}, {"jobs": 3}]
            + [{"dtype": FORMATS[dtype], "bits": True} for dtype in ("float32", "float8_e4m3fn")]
            + [{"dtype": FORMATS["bfloat16"], "digits": 4}]
        )
    )
    points = [*SPECIAL, *points]
    alone = rows(tabulate([[x] for x in points], [form], quantities, **options))
    together = rows(tabulate([np.array(points)], [form], quantities, **options))
    assert [repr(tuple(row)) for row in together] == [repr(tuple(row)) for row in alone]
    assert len(together) == len(points)


def test_a_long_block_is_an_array_and_is_not_written_to():
    points = np.linspace(-9, 9, 1000)
    points.setflags(write=False)
    block, _ = tabulate([points], [find_form("exact")], ["value"]).stream
    assert isinstance(block, np.ndarray)
    assert block[:, 0].tolist() == points.tolist()
    assert block[:, 1].tolist() == gelu(points).tolist()


def test_few_points_need_no_numpy():
    block = [float(k) for k in range(100)]
    code = (
        "import sys; from gelu_cli.old.answers.table import table;"
        "from gelu_cli.old.formulas import find_form; from gelu_cli.old.values.points import points_of;"
        f"list(table([points_of({block})], [find_form('relu')]).stream);"
        "sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
