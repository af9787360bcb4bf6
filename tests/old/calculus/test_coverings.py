"""Coverings: every change of sign and every peak is found, however it hides, and no other."""

import math
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic.dual import slope_of
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.calculus.comparison import Comparison
from gelu_cli.old.calculus.coverings import sign_changes
from gelu_cli.old.calculus.stretches import Place, Stretch, curves_on_line
from gelu_cli.old.calculus.suprema import Hill, peaks
from gelu_cli.old.formulas import find_form, typed_form
from tests.old.every import every
from tests.truth import arb as balls
from tests.truth.mpmath import M, fraction, ratio

RIGHT = Stretch(Place.of(Fraction(0)), Place.of(Fraction(10)))
ROOTS = st.lists(st.fractions(Fraction(1, 1000), 9, max_denominator=1000), min_size=1, max_size=5)


def product(roots, sign=1):
    def curve(a, x):
        total = a.rational(sign)
        for root in roots:
            total = total * (x - a.rational(root))
        return total

    return curve


@given(ROOTS.map(lambda roots: sorted(set(roots))), st.sampled_from([-1, 1]))
def test_every_root_has_a_bracket_of_its_own(roots, sign):
    first, found = sign_changes(product(roots, sign), RIGHT)
    assert first == sign * (-1) ** len(roots)
    assert len(found) == len(roots)
    assert all(low < root < high for (low, high), root in zip(found, roots, strict=True))


@every("gap", [Fraction(1, 10**6), Fraction(1, 10**15), Fraction(1, 10**25)])
def test_roots_that_nearly_meet_are_two(gap):
    roots = [Fraction(22, 7), Fraction(22, 7) + gap]
    first, found = sign_changes(product(roots), RIGHT)
    assert first == 1
    assert [low < root < high for (low, high), root in zip(found, roots, strict=True)] == [True] * 2


@every("depth", [Fraction(1, 10**6), Fraction(1, 10**15), Fraction(1, 10**25)])
def test_a_curve_that_nearly_touches_0_has_no_root(depth):
    def curve(a, x):
        return (x - a.rational(Fraction(22, 7))) ** 2 + a.rational(depth)

    assert sign_changes(curve, RIGHT) == (1, [])


def test_a_curve_that_touches_0_at_a_number_that_is_no_end_is_refused():
    with pytest.raises(ComputationError, match="cannot be told everywhere"):
        sign_changes(product([Fraction(22, 7)] * 2), RIGHT)


@every("power", [1, 2, 3, 5])
@every("root", [0, 10])
def test_roots_at_an_end_are_no_changes_of_sign(root, power):
    first, found = sign_changes(product([root] * power + [5]), RIGHT)
    assert len(found) == 1
    assert found[0][0] < 5 < found[0][1]
    assert first == (-1 if root == 0 else (-1) ** (power + 1))


@every("centre", [Fraction(3, 7), Fraction(577), Fraction(10**5) / 3])
@every("width", [Fraction(1), Fraction(1, 10**6), Fraction(1, 10**12)])
def test_a_narrow_dip_is_found_wherever_it_is(centre, width):
    """1 − 2·w²/(w² + (x − c)²) is negative for |x − c| < w alone."""

    def curve(a, x):
        d = (x - a.rational(centre)) / a.rational(width)
        return 1 - 2 / (1 + d * d)

    stretch = Stretch(Place.of(Fraction(0)), Place.of(Fraction(10**6)))
    first, found = sign_changes(curve, stretch)
    inside = centre - width > 0
    assert (first, len(found)) == ((1, 2) if inside else (-1, 1))
    for (low, high), root in zip(found[::-1], [centre + width, centre - width], strict=False):
        assert low < root < high


def test_of_peaks_that_agree_to_many_digits_all_are_candidates():
    """x·(1 − x), and the same raised by 10⁻³⁰."""

    def hill(raised):
        def curve(a, x):
            return x * (1 - x) + a.rational(raised)

        return curve

    unit = Stretch(Place.of(Fraction(0)), Place.of(Fraction(1)))
    curves = [hill(Fraction(0)), hill(Fraction(1, 10**30))]
    found = peaks([Hill(unit, curve, slope_of(curve)) for curve in curves])
    assert any(peak.hill.curve is curves[1] for peak in found)
    for peak in found:
        is_place = isinstance(peak.spot, Place)
        low, high = (peak.spot.exact,) * 2 if is_place else peak.spot.bracket
        assert low <= Fraction(1, 2) <= high


# Forms that hide what they are from a grid

DIP = "tanh:c=-6.46366e-06:d=1.03087e-11"
"""√(2/π)(x + cx³ + dx⁵) is negative from 527 to 591, so that the gate falls from 1 to 0 there."""
NARROW = {
    DIP: 1000,
    "tanh:c=-0.0065:d=1.05625e-05": 100,  # c² = 4d, x(1 + cx²/2)²: it touches 0
    "tanh:c=-0.2:d=0.0101": 100,  # and nearly so
}


