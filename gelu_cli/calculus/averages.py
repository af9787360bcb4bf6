"""Moments of forms and mean errors, over N(μ, σ²) and over a range.

Gauss–Legendre quadrature integrates over each stretch (interval on which the form is smooth) with a
proved error: for N(μ, σ²) over R standard deviations on both sides of μ, and at least |x| ≤ 2ᵏ.
For larger |x|, |f| ≤ M·|x| for each quantity f; so the uncovered part of the integral of a product
of two quantities is at most 2M²(|μ| + σ)²(R + 1)φ(R). This bound is added to the error.
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from itertools import pairwise
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from flint import acb, arb, ctx, fmpq

from gelu_cli.calculus.covering import signed_parts
from gelu_cli.calculus.curves import Comparison, Curve, Stretch, on_line, position, stretches
from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.formats import FLOAT64
from gelu_cli.numbers.rays import on_first_ray, ray_variable
from gelu_cli.numbers.rounding import Rounded, Target, round_ball, sign, working
from gelu_cli.numbers.series import Smooth

Functions: TypeAlias = Callable[[Any], Sequence[Any]]
"""Several functions of a real or complex ball, computed together."""

Integrand: TypeAlias = "tuple[arb, arb, Functions]"
"""Ends low and high of a stretch (also ±∞), and the functions to integrate over the stretch."""

Growth: TypeAlias = "tuple[int, arb]"
"""k and M: |f| ≤ M·|x| for |x| ≥ 2ᵏ."""

SPARE, DOUBLINGS = 16, 6  # extra bits; number of precisions tried, each twice the last
LOST, STEPS, MOST = 96, 4, 5_000
"""Bits by which bounds may exceed integrands; how often nodes are added; most intervals."""

AROUND = acb(arb(0, 2.125), arb(0.9375, 0.9375))
"""Upper half of a box around the ellipse with foci ±1 whose semi-axes have the sum 4."""


class Normal(NamedTuple):
    """A normal distribution N(mean, sigma²)."""

    mean: fmpq
    sigma: fmpq


class Uniform(NamedTuple):
    """A uniform distribution over a range."""

    low: fmpq
    high: fmpq


def normal(mean: Any = 0, sigma: Any = 1) -> Normal:
    """Return N(mean, sigma²); UsageError if sigma is not positive."""
    found = Normal(to_fraction(mean), to_fraction(sigma))
    if not found.sigma > 0:
        raise UsageError(f"--sigma is {sigma}; give a number above 0")
    return found


def growth(quantities: Iterable[Smooth]) -> Growth:
    """Return k and M with Σ|quantity| ≤ M·|x| for |x| ≥ 2ᵏ."""
    found = (_growth(each.form, each.quantity) for each in quantities)
    starts, slopes = zip(*found, strict=True)
    return max(starts), sum(slopes, arb(0))


@lru_cache(1024)
def _growth(form: Form, quantity: str) -> Growth:
    first, *_, last = (stretch.curve for stretch in on_line(form, quantity))

    def slope(curve: Curve, k: int) -> arb:
        right = curve is last
        return (curve.on_ray(right, k) / ray_variable(k, right)).bound()

    return on_first_ray(first.first_ray, lambda k: (k, 1 + slope(first, k) + slope(last, k)))


def expectation(
    pieces: Iterable[Integrand], of: Normal | Uniform, bits: int, far: Growth
) -> list[arb]:
    """Return E g(X), X ~ `of`, of each function g, as precise as `integrals`.

    `pieces` has the functions on stretches that cover the axis, or the range of a uniform X. `far`
    is k and M with |g| ≤ M²x² for |x| ≥ 2ᵏ; `far` is not used for a range.
    """
    if isinstance(of, Uniform):
        return [total / arb(of.high - of.low) for total in integrals(pieces, bits)]
    lost = int(max(abs(of.mean), of.sigma, fmpq(1)).ceil()).bit_length()  # lost in mean + sigma·t
    with working(ctx.prec + lost):
        (k, slope), mean, sigma = far, arb(of.mean), arb(of.sigma)
        reach = arb(math.isqrt(2 * bits) + 12 + abs(of.mean / of.sigma).ceil())
        beyond = 2 * (slope * (abs(mean) + sigma)) ** 2 * (reach + 1) * (reach * reach / -2).exp()
        lowest = ((-arb((1, k)) - mean) / sigma).min(-reach)
        highest = ((arb((1, k)) - mean) / sigma).max(reach)
        spans = []
        for low, high, g in pieces:
            a, b = lowest.max((low - mean) / sigma), highest.min((high - mean) / sigma)
            spans.append((a, b, partial(_weighted, g, mean, sigma)))
        rest, scale = arb(0, beyond.upper()), (2 * arb.pi()).sqrt()
        return [(total + rest) / scale for total in integrals(spans, bits)]


def _weighted(g: Functions, mean: arb, sigma: arb, t: Any) -> list[Any]:
    weight = (t * t / -2).exp()
    return [y * weight for y in g(mean + sigma * t)]


def integrals(spans: Iterable[Integrand], bits: int) -> list[arb]:
    """Integrate functions by Gauss–Legendre quadrature on ever shorter parts.

    The error on an interval is at most 2^(−bits − 4) of the largest |f(middle)|·length/2 of any
    interval so far. Intervals with the largest bounds come first: this maximum is known early.
    """
    intervals = [bounded(f, low, high) for low, high, f in spans if not low >= high]
    intervals.sort(key=itemgetter(0))
    largest, found, step = list[arb](), list[list[arb]](), (bits + LOST) // (4 * STEPS) + 1
    for tries in range(MOST):  # if halving does not help, more nodes do
        if not intervals:
            return [sum(each, arb(0)) for each in zip(*found, strict=True)]
        _, bounds, sizes, f, low, middle, high = intervals.pop()
        largest = [*map(max, sizes or largest, largest or sizes)]
        for n in range(0, STEPS * step + 1 + tries // 4, step) if bounds else ():
            lacking = [bound * arb((5, -4 * n)) for bound in bounds]
            if all(y <= z * arb((1, -bits - 4)) for y, z in zip(lacking, largest, strict=True)):
                found.append(gauss(f, low, high, n, lacking))
                break
        else:
            for part in (bounded(f, low, middle), bounded(f, middle, high)):
                insort(intervals, part, key=itemgetter(0))
    raise ComputationError("averages take too many intervals; take another --mean or --sigma")


def bounded(f: Functions, low: arb, high: arb) -> Any:
    """Return an interval, and bounds of |f| on an ellipse around the interval.

    Bounds and sizes |f(middle)| are multiplied by half the length; the lists of both are empty if a
    function may not be analytic on the ellipse.
    """
    bounds, sizes, middle, half = list[arb](), list[arb](), (low + high) / 2, (high - low) / 2
    with suppress(ValueError, ZeroDivisionError):
        around = [abs(y * half).upper() for y in f(middle + half * AROUND)]
        if all(y.is_finite() for y in around):
            bounds, sizes = around, [abs(y * half).upper() for y in f(middle)]
    return max(bounds, default=arb.pos_inf()), bounds, sizes, f, low, middle.mid(), high


def gauss(f: Functions, low: arb, high: arb, n: int, lacking: list[arb]) -> list[arb]:
    """Integrate each function by n nodes; `lacking` lists the error bounds."""
    found, middle, half = [arb(0, y) for y in lacking], (low + high) / 2, (high - low) / 2
    for x, weight in rule(n, ctx.prec):
        values = zip(found, f(middle + half * x), strict=True)
        found = [total + half * weight * y for total, y in values]
    return found


@lru_cache(64)
def rule(n: int, prec: int) -> list[tuple[arb, arb]]:
    """Return n nodes and weights; the precision `prec` is a key of the cache."""
    return [arb.legendre_p_root(n, k, weight=True) for k in range(n)]


def on_stretches(f: Callable[[Any, Any], list[Any]], parts: Sequence[Stretch]) -> list[Integrand]:
    """Return x → f(curve, x) of each stretch as an integrand."""
    return [(position(low), position(high), partial(f, curve)) for curve, low, high in parts]


def mean_square(parts: Sequence[Stretch], of: Normal | Uniform, bits: int) -> arb:
    """Return E y(X)² for X ~ `of`; y is the curve of each stretch."""
    far, parts = growth(parts[0].curve.parts), [each for each in parts if not each.curve.vanishes]
    return expectation(on_stretches(_square, parts), of, bits, far)[0] if parts else arb(0)


def _square(curve: Curve, x: Any) -> list[Any]:
    y = curve.at(x)
    return [y * y]  # y**2 is NaN on a ball around 0


def averaged(statistics: Callable[[int], Sequence[Any]], to: Target) -> list[Rounded]:
    """Round `statistics(bits)`, doubling bits; ComputationError if undecided."""
    for doubling in range(DOUBLINGS):
        bits = (to.bits_needed + SPARE) << doubling
        with working(bits + 24):
            found = [rounded(y, to) for y in statistics(bits)]
        if None not in found:
            return [y for y in found if y is not None]
    raise ComputationError(
        "an average is undecided to this many digits; take fewer --digits, or a --sigma nearer to "
        "the scale of the form"
    )


def rounded(y: Any, to: Target) -> Rounded | None:
    """Round an average; None if the ball does not decide.

    A ball around 0 becomes 0 if all numbers in the ball round to 0.
    """
    if isinstance(y, float):
        return y
    if not y.is_finite():
        return None
    if not sign(y) and round_ball(to, abs(y).upper()) == 0:
        return to.zero(False)
    return round_ball(to, y)


def differences(comparison: Comparison, of: Normal | Uniform) -> list[Stretch]:
    """Return form − target on smooth stretches of the axis or the range."""
    low, high = of if isinstance(of, Uniform) else (-math.inf, math.inf)
    return stretches([comparison.form, comparison.target], low, high, comparison.difference)


def root_mean_square_error(
    comparison: Comparison, of: Normal | Uniform, to: Target = FLOAT64
) -> Rounded:
    """Return √(E d²), d = form − target, correctly rounded."""
    parts = differences(comparison, of)
    return averaged(lambda bits: [mean_square(parts, of, bits).sqrt()], to)[0]


def mean_absolute_error(comparison: Comparison, of: Normal, to: Target = FLOAT64) -> Rounded:
    """Return E|d|, d = form − target, correctly rounded."""
    parts = [part for part in differences(comparison, of) if not part.curve.vanishes]
    signed = [(part, *signed_parts(part)) for part in parts]

    def statistics(bits: int) -> list[arb]:
        pieces = list[Integrand]()
        for part, side, inner in signed:
            middle = [each.narrowed(bits + 16) for each in inner]
            ends = [position(part.low), *middle, position(part.high)]
            for n, (a, b) in enumerate(pairwise(ends)):
                pieces.append((a, b, partial(_times, part.curve, side * (-1) ** n)))
        return [abs(expectation(pieces, of, bits, growth(parts[0].curve.parts))[0])]

    return averaged(statistics, to)[0] if parts else to.zero(False)


def _times(curve: Curve, side: int, x: Any) -> list[Any]:
    return [curve.at(x) * side]


class Moments(NamedTuple):
    """Moments of f(X) and f′(X); gains 1/√Var f, 1/√E f² and 1/√E f′².

    `momentum_variance` is (1 − B)/(1 + B)·E f′²: the variance of an average, with momentum B, of
    independent gradients f′(X)·δ with E δ = 0 and E δ² = 1.
    """

    gradient_second_moment: Rounded
    gradient_mean: Rounded
    gradient_variance: Rounded
    mean: Rounded
    second_moment: Rounded
    variance: Rounded
    gain_variance: Rounded
    gain_second_moment: Rounded
    gain_gradient: Rounded
    momentum_variance: Rounded


def moments(form: Form, of: Normal, to: Target = FLOAT64, momentum: Any = 0) -> Moments:
    """Return the moments for a normal X, each correctly rounded."""
    parts = on_line(form, "value")
    far = growth(Smooth(form, 0, quantity) for quantity in ("value", "gradient"))
    b, parity = to_fraction(momentum), "" if of.mean else form.parity

    def statistics(bits: int) -> list[Any]:
        f, f2, g, g2 = expectation(on_stretches(_powers, parts), of, bits, far)
        f, g = f * (parity != "odd"), g * (parity != "even")  # a ball cannot prove 0; parity does
        variance = f2 - f * f
        gains = [gain(y) for y in (variance, f2, g2)]
        return [g2, g, g2 - g * g, f, f2, variance, *gains, (1 - b) / (1 + b) * g2]

    return Moments(*averaged(statistics, to))


def _powers(curve: Curve, x: Any) -> list[Any]:
    """Return f, f², f′ and f′²."""
    return [z for y in curve.value_and_slope(x) for z in (y, y * y)]


def gain(y: arb) -> Any:
    """Return 1/√y; infinite at 0."""
    return math.inf if y.is_zero() else 1 / y.sqrt()


def closed_form(form: Form, of: Normal) -> str | None:
    """Return the closed form of E f′(X)², or None if unknown."""
    known = of.mean == 0 and (of.sigma == 1 or form.name == "relu") and not form.chosen
    return form.gradient_second_moment if known else None
