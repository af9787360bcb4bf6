"""Suprema proved by Arb, averages by Gauss's rule and closed forms."""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from flint import arb

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.calculus.comparison import average_errors
from gelu_cli.old.formulas import all_forms
from tests.old.asked import comparison, set_to
from tests.old.calculus.expectations import sample
from tests.old.every import every
from tests.truth import arb as balls
from tests.truth.mpmath import FORMS, ORDER, M, decimal_of, fraction, nearest, ratio, truth

TEN = Fraction(-10), Fraction(10)
WHOLE = -math.inf, math.inf
SLACK = arb(10) ** -9
OTHERS = [name for name in all_forms() if name != "exact"]
QUANTITIES = ["value", "gradient", "curvature"]


class Peak(NamedTuple):
    """What a supremum is, and where."""

    value: object
    x: object


def largest(name, target="exact", quantity="value", ends=TEN, rounding=FLOAT64):
    return Peak(*comparison(name, target, quantity).largest_difference(*ends, rounding)[:2])


def largest_ratio(name, target="exact", quantity="value", ends=TEN, rounding=FLOAT64):
    return Peak(*comparison(name, target, quantity).largest_ratio(*ends, rounding)[:2])


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(UsageError, match="0 by definition"):
        comparison("tanh", "tanh")
    with pytest.raises(UsageError, match="unknown quantity 'gait'"):
        comparison("tanh", quantity="gait")
    with pytest.raises(UsageError, match="'elu' has no gate"):
        comparison("elu", quantity="gate")


# Suprema


def ball_of(number):
    return balls.number(Fraction(number))


def proved(terms, name, target, bound, low=-10.0, high=10.0):
    return all(
        balls.proves_bound(terms(pair), left, right, bound)
        for left, right, pair in balls.stretches([name, target], low, high)
    )


PAIRS = [
    *((name, "exact") for name in OTHERS), ("tanh", "tanh_taylor"), ("sigmoid", "igelu"),
    ("silu", "relu"), ("exact", "elu"), ("exact", "hard"), ("exact", "igelu"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "target", "quantity"),
    [
        pytest.param(*pair, quantity, marks=[pytest.mark.slow] * (quantity == left_out))
        for i, pair in enumerate(PAIRS)
        for left_out in [QUANTITIES[2 - i % 2]]
        for quantity in QUANTITIES
    ],
)
def test_arb_proves_that_the_error_is_nowhere_larger_and_is_that_large(name, target, quantity):
    """Below is no supremum, above is one: the number between is right to nine digits."""
    value = ball_of(largest(name, target, quantity).value)

    def terms(pair):
        return balls.difference(pair, quantity)

    assert proved(terms, name, target, value * (1 + SLACK))
    assert not proved(terms, name, target, value * (1 - SLACK))


SMOOTH = ["tanh", "tanh_taylor", "sigmoid", "sigmoid_taylor", "silu", "mish", "erf_as"]


@every(
    ("name", "quantity", "ends"),
    [
        *((name, "value", (-8.0, -0.01)) for name in SMOOTH),
        *((name, each, (0.0, 1.0)) for name in SMOOTH[::2] for each in ("gradient", "curvature")),
    ],
)
def test_arb_proves_the_relative_error_too(name, quantity, ends):
    value = ball_of(largest_ratio(name, "exact", quantity, map(Fraction, ends)).value)

    def terms(pair):
        return balls.relative(pair, quantity)

    assert proved(terms, name, "exact", value * (1 + SLACK), *ends)
    assert not proved(terms, name, "exact", value * (1 - SLACK), *ends)


@every(
    ("name", "quantity", "near"),
    [
        ("tanh", "value", "2.7"), ("sigmoid", "value", "2.3"), ("silu", "value", "1.2"),
        ("tanh", "gradient", "2.02"), ("sigmoid", "gradient", "1.42"),
    ],
)  # fmt: skip
def test_thirty_digits_are_those_of_mpmaths_root(name, quantity, near):
    order = ORDER[quantity]

    def d(t, order=order):
        return M.diff(lambda y: FORMS[name](y) - FORMS["exact"](y), t, order)

    with M.workdps(60):
        near = ratio(near)
        x = M.findroot(lambda t: d(t, order + 1), (near * ratio("0.99"), near * ratio("1.01")),
                       solver="anderson", verify=False, tol=1e-100)  # fmt: skip
        want = decimal_of(abs(d(x)), 30), decimal_of(x, 30)
    assert largest(name, quantity=quantity, rounding=Decimals(30)) == want
    assert largest(name, quantity=quantity) == tuple(float(y) for y in want)


