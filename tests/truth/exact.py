"""True values, roundings and probabilities of draws, as fractions, from the definitions.

Nothing here comes from gelu_cli. A format is what ml_dtypes says of it. A true value is an exact
number and a ball of Arb (`tests.truth.arb.split`): its middle has 30 digits or more beside that
number, and its sign is certain.
"""

import math
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import ml_dtypes
import numpy as np
from flint import arb, ctx

from tests.truth import arb as balls

BITS, SHORT = 4096, 120
TINY = 1800
"""A rest below 2^−TINY is taken as 2^−TINY/|x|, with its sign: less than all numbers."""

FACTOR = {"gate_gradient": "gradient", "up_gradient": "value"}
"""The quantity of the form that gradients of a GLU have as a factor."""


class Asked(NamedTuple):
    """What results should be: a form's quantity at x, or that times what a second input stands for.

    Of two inputs it is F(min(x, gate_limit))·(max(−up_limit, min(u, up_limit)) + up_offset), F
    rounded to `intermediate` first if there is one.
    """

    form: str = "exact"
    quantity: str = "value"
    dtype: str = "bfloat16"
    result: str = ""
    two: bool = False
    every_up: bool = False
    gate_limit: float = math.inf
    up_limit: float = math.inf
    up_offset: float = 0.0
    intermediate: str = ""
    ftz: bool = False
    mean: float = 0.0
    sigma: float = 1.0

    @property
    def to(self):
        return self.result or self.dtype


class Facts(NamedTuple):
    p: int
    emin: int
    largest: Fraction
    infinite: bool
    width: int

    @property
    def least(self):
        return Fraction(2) ** self.emin


@cache
def facts(dtype):
    known = ml_dtypes.finfo(dtype)
    largest = Fraction(float(known.max))
    infinite = dtype != "float8_e4m3fn"
    return Facts(int(known.nmant) + 1, int(known.minexp), largest, infinite, int(known.bits))


@cache
def all_numbers(dtype):
    """List all finite numbers in the order of their bits, both zeros among them."""
    width = facts(dtype).width
    with np.errstate(invalid="ignore"):
        every = np.arange(2**width).astype(f"u{width // 8}").view(dtype).astype(float)
    return every[np.isfinite(every)].tolist()


@cache
def power_of_two(n):
    return Fraction(2) ** n


def ulp(dtype, y):
    """2^(max(⌊log₂|y|⌋, emin) − p + 1)."""
    y, known = Fraction(y), facts(dtype)
    above, below = abs(y.numerator), y.denominator
    exponent = above.bit_length() - below.bit_length()  # or 1 more than ⌊log₂|y|⌋
    exponent -= above << max(0, -exponent) < below << max(0, exponent)
    return power_of_two(max(exponent if y else known.emin, known.emin) - known.p + 1)


def rounded(dtype, y):
    """Round a fraction to nearest, ties to even; beyond the largest it is ∞, or NaN in E4M3."""
    unit, known = ulp(dtype, y), facts(dtype)
    size = round(abs(y) / unit) * unit
    size = float(size) if size <= known.largest else math.inf if known.infinite else math.nan
    return -size if y < 0 else size


@cache
def ordinal(dtype, x):
    """Steps of the format from 0 to one of its numbers; ∞ is one step beyond the largest."""
    known = facts(dtype)
    if math.isinf(x):
        return int(math.copysign(ordinal(dtype, float(known.largest)) + 1, x))
    unit = ulp(dtype, x)
    binade = (unit / ulp(dtype, 0)).numerator.bit_length() - 1
    place = int(abs(Fraction(x)) / unit) + binade * 2 ** (known.p - 1)
    return -place if x < 0 else place


def bits(dtype, x):
    """Spell the bit pattern of a number."""
    known = facts(dtype)
    sign = 2 ** (known.width - 1) if math.copysign(1, x) < 0 else 0
    return f"0x{sign + abs(ordinal(dtype, x)):0{known.width // 4}x}"


