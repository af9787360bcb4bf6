"""Integrals against a normal density, by the trapezoidal rule in a well-chosen variable.

For an integrand that is analytic near the line and dies away at both ends, the error of the
trapezoidal rule falls geometrically with 1/step (Trefethen & Weideman, SIAM Review 56, 2014). On
the whole line the variable is x itself in units of σ, or arsinh(x/w) where the integrand bends
about 0 within a width w smaller than σ: its logarithm, so that every scale from w to σ has as many
points. On a half line and between two points it is the double exponential one (Takahasi & Mori,
Publ. RIMS 9, 1974), on a half line in units of σ or of w.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from gelu_cli.arithmetic.multiprecision import Multiprecision

FIRST_LEVEL = 2


class Normal(NamedTuple):
    """The normal distribution N(μ, σ²), and how far below 1 its density ends, in bits."""

    mean: Any
    sigma: Any
    bits: int

    @property
    def reach(self) -> float:
        """Beyond how many sigmas the density is below 2**−bits."""
        return math.sqrt(2 * math.log(2) * self.bits) + 1


class Substitution(NamedTuple):
    """x as a function of t, with dx/dt, and the t beyond which nothing is left."""

    x: Callable[[Any], tuple[Any, Any]]
    start: float
    stop: float


def nodes(
    a: Multiprecision, normal: Normal, low: Any, high: Any, level: int, width: Any = 1
) -> Iterator[tuple[Any, Any]]:
    """Yield the points x and weights, normal density included, that level `level` adds.

    The step is 2**−level; the sum over a level and all before it, from `FIRST_LEVEL` on, with
    the weights multiplied by that step, is the integral over [low, high]. Ends may be infinite.
    `width` is how near to the finite end of a half line, or to 0 on the whole line, the integrand
    bends.

    >>> a = Multiprecision(60)
    >>> line = nodes(a, Normal(a.rational(0), a.rational(1), 60), -math.inf, math.inf, 2)
    >>> round(float(sum(weight for _, weight in line)) / 4, 15)
    1.0
    """
    substitution = _substitution(a, normal, low, high, width)
    scale = 1 << level
    stride = 1 if level == FIRST_LEVEL else 2
    first, last = math.floor(substitution.start * scale), math.ceil(substitution.stop * scale)
    mean, sigma = normal.mean, normal.sigma
    factor = 1 / (sigma * a.sqrt(2 * a.pi))
    for k in range(first | (stride - 1), last + 1, stride):  # all, or the odd ones
        x, slope = substitution.x(a.rational(k) / scale)
        z = (x - mean) / sigma
        yield x, factor * slope * a.exp(-z * z / 2)


def _substitution(
    a: Multiprecision, normal: Normal, low: Any, high: Any, width: Any
) -> Substitution:
    if math.isinf(low) and math.isinf(high):
        return _line(a, normal, width)
    if math.isinf(high):
        return _half_line(a, normal, low, 1, width)
    if math.isinf(low):
        return _half_line(a, normal, high, -1, width)
    return _between(a, low, high, normal.bits)


def _sigmas(distance: Any, sigma: Any) -> float:
    return abs(float(distance / sigma))


def _line(a: Multiprecision, normal: Normal, width: Any) -> Substitution:
    mean, sigma, sigmas = normal.mean, normal.sigma, normal.reach
    if sigma <= width or _sigmas(mean, sigma) > sigmas:
        return Substitution(lambda t: (mean + sigma * t, sigma), -sigmas, sigmas)
    ends = (float(a.context.asinh((mean + side * sigmas * sigma) / width)) for side in (-1, 1))
    half = width / 2

    def stretched(t: Any) -> tuple[Any, Any]:
        grown = a.exp(t)
        return half * (grown - 1 / grown), half * (grown + 1 / grown)

    return Substitution(stretched, *ends)


def _half_line(a: Multiprecision, normal: Normal, end: Any, side: int, width: Any) -> Substitution:
    unit = min(normal.sigma, width)

    def x(t: Any) -> tuple[Any, Any]:
        shrunk = a.exp(-t)
        distance = unit * a.exp(t - shrunk)
        return end + side * distance, distance * (1 + shrunk)

    # The first point is less than σ·2**−bits from the end: nothing is left between them.
    depth = math.log(2) * normal.bits
    sigmas = normal.reach + _sigmas(normal.mean - end, normal.sigma)
    farthest = sigmas * float(normal.sigma / unit)
    return Substitution(x, -math.log(depth), math.log(farthest) + 1)


def _between(a: Multiprecision, low: Any, high: Any, bits: int) -> Substitution:
    width = high - low

    def x(t: Any) -> tuple[Any, Any]:
        grown, shrunk = a.exp(abs(t)), a.exp(-abs(t))
        far = a.exp(a.pi * (grown - shrunk) / 2)
        distance = width / (1 + far)  # from the nearer end
        slope = distance * far / (1 + far) * a.pi * (grown + shrunk) / 2
        return (high - distance if t > 0 else low + distance), slope

    stop = math.asinh(math.log(2) * bits / math.pi) + 0.5
    return Substitution(x, -stop, stop)
