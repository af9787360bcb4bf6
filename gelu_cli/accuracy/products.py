"""The exact values of products F(x)·u, of each x with each u or of a list.

F is found once for each x, as (M + L)·2ᵉ; u is the exact sum of two float64s, h + l. The product
M·h is exact as the sum of two float64s; M·l + L·h is right to 2⁻⁵² of itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gelu_cli.accuracy.question import Question
from gelu_cli.accuracy.truth import Indices, Truth, certified, rounded, truth_at
from gelu_cli.numbers import Format
from gelu_cli.numbers.arrays import two_floats
from gelu_cli.numbers.cells import Floats, Mask, two_sum
from gelu_cli.numbers.formats import LITTLE
from gelu_cli.numbers.patterns import ulps

SHORT = 11
"""Up to so many bits one product of float64s is enough for nearly all roundings."""

PLAIN = 2.0**-38
"""Error of such a product in units: less than 2¹¹·2⁻⁵⁰."""

ROUNDING = 2.0**-50
"""Relative error of a few operations."""

TINY, NOTHING = 2.0**-900, 2.0**-60
"""A factor below TINY units is known by its sign alone: its product has to be below NOTHING."""

LARGEST_UP = 2.0**200
MOST_EXPONENT = 971
"""Of a float64's last place."""

SPLITTER = 2.0**27 + 1


class Pairs(NamedTuple):
    """Pairs of inputs: x[row] and ups[column]."""

    x: Floats
    ups: Floats
    row: Indices
    column: Indices

    @classmethod
    def outer(cls, x: Floats, ups: Floats) -> Pairs:
        """Combine each x with each up, in the order of x."""
        row, column = np.divmod(np.arange(len(x) * len(ups)), len(ups))
        return cls(x, ups, row, column)

    @classmethod
    def listed(cls, x: Floats, ups: Floats) -> Pairs:
        """Combine each x with the up at the same index."""
        return cls(x, ups, np.arange(len(x)), np.arange(len(x)))


def truth_of(question: Question, x: Floats) -> Truth:
    """Return the truth at finite inputs of a kernel of one input."""
    factor = truth_at(question, x)
    if question.times == 1:
        return factor
    times = Pairs(x, np.zeros(1), np.arange(len(x)), np.zeros(len(x), np.int64))
    high, low = (np.array([each]) for each in two_floats(question.times))
    return _exact_products(question, factor, times, high, low)


def factor_at(question: Question, x: Floats) -> Truth:
    """Return the truth of F at x, rounded to an intermediate format."""
    if not (inner := question.inner):
        return truth_at(question, x)
    truth = truth_at(inner, x)
    m, unit = truth.whole, truth.unit.copy()
    if truth.beyond is not None:
        m, unit[truth.beyond] = np.where(truth.beyond, truth.want, m), 1.0
    return replace(truth, m=m, low=np.zeros_like(m), unit=unit, error=0.0)


@np.errstate(all="ignore")  # of factors that overflow
def truth_of_pairs(question: Question, factor: Truth, pairs: Pairs) -> Truth:
    """Return the truth at pairs of finite inputs, from that of F at each x."""
    high, low = question.factors(pairs.ups)
    result = question.result
    narrow = max(question.dtype.width, result.width) <= 16 and result.precision <= SHORT
    if not narrow or np.max(np.abs(high)) > LARGEST_UP:
        return _exact_products(question, factor, pairs, high, low)
    units = factor.m if factor.low is None else factor.m + factor.low
    f = units * factor.unit
    f = np.where((f == 0) & (units != 0), np.copysign(TINY, units), f)
    y = f[pairs.row] * high[pairs.column]
    unit = ulps(result, y)
    m = y / unit
    if not (finite := np.isfinite(y)).all():
        m, unit = np.where(finite, m, y), np.where(finite, unit, 1.0)
    m = np.where(np.abs(m) < LITTLE, np.copysign(LITTLE, m) * (y != 0), m)

    def exactly(places: Indices) -> tuple[Floats, Floats, Floats]:
        some = pairs._replace(row=pairs.row[places], column=pairs.column[places])
        truth = _exact_products(question, factor, some, high, low)
        assert truth.low is not None
        return truth.m, truth.low, truth.unit

    return certified(result, m, unit, PLAIN + 2 * factor.error, exactly)


