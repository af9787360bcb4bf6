"""Anchored enclosures hold the true numbers, and what is beside an anchor keeps its bits."""

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from gelu_cli.old.arithmetic import mpf
from gelu_cli.old.arithmetic.beside import BesideArithmetic
from gelu_cli.old.arithmetic.interval import IntervalArithmetic
from tests.old.every import every
from tests.old.values.points import CASES, form_of

BITS = 80
A = BesideArithmetic(IntervalArithmetic(BITS))
fractions = st.fractions(-8, 8, max_denominator=64)


def ends(y):
    """Return the ends of an enclosure as fractions."""
    whole = getattr(y, "folded", y)
    return mpf.to_fraction(whole.low), mpf.to_fraction(whole.high)


def holds(y, value):
    low, high = ends(y)
    return low <= value <= high


@every("case", CASES)
def test_a_form_has_the_numbers_that_it_has_on_plain_enclosures(case):
    form = form_of(case)
    wide = IntervalArithmetic(2000)
    for x in (Fraction(-70), Fraction(-9, 4), Fraction(-1, 3), Fraction(1, 2), Fraction(30)):
        found = form.evaluate(A, A.rational(x), x)
        for y, known in zip(found, form.evaluate(wide, wide.rational(x), x), strict=True):
            if y is not None:
                (low, high), (least, greatest) = ends(y), ends(known)
                assert low <= greatest
                assert least <= high


@every("x", [2, 20, 60])
def test_beside_an_anchor_the_rest_has_all_its_bits(x):
    """1 − σ(x) = σ(−x), 2 − erfc(−x) = erfc(x), log(1 + eˣ) − x = log(1 + e⁻ˣ)."""
    right, left = A.rational(x), A.rational(-x)
    for rest, known in (
        (1 - A.logistics(right)[0], A.logistics(left)[0]),
        (1 - A.logistics(left)[1], A.logistics(left)[0]),
        (2 - A.erfc(left), A.erfc(right)),
        (A.softplus(right) - right, A.softplus(left)),
        (A.expm1(left) + 1, A.exp(left)),
    ):
        low, high = ends(rest)
        assert low <= sum(ends(known)) / 2 <= high
        assert high - low <= high * Fraction(2) ** (8 - BITS)


@given(a=fractions, b=fractions, c=fractions, power=st.integers(1, 4))
def test_operations_on_fractions_and_on_numbers_beside_them(a, b, c, power):
    """As e^t beside a and b, t = −40 and −50: exact fractions are as near as doubt goes."""
    tiny = [mpf.to_fraction(A.exp(A.rational(t)).folded.low) for t in (-40, -50)]
    doubt = Fraction(1, 2**60)
    x, y = (A.rational(n) + A.exp(A.rational(t)) for n, t in ((a, -40), (b, -50)))
    z = A.rational(c)
    u, v = a + tiny[0], b + tiny[1]
    results = [(x + y, u + v), (x - y, u - v), (x * y, u * v), (x * z, u * c), (z - x, c - u),
               (z * z + 3, c * c + 3), (x**power, u**power), (2 * y - 1, 2 * v - 1)]  # fmt: skip
    if b:
        results += [(x / y, u / v), (z / y, c / v), (1 / y, 1 / v)]
    if c:
        results += [(x / z, u / c), (z**power / z, c ** (power - 1))]
    for got, want in results:
        low, high = ends(got)
        size = (1 + abs(want)) * doubt
        assert low - size <= want <= high + size


def test_a_fraction_is_itself_and_nothing_is_known_of_a_quotient_by_0():
    third = A.rational(Fraction(1, 3))
    assert holds(third * 3, 1)
    assert (third * 3 - 1).folded.sign == 0
    assert ends(third * 3 - 1) == (0, 0)
    quotient = (third / A.rational(0)).folded
    assert not mpf.is_finite(quotient.low)
    assert not mpf.is_finite(quotient.high)


def test_a_large_rest_has_no_anchor():
    """1/(1 + z) for z = 10²⁰ is no 1 less nearly 1."""
    z = A.exp(A.rational(46))
    low, high = ends(1 / (1 + z))
    assert math.isclose(low, math.exp(-46))
    assert high - low <= high * Fraction(2) ** (8 - BITS)
