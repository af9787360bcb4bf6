"""Whole arrays have the right digits, by Arb, and those of single points; quick ones nearly so."""

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gelu_cli.old.arithmetic.formats import FLOAT64, FORMATS
from gelu_cli.old.formulas import QUANTITIES, all_forms, find_form
from gelu_cli.old.values.evaluate import evaluate
from gelu_cli.old.values.evaluate_arrays import attempt, evaluate_array, evaluate_many, quick_values
from gelu_cli.old.values.points import BULK
from tests.old.asked import set_to
from tests.old.every import every
from tests.old.values.points import (
    CASES,
    GRADIENT_ZERO,
    around,
    by_arb,
    form_of,
    kinks_of,
    near_ties,
    quantities_of,
    same,
    sign_changes,
    special,
    spread,
)
from tests.truth.arb import kinks, number, pieces, series, values_and_gradients

every_case = every("case", CASES)
every_form = every("name", all_forms())
every_format = every("dtype", FORMATS)
NARROW = ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]
THREE = QUANTITIES[:3]
SPECIALS = [math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, -5e-324, 2.2e-308, -1.3e-310,
            1.7976931348623157e308, -1.7976931348623157e308]  # fmt: skip


def rows(form, quantities, x, rounding=FLOAT64):
    """Return what evaluate_array gives, a list of numbers for each point."""
    found = evaluate_array(form, quantities, x, rounding)
    return [list(row) for row in zip(*(column.tolist() for column in found), strict=True)]


def by_points(form, quantities, x, rounding=FLOAT64):
    return [evaluate(form, quantities, point, rounding) for point in x.tolist()]


def differences(x, quantities, got, want):
    """Return where two lists of rows differ; None stands for what nobody knows."""
    return [
        (point, quantity, g, w)
        for point, row, other in zip(x.tolist(), got, want, strict=True)
        for quantity, g, w in zip(quantities, row, other, strict=True)
        if w is not None and not same(g, w)
    ]


def hard_points(form, candidates, count, seed=0):
    found = [near_ties(form, quantity, candidates, count, seed)[0]
             for quantity in quantities_of(form)]  # fmt: skip
    return np.unique(np.concatenate(found))


@cache
def near_points(case):
    """Return the neighbours of the landmarks, the zeros and the kinks of a form."""
    return special(form_of(case), 1)


@cache
def some_ties(case, quantity):
    """Return a few near ties, which several tests share: to find them takes its time."""
    return near_ties(form_of(case), quantity, 25_000, 6, 0)


def some_hard_points(case):
    found = [some_ties(case, quantity)[0] for quantity in quantities_of(form_of(case))]
    return np.unique(np.concatenate(found))


def within_reach(case, x):
    """Return the points at which single ones do not take milliseconds each."""
    return x[np.abs(x) < 1e10] if "noisy" in case else x


def moderate(x):
    """Return the points that a single one of which takes no milliseconds."""
    return x[(np.abs(x) < 1e6) & (np.abs(x) > 1e-40)]


def assert_like_arb(case, x, known=0.8, rounding=FLOAT64):
    form = form_of(case)
    quantities = quantities_of(form)
    want = [by_arb(case, quantities, point, rounding) for point in x.tolist()]
    assert not differences(x, quantities, rows(form, quantities, x, rounding), want)
    assert sum(None not in row for row in want) >= known * len(x)


def assert_like_single_points(case, x, rounding=FLOAT64):
    form = form_of(case)
    quantities = quantities_of(form)
    want = by_points(form, quantities, x, rounding)
    assert not differences(x, quantities, rows(form, quantities, x, rounding), want)


@every_case
def test_the_numbers_are_arbs(case):
    x = np.concatenate([spread(45, 1), near_points(case)[::6]])
    assert_like_arb(case, within_reach(case, x))
    assert_like_arb(case, some_hard_points(case), known=0.6 if case == "hard" else 1)


@every_case
def test_the_numbers_are_those_of_single_points(case):
    x = moderate(np.concatenate([spread(60, 2), near_points(case)[1::3]]))
    assert_like_single_points(case, np.concatenate([x, some_hard_points(case), SPECIALS]))