@np.errstate(all="ignore")  # of numbers beyond float64
def _exact_products(
    question: Question, factor: Truth, pairs: Pairs, high: Floats, low: Floats
) -> Truth:
    """Return the truth of products from all digits of their factors."""
    row, column, result = pairs.row, pairs.column, question.result
    assert factor.low is not None
    f, f_low = factor.m[row], factor.low[row]
    exponent = (np.frexp(factor.unit)[1] - 1)[row]
    u, shift = np.frexp(high[column])
    u_low = np.ldexp(low[column], -shift)
    halves = 2 * f == np.rint(2 * f)  # where F is that number, or beside it on a known side
    first, lost = two_product(f, u)
    beside = f * u_low + f_low * u
    m, m_low = two_sum(first, lost + beside)
    error = np.where(halves & (f_low == 0), 0.0, factor.error * np.abs(u))
    error += np.where(beside == 0, 0.0, ROUNDING * (np.abs(beside) + np.abs(lost)))
    known = halves & (lost == 0) & (u_low == 0)
    m, m_low, error, n = in_last_places(result, m, m_low, error, exponent + shift)
    faint = known & (f_low != 0) & (np.abs(m_low) < LITTLE)
    m_low = np.where(faint, np.sign(f_low) * np.sign(u) * LITTLE, m_low)
    sure = _certain(m, m_low, error, known)
    tiny = (np.abs(f) < TINY) & (f != 0) & (u != 0)
    way = np.sign(f) * np.sign(u)
    m, m_low = np.where(tiny, LITTLE * way, m), np.where(tiny, 0.0, m_low)
    sure = np.where(tiny, np.ldexp(TINY, exponent + shift - n) < NOTHING, sure)
    m = np.where(n > MOST_EXPONENT, np.copysign(np.inf, m), m)
    m = np.where(np.isfinite(f), m, f * u)
    nothing = (m == 0) | ~np.isfinite(m)
    n = np.where(m == 0, result.least_exponent, np.where(nothing, 0, n))
    m_low = np.where(nothing, 0.0, m_low)
    for i in np.flatnonzero(~(sure | nothing)).tolist():
        one = question.at(float(pairs.ups[column[i]])) if question.glu else question
        m[i], m_low[i], n[i] = one.in_units(float(pairs.x[row[i]]))
    most = float(np.max(error, initial=0.0, where=sure & ~nothing))
    return Truth(m, m_low, np.ldexp(1.0, n), rounded(m, m_low), result, most)


def _certain(m: Floats, low: Floats, error: Floats, known: Mask) -> Mask:
    """Return a mask of m + low ± error on one side of all multiples of ½.

    Where `known`, low has the sign of what m lacks if m is such a multiple.
    """
    beyond = (m - np.rint(2 * m) / 2) + low
    distance = np.minimum(np.abs(beyond), np.abs(0.5 - np.abs(beyond)))
    sure: Mask = distance > error + ROUNDING * np.abs(beyond)
    on_one = (2 * m == np.rint(2 * m)) & (np.abs(low) + error < 0.25)
    on_side_of_0 = np.abs(m) + np.abs(low) + error < 0.25
    return np.asarray(sure | (error == 0) | (known & on_one) | on_side_of_0)


def in_last_places(
    result: Format, m: Floats, low: Floats, error: Floats, exponent: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return m·2ᵉ + low·2ᵉ and its error in last places, and their exponents."""
    place = np.maximum(np.frexp(m)[1] - 1 + exponent, result.emin)
    n = place - result.precision + 1
    m, low, error = (np.ldexp(each, exponent - n) for each in (m, low, error))
    power = 2.0 ** (result.precision - 1)
    below = (np.abs(m) == power) & (low * m < 0) & (n > result.least_exponent)
    double = np.where(below, 2.0, 1.0)
    return m * double, low * double, error * double, n - below


def two_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return RN(a·b) and its error, exactly (Dekker 1971)."""
    high = a * b
    c, d = SPLITTER * a, SPLITTER * b
    a1, b1 = c - (c - a), d - (d - b)
    a2, b2 = a - a1, b - b1
    return high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2
