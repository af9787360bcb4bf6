"""Moments of forms and mean errors, over N(μ, σ²) and over a range.

Arb integrates each smooth stretch rigorously, up to R standard deviations and to where the outer
rays begin. There |f| ≤ M·|x|, so ∫ of a product of two quantities is at most
2M²(|μ| + σ)²(R + 1)φ(R).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from flint import acb, arb, fmpq

from gelu_cli.calculus.covering import signed_parts
from gelu_cli.calculus.curves import (
    Comparison,
    Curve,
    Stretch,
    on_line,
    position,
    stretches,
)
from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.formats import FLOAT64
from gelu_cli.numbers.rays import on_first_ray, ray_variable
from gelu_cli.numbers.rounding import (
    Rounded,
    Target,
    round_ball,
    sign,
    working,
)

Integrand: TypeAlias = "tuple[arb, arb, Callable[[acb], acb]]"
"""A function on a stretch from low to high; ±∞ for open ends."""

Growth: TypeAlias = "tuple[int, arb]"
"""k and M: |f| ≤ M·|x| for |x| ≥ 2ᵏ."""

SPARE, DOUBLINGS = 16, 6


class Normal(NamedTuple):
    """A normal distribution N(mean, sigma²)."""

    mean: fmpq
    sigma: fmpq


class Uniform(NamedTuple):
    """A uniform distribution over a range."""

    low: fmpq
    high: fmpq


def normal(mean: Any = 0, sigma: Any = 1) -> Normal:
    """Return a normal distribution.

    Raises UsageError for a sigma that is not positive.
    """
    found = Normal(to_fraction(mean), to_fraction(sigma))
    if not found.sigma > 0:
        raise UsageError(f"--sigma is {sigma}; give a number above 0")
    return found


def growth(forms: Iterable[Form], quantity: str) -> Growth:
    """Return the growth of a sum of sizes of a quantity."""
    starts, slopes = zip(*(_growth(form, quantity) for form in forms), strict=True)
    return max(starts), sum(slopes, arb(0))


@lru_cache(1024)
def _growth(form: Form, quantity: str) -> Growth:
    first, *_, last = (stretch.curve for stretch in on_line(form, quantity))

    def slope(curve: Curve, k: int) -> arb:
        right = curve is last
        return (curve.on_ray(right, k) / ray_variable(k, right)).most()

    return on_first_ray(first.first_ray, lambda k: (k, 1 + slope(first, k) + slope(last, k)))


def expectation(pieces: Iterable[Integrand], of: Normal | Uniform, bits: int, far: Growth) -> arb:
    """Return E g(X), right to a share of 2^−bits of its largest part.

    Parameters
    ----------
    pieces
        Functions of complex balls on stretches that cover the axis, or the range.
    of
        The distribution of X.
    far
        k and M where |g| ≤ M²x² for |x| ≥ 2ᵏ; of no use for a range.
    """
    if isinstance(of, Uniform):
        total = sum((integral(g, a, b, bits, arb((1, -4 * bits))) for a, b, g in pieces), arb(0))
        return total / arb(of.high - of.low)
    (k, slope), mean, sigma = far, arb(of.mean), arb(of.sigma)
    reach = arb(math.isqrt(2 * bits) + 12 + abs(of.mean / of.sigma).ceil())
    beyond = 2 * (slope * (abs(mean) + sigma)) ** 2 * (reach + 1) * (reach * reach / -2).exp()
    lowest = ((-arb((1, k)) - mean) / sigma).min(-reach)
    highest = ((arb((1, k)) - mean) / sigma).max(reach)
    spans = [
        (lowest.max((low - mean) / sigma), highest.min((high - mean) / sigma), g)
        for low, high, g in pieces
    ]
    total = arb(0, beyond.upper())
    # That around the mean comes first: what it adds says how little others may be wrong.
    for a, b, g in sorted(spans, key=lambda span: float(span[0].max(-span[1]))):
        if not a >= b:
            error = beyond + abs(total) * arb((1, -bits - 4))
            total += integral(partial(_weighted, g, mean, sigma), a, b, bits, error.upper())
    return total / (2 * arb.pi()).sqrt()


def _weighted(g: Callable[[acb], acb], mean: arb, sigma: arb, t: acb) -> acb:
    return g(mean + sigma * t) * (t * t / -2).exp()


def integral(f: Callable[[acb], acb], low: arb, high: arb, bits: int, error: arb) -> arb:
    """Return ∫ f from the middle of one ball to that of another.

    It is right to a share of 2^−bits, or to `error`. A bound on what f adds inside the two balls
    widens the result.
    """
    total = acb.integral(
        lambda z, analytic: f(z),
        low.mid(),
        high.mid(),
        rel_tol=arb((1, -bits - 4)),
        abs_tol=error,
        use_heap=True,
    ).real
    for end in (low, high):
        if not end.is_exact():
            total += arb(0, (abs(f(acb(end))).upper() * end.rad()).upper())
    return total


def average(parts: Sequence[Stretch], power: int, of: Normal | Uniform, bits: int) -> arb:
    """Return E y or E y² of the curve on stretches."""
    pieces = [
        (position(part.low), position(part.high), partial(_power, part.curve, power))
        for part in parts
        if not part.curve.vanishes
    ]
    return expectation(pieces, of, bits, growth_of(parts[0].curve))


def growth_of(curve: Curve) -> Growth:
    """Return the growth of a curve on all its stretches."""
    parts = [curve.form] if curve.target is None else [curve.form, curve.target]
    return growth([part.form for part in parts], curve.form.quantity)


def _power(curve: Curve, power: int, z: acb) -> acb:
    y = curve.at(z)
    return y if power == 1 else y * y  # Arb's ** has no bound around 0


def averaged(statistics: Callable[[int], Sequence[Any]], to: Target) -> list[Rounded]:
    """Round statistics of averages, doubling the bits until all round.

    Raises
    ------
    ComputationError
        If the digits of one stay uncertain at the highest precision.
    """
    for doubling in range(DOUBLINGS):
        bits = (to.bits_needed + SPARE) << doubling
        with working(bits + 24):
            found = [rounded(y, to) for y in statistics(bits)]
        results = [y for y in found if y is not None]
        if len(results) == len(found):
            return results
    raise ComputationError(
        "an average cannot be told to so many digits; take fewer --digits, or a --sigma nearer to "
        "the scale of the form"
    )


def rounded(y: Any, to: Target) -> Rounded | None:
    """Return an average rounded.

    One of unknown sign that rounds to 0 either way is 0.
    """
    if isinstance(y, float):
        return y
    if not y.is_finite():
        return None
    if not sign(y) and round_ball(to, abs(y).upper()) == 0:
        return to.zero(False)
    return round_ball(to, y)


def differences(comparison: Comparison, of: Normal | Uniform) -> list[Stretch]:
    """Return form − target on the smooth stretches of the axis, or a range."""
    low, high = of if isinstance(of, Uniform) else (-math.inf, math.inf)
    return stretches([comparison.form, comparison.target], low, high, comparison.difference)


def root_mean_square_error(
    comparison: Comparison, of: Normal | Uniform, to: Target = FLOAT64
) -> Rounded:
    """Return √(E d²), correctly rounded.

    >>> from gelu_cli.calculus.curves import compare
    >>> from gelu_cli.formulas import find_form
    >>> comparison = compare(find_form("relu"), find_form("exact"), "value")
    >>> root_mean_square_error(comparison, Uniform(-4, 4))
    0.08786712292382719
    """
    parts = differences(comparison, of)

    def statistics(bits: int) -> list[arb]:
        square = average(parts, 2, of, bits)
        return [square.sqrt() if square > 0 else arb.nan()]

    vanishes = all(part.curve.vanishes for part in parts)
    return to.zero(False) if vanishes else averaged(statistics, to)[0]


def mean_absolute_error(comparison: Comparison, of: Normal, to: Target = FLOAT64) -> Rounded:
    """Return E|d|, correctly rounded.

    >>> from gelu_cli.calculus.curves import compare
    >>> from gelu_cli.formulas import find_form
    >>> comparison = compare(find_form("noisy_relu"), find_form("relu"), "gradient")
    >>> mean_absolute_error(comparison, normal())
    0.25
    """
    parts = [part for part in differences(comparison, of) if not part.curve.vanishes]
    signed = [(part, *signed_parts(part)) for part in parts]

    def statistics(bits: int) -> list[arb]:
        pieces = list[Integrand]()
        for part, side, inner in signed:
            middle = [each.narrowed(bits + 16) for each in inner]
            ends = [position(part.low), *middle, position(part.high)]
            for n, (a, b) in enumerate(pairwise(ends)):
                pieces.append((a, b, partial(_times, part.curve, side * (-1) ** n)))
        return [abs(expectation(pieces, of, bits, growth_of(parts[0].curve)))]

    return averaged(statistics, to)[0] if parts else to.zero(False)


def _times(curve: Curve, side: int, z: acb) -> acb:
    return curve.at(z) * side


class Moments(NamedTuple):
    """Moments of f(X) and f′(X); gains 1/√Var f, 1/√E f² and 1/√E f′².

    The variance of a momentum average of gradients is (1 − B)/(1 + B)·E f′².
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
    """Return the moments for X ~ N(mean, sigma²), each correctly rounded.

    >>> from gelu_cli.formulas import find_form
    >>> moments(find_form("relu"), normal()).gradient_variance
    0.25
    """
    value, gradient = on_line(form, "value"), on_line(form, "gradient")
    b = to_fraction(momentum)
    share = (1 - b) / (1 + b)

    def statistics(bits: int) -> list[Any]:
        f, f2, g, g2 = (average(y, n, of, bits) for y in (value, gradient) for n in (1, 2))
        variance = f2 - f * f
        gains = [gain(y) for y in (variance, f2, g2)]
        return [g2, g, g2 - g * g, f, f2, variance, *gains, share * g2]

    return Moments(*averaged(statistics, to))


def gain(y: arb) -> Any:
    """Return 1/√y; infinite at 0."""
    if y.is_zero():
        return math.inf
    return 1 / y.sqrt() if y > 0 else arb.nan()


def closed_form(form: Form, of: Normal) -> str | None:
    """Return the closed form of E f′(X)² if known.

    >>> from gelu_cli.formulas import find_form
    >>> closed_form(find_form("relu"), normal(0, 3))
    '1/2'
    """
    known = of.mean == 0 and (of.sigma == 1 or form.name == "relu") and not form.chosen
    return form.gradient_second_moment if known else None