@pytest.mark.slow
@every_case
def test_a_hundred_thousand_numbers_are_arbs(case):
    x = np.concatenate([spread(100_000, 11), special(form_of(case), 40)])
    assert_like_arb(case, within_reach(case, x), known=0.7)
    assert_like_single_points(case, moderate(x))


@pytest.mark.slow
@every_case
def test_the_hardest_of_a_million_points_are_arbs(case):
    x = hard_points(form_of(case), 1_000_000, 300, 12)
    assert_like_arb(case, x, known=0.3 if case == "hard" else 1)
    assert_like_single_points(case, x[::10])


def is_polynomial(name):
    functions, _ = pieces(name)
    return all(term == 0 for piece in functions for term in series(piece, number(1), 6)[4:])


@every_case
def test_there_are_hard_points_to_be_found(case):
    if is_polynomial(CASES[case][0]):
        return  # its values have few bits
    for quantity in THREE:
        _, bits = some_ties(case, quantity)
        assert bits >= 11, quantity


@every(("quantity", "zeros"), [
    ("gradient", [GRADIENT_ZERO]), ("curvature", [-math.sqrt(2), math.sqrt(2)]),
])  # fmt: skip
def test_the_digits_last_where_a_quantity_of_gelu_vanishes(quantity, zeros):
    form = find_form("exact")
    found = sign_changes(form, quantity)
    np.testing.assert_allclose(found, zeros, rtol=1e-15)
    x = around(zeros, 30)
    (y,), _ = attempt(form, [quantity], x, FLOAT64)
    assert np.abs(y).min() < 1e-15
    assert_like_arb("exact", x, known=1)
    assert_like_single_points("exact", x[::4])


@every("x", [GRADIENT_ZERO, 2.0**-7 * math.sqrt(2), -0.011048543456039735])
def test_points_where_an_argument_is_next_to_where_a_series_changes(x):
    assert_like_arb("exact", around([x, -x], 100), known=1)


@every_format
@every_case
def test_in_every_format_the_numbers_are_those_of_single_points(case, dtype):
    x = moderate(spread(24, 4))
    assert_like_single_points(case, np.concatenate([x, [0.0, math.nan]]), FORMATS[dtype])


@every_format
@every("case", ["exact", "tanh", "silu", "mish", "elu:alpha=1/3", "softplus"])
def test_in_every_format_the_numbers_are_arbs(case, dtype):
    x = spread(60, 5)
    assert_like_arb(case, x[np.abs(x) < 1e30], rounding=FORMATS[dtype])


@every("dtype", ["float8_e4m3fn", "float8_e5m2"])
@every_case
def test_all_numbers_of_8_bits(case, dtype):
    numbers = np.array([*FORMATS[dtype].finite_numbers(), math.inf, -math.inf, math.nan])
    assert_like_single_points(case, numbers[:: 1 if case in {"exact", "tanh"} else 11],
                              FORMATS[dtype])  # fmt: skip


@pytest.mark.slow
@every("dtype", NARROW)
@every_case
def test_all_numbers_of_a_narrow_format(case, dtype):
    numbers = moderate(np.array(list(FORMATS[dtype].finite_numbers())))
    assert_like_single_points(case, numbers, FORMATS[dtype])


@every("dtype", ["float32", "float16", "bfloat16"])
def test_what_rounds_to_a_tie_as_a_float64_is_not_rounded_twice(dtype):
    """Near GELU's minimum several x have values within half a float64 unit of a tie."""
    form, number_format = find_form("exact"), FORMATS[dtype]
    unit = 2.0 ** (-3 - number_format.precision + 1)
    twice = 0
    for k in (1, 3, 5):
        tie = -(math.floor(0.1697 / unit) - 2 * k + 0.5) * unit
        low, high = -0.7517915246935645, -0.3
        while low < (middle := (low + high) / 2) < high:
            (y,), _ = attempt(form, ["value"], np.array([middle]), FLOAT64)
            low, high = (middle, high) if y[0] < tie else (low, middle)
        x = around([low], 40)
        (y,) = evaluate_array(form, ["value"], x, FLOAT64)
        (got,) = evaluate_array(form, ["value"], x, number_format)
        assert_like_arb("exact", x, known=1, rounding=number_format)
        twice += np.sum(np.array([number_format.from_float(v) for v in y.tolist()]) != got)
        assert np.sum(y == tie) > 1
    assert twice > 0