@every(
    ("name", "target", "quantity", "value", "x"),
    [
        ("relu", "exact", "gradient", 0.5, 0.0),  # one-sided limits at the kink count
        ("noisy_relu", "relu", "value", 1 / math.sqrt(2 * math.pi), 0.0),
        ("elu", "relu", "value", -math.expm1(-10), -10.0),
        ("softplus", "relu", "value", math.log(2), 0.0),
    ],
)
def test_known_suprema_at_kinks_and_ends(name, target, quantity, value, x):
    assert largest(name, target, quantity) == (pytest.approx(value, rel=1e-15), x)


@every("ends", [(-1, Fraction(1, 2)), (Fraction(5, 2), 3), (-20, -4), (3, 4)])
def test_of_a_part_of_the_line_it_is_at_a_critical_point_inside_or_an_end(ends):
    low, high = map(Fraction, ends)
    value, x = largest("tanh", ends=(low, high))
    assert low <= x <= high
    inside = low < Fraction(largest("tanh").x) < high

    def distance(t):
        return abs(truth("tanh", "value", t) - truth("exact", "value", t))

    samples = [low + (high - low) * k / 40 for k in range(41)]
    assert max(distance(t) for t in samples if t) <= Fraction(value) * (1 + Fraction(1, 10**15))
    assert value == largest("tanh").value if inside else value < largest("tanh").value


def test_an_error_that_no_float_sees_is_found_on_the_whole_line_too():
    beta = Fraction("1.5957691216057307118")  # √(8/π), rounded
    difference = comparison(set_to("sigmoid", beta=beta), "sigmoid_taylor")
    half, whole = (difference.largest_difference(low, math.inf, FLOAT64)
                   for low in (Fraction(0), -math.inf))  # fmt: skip
    assert whole == half
    assert 0 < half.value < abs(M.sqrt(8 / M.pi) - ratio(beta))


def test_of_places_that_are_nearly_as_high_the_highest_counts():
    """At 5 the error is that of the peak at 5.2515 but for 2·10⁻¹⁴ of it."""
    c = "0.03533847261517003"
    ends = Fraction(5), Fraction(6)
    peak = comparison(set_to("tanh", c=c)).largest_difference(*ends, FLOAT64).value

    def error(x):
        return FORMS["tanh"](x, c=c) - FORMS["exact"](x)

    x = M.findroot(lambda x: M.diff(error, x), 5.2515)
    assert peak == nearest(fraction(error(x))) > nearest(fraction(-error(M.mpf(5))))


@every(
    ("name", "target", "quantity", "ends", "want"),
    [
        ("softplus", "exact", "value", TEN, (math.inf, 0)),  # a zero where two pieces meet
        ("tanh", "exact", "curvature", TEN, (math.inf, math.sqrt(2))),  # of two as near, the right
        ("hard", "relu", "value", (Fraction(-10), Fraction(-4)), (0, -4)),  # both are 0
        ("hard", "relu", "value", (Fraction(-10), Fraction(-3)), (0, -3)),
    ],
)  # fmt: skip
def test_where_the_target_is_0(name, target, quantity, ends, want):
    assert largest_ratio(name, target, quantity, ends) == want


def test_where_both_are_0_the_ratio_is_that_of_the_slopes():
    """(α − 1)(eˣ − 1)/(eˣ − 1): 1 for α = 2, also at 0; neither has a gate."""
    pair = comparison(set_to("elu", alpha=2), "elu")
    assert pair.largest_ratio(*TEN, FLOAT64) == (1, 0, True)
    assert pair.largest_ratio(Fraction(-1), Fraction(0), FLOAT64).value == 1


@every("name", ["tanh", "sigmoid"])
def test_where_the_gradient_of_gelu_is_0_the_ratio_has_no_bound(name):
    minimum = -0.7517915246935645
    assert largest_ratio(name, quantity="gradient") == (math.inf, minimum)


def test_where_the_form_is_0_as_well_a_zero_of_the_target_is_no_pole():
    """ReLU′ is 0 left of 0, so its error relative to GELU′ is 1 there, also near GELU′'s zero."""
    ends = Fraction(-10), Fraction(-1, 2)
    assert largest_ratio("relu", quantity="gradient", ends=ends).value == 1.0


