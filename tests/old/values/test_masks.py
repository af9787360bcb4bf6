"""What is left of x, G′ and the variance of the stochastic gate: right in both tails, both ways."""

import math
from fractions import Fraction

import numpy as np

from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.formats import FLOAT64, FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.values.evaluate import evaluate
from gelu_cli.old.values.evaluate_arrays import attempt, evaluate_array
from tests.old.every import every
from tests.old.values.points import CASES, by_arb, form_of, masks_of, same, special, spread
from tests.truth.mpmath import M, decimal_of, fraction, identical, nearest, truth

every_case = every("case", CASES)
SPECIALS = [math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, -5e-324, 2.2e-308, 1e30, -1e30, 1e5]
RIGHT_TAIL = np.array([8.3, 20.0, 37.5, 38.4, 38.47, 38.6, 60.0])


def some_points(case, n):
    x = np.concatenate([spread(n, 21), special(form_of(case), 1)[::9], RIGHT_TAIL])
    return x[(np.abs(x) < 1e10) & (np.abs(x) > 1e-100)]


def columns(form, x, rounding=FLOAT64):
    """Return the results of an array, point by point."""
    found = evaluate_array(form, masks_of(form), x, rounding)
    return list(zip(*(column.tolist() for column in found), strict=True))


@every_case
def test_arrays_have_the_numbers_of_arb(case):
    form, x = form_of(case), some_points(case, 30)
    told = 0
    for point, got in zip(x.tolist(), columns(form, x), strict=True):
        want = by_arb(case, masks_of(form), point)
        told += want.count(None) == 0
        pairs = zip(got, want, strict=True)
        assert all(w is None or same(g, w) for g, w in pairs), (point, got, want)
    assert told > 0.6 * len(x)


@every_case
@every("dtype", ["float64", "bfloat16", "float8_e4m3fn"])
def test_in_every_format_arrays_have_the_numbers_of_arb_and_of_single_points(case, dtype):
    form, number_format = form_of(case), FORMATS[dtype]
    x = np.array([*SPECIALS, *spread(12, 22), *RIGHT_TAIL])
    x = x[~(np.abs(x) > 1e5)] if "noisy" in case else x
    for point, got in zip(x.tolist(), columns(form, x, number_format), strict=True):
        want = evaluate(form, masks_of(form), point, number_format)
        assert all(map(same, got, want)), (point, got, want)
        if 1e-100 < abs(point) < 1e10:
            truths = by_arb(case, masks_of(form), point, number_format)
            pairs = zip(got, truths, strict=True)
            assert all(w is None or same(g, w) for g, w in pairs), (point, got, truths)


@every_case
def test_single_points_have_the_digits_of_the_definition(case):
    name, parameters = CASES[case]
    form = form_of(case)
    for x in (-3.7, -0.3, 1e-9, 2.3, 9.5, 20.0):
        want = [truth(name, quantity, x, **parameters) for quantity in masks_of(form)]
        got = evaluate(form, masks_of(form), x, FLOAT64)
        assert all(identical(g, nearest(w)) for g, w in zip(got, want, strict=True)), x
        long = evaluate(form, masks_of(form), x, Decimals(30))
        assert long == [decimal_of(w, 30) for w in want], x


@every_case
def test_nearly_every_point_is_settled_at_once(case):
    form = form_of(case)
    _, settled = attempt(form, masks_of(form), some_points(case, 3000), FLOAT64)
    assert np.mean(settled) > 0.99


@every("x", [10.0, 37.6, 38.47, 100.0])
def test_what_gelu_leaves_of_x_is_the_value_of_the_other_side(x):
    """x − GELU(x) = −GELU(−x), which is next to φ(x)/x to the right."""
    with M.workdps(30):
        tail = fraction(x * M.erfc(M.mpf(x) / M.sqrt(2)) / 2)
    (left,) = evaluate(find_form("exact"), ["complement"], x, FLOAT64)
    assert identical(left, nearest(tail))
    (digits,) = evaluate(find_form("exact"), ["complement"], Fraction(x), Decimals(25))
    assert digits == decimal_of(tail, 25)


def test_what_mish_leaves_of_x_has_digits_far_out():
    """x − mish(x) is 2x/(e^(2x) + 2eˣ + 2)."""
    x = Fraction(10**4)
    with M.workdps(40):
        want = fraction(2 * M.mpf(10**4) / (M.exp(20_000) + 2 * M.exp(10_000) + 2))
    assert evaluate(find_form("mish"), ["complement"], x, Decimals(30)) == [decimal_of(want, 30)]


def test_a_gate_beyond_1_has_a_negative_variance():
    form = find_form("polynomial").with_settings("steep", {"c1": Fraction(1)})
    gate, variance = evaluate(form, ["gate", "mask_variance"], 2.0, FLOAT64)
    assert gate > 1
    assert variance == nearest(truth("polynomial", "mask_variance", 2, c1="1"))
    assert variance < 0