@every("dtype", ["float64", "float32", "bfloat16"])
@every_case
def test_tiny_inputs_whose_values_lie_beside_a_tie(case, dtype):
    number_format, generator = FORMATS[dtype], np.random.default_rng(18)
    odd = 2 * generator.integers(1, 2**number_format.precision, 12) + 1
    least = number_format.emin - number_format.precision + 1
    steps = generator.choice([0, 1, 7], 12) if dtype == "float64" else generator.integers(-9, 2, 12)
    x = np.ldexp(odd.astype(float), least + steps)
    x = np.concatenate([x, -x])
    assert_like_arb(case, x[np.abs(x) < 2.0**-100], 0.9, number_format)


@every("c", ["1048577", "1e77", "-1e77", "1e200", "-1e300"])
def test_a_parameter_may_bend_a_form_next_to_zero(c):
    form = set_to("tanh", c=c)
    x = np.array([1e-100, 1e-60, 1e-37, 2.0**-125 * (1 + 2.0**-8)])
    x = np.concatenate([x, -x])
    for rounding in (FLOAT64, FORMATS["bfloat16"]):
        want = by_points(form, ["value"], x, rounding)
        assert not differences(x, ["value"], rows(form, ["value"], x, rounding), want)


def test_minus_half_the_least_number_and_a_hair_is_minus_zero():
    x = np.array([-(2.0**-25) - 2.0**-51])
    (value,) = evaluate_array(find_form("elu"), ["value"], x, FORMATS["float16"])
    assert same(value[0], -0.0)


def test_far_out_a_sign_that_is_not_known_is_found_out():
    x = np.array([-1e5, -5e16, -1e30, -1e300])
    (value,) = evaluate_array(find_form("noisy_relu"), ["value"], x, FLOAT64)
    assert value.tolist() == [0.0] * 4
    assert not np.signbit(value).any()


@pytest.mark.parametrize(("name", "parameter", "value"), [
    *(("sigmoid", "beta", v) for v in ("0", "4194304", "1e300", "-1e400", "1e-320", "1/3e-305")),
    *(("elu", "alpha", v) for v in ("0", "-2", "1e400", "1e-300")),
    *(("tanh", "c", v) for v in ("0", "-1/9", "1e300", "1e-400")),
    *(("noisy_relu", "sigma", v) for v in ("1e10", "1e-120")),
    pytest.param("noisy_relu", "sigma", "1e-300", marks=pytest.mark.slow),
])  # fmt: skip
def test_parameters_of_every_size(name, parameter, value):
    top, _, exponent = value.partition("e")
    setting = Fraction(top) * Fraction(10) ** int(exponent or 0)
    form = set_to(name, **{parameter: setting})
    dear = abs(int(exponent or 0)) > 100
    whole = np.array([-1.5, 1e-100] if dear else [-1.5, 1e-40, -1e300, 1e-250, 1e300])
    want = by_points(form, THREE, whole)
    for block in [slice(None)] if dear else [slice(None), slice(2)]:
        got = rows(form, THREE, whole[block])
        assert not differences(whole[block], THREE, got, want[block])


@every_case
def test_nearly_every_point_is_settled_at_once(case):
    form = form_of(case)
    x = spread(30_000, 6)
    x = within_reach(case, x[np.abs(x) > 2.0**-1020])
    _, settled = attempt(form, quantities_of(form), x, FLOAT64)
    # Hard GELU's gate is exactly half way between two numbers at one point in some 3000.
    assert np.mean(~settled) < (1e-3 if case == "hard" else 1e-4)


