"""Exponential, logarithm and error function of extended numbers, with bounds on their errors.

Each bound stands beside what it bounds; u = 2⁻⁵³. The tables are made from mpmath by
`tools/make_tables.py`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gelu_cli.old.arithmetic import logistics_by_exp, mpf
from gelu_cli.old.arithmetic.extended.double_double import (
    UNIT,
    Floats,
    Pair,
    add,
    fast_two_sum,
    multiply,
    two_sum,
)
from gelu_cli.old.arithmetic.extended.number import (
    PI,
    PRODUCT,
    UNDERFLOW,
    Extended,
    choose,
    constant,
    magnitude,
    root,
    unscaled,
)

FOLDER = Path(__file__).parent / "tables"

EXP_STEPS = 1024
STEPS_PER_OCTAVE = 64
OCTAVES = 6
LAST_CENTRE = 2.0**OCTAVES - 1
PAIRED_TERMS, DOUBLE_TERMS = 8, 8

CENTRES = [
    2.0**octave * (1 + step / STEPS_PER_OCTAVE) - 1
    for octave in range(OCTAVES)
    for step in range(STEPS_PER_OCTAVE)
] + [LAST_CENTRE]
"""Where erfcx is expanded: 1 + c goes from 1 to 64 in 64 even steps to the octave."""


@cache
def table(name: str) -> NDArray[np.float64]:
    """Return the table of a function.

    Of `exp`, 2^(j/1024), j = 0 … 1023: a row of high and one of low parts. Of `erfcx`, a column for
    each of `CENTRES`: the centre, then the Taylor coefficients, first `PAIRED_TERMS` of them as
    high and low parts, then `DOUBLE_TERMS` float64s.
    """
    numbers: NDArray[np.float64] = np.load(FOLDER / f"{name}.npy")
    numbers.setflags(write=False)
    return numbers


FARTHEST = 2.0**15
"""The exponential of ±FARTHEST, 2**±47274, stands for those of all numbers beyond: no product of
it with powers of float64s and parameters comes back into any format's range."""

UNSCALED = 256
"""Powers 2**m with |m| up to this, and their squares, need no scale."""


def exp(x: Extended) -> Extended:
    """Return eˣ."""
    m, step, p, error, _ = _reduced(x)
    high, low = add(step, multiply(step, p))
    # T is within u² of 2^(j/1024), |p| < 2⁻¹¹, and the sum rounds off 4u²·(1 + |p|).
    return _times_power(high, low, high * (error + 6 * UNIT**2), m)


def expm1(x: Extended) -> Extended:
    """Return eˣ − 1: p itself where that is all, (2**m·T − 1) + 2**m·T·p elsewhere."""
    m, step, p, error, near_zero = _reduced(x)
    rest = multiply(step, p)
    rest_error = step[0] * error + PRODUCT * np.abs(rest[0])
    power = _times_power(*step, step[0] * UNIT**2, m)
    result = choose(
        near_zero, Extended(*p, error), (power - 1) + _times_power(*rest, rest_error, m)
    )
    return _or_itself(x, result)


def _reduced(
    x: Extended,
) -> tuple[NDArray[np.int64], Pair, Pair, Floats, NDArray[np.bool_]]:
    """Return m, T, p with eˣ = 2**m·T·(1 + p), a bound on the error of p, and where T·2**m is 1.

    x = (1024m + j)·ln2/1024 + r with |r| ≤ ln2/2048, T = 2^(j/1024) and p = eʳ − 1.
    """
    x = unscaled(x, FARTHEST)
    k = np.rint(x.high * (EXP_STEPS / math.log(2)))
    # k has 26 bits, the first two parts of ln2/1024 have 27: these products are exact, and so is
    # the first difference (Sterbenz). What follows rounds off less than 2⁻¹⁰⁴·|x|, and the third
    # part leaves out k·2⁻¹¹⁸.
    first, second, third = LN2_STEP
    start, rest = two_sum(x.high - k * first, -k * second)
    r = fast_two_sum(start, rest + (x.low - k * third))
    error = x.error + UNDERFLOW + 2.0**-103 * np.abs(x.high)
    index = k.astype(np.int64)
    j = index & (EXP_STEPS - 1)
    powers = table("exp")
    p = _expm1_of_rest(r)
    size = np.abs(p[0])
    error = np.where(error < 1, error * (1 + error), np.inf)  # of eʳ, from that of r
    error = error * (1 + size) + size * (2.0**-101 + 2.0**-66 * size**2)
    return index >> 10, (powers[0][j], powers[1][j]), p, error, index == 0


