"""Sums of two float64s, high + low with |low| ≤ ½ulp(high): about 106 bits, on whole arrays.

Every function here takes and returns plain float64s or arrays of them, and needs nothing but the
four operations of IEEE 754, which are the same on every platform; fused multiply-add is not
asked for. u = 2⁻⁵³ is the unit of the bounds.

Source: Dekker, Numerische Mathematik 18 (1971); Joldes, Muller & Popescu, Tight and rigorous
error bounds for basic building blocks of double-word arithmetic, ACM TOMS 44 (2017).
"""

from __future__ import annotations

from typing import Any, TypeAlias

Floats: TypeAlias = Any
"""A float64, or an array of them."""

Pair: TypeAlias = tuple[Floats, Floats]

UNIT = 2.0**-53
SPLITTER = 2.0**27 + 1


def two_sum(a: Floats, b: Floats) -> Pair:
    """Return a + b exactly, as the rounded sum and its error (Knuth)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def fast_two_sum(a: Floats, b: Floats) -> Pair:
    """Return a + b exactly, where |a| ≥ |b| or a = 0 (Dekker)."""
    s = a + b
    return s, b - (s - a)


def split(a: Floats) -> Pair:
    """Return a as a sum of two numbers of 26 bits, for |a| < 2⁹⁹⁵ (Veltkamp).

    >>> split(1 / 3)
    (0.3333333358168602, -2.483526884144993e-09)
    """
    c = SPLITTER * a
    high = c - (c - a)
    return high, a - high


def two_product(a: Floats, b: Floats) -> Pair:
    """Return a·b as the rounded product and its error, exact unless it underflows (Dekker)."""
    p = a * b
    a1, a2 = split(a)
    b1, b2 = split(b)
    return p, a2 * b2 - (((p - a1 * b1) - a2 * b1) - a1 * b2)


def add(a: Pair, b: Pair) -> Pair:
    """Return a + b, off by at most 4u²·(|a| + |b|).

    The sum of the low parts is rounded, u·(u|a| + u|b|), and so is its sum with the error of the
    high parts, at most u·(u|a + b| + u|a| + u|b|).
    """
    s, e = two_sum(a[0], b[0])
    return fast_two_sum(s, e + (a[1] + b[1]))


def multiply(a: Pair, b: Pair) -> Pair:
    """Return a·b, off by at most 7u²·|ab| (Joldes et al., theorem 5.1)."""
    p, e = two_product(a[0], b[0])
    return fast_two_sum(p, e + (a[0] * b[1] + a[1] * b[0]))


def divide(a: Pair, b: Pair) -> Pair:
    """Return a/b, off by at most 32u²·|a/b|.

    With the rounded quotient q of the high parts, a/b = q + r/b for the remainder r = a − qb,
    |r| ≤ 5u|a|. Of r the operations round off 3u² + 4u² + u² + 5u² (times |a|), the division
    by the high part of b alone 5u² and its rounding 5u².
    """
    quotient = a[0] / b[0]
    p, e = two_product(quotient, b[0])
    remainder = ((a[0] - p) - e + a[1]) - quotient * b[1]
    return fast_two_sum(quotient, remainder / b[0])
