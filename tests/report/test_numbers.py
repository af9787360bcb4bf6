"""Numbers as text lose nothing."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_cli.report.numbers import decimal_text, human_text, is_number, machine_text

DECIMALS = st.decimals(allow_nan=False, allow_infinity=False) | st.builds(
    lambda n, e: Decimal(n).scaleb(e), st.integers(-(10**20), 10**20), st.integers(-30, 30)
)


@given(st.floats())
def test_a_float_reads_back_as_it_was(x):
    assert repr(float(machine_text(x))) == repr(float(human_text(x))) == repr(x)


@given(DECIMALS)
def test_a_decimal_reads_back_with_all_its_digits_and_no_other(number):
    back = Decimal(decimal_text(number))
    assert back.compare_total(number) == 0 or number == back == 0
    assert back.is_signed() == number.is_signed()


@pytest.mark.parametrize(
    ("cell", "machine", "human"),
    [
        (3.0, "3.0", "3"), (-0.0, "-0.0", "-0"), (1e22, "1e+22", "1e+22"), (7, "7", "7"),
        (math.nan, "NaN", "NaN"), (-math.inf, "-inf", "-inf"), (None, "", ""),
        ("x.0", "x.0", "x.0"),
        (Decimal("3.0"), "3.0", "3.0"), (Decimal("-0"), "-0", "-0"),
        (Decimal("1.20E-7"), "1.20e-07", "1.20e-07"),
        (Decimal("0.0000120"), "0.0000120", "0.0000120"),
    ],
)  # fmt: skip
def test_each_kind_of_cell_has_its_text(cell, machine, human):
    assert (machine_text(cell), human_text(cell)) == (machine, human)


def test_all_but_text_is_a_number():
    assert [is_number(cell) for cell in (1.0, 1, Decimal(1), None, "1")] == [True] * 4 + [False]
