"""Minima and inflection points: mpmath's, Arb's, and none missed."""

import math
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from flint import arb

from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.calculus.landmarks import landmarks
from gelu_cli.old.formulas import all_forms, find_form
from tests.old.asked import set_to
from tests.old.every import every
from tests.truth import arb as balls
from tests.truth.mpmath import FORMS, ORDER, M, decimal_of, fraction, nearest, ratio
from tests.truth.published import SETS

QUANTITY = {"minimum": "gradient", "inflection": "curvature"}
SET = [("sigmoid", {"beta": "0.001"}), ("sigmoid", {"beta": "-1"}), ("tanh", {"c": "0"}),
       ("tanh", {"c": "-1/9"}), ("noisy_relu", {"sigma": "3"}),
       ("elu", {"alpha": "-1"})]  # fmt: skip
CASES = [*((name, {}) for name in all_forms()), *SET]
every_case = every(("name", "settings"), CASES)


def of(name, settings=(), rounding=FLOAT64):
    return landmarks(set_to(name, **dict(settings)), rounding)


def root_near(name, settings, quantity, x):
    """mpmath's root of a derivative, bracketed, by Anderson & Björck's method."""
    f = FORMS[name]
    margin = M.mpf(x) / 10**6

    def derivative(t):
        return M.diff(lambda y: f(y, **settings), t, ORDER[quantity])

    with M.workdps(60):
        ends = M.mpf(x) - margin, M.mpf(x) + margin
        return M.findroot(derivative, ends, solver="anderson", tol=1e-100, verify=False)


@every_case
def test_each_is_mpmaths_root_and_the_rest_is_what_the_form_is_there(name, settings):
    for found in of(name, settings):
        if found.x == 0:
            continue  # at a kink
        x = root_near(name, settings, QUANTITY[found.point], found.x)
        assert found.x == nearest(fraction(x))
        assert found.value == nearest(fraction(FORMS[name](x, **settings)))
        other = "curvature" if found.point == "minimum" else "gradient"
        slope = M.diff(lambda t: FORMS[name](t, **settings), x, ORDER[other])
        assert getattr(found, other) == nearest(fraction(slope))
        assert getattr(found, QUANTITY[found.point]) == 0
        residual = balls.at(name, QUANTITY[found.point], Fraction(found.x), **settings)
        assert found.residual == nearest(abs(balls.middle(residual)))


@every_case
def test_none_is_missed_and_none_invented(name, settings):
    """Between neighbours of a fine grid, Arb's certain signs change where there is a landmark."""
    scale = 1000 if settings.get("beta") == "0.001" else 1
    xs = [Fraction(scale * (2 * k + 1), 64) for k in range(-400, 400)]
    got = of(name, settings)
    for point, quantity in QUANTITY.items():
        signs = [
            (x, math.copysign(1, ball.mid()))
            for x in xs
            if not (ball := balls.at(name, quantity, x, **settings)).contains(arb(0))
        ]
        changes = [(low, high) for (low, before), (high, after) in pairwise(signs)
                   if before != after and (after > 0 or point == "inflection")]  # fmt: skip
        places = [each.x for each in got if each.point == point]
        assert len(places) == len(changes)
        for x, (low, high) in zip(places, changes, strict=True):
            assert low < x < high


def test_floats_near_the_least_of_them_invent_no_landmarks():
    """The tails of this form are powers: f″(13777) is −3·10⁻³¹⁴ and f″(16384) no float's sign."""
    found = landmarks(find_form("as_7_1_28"))
    f, _ = SETS["as_7_1_28"]
    with M.workdps(40):
        bend = M.findroot(lambda x: M.diff(f, x, 2), 1.414)
        lowest = M.findroot(lambda x: M.diff(f, x), -0.75)
    assert [(each.point, each.x) for each in found] == [
        ("minimum", float(lowest)), ("inflection", -float(bend)), ("inflection", float(bend)),
    ]  # fmt: skip


