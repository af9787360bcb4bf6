"""Values in units of a format's last place.

Truth = (m + low)·unit, unit = ulp(truth).

The unit is continued beyond the largest number and constant below emin. What holds of m and low:
1. |m + low − truth| ≤ error ≤ 2⁻¹² units.
2. m + low is on the truth's side of each multiple of ½ and each power of 2.
3. Beside such a number m *is* the number, and low has the sign of the difference.
4. NaN and the infinities never enter.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.arrays import BLOCK, binade, smooth_parts, sum_of
from gelu_cli.numbers.cells import PAIRED, Floats, Mask, rest_of, two_sum
from gelu_cli.numbers.formats import LITTLE, Format, power_of_two
from gelu_cli.numbers.lines import on_lines
from gelu_cli.numbers.points import Point, refine_until
from gelu_cli.numbers.rounding import leading_bit, sign
from gelu_cli.numbers.series import Smooth

Ints = NDArray[np.int32]
BITS = 106
LARGEST = 1e308
WORST = 2.0**-13
"""Half of the largest error, since units may be halved."""

FEWEST = 64


def in_units(
    form: Form, quantity: str, x: Point, to: Format, times: Any = 1
) -> tuple[float, float, int]:
    """Return times·quantity at a finite x as (m + low)·2ᵉ: m, low, e.

    >>> from gelu_cli.formulas import find_form
    >>> from gelu_cli.numbers.formats import FORMATS
    >>> in_units(find_form("relu"), "value", 3.0, FORMATS["bfloat16"])
    (192.0, 0.0, -6)
    """
    factor = to_fraction(times)

    def decide(exact: fmpq, rest: arb | None) -> tuple[float, float, int] | None:
        if rest is None or not factor:
            return fraction_in_units(exact * factor, to)
        return ball_in_units(exact * factor, rest * factor, to)

    return refine_until(form, [quantity], to_fraction(x), BITS, decide)[0]


def fraction_in_units(y: fmpq, to: Format) -> tuple[float, float, int]:
    """Return a fraction in units."""
    unit = to.ulp(y)
    units = y / unit
    m = int(units.p) / int(units.q)
    low = units - to_fraction(m)
    n = int(unit.p).bit_length() - int(unit.q).bit_length()
    return m, int(low.p) / int(low.q), n


def ball_in_units(exact: fmpq, rest: arb, to: Format) -> tuple[float, float, int] | None:
    """Return exact + rest in units.

    None if the ball does not decide on the sides.
    """
    total = rest + arb(exact)
    way = sign(total)
    if not way:
        return None
    place = max(leading_bit(abs(total).upper()), to.emin)
    if place > to.emin and not abs(total).lower() >= arb((1, place)):  # which side of 2^place?
        beside = sign(rest * way + arb(exact * way - power_of_two(place)))
        if not beside or not abs(total) > arb((1, place - 1)):
            return None
        place -= beside < 0
    n = place - to.precision + 1
    scale = arb((1, -n))
    m = float(total.mid() * scale)
    if abs(m) < LITTLE:
        return way * LITTLE, 0.0, n
    half = round(2 * m) / 2
    if abs(m - half) < 2.0**-40 * max(abs(m), 1.0):
        m = half  # what is beside it is in `low`
    beyond = exact * power_of_two(-n) - to_fraction(m)
    low = rest * scale + arb(beyond)
    side, small = sign(low), float(low.mid())
    if not side or low.rel_accuracy_bits() < 20:
        return None
    if abs(abs(small) - 0.5) < 2.0**-18:  # float64s are units themselves
        nearer = rest * scale + arb(beyond - to_fraction(side * 0.5))
        if not sign(nearer):
            return None
        small = side * (0.5 + sign(nearer) * side * max(abs(abs(small) - 0.5), 2.0**-53))
    return m, small if abs(small) >= LITTLE else math.copysign(LITTLE, side), n


def in_units_array(
    form: Form, quantity: str, x: Floats, to: Format
) -> tuple[Floats, Floats, Ints, float]:
    """Return m, low, exponents and the largest error at finite float64s.

    Parameters
    ----------
    form
        From `formulas.find_form`.
    quantity
        Of `formulas.QUANTITIES`.
    x
        One-dimensional, contiguous and finite.
    to
        The format whose last place is the unit.
    """
    if len(x) > BLOCK:
        parts = np.array_split(x, -(-len(x) // BLOCK))
        *arrays, errors_of = zip(
            *(in_units_array(form, quantity, z, to) for z in parts), strict=True
        )
        m, low, exponent = map(np.concatenate, arrays)
        return m, low, exponent, max(errors_of)
    with np.errstate(all="ignore"):
        m, low, exponent, certain = on_lines(form, quantity, x, to)
        error, left = 0.0, np.flatnonzero(~certain)
        if len(left) > FEWEST:
            for (i,), inside in smooth_parts([form], x[left]):
                here = left[inside]
                found = _in_units(Smooth(form, i, quantity), x[here], to)
                m[here], low[here], exponent[here], errors, sure = found
                certain[here] = sure
                error = max(error, 2 * float(np.max(errors, initial=0.0, where=sure)))
        m, low, exponent = _in_own_units(to, m, low, exponent)
    if not certain.all():
        left = ~certain
        patterns, places = np.unique(x[left].view(np.uint64), return_inverse=True)
        points = patterns.view(np.float64).tolist()
        rows = np.array([in_units(form, quantity, each, to) for each in points]).reshape(-1, 3)
        m[left], low[left] = rows[places, 0], rows[places, 1]
        exponent[left] = rows[places, 2].astype(np.int32)
        error = max(error, float(np.max(np.abs(rows[:, 1]))) * 2.0**-20)  # low has 20 bits
    return m, low, exponent, error


def _in_units(curve: Smooth, x: Floats, to: Format) -> tuple[Floats, Floats, Ints, Floats, Mask]:
    """Measure inside one piece on one side of 0; mark certified results."""
    p, q, error, scale = sum_of(curve, x, PAIRED)
    straight = any(curve.line)
    unit = np.maximum(binade(p), 2.0**to.emin * scale) * 2.0 ** (1 - to.precision)
    m, low = two_sum(p / unit, q / unit)
    error = error / unit
    exact = np.full(x.shape, not curve.has_rest)
    way = np.sign(p + q)
    if curve.has_rest and straight and not curve.line[0] * curve.line[1]:
        rest, rest_low, rest_error, rest_scale = rest_of(curve, x, PAIRED)
        way = np.where(np.abs(rest) > np.abs(rest_low) + rest_error, np.sign(rest), 0)
        faint = (np.abs(rest) / rest_scale < 2.0**-960 * unit) & (way != 0) & (low == q / unit)
        alone = faint & (m == np.rint(m * 2) / 2) & _plain(curve, x)
        low = np.where(alone, way * LITTLE, low)
        error = np.where(alone, LITTLE, error)
    else:
        alone = np.zeros(x.shape, bool)
    tiny = (np.abs(m) < 2.0**-900) & ~exact
    m = np.where(tiny, way * LITTLE, m)
    low, error = np.where(tiny, 0.0, low), np.where(tiny, 0.0, error)
    beyond = (m - np.rint(2 * m) / 2) + low
    distance = np.minimum(np.abs(beyond), np.abs(0.5 - np.abs(beyond)))
    certain = (distance > error + 2.0**-52 * np.abs(beyond)) | (exact & (error == 0)) | alone
    certain = (certain & ~tiny) | (tiny & (way != 0))
    certain &= (np.abs(p / scale) < LARGEST) & (error < WORST)
    e = np.frexp(unit)[1] - 1 - (np.frexp(scale)[1] - 1)
    return m, low, e.astype(np.int32), error, certain


def _in_own_units(to: Format, m: Floats, low: Floats, e: Ints) -> tuple[Floats, Floats, Ints]:
    """Halve or double units of values in the neighbouring binade.

    The unit may be that of a float64 near the value, on the other side of a power of 2.
    """
    size, rest = np.abs(m), low * np.sign(m)
    power = 2.0 ** (to.precision - 1)
    below = ((size < power) | ((size == power) & (rest < 0))) & (e > to.least_exponent)
    beyond = (size > 2 * power) | ((size == 2 * power) & (rest >= 0))
    scale = np.where(below, 2.0, np.where(beyond, 0.5, 1.0))
    return m * scale, low * scale, (e - below + beyond).astype(np.int32)


def _plain(curve: Smooth, x: Floats) -> Mask:
    """Return a mask that says if the line is exact in float64."""
    return np.full(x.shape, all(int(k.q) & (int(k.q) - 1) == 0 and abs(k) <= 1 for k in curve.line))
