"""Roots between two certified signs: an enclosure, not an estimate."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from gelu_cli.arithmetic import mpf
from gelu_cli.arithmetic.interval import Interval
from gelu_cli.arithmetic.mpf import NEAREST, ONE, Mpf

Function = Callable[[Interval], Interval]

PATIENCE = 4
"""Steps in which the bracket must halve; then it is halved."""

NOISE = 8
"""The first margin around an estimate, in bits above the last: most need no wider one."""


def enclose_root(f: Function, low: Fraction, high: Fraction, precision: int) -> Interval | None:
    """Return an interval of about `precision` bits in which f changes its sign.

    f maps enclosures to enclosures; its signs at the ends of the interval returned are certain,
    and differ. Returns None if they do not at `low` and `high`. The way there is the false
    position in its Illinois form (Dowell & Jarratt, BIT 11, 1971), of order 1.44, and halving where
    that is slow.

    >>> from gelu_cli.arithmetic.interval import interval_arithmetic
    >>> enclose_root(lambda x: x * x - 2, Fraction(1), Fraction(2), 60)
    [1.4142135623730946042, 1.4142135623730954924]
    """
    a, b = (mpf.from_fraction(end, precision) for end in (low, high))
    ya, yb = (f(Interval(x, x, precision)) for x in (a, b))
    rising = yb.sign
    if ya.sign * rising >= 0:
        return None
    fa, fb = ya.middle, yb.middle
    last = 0
    width, patience = mpf.subtract(b, a), PATIENCE
    while True:
        x = _false_position(a, fa, b, fb, precision) if patience else _half_way(a, b, precision)
        y = f(Interval(x, x, precision))
        side = y.sign
        if not side or (x in (a, b) and not patience):
            return _certified(f, x, rising, precision)
        # An end that stays for a second time has its weight halved, or it would stay for ever.
        halvings = -int(side == last)
        if side == rising:
            b, fb, fa = x, y.middle, mpf.shift(fa, halvings)
        else:
            a, fa, fb = x, y.middle, mpf.shift(fb, halvings)
        last = side
        patience = max(0, patience - 1)
        if mpf.compare(mpf.subtract(b, a), mpf.shift(width, -1)) <= 0:
            width, patience = mpf.subtract(b, a), PATIENCE


def _half_way(a: Mpf, b: Mpf, precision: int) -> Mpf:
    return mpf.shift(mpf.add(a, b, precision, NEAREST), -1)


def _false_position(a: Mpf, fa: Mpf, b: Mpf, fb: Mpf, precision: int) -> Mpf:
    """Return where the line through (a, fa) and (b, fb) meets 0."""
    slope = mpf.divide(mpf.subtract(b, a), mpf.subtract(fb, fa), precision, NEAREST)
    return mpf.subtract(a, mpf.multiply(fa, slope), precision, NEAREST)


def _certified(f: Function, x: Mpf, rising: int, precision: int) -> Interval:
    """Return the least x ± 2**k around a root at whose ends the signs of f are certain."""
    k = mpf.exponent(x) - precision + NOISE
    while True:
        margin = mpf.shift(ONE, k)
        low, high = mpf.subtract(x, margin), mpf.add(x, margin)
        signs = [f(Interval(end, end, precision)).sign for end in (low, high)]
        if signs == [-rising, rising]:
            return Interval(low, high, precision)
        k += 2
