"""Numbers as text lose nothing."""

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_cli.old.report import Column, Report
from gelu_cli.old.report.numbers import (
    decimal_text,
    float_lines,
    human_text,
    machine_text,
    numeric_columns,
)

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
    report, row = Report("", [Column("", "")] * 5, []), (1.0, 1, Decimal(1), None, "1")
    assert numeric_columns(report, [row]) == [True] * 3 + [False] * 2
    assert numeric_columns(report, [(None,) * 5, (0.5,) * 5]) == [True] * 5


def assert_printed_alike(array):
    lines = "".join(",".join(map(machine_text, row)) + "\n" for row in array.tolist())
    assert float_lines(array) == lines


@given(
    st.integers(1, 4).flatmap(
        lambda n: st.lists(st.lists(st.floats(), min_size=n, max_size=n), min_size=1)
    )
)
def test_an_array_is_printed_as_its_numbers_are(rows):
    assert_printed_alike(np.array(rows))


def test_numbers_of_every_size_and_length_are_printed_alike_in_an_array():
    random = np.random.default_rng(1)
    patterns = random.integers(0, 2**64, 30_000, dtype=np.uint64).view(np.float64)
    sizes = random.normal(size=(5_000, 3)) * 10.0 ** random.integers(-14, 20, (5_000, 3))
    assert_printed_alike(patterns.reshape(-1, 3))
    assert_printed_alike(sizes)
    assert_printed_alike(np.float64(np.float32(sizes)))
    assert_printed_alike(np.round(sizes, 6))


def test_where_the_form_of_a_number_changes_it_does_so_in_an_array_too():
    powers = 10.0 ** np.arange(-323, 309)
    edges = np.concatenate([powers, 2.0 ** np.arange(-1074, 1024), np.arange(10) * 1e-7])
    edges = np.concatenate([np.nextafter(edges, 0), edges, np.nextafter(edges, np.inf)])
    assert_printed_alike(np.column_stack([edges, -edges]))
    assert_printed_alike(np.array([[0.0, -0.0, np.nan, np.inf, -np.inf, 5e-324, 1e16, 1e-5]]))


def test_an_array_is_left_as_it_was_and_may_lie_in_memory_in_any_way():
    array = np.arange(24.0).reshape(4, 6)
    assert float_lines(array[::2, 1::3]) == "1.0,4.0\n13.0,16.0\n"
    assert float_lines(array[:2, :2].T) == "0.0,6.0\n1.0,7.0\n"
    assert float_lines(array[:0]) == ""
    assert array.tolist() == np.arange(24.0).reshape(4, 6).tolist()
