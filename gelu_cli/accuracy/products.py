"""The exact values of products F(x)·u, in units of the last place.

F is found once for each x, as (M + L)·2ᵉ; u is the exact sum of two float64s, h + l. The product
M·h is exact as the sum of two float64s; M·l + L·h is right to 2⁻⁵² of itself. What this leaves open
is found by exact arithmetic, one by one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gelu_cli.accuracy.question import Question
from gelu_cli.accuracy.truth import Truth, truth_at
from gelu_cli.numbers.arrays import two_floats
from gelu_cli.numbers.cells import Floats, Mask, two_sum
from gelu_cli.numbers.formats import LITTLE

ROUNDING = 2.0**-50
"""Relative error of a few operations."""

TINY, NOTHING = 2.0**-900, 2.0**-60
"""A factor below TINY units is known by its sign alone: its product has to be below NOTHING."""


def truth_of(question: Question, x: Floats, ups: Floats | None = None) -> Truth:
    """Return the truth at finite x, or at pairs with equal x in a row."""
    if ups is not None:
        high, low = question.factors(ups)
    elif question.times == 1:
        return truth_at(question, x)
    else:
        high, low = (np.full_like(x, each) for each in two_floats(question.times))
    is_new = np.diff(x.view(np.int64), prepend=~x.view(np.int64)[:1]) != 0
    factor, row = _factor_at(question, x[is_new]), np.cumsum(is_new) - 1
    m, low, n, error, sure = _products(question, factor, row, high, low)
    for i in np.flatnonzero(~sure).tolist():
        one = question if ups is None else question.at(float(ups[i]))
        m[i], low[i], n[i] = one.in_units(float(x[i]))
    return Truth(m, low, np.ldexp(1.0, n), question.result, error)


def _factor_at(question: Question, x: Floats) -> Truth:
    """Return the truth of F at x, rounded to an intermediate format."""
    if not (inner := question.inner):
        return truth_at(question, x)
    truth = truth_at(inner, x)
    m = np.where(np.isfinite(truth.want), truth.whole, truth.want)
    return replace(truth, m=m, low=np.zeros_like(m), error=0.0)


@np.errstate(all="ignore")  # of numbers beyond float64
def _products(
    question: Question, factor: Truth, row: Any, high: Floats, low: Floats
) -> tuple[Floats, Floats, Any, float, Mask]:
    """Return m, low, exponents of units, the error, and the certain mask."""
    result, f = question.result, factor.m[row]
    f_low = np.zeros_like(f) if factor.low is None else factor.low[row]
    u, shift = np.frexp(high)
    u_low: Any = np.ldexp(low, -shift) if low.any() else 0.0
    exponent = (np.frexp(factor.unit)[1] - 1)[row] + shift
    first, lost = two_product(f, u)
    beside = f * u_low + f_low * u
    m, m_low = two_sum(first, lost + beside)
    halves = 2 * f == np.rint(2 * f)  # where F is that number, or beside it on a known side
    known = halves & (lost == 0) & (u_low == 0)
    error = np.where(halves & (f_low == 0), 0.0, factor.error * np.abs(u))
    error += np.where(beside == 0, 0.0, ROUNDING * (np.abs(beside) + np.abs(lost)))

    mantissa, place = np.frexp(m)
    place = np.maximum(place - 1 + exponent, result.emin)
    below = (np.abs(mantissa) == 0.5) & (m_low * m < 0) & (place > result.emin)
    n = place - result.precision + 1 - below
    scale = np.ldexp(1.0, exponent - n)
    m, m_low, error = m * scale, m_low * scale, error * scale

    half = np.rint(2 * m) / 2
    beyond = np.abs((m - half) + m_low)
    distance = np.minimum(beyond, np.abs(0.5 - beyond))
    size = np.abs(m_low) + error
    sure = (distance > error + ROUNDING * beyond) | (error == 0) | ~np.isfinite(f)
    sure |= (known & (m == half) & (size < 0.25)) | (np.abs(m) + size < 0.25)
    way, faint = np.sign(f + f_low) * np.sign(u), np.abs(f + f_low) < TINY
    little = (way != 0) & (faint | (np.abs(m) < LITTLE))
    sure = np.where(little & faint, scale * TINY < NOTHING, sure)
    m, m_low = np.where(little, way * LITTLE, m), np.where(little, 0.0, m_low)
    m = np.where(np.isfinite(f), m, f * u)
    most = float(np.max(error, initial=0.0, where=sure & ~little))
    return m, m_low, np.where(m == 0, result.least_exponent, n), most, sure


def two_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return RN(a·b) and its error, exactly (Dekker 1971)."""
    high, (c, d) = a * b, ((2.0**27 + 1) * each for each in (a, b))
    a1, b1 = c - (c - a), d - (d - b)
    a2, b2 = a - a1, b - b1
    return high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2
