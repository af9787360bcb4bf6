"""Crossings of polynomials whose roots are known, and signs that need many bits."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_cli.calculus.crossings import crossings, sign_at, vanishes, zero
from gelu_cli.calculus.stretches import Place, Stretch

RIGHT = Stretch(Place.of(Fraction(0)), Place.of(Fraction(10)))
# Apart by more than two steps of the grid, and not on it.
ROOTS = st.sets(st.integers(1, 60), min_size=1, max_size=3).map(
    lambda numbers: sorted(Fraction(6 * n, 37) + Fraction(1, 1000) for n in numbers)
)


def product(roots, sign=1):
    def curve(a, x):
        total = a.rational(sign)
        for root in roots:
            total = total * (x - a.rational(root))
        return total

    return curve


def constant(value):
    return lambda a, x: a.rational(Fraction(value))


@given(ROOTS, st.sampled_from([-1, 1]))
def test_every_root_has_a_bracket_of_its_own(roots, sign):
    found = list(crossings(product(roots, sign), zero, RIGHT))
    assert len(found) == len(roots)
    assert all(low < root < high for (low, high), root in zip(found, roots, strict=True))


@pytest.mark.parametrize("swap", [False, True])
def test_two_curves_cross_where_they_are_equal(swap):
    pair = (lambda a, x: a.exp(x)), constant(5)
    ((low, high),) = crossings(*(pair[::-1] if swap else pair), RIGHT)
    assert low < math.log(5) < high


@pytest.mark.parametrize("root", [Fraction(5, 128), Fraction(5)])
def test_a_root_on_the_grid_is_inside_its_bracket(root):
    ((low, high),) = crossings(product([root]), zero, RIGHT)
    assert low < root < high


def test_curves_that_touch_do_not_cross():
    assert not list(crossings(product([5, 5]), zero, RIGHT))
    assert not list(crossings(constant(3), constant(3), RIGHT))


def test_a_difference_that_floats_cannot_tell_is_looked_at_where_the_stretch_ends():
    """x − 5 after a constant that drowns it: only exact signs at both ends show the crossing."""
    drowned = lambda a, x: a.rational(2**60) + (x - 5) / 2**10  # noqa: E731
    ((low, high),) = crossings(drowned, constant(2**60), RIGHT)
    assert low < 5 < high


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_function_that_overflows_has_no_sign_there(sign):
    def curve(a, x):
        return sign / (a.exp(800 * (8 - x)) * 0 + x - 5)

    assert len(list(crossings(curve, zero, RIGHT))) == 1


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_pole_on_the_grid_has_no_sign(sign):
    ((low, high),) = crossings(lambda a, x: sign / (x - 5), zero, RIGHT)
    assert low < 5 < high


@pytest.mark.parametrize(("curve", "is_zero"), [(zero, True), (product([5]), False),
    (constant(1), False), (lambda a, x: x - x, True)])  # fmt: skip
def test_a_curve_vanishes_if_it_is_0_at_every_point(curve, is_zero):
    assert vanishes(curve, RIGHT) == is_zero


@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize(("bits", "told"), [(10, 1), (60, 1), (200, 1), (900, 1), (5000, 0)])
def test_a_sign_is_found_however_much_cancels(side, bits, told):
    hair = Fraction(side, 2**bits)
    curve = lambda a, x: (a.rational(3) + a.rational(hair) * x) - 3  # noqa: E731
    assert sign_at(curve, Place.of(Fraction(1))) == side * told
    assert sign_at(zero, Place.of(Fraction(1))) == 0