def number(dtype, place):
    """The number that so many steps lead to from 0, as a fraction."""
    p = facts(dtype).p
    binade = max(0, place // 2 ** (p - 1) - 1)
    return (place - binade * 2 ** (p - 1)) * ulp(dtype, 0) * 2**binade


@cache
def true_value(form, quantity, x):
    """A value or gradient at a float: to 30 digits, on the true side of every number."""
    with ctx.workprec(BITS):
        exact, rest = balls.split(form, quantity, float(x))
        line = balls.middle(arb(exact))
        if rest == 0:
            return line
        assert not rest.contains(0), (form, quantity, x)
        if abs(rest) < arb((1, -TINY)):
            return line + (1 if rest > 0 else -1) * Fraction(1, 2**TINY) / max(abs(Fraction(x)), 1)
        with ctx.workprec(SHORT + max(0, -math.frexp(x)[1])):  # near 0 it is c·x + d·x²
            total = line + balls.middle(+rest)
        near = Fraction(round(4 * total), 4)
        return near if x == 0 and abs(total - near) < Fraction(1, 2**100) else total


def limit(form, quantity, x):
    """The limit at ±∞."""
    if quantity == "value":
        return math.inf if x > 0 else Fraction(-1 if form == "elu" else 0)
    return Fraction(int(x > 0))


def at(form, quantity, x):
    return true_value(form, quantity, x) if math.isfinite(x) else limit(form, quantity, x)


def truth(asked, x, up=1.0):
    """The true value at any inputs: a fraction, or a float that is ±∞ or NaN."""
    if math.isnan(x) or math.isnan(up):
        return math.nan
    if not asked.two:
        return at(asked.form, asked.quantity, x)
    inner = at(asked.form, FACTOR.get(asked.quantity, asked.quantity), min(x, asked.gate_limit))
    if x > asked.gate_limit and asked.quantity in ("gradient", "gate_gradient"):
        inner = Fraction(0)
    if asked.intermediate and math.isfinite(inner):
        inner = exactly(rounded(asked.intermediate, inner))
    clamped = max(-asked.up_limit, min(up, asked.up_limit))
    factor = exactly(clamped + asked.up_offset if math.isinf(clamped) else clamped)
    if asked.quantity == "up_gradient":
        factor = Fraction(int(abs(up) <= asked.up_limit))
    elif math.isfinite(factor):
        factor += Fraction(asked.up_offset)
    if math.isfinite(inner) and math.isfinite(factor):
        return inner * factor
    return math.inf * sign(inner) * sign(factor) if sign(inner) * sign(factor) else math.nan


def exactly(x):
    return Fraction(x) if math.isfinite(x) else x


def sign(y):
    return math.nan if math.isnan(y) else (y > 0) - (y < 0)


def probability(low, high, mean, sigma):
    """P(low < X < high) for X ~ N(mean, sigma²), to 60 digits; less than 2^−1000 is 0."""
    mean = Fraction(mean)
    if low + high > 2 * mean:  # where Φ cancels, 1 − Φ does not
        low, high = (-end if math.isinf(end) else 2 * mean - Fraction(end) for end in (high, low))
    with ctx.workprec(400):
        scale = arb(2).sqrt() * balls.number(sigma)
        below = [
            (balls.number(mean - Fraction(end)) / scale).erfc() if math.isfinite(end) else arb(0)
            for end in (low, high)
        ]
        found = (below[1] - below[0]) / 2
        return balls.middle(found) if found > arb((1, -1000)) else Fraction(0)


@cache
def weights(dtype, numbers, mean=0.0, sigma=1.0):
    """The probability of each number: a draw comes to the nearest of its sign.

    Before the least and after the largest of a sign comes a number of the format.
    """
    found = {}
    for way in (1, -1):
        sizes = sorted({abs(Fraction(x)) for x in numbers if math.copysign(1, x) == way})
        if not sizes:
            continue
        first, last = (ordinal(dtype, float(sizes[i])) for i in (0, -1))
        before = number(dtype, first - 1) if first else Fraction(0)
        after = number(dtype, last + 1) if sizes[-1] < facts(dtype).largest else math.inf
        cells = [(a + b) / 2 for a, b in pairwise([before, *sizes])]
        cells.append(math.inf if after == math.inf else (sizes[-1] + after) / 2)
        for size, ends in zip(sizes, pairwise(cells), strict=True):
            low, high = sorted(way * each for each in ends)
            x = math.copysign(float(size), way)
            found[bits(dtype, x)] = probability(low, high, mean, sigma)
    return [found[bits(dtype, x)] for x in numbers]