# An infinite range


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        pytest.param(name, quantity, marks=[pytest.mark.slow] * (i % 3 != k))
        for i, name in enumerate(["tanh", "igelu", "sigmoid", "relu", "mish", "erf_as"])
        for k, quantity in enumerate(QUANTITIES)
    ],
)
def test_on_the_whole_line_the_absolute_error_is_that_of_the_range(name, quantity):
    assert largest(name, quantity=quantity, ends=WHOLE) == largest(name, quantity=quantity)


def test_at_minus_infinity_the_relative_errors_are_limits():
    assert largest_ratio("tanh", ends=WHOLE) == (1, -math.inf)
    assert largest_ratio("sigmoid", ends=WHOLE) == (math.inf, -math.inf)
    assert largest_ratio("relu", ends=WHOLE).value == 1
    # erfc z ~ e^(−z²)/(z√π), the approximation ~ a₁t·e^(−z²), t ~ 1/(pz)
    limit = ratio("0.254829592") / ratio("0.3275911") * M.sqrt(M.pi) - 1
    assert largest_ratio("erf_as", ends=WHOLE) == (nearest(fraction(limit)), -math.inf)


def test_an_unbounded_difference_is_infinite():
    assert largest("elu", "relu", ends=WHOLE) == (1, -math.inf)
    backwards = comparison(set_to("sigmoid", beta=-1))
    assert backwards.largest_difference(*WHOLE, FLOAT64).value == math.inf


def test_a_limit_at_infinity_is_not_lost_to_rounding():
    found = comparison(set_to("tanh", c=1000)).largest_ratio(*WHOLE, FLOAT64)
    assert found == (1.0, -math.inf, True)


def test_a_supremum_beyond_float64_is_bounded_and_a_pole_is_not():
    ends = Fraction(-60), Fraction(10)
    beyond = comparison("sigmoid").largest_ratio(*ends, FLOAT64)
    pole = comparison("sigmoid", quantity="gradient").largest_ratio(*ends, FLOAT64)
    assert beyond.value == pole.value == math.inf
    assert beyond.bounded
    assert not pole.bounded
    want = 1 / (1 + M.exp(ratio("1.702") * 60)) / (M.erfc(60 / M.sqrt(2)) / 2) - 1
    assert largest_ratio("sigmoid", ends=ends, rounding=Decimals(9)).value == decimal_of(want, 9)


def test_a_form_that_bends_far_from_0_has_its_supremum_there():
    """The cubic's argument is negative from 526.9 to 591.1: there the gate is nearly shut."""
    bent = set_to("tanh", c="-6.46366e-06", d="1.03087e-11")
    ends = Fraction(-(10**6)), Fraction(10**6)
    found = comparison(bent).largest_difference(*ends, Decimals(15))
    with M.workdps(40):
        scale, c, d = 2 * M.sqrt(2 / M.pi), ratio("-6.46366e-06"), ratio("1.03087e-11")

        def off(x):  # GELU is x there, to 10⁻⁶⁰⁰⁰⁰
            return x / (1 + M.exp(scale * x * (1 + c * x**2 + d * x**4)))

        x = M.findroot(lambda x: M.diff(off, x), 582.6)
        assert all(off(M.mpf(k)) <= off(x) for k in range(100, 1000))
        assert (found.value, found.x) == (decimal_of(off(x), 15), decimal_of(x, 15))


# Averages


def averages(name, target="exact", quantity="value", sigma=1, rounding=FLOAT64):
    return average_errors(comparison(name, target, quantity), Fraction(sigma), rounding)


SIGMAS = [("value", "1/4"), ("value", 30), ("gradient", 1)]
WIDE = [("hard", "1e9"), ("silu", "1e5")]


@pytest.mark.parametrize(
    ("name", "quantity", "sigma"),
    [
        *((name, "value", sigma) for name, sigma in WIDE),
        *(
            pytest.param(name, *case, marks=[pytest.mark.slow] * (i % 3 != k))
            for i, name in enumerate(OTHERS)
            for k, case in enumerate(SIGMAS)
        ),
    ],
)
def test_they_are_those_of_gausss_rule(name, quantity, sigma):
    """Floats of values are off by 1e-16 each: that much of an average of 2e-7 is 1e-9."""
    which = ("value", "gradient").index(quantity)

    def errors(x):
        form, gelu = (balls.values_and_gradients(each, x)[which] for each in (name, "exact"))
        return form - gelu

    sigma = float(Fraction(sigma))
    x, _ = sample(0.0, sigma, balls.kinks(name))
    x = x[abs(x) < 12]
    signs = np.sign(errors(x))
    crossings = [
        bisect(errors, low, high)
        for low, high, one, other in zip(x[:-1], x[1:], signs[:-1], signs[1:], strict=True)
        if one * other < 0
    ]
    x, weights = sample(0.0, sigma, [*balls.kinks(name), *crossings])
    x, weights = x[abs(x) < 400], weights[abs(x) < 400]  # farther out both are the same float
    d = errors(x)
    want = [weights @ abs(d), math.sqrt(weights @ d**2)]
    assert averages(name, "exact", quantity, sigma) == pytest.approx(want, rel=1e-7)