def _expm1_of_rest(r: Pair) -> Pair:
    """Return eʳ − 1 = r + r²·(½ + r·(1/6 + rq)) for |r| < 2⁻¹¹·⁵, off by 2⁻¹⁰¹·|r| + 2⁻⁶⁶·|r|³.

    q = 1/24 + r/120 + r²/720 + r³/5040 leaves out r⁴/8!, which is 2⁻⁹⁵·r³. The float64 rq is
    off by 2⁻⁶⁸, its sum with 1/6 by 2⁻⁶⁷, which goes with r³; the pairs by less than 2⁻¹⁰¹·r.
    """
    h = r[0]
    q = 1 / 24 + h * (1 / 120 + h * (1 / 720 + h * (1 / 5040)))
    sixth = constant(Fraction(1, 6))
    cubic = multiply(r, fast_two_sum(sixth.high, h * q + sixth.low))
    half, rest = fast_two_sum(0.5, cubic[0])
    return add(r, multiply(multiply(r, r), (half, rest + cubic[1])))


def _times_power(high: Floats, low: Floats, error: Floats, m: NDArray[np.int64]) -> Extended:
    if np.max(np.abs(m), initial=0) > UNSCALED:
        return Extended(high, low, error, m)
    power = ((m + 1023) << 52).view(np.float64)
    return Extended(high * power, low * power, error * power)


def softplus(x: Extended) -> Extended:
    """Return log(1 + eˣ) = max(0, x) + log(1 + e^−|x|)."""
    rest = log1p(exp(-magnitude(x)))
    return choose(x.high > 0, x + rest, rest)


def log1p(x: Extended) -> Extended:
    """Return log(1 + x) for 0 < x ≤ 1, from float64's l by one step: l + log(1 + d).

    d = (x − (eˡ − 1))/eˡ is about as small as the float64's error, |d| < 2⁻⁴⁰·l, and log(1 + d)
    = d − d²/2 + … by less than |d|³.
    """
    plain = unscaled(x, 1.0)
    first = np.log1p(plain.high)
    start = Extended(first, np.zeros_like(first), 0.0)
    power = expm1(start)
    d = (plain - power) / (1 + power)
    d = d - d * d / 2
    result = start + d.widened(np.abs(d.high) ** 3)
    return _or_itself(x, result)


def _or_itself(x: Extended, result: Extended) -> Extended:
    """Return x where it is below 2⁻¹²⁰, and so differs by at most x² from the result."""
    small = np.abs(unscaled(x, 1.0).high) < 2.0**-120
    if not np.any(small):
        return result
    return choose(small, x.widened(2.0**-120 * np.abs(x.high)), result)


def erfc(x: Extended) -> Extended:
    """Return erfc(x) = e^(−x²)·erfcx(x), and 2 − erfc(−x) where x < 0."""
    size = magnitude(x)
    tail = exp(-size * size) * erfcx(size)
    negative = np.signbit(x.high)
    return choose(negative, 2 - tail, tail) if np.any(negative) else tail


