"""Roots between two certified signs: an enclosure, not an estimate."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from mpmath import libmp

from gelu_cli.arithmetic.elementary import Mpf
from gelu_cli.arithmetic.interval import Interval

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
    a, b = (libmp.from_rational(end.numerator, end.denominator, precision, "n")
            for end in (low, high))  # fmt: skip
    ya, yb = (f(Interval(x, x, precision)) for x in (a, b))
    rising = sign(yb)
    if sign(ya) * rising >= 0:
        return None
    fa, fb = middle(ya), middle(yb)
    last = 0
    width, patience = libmp.mpf_sub(b, a), PATIENCE
    while True:
        x = _false_position(a, fa, b, fb, precision) if patience else _half_way(a, b, precision)
        y = f(Interval(x, x, precision))
        side = sign(y)
        if not side or (x in (a, b) and not patience):
            return _certified(f, x, rising, precision)
        # An end that stays for a second time has its weight halved, or it would stay for ever.
        halvings = -int(side == last)
        if side == rising:
            b, fb, fa = x, middle(y), libmp.mpf_shift(fa, halvings)
        else:
            a, fa, fb = x, middle(y), libmp.mpf_shift(fb, halvings)
        last = side
        patience = max(0, patience - 1)
        if libmp.mpf_le(libmp.mpf_sub(b, a), libmp.mpf_shift(width, -1)):
            width, patience = libmp.mpf_sub(b, a), PATIENCE


def _half_way(a: Mpf, b: Mpf, precision: int) -> Mpf:
    return libmp.mpf_shift(libmp.mpf_add(a, b, precision, "n"), -1)


def sign(y: Interval) -> int:
    """Return 1 or −1 if all of an interval is on that side of 0, else 0."""
    low, high = libmp.mpf_sign(y.low), libmp.mpf_sign(y.high)
    return int(low) if low == high else 0


def middle(y: Interval) -> Mpf:
    """Return the middle of an interval, to its precision."""
    return libmp.mpf_shift(libmp.mpf_add(y.low, y.high, y.precision, "n"), -1)


def _false_position(a: Mpf, fa: Mpf, b: Mpf, fb: Mpf, precision: int) -> Mpf:
    """Return where the line through (a, fa) and (b, fb) meets 0."""
    slope = libmp.mpf_div(libmp.mpf_sub(b, a), libmp.mpf_sub(fb, fa), precision, "n")
    return libmp.mpf_sub(a, libmp.mpf_mul(fa, slope), precision, "n")


def _certified(f: Function, x: Mpf, rising: int, precision: int) -> Interval:
    """Return the least x ± 2**k around a root at whose ends the signs of f are certain."""
    k = x[2] + x[3] - precision + NOISE
    while True:
        margin = libmp.mpf_shift(libmp.fone, k)
        low, high = libmp.mpf_sub(x, margin), libmp.mpf_add(x, margin)
        signs = [sign(f(Interval(end, end, precision))) for end in (low, high)]
        if signs == [-rising, rising]:
            return Interval(low, high, precision)
        k += 2