@every_form
def test_at_a_kink_and_beside_it_the_right_piece_holds(name):
    form = find_form(name)
    kinks = kinks_of(form)
    x = np.array(sorted({*around(kinks or [1.0], 5).tolist(), *kinks}))
    quantities = quantities_of(form)
    assert not differences(x, quantities, rows(form, quantities, x), by_points(form, quantities, x))


def test_an_array_is_read_however_it_lies_and_not_written_to():
    whole, form = np.array([0.5, -0.0, -3.0, math.inf]), find_form("relu")
    wide = np.repeat(whole, 2)[::2]
    wide.setflags(write=False)
    (found,) = evaluate_array(form, ["value"], wide, FLOAT64)
    assert found.tolist() == [0.5, 0.0, 0.0, math.inf]
    (backwards,) = evaluate_array(form, ["value"], whole[::-1], FLOAT64)
    assert backwards.tolist() == found.tolist()[::-1]
    found[0] = 9.0
    assert whole[0] == 0.5


@every("jobs", [1, 2])
def test_no_points_have_no_numbers(jobs):
    found = evaluate_many(find_form("exact"), THREE, np.array([]), FLOAT64, jobs)
    assert [(column.shape, column.dtype) for column in found] == [((0,), np.float64)] * 3


def test_quantities_come_in_the_order_asked_for():
    form, x = find_form("exact"), np.array([0.3, -5.0, 0.0])
    forth = evaluate_array(form, QUANTITIES, x, FLOAT64)
    back = evaluate_array(form, QUANTITIES[::-1], x, FLOAT64)
    assert [column.tolist() for column in back[::-1]] == [column.tolist() for column in forth]
    twice = evaluate_array(form, ["gate", "gate"], x, FLOAT64)
    assert [column.tolist() for column in twice] == [forth[3].tolist()] * 2


@every("name", ["exact", "hard", "noisy_relu"])
def test_jobs_and_blocks_change_nothing(name):
    form = find_form(name)
    x = np.tile(np.concatenate([spread(400, 9), near_points(name)]), 80)
    x = x[np.abs(x) < 1e10][: BULK + 17]
    assert len(x) == BULK + 17
    want = [column.tobytes() for column in evaluate_array(form, THREE, x, FLOAT64)]
    for jobs in (1, 3):
        found = evaluate_many(form, THREE, x, FLOAT64, jobs)
        assert [column.tobytes() for column in found] == want


@every("name", ["exact", "tanh", "elu", "noisy_relu", "softplus"])
@settings(max_examples=10)
@given(x=st.lists(st.floats(-1e5, 1e5) | st.floats(-40, 10), min_size=1, max_size=4),
       dtype=st.sampled_from(list(FORMATS)))  # fmt: skip
def test_any_points_in_any_format_are_those_of_single_points(name, x, dtype):
    form, x = find_form(name), np.array(x)
    got = rows(form, THREE, x, FORMATS[dtype])
    assert not differences(x, THREE, got, by_points(form, THREE, x, FORMATS[dtype]))


# Quick values, of floats alone


def root_mean_square(x):
    return np.sqrt(np.mean(x * x))


@every_form
@every(("low", "high"), [(-6, 6), (-20, -6), (6, 30), (-0.01, 0.01)])
def test_quick_values_are_within_1e_12_of_the_norm_of_arbs(name, low, high):
    x = np.random.default_rng(3).uniform(low, high, 100)
    found = quick_values(find_form(name), x)
    for got, want in zip(found, values_and_gradients(name, x), strict=False):
        assert root_mean_square(got - want) <= 1e-12 * root_mean_square(want)


@every_form
def test_quick_values_at_kinks_and_beside_them_are_those_of_the_form(name):
    roots = kinks(name)
    x = np.array([0.0, *roots, *np.nextafter(roots, -9), *np.nextafter(roots, 9)])
    found = quick_values(find_form(name), x.reshape(1, -1))
    for at, *got in zip(x.tolist(), found.value[0], found.gradient[0], strict=True):
        due = evaluate(find_form(name), ["value", "gradient"], at, FLOAT64)
        assert got == pytest.approx(due, rel=1e-14, abs=1e-15)