def erfcx(x: Extended) -> Extended:
    """Return erfcx(x) = e^(x²)·erfc(x) for x ≥ 0.

    From LAST_CENTRE on, where erfc is below 10^−1700 and all that counts is on which side of
    another such number it lies, by (1 − v/2)/(x√π) with v = 1/x², off by less than ¾v² of it
    (the series alternates).
    """
    plain = unscaled(x, LAST_CENTRE)
    near = _taylor(plain.high, plain.low)
    # erfcx′ is between −2/√π and 0.
    near = near.widened(1.13 * plain.error)
    far = plain.high >= LAST_CENTRE
    if not np.any(far):
        return near
    v = 1 / (x * x)
    y = (1 - v / 2) / (x * root(PI))
    left_out = np.abs(y.high) * unscaled(v * v, 1.0).high
    return choose(far, y.widened(left_out), near)


def _taylor(z: Floats, rest: Floats) -> Extended:
    """Return erfcx(z + rest) for 0 ≤ z ≤ LAST_CENTRE, |rest| ≤ u·z, from its series at a centre.

    With |h| ≤ (1 + c)/128 the terms fall by 2⁻⁶·⁶ at least: the last ones as float64s are off by
    2⁻¹⁰⁸ of the whole, what is left out is 2⁻¹¹⁰, and the pairs round off 6u². The derivative is
    2z·erfcx − 2/√π; as a float64 it is off by 6uz·erfcx, the second order is u²z²·erfcx.
    """
    centres, *coefficients = table("erfcx")
    index = _nearest_centre(z)
    h = z - centres[index]  # exact (Sterbenz; the first centre is 0)
    rows = reversed(coefficients)
    tail = next(rows)[index]
    for _ in range(DOUBLE_TERMS - 1):
        tail = tail * h + next(rows)[index]
    pairs = (tuple(part[index] for part in (next(rows), next(rows))) for _ in range(PAIRED_TERMS))
    low, high = next(pairs)
    high, e = fast_two_sum(high, tail * h)
    low = low + e
    for a_low, a_high in pairs:
        p, e = multiply((high, low), (h, 0.0))
        high, rest_of_sum = fast_two_sum(a_high, p)
        low = rest_of_sum + (a_low + e)
    slope = 2 * z * high - 2 / math.sqrt(math.pi)
    high, low = fast_two_sum(high, low + slope * rest)
    return Extended(high, low, high * UNIT**2 * (8 + 8 * z * z))


def _nearest_centre(z: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the number of the centre nearest to z: 1 + z rounded to 1/64 of its power of two.

    Half way it is the lower one: below 1/128 the distance to 1/64 may have 54 bits.
    """
    dropped = 52 - (STEPS_PER_OCTAVE.bit_length() - 1)
    rounded = ((1 + z).view(np.int64) + ((1 << (dropped - 1)) - 1)) >> dropped
    return rounded - 1023 * STEPS_PER_OCTAVE


def _parts(value: Fraction, bits: int) -> tuple[float, float, float]:
    """Return three floats that add up to `value`, the first two of `bits` bits at most."""
    parts: list[float] = []
    for _ in range(2):
        parts.append(mpf.to_float(mpf.from_fraction(value, bits)))
        value -= Fraction(parts[-1])
    return parts[0], parts[1], float(value)


LN2_STEP = _parts(mpf.to_fraction(mpf.log(mpf.from_int(2), 300)) / EXP_STEPS, 27)


class ExtendedArithmetic:
    """The `Arithmetic` of arrays of extended numbers.

    >>> from gelu_cli.old.arithmetic.extended.number import extended
    >>> tail = EXTENDED.erfc(extended(np.array([20.0])))  # 1 − erf(20) would be 0
    >>> (tail.high * 2.0**tail.scale).tolist()
    [5.395865611607901e-176]
    """

    pi = PI
    rational = staticmethod(constant)
    sqrt = staticmethod(root)
    exp = staticmethod(exp)
    expm1 = staticmethod(expm1)
    erfc = staticmethod(erfc)
    logistics = logistics_by_exp
    softplus = staticmethod(softplus)


EXTENDED = ExtendedArithmetic()