def bisect(f, low, high):
    """Return about where f changes its sign: next to it |f| is small, and counts little."""
    (sign,) = np.sign(f([low]))
    for _ in range(24):
        middle = (low + high) / 2
        (y,) = f([middle])
        low, high = (middle, high) if np.sign(y) == sign else (low, middle)
    return low


@every("digits", [17, 40])
def test_noise_added_to_relu_has_closed_forms(digits):
    """X + ε ~ N(0, 2), so E d = (√2 − 1)/√(2π); Φ(X) − [X > 0] has 1/4 and 1/√12."""
    got = averages("noisy_relu", "relu", rounding=Decimals(digits))[0]
    assert got == decimal_of((M.sqrt(2) - 1) / M.sqrt(2 * M.pi), digits)
    got = averages("noisy_relu", "relu", "gradient", rounding=Decimals(digits))
    assert got == [decimal_of(M.mpf(1) / 4, digits), decimal_of(1 / M.sqrt(12), digits)]


def test_gelu_against_relu_has_closed_forms():
    """d = −|x|Φ(−|x|): E|d| = (1 − 1/√2)/√(2π), E d² = 1/2 + E f² − 2E x²Φ(x)[x > 0]."""
    mean, rms = averages("relu", rounding=Decimals(30))
    assert mean == decimal_of((1 - 1 / M.sqrt(2)) / M.sqrt(2 * M.pi), 30)
    with M.workdps(50):
        square = 2 * M.quad(lambda x: (x * M.ncdf(-x)) ** 2 * M.npdf(x), [0, 1, 4, 20])
        assert rms == decimal_of(M.sqrt(square), 30)


def test_an_error_that_is_0_on_one_side_counts_there():
    """ELU − ReLU is e^x − 1 below 0: E d² = ½ − 2e^½Φ(−1) + e²Φ(−2)."""
    mean, rms = averages("elu", "relu", rounding=Decimals(35))
    half = M.mpf(1) / 2
    assert mean == decimal_of(half - M.exp(half) * M.ncdf(-1), 35)
    square = half - 2 * M.exp(half) * M.ncdf(-1) + M.exp(2) * M.ncdf(-2)
    assert rms == decimal_of(M.sqrt(square), 35)


def test_a_change_of_sign_where_both_are_nearly_the_same_is_enclosed():
    """At x = 12.3 the error changes its sign, and is no float's last bit on either side."""

    def error(x):
        return FORMS["tanh"](x, "0.02") - FORMS["exact"](x)

    pair = comparison(set_to("tanh", c="0.02"))
    with M.workdps(40):
        parts = [-12, -4, 0, 4, 12]
        mean = M.quad(lambda x: abs(error(x)) * M.npdf(x), parts)
        square = M.quad(lambda x: error(x) ** 2 * M.npdf(x), parts)
        want = [float(mean), float(M.sqrt(square))]
    assert average_errors(pair, Fraction(1), FLOAT64) == want


@every(("width", "sigma"), [("1e-12", 1), ("1e6", "1e-3")])
def test_a_form_much_narrower_than_sigma_is_averaged_on_its_own_scale(width, sigma):
    """E noisy − E relu = (√(S² + σ²) − S)/√(2π), and E|Φ(X/σ) − [X > 0]| = atan(σ/S)/π."""
    noisy, s, w = set_to("noisy_relu", sigma=width), ratio(sigma), ratio(width)
    want = {
        "value": (M.sqrt(s**2 + w**2) - s) / M.sqrt(2 * M.pi),
        "gradient": M.atan(w / s) / M.pi,
    }
    for quantity, mean in want.items():
        pair = comparison(noisy, "relu", quantity)
        found = average_errors(pair, Fraction(sigma), FLOAT64)
        assert found[0] == nearest(fraction(mean))


def test_the_error_of_a_gate_is_that_of_the_value_over_x():
    gate = comparison("tanh", quantity="gate").largest_difference(1, 2, Decimals(20))
    x = ratio(gate.x)
    wanted = abs(FORMS["tanh"](x) - FORMS["exact"](x)) / x
    assert gate.value == decimal_of(wanted, 20)
