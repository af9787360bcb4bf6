"""Errors at points are mpmath's and Arb's, however much of the two forms cancels."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from flint import ctx

from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.calculus.point_errors import errors_at, errors_at_points
from gelu_cli.old.formulas import all_forms
from gelu_cli.old.values.points import DIGITS_BY_FLOAT64, FewPoints, ManyPoints
from tests.old.asked import comparison
from tests.old.every import every
from tests.old.values.points import CASES, balls_of, form_of, kinks_of, rounded_end, same
from tests.truth.mpmath import M, decimal_of, fraction, nearest, truth

OTHERS = [name for name in all_forms() if name != "exact"]
QUANTITIES = ["value", "gradient", "curvature"]
PAIRS = list(itertools.permutations(CASES, 2))
ARB_BITS = (200, 2000, 20_000)
every_quantity = every("quantity", QUANTITIES)


def at(name, x, target="exact", quantity="value", rounding=FLOAT64):
    return errors_at(comparison(name, target, quantity), x, rounding)[2:]


@every("name", OTHERS)
@every_quantity
@every("x", [Fraction(1, 3), Fraction(-5, 2), Fraction(7)])
def test_at_a_point_both_errors_are_rounded_once(name, quantity, x):
    want, got = truth("exact", quantity, x), truth(name, quantity, x)
    if name in {"relu", "elu", "hard", "igelu"} and x > 3 and quantity == "curvature":
        got = Fraction(0)  # where differences of mpmath leave a trace
    errors = got - want, (got - want) / want
    assert at(name, x, quantity=quantity) == tuple(map(nearest, errors))
    digits = tuple(decimal_of(y, 30) for y in errors)
    assert at(name, x, quantity=quantity, rounding=Decimals(30)) == digits


@every("rounding", [FLOAT64, Decimals(30)])
@every(
    ("name", "x", "want"),
    [
        ("tanh", 0.0, (0, 0)),
        ("tanh", -0.0, (0, 0)),
        ("sigmoid", 0.0, (0, 0)),
        ("tanh", math.inf, (0, 0)),
        ("tanh", -math.inf, (0, -1)),
        ("sigmoid", -math.inf, (0, math.inf)),
        ("softplus", 0.0, (math.log(2), math.inf)),
    ],
)
def test_at_zeros_and_infinities_there_are_limits(name, x, want, rounding):
    assert tuple(map(float, at(name, x, rounding=rounding))) == want


def test_where_both_are_0_the_ratio_of_two_zeros_is_nan():
    assert math.isnan(at("hard", Fraction(-5), target="relu")[1])


def test_so_it_is_of_values_whose_gates_differ_and_of_one_that_rounds_to_0():
    """Mish is 0·0.6 at 0, and below 2^(−1074) far to the left."""
    assert math.isnan(at("mish", 0.0, target="relu")[1])
    assert math.isnan(at("mish", -0.0, target="relu")[1])
    assert at("mish", -745.2, target="relu")[1] == math.inf
    assert math.isnan(at("mish", -800.0, target="relu")[1])


@every("rounding", [FLOAT64, Decimals(30)])
@every(
    ("name", "target", "quantity", "x", "want"),
    [
        ("elu", "relu", "value", -math.inf, (-1, math.inf)),
        ("elu", "relu", "curvature", math.inf, (0, math.nan)),
        ("relu", "igelu", "value", -math.inf, (0, math.nan)),
        ("hard", "relu", "gradient", math.inf, (0, 0)),
    ],
)
def test_a_target_that_is_0_far_out_is_so_at_infinity(name, target, quantity, x, want, rounding):
    np.testing.assert_equal(list(map(float, at(name, x, target, quantity, rounding))), want)


def test_far_to_the_right_the_difference_has_all_its_digits():
    """GELU(x) and a form gated by a logistic are both x less next to nothing there."""
    x, digits = 127, 40
    u = M.sqrt(2 / M.pi) * (x + M.mpf("0.044715") * x**3)
    tail = M.erfc(x / M.sqrt(2)) / 2
    difference = tail - 1 / (1 + M.exp(2 * u))  # of 1 − G, which is no more than 10⁻³⁵⁰⁴
    want = fraction(x * difference), fraction(difference / (1 - tail))
    assert at("tanh", Fraction(x), rounding=Decimals(digits)) == tuple(
        decimal_of(y, digits) for y in want
    )


# Many points


def by_arb(pair, x):
    """Return the four numbers at x by Arb, rounded; None where its balls do not settle them."""
    results = [None] * 4
    for bits in ARB_BITS:
        with ctx.workprec(bits):
            gated = pair.quantity == "value" and pair.form.has_gate and pair.target.has_gate
            both = [balls_of(form.label, x) for form in (pair.form, pair.target)]
            if not all(both):
                continue
            u, v = (balls[pair.quantity] for balls in both)
            g, h = (balls["gate" if gated else pair.quantity] for balls in both)
            ratio = (g - h) / h
            for i, ball in enumerate((v, u, u - v, ratio)):
                if results[i] is None and ball.is_finite() and (ball.is_exact() or ball != 0):
                    ends = [rounded_end(end, FLOAT64) for end in (ball.lower(), ball.upper())]
                    results[i] = ends[0] if same(*ends) else None
        if None not in results:
            break
    return results


def usual(n, seed):
    """Return points of the usual range, of the tails and next to 0."""
    generator = np.random.default_rng(seed)
    wide = generator.random((3, n)) * np.array([[8.0], [40.0], [200.0]])
    near = 2.0 ** -generator.integers(1, 30, n) * (1 + generator.random(n))
    return np.concatenate([*wide, near]) * generator.choice([-1.0, 1.0], 4 * n)


def assert_like_arb(name, target, quantity, x, known):
    pair = comparison(form_of(name), form_of(target), quantity)
    got = zip(*errors_at_points(pair, ManyPoints(x), FLOAT64), strict=True)
    asked = told = 0
    for point, row in zip(x.tolist(), got, strict=True):
        for g, w in zip(row, by_arb(pair, point), strict=True):
            # The sign of a zero is none of a difference's.
            assert w is None or same(g, w) or g == w == 0, (point, row)
            asked, told = asked + 1, told + (w is not None)
    assert told >= known * asked


def texts(columns):
    """Return numbers as texts, as `gelu error` shows them: NaN is NaN, a Decimal is no float."""
    target, approx, *errors = columns
    sizes = [[repr(abs(y)) for y in column] for column in errors]
    return [list(map(repr, target)), list(map(repr, approx)), *sizes]


def assert_like_single_points(name, target, quantity, x, rounding=FLOAT64):
    pair = comparison(form_of(name), form_of(target), quantity)
    few, many = FewPoints(x.tolist()), ManyPoints(x)
    assert texts(errors_at_points(pair, many, rounding)) == texts(
        errors_at_points(pair, few, rounding)
    )


SOME = [*PAIRS[:: len(PAIRS) // 12], ("tanh", "exact"), ("mish", "exact"), ("igelu", "relu")]


@every(("name", "target"), SOME)
@every_quantity
def test_the_errors_at_many_points_are_arbs(name, target, quantity):
    assert_like_arb(name, target, quantity, usual(4, 1), known=0.7)


@pytest.mark.slow
@every(("name", "target"), PAIRS)
@every_quantity
def test_of_every_pair_the_errors_at_many_points_are_arbs(name, target, quantity):
    assert_like_arb(name, target, quantity, usual(30, 2), known=0.6)


SPECIALS = [math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, -1.3e-310, 1e-40, -38.5, 1e5, -1e5]


@every(("name", "target"), SOME[::3])
@every_quantity
def test_the_errors_at_many_points_are_those_of_single_ones(name, target, quantity):
    kinks = [*kinks_of(form_of(name)), *kinks_of(form_of(target))]
    x = np.array([*usual(4, 3), *SPECIALS, *kinks, *np.nextafter(kinks, 0), -0.5, 2.0])
    assert_like_single_points(name, target, quantity, x)


@every("digits", [1, DIGITS_BY_FLOAT64, DIGITS_BY_FLOAT64 + 1])
@every(("name", "target"), [("tanh", "exact"), ("elu", "relu")])
def test_decimals_of_many_points_are_those_of_single_ones(name, target, digits):
    x = np.array([*usual(4, 4), *SPECIALS, 0.5, 0.25])
    assert_like_single_points(name, target, "value", x, Decimals(digits))


def test_two_numbers_below_all_exponentials_have_the_ratio_of_their_own():
    """Arrays take 2**−47274 for what is below it; (Φ − 1)/(σ(βx) − 1) is no 1 there."""
    x = np.array([-1000.0, -4e4, -1e5])
    for name, target in (("exact", "tanh"), ("tanh", "exact"), ("silu", "sigmoid")):
        assert_like_single_points(name, target, "gradient", x)


def test_no_points_have_no_errors():
    for points in (FewPoints([]), ManyPoints(np.array([]))):
        columns = errors_at_points(comparison("tanh"), points, FLOAT64)
        assert list(map(len, columns)) == [0] * 4