def test_gelus_inflection_points_are_the_roots_of_2_to_a_hundred_digits():
    _, left, right = of("exact", rounding=Decimals(100))
    assert right.x == decimal_of(M.sqrt(2), 100) == left.x.copy_negate()
    with M.workdps(110):  # f(√2) = √2·Φ(√2), and Φ(√2) = 1 − erfc(1)/2
        assert right.value == decimal_of(M.sqrt(2) * (1 - M.erfc(1) / 2), 100)


def test_igelus_are_a_third_and_two_thirds_of_the_way_to_its_kink():
    """x·(z − b)², z = x/√2, is least at b√2/3 and bends at 2b√2/3."""
    kink = M.mpf(Fraction("1.769").numerator) / 1000 * M.sqrt(2)
    minimum, left, right = of("igelu", rounding=Decimals(50))
    assert minimum.x == decimal_of(-kink / 3, 50)
    assert left.x == decimal_of(-2 * kink / 3, 50) == right.x.copy_negate()


def test_hards_minimum_is_a_fraction():
    (minimum,) = of("hard", rounding=Decimals(40))
    assert minimum.x == decimal_of(M.mpf(-1500) / 1702, 40)
    assert minimum.value == decimal_of(M.mpf(-1500) / 1702 / 4, 40)


@every(
    ("one", "other", "settings", "factor"),
    [("silu", "sigmoid", {"beta": "0.001"}, 1000), ("sigmoid_taylor", "tanh", {"c": "0"}, 1),
     ("silu", "sigmoid", {"beta": "1000"}, Fraction(1, 1000))],
)  # fmt: skip
def test_forms_that_are_each_other_scaled_have_landmarks_scaled(one, other, settings, factor):
    left, right = of(one, rounding=Decimals(40)), of(other, settings, Decimals(30))
    assert [each.point for each in left] == [each.point for each in right]
    for u, v in zip(left, right, strict=True):
        assert v.x == Decimals(30).exactly(Fraction(u.x) * factor)


def test_at_a_minimum_at_a_kink_the_gradient_is_the_forms_own():
    """There f′ is α by convention: the residual is its size, and it is not 0."""
    (found,) = of("elu", {"alpha": "-1"})
    assert found[:3] == ("minimum", 0, 0)
    assert abs(found.gradient) == found.residual == 1


def test_a_minimum_at_a_kink_half_way_between_two_decimals_is_rounded_to_even():
    minimum, *_ = of("polynomial", {"A": "2.7750235", "c1": "0"}, Decimals(7))
    assert minimum.point == "minimum"
    assert str(minimum.x) == str(minimum.value) == "2.775024"  # as f(x) = x from there on


def test_landmarks_far_from_0_are_found_where_the_form_bends():
    """Where its gate shuts, from 526.9 to 591.1 and on the other side of 0, tanh has five more."""
    bent = set_to("tanh", c="-6.46366e-06", d="1.03087e-11")
    found = [(each.point, each.x) for each in landmarks(bent, Decimals(15))]
    with M.workdps(40):
        scale, c, d = 2 * M.sqrt(2 / M.pi), ratio("-6.46366e-06"), ratio("1.03087e-11")

        def form(x):
            return x / (1 + M.exp(-scale * x * (1 + c * x**2 + d * x**4)))

        def root(order, near):
            return decimal_of(M.findroot(lambda x: M.diff(form, x, order), near), 15)

        minima = [("minimum", root(1, near)) for near in (-582.6, -0.8, 560.7)]
        inflections = [("inflection", root(2, near)) for near in (-591.1, -526.9, -1.5)]
    assert found[:6] == minima + inflections
    assert [x for _, x in found[6:]] == [-x for _, x in reversed(inflections)]


def test_a_minimum_that_is_a_fraction_half_way_between_two_numbers_is_rounded_to_even():
    """x·(2x + 3)/6 is least at −3/4, where it is −3/16."""
    (found,) = of("hard", {"slope": 2}, Decimals(1))
    assert (found.x, found.value) == (Decimal("-0.8"), Decimal("-0.2"))
    (found,) = of("hard", {"slope": 2}, Decimals(3))
    assert (found.x, found.value) == (Decimal("-0.75"), Decimal("-0.188"))