def sigmoid(exponent):
    return find_form("sigmoid").with_settings("steep", {"beta": Fraction(10) ** exponent})


def parameters_of(word):
    return dict(each.split("=") for each in word.split(":")[1:])


@every(("word", "end"), NARROW.items())
def test_arb_proves_the_suprema_of_forms_that_dip(word, end):
    """A second proof, written for itself, of the number and of a part in 10⁹ less."""
    comparison = Comparison(typed_form(word), find_form("exact"), "value")
    found = comparison.largest_difference(Fraction(-end), Fraction(end), FLOAT64)
    pair = [balls.pieces("tanh", **parameters_of(word))[0][0], balls.pieces("exact")[0][0]]
    terms = balls.difference(pair, "value")

    def proved(bound):
        return all(balls.proves_bound(terms, *part, bound) for part in ((-end, 0), (0, end)))

    value = balls.number(Fraction(found.value))
    assert proved(value * (1 + arb(10) ** -9))
    assert not proved(value * (1 - arb(10) ** -9))


@every("exponent", [-40, -12, -3, 3, 12, 40])
def test_suprema_of_sigmoids_of_any_steepness_have_their_limits(exponent):
    """As β → 0 the gate is ½ nearly everywhere, as β → ∞ it is that of ReLU."""
    form = sigmoid(exponent)
    found = Comparison(form, find_form("exact"), "gate").largest_difference(
        -math.inf, math.inf, FLOAT64
    )
    x = Fraction(found.x)
    with M.workdps(60):
        beta = M.mpf(10) ** exponent
        there = 1 / (1 + M.exp(-beta * ratio(x))) - M.erfc(-ratio(x) / M.sqrt(2)) / 2
        assert abs(abs(there) - M.mpf(found.value)) < 1e-15
        if abs(exponent) > 3:
            assert 0.5 - 10 ** (2 - abs(exponent) / 2) <= found.value <= 0.5


@every("exponent", [-300, -40, -12, 12, 40, 300])
def test_roots_are_found_on_every_scale(exponent):
    """The gradient of x·σ(βx) changes its sign where βx = −1.278…, σ(−z)·z = −1."""
    form = sigmoid(exponent)
    found = [sign_changes(curve, part) for part, curve in curves_on_line(form, "gradient")]
    ((low, high),) = [bracket for _, brackets in found for bracket in brackets]
    with M.workdps(40):
        root = fraction(M.findroot(lambda z: z + 1 + M.exp(z), -1.278))
    assert low < root / Fraction(10) ** exponent < high


@every("sigma", ["1e-300", "1e-20", "1e20", "1e300"])
def test_a_form_that_always_rises_has_no_minimum(sigma):
    """The gradient of noisy ReLU is Φ(x/σ)."""
    form = find_form("noisy_relu").with_settings("wide", {"sigma": Fraction(sigma)})
    curves = curves_on_line(form, "gradient")
    assert {
        (sign, *found) for sign, found in (sign_changes(curve, part) for part, curve in curves)
    } == {(1,)}


@every("beta", [10**3, 10**6, 10**12])
def test_an_error_that_hardly_changes_is_largest_at_its_end(beta):
    """(x·σ(βx) − x·Φ(x))/(x·Φ(x)) is −1 and less than 10⁻⁴⁰⁰ more for x < −1, least at −10."""
    form = find_form("sigmoid").with_settings("steep", {"beta": Fraction(beta)})
    comparison = Comparison(form, find_form("exact"), "value")
    assert comparison.largest_ratio(Fraction(-10), Fraction(10), FLOAT64) == (1.0, -10.0, True)


@every("power", [12, 20])
def test_a_power_far_below_the_others_decides_where_these_cancel(power):
    """x·(1 − (1 + x)⁻ⁿ) − x is −x·(1 + x)⁻ⁿ."""
    stretch = Stretch(Place.of(Fraction(1)), Place.of(math.inf))
    assert sign_changes(lambda a, x: x * (1 - 1 / (1 + x) ** power) - x, stretch) == (-1, [])


@every(
    ("word", "quantity", "changes"),
    [("tanh:d=-1e-9", "curvature", 4), ("noisy_relu:sigma=1e-8", "value", 0)],
)
def test_terms_that_cancel_far_from_infinity_are_told(word, quantity, changes):
    """Of polynomials in the exponent, and of x·Φ(x/σ) + σ·φ(x/σ) to the left."""
    lines = curves_on_line(typed_form(word), quantity)
    assert sum(len(sign_changes(curve, stretch)[1]) for stretch, curve in lines) == changes
