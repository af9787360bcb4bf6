"""Averages over N(μ, σ²) and over a range, proved.

Arb integrates each smooth stretch rigorously.

Beyond R standard deviations |f| ≤ M·(1 + |x|): M bounds the pieces between the rays by branch and
bound, and the rays by their limits (`growth`). So ∫ of a product of two quantities beyond R is at
most 2M²(1 + |μ| + σ)²(R + 1)φ(R).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeAlias

from flint import acb, arb, fmpq

from gelu_cli.calculus.covering import Cell, finite_part
from gelu_cli.calculus.curves import Curve, Stretch, first_ray, on_line, position
from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.far import rest_on_ray
from gelu_cli.numbers.formats import FLOAT64
from gelu_cli.numbers.rays import on_first_ray
from gelu_cli.numbers.rounding import (
    Rounded,
    Target,
    round_ball,
    sign,
    working,
)

Integrand: TypeAlias = "tuple[arb, arb, Callable[[acb], acb]]"
"""A function on a stretch from low to high; ±∞ for open ends."""

SPARE, SAMPLES, DOUBLINGS = 16, 24, 6


class Normal(NamedTuple):
    """A normal distribution N(mean, sigma²)."""

    mean: fmpq
    sigma: fmpq


def normal(mean: Any = 0, sigma: Any = 1) -> Normal:
    """Return a normal distribution.

    Raises UsageError for a sigma that is not positive.
    """
    found = Normal(to_fraction(mean), to_fraction(sigma))
    if not found.sigma > 0:
        raise UsageError(f"--sigma is {sigma}; give a number above 0")
    return found


@lru_cache(1024)
def growth(form: Form, quantity: str) -> float:
    """Return an M with |quantity| ≤ M·(1 + |x|) for all x."""
    most = 1.0
    with working(64):
        for stretch in on_line(form, quantity):
            most = max([most, *ray_growth(form, quantity, stretch)])
            left = [finite_part(stretch)[:2]] if not stretch.curve.vanishes else []
            for _ in range(4096):
                if not left:
                    break
                low, high = left.pop()
                cell = Cell(stretch.curve, low, high)
                bound = abs(cell.bound(0)).upper()
                if bound.is_finite() and bound < 1e6 + 16 * abs(cell.near[0]).upper():
                    most = max(most, float(bound))
                else:
                    left += list(cell.halves())
            if left:
                raise ComputationError(f"'{form.label}' cannot be bounded; take other parameters")
    return most * 1.01


def ray_growth(form: Form, quantity: str, stretch: Stretch) -> list[float]:
    """Return bounds on |k₀| + |k₁| + |rest| on the rays of a stretch."""
    k0, k1 = stretch.curve.line
    rests = [
        on_first_ray(first_ray(stretch.curve), partial(bounded, form, quantity, bool(right)))
        for right, end in enumerate(stretch.ends())
        if isinstance(end, float)
    ]
    return [float((abs(arb(k0)) + abs(arb(k1)) + rest).upper()) for rest in rests]


def bounded(form: Form, quantity: str, right: bool, k: int) -> arb:
    """Return a bound on the rest of a quantity for |x| ≥ 2ᵏ on a side."""
    rest = rest_on_ray(form, quantity, right, k)[0]
    if rest.grows():  # x²·c of a constant gate
        raise ComputationError(f"{quantity} of '{form.label}' is unbounded")
    return rest.most()


def expectation(
    pieces: Sequence[Integrand], of: Normal, bits: int, bound: float, error: Any = 0
) -> arb:
    """Return Σ ∫ g(x)·φ((x − μ)/σ)/σ dx as a ball.

    Parameters
    ----------
    pieces
        Functions of complex balls on stretches that cover the axis.
    of
        The distribution.
    bits
        The error is a share of 2^−bits of the largest part, or `error`.
    bound
        M² where |g| ≤ M²(1 + |x|)².
    """
    mean, sigma = arb(of.mean), arb(of.sigma)
    far = abs(of.mean / of.sigma)
    reach = math.isqrt(2 * bits) + 12 + int(far.ceil())
    r = arb(reach)
    cut = 2 * arb(bound) * (1 + abs(mean) + sigma) ** 2 * (r + 1) * (r * r / -2).exp()
    total, work, largest = arb(0), [], arb(0)
    for low, high, g in pieces:
        a, b = ((end - mean) / sigma for end in (low, high))
        a, b = (a if a > -reach else -r), (b if b < reach else r)
        if not a < b:
            continue

        weighted = partial(weigh, g, mean, sigma)
        work.append((weighted, a, b))
        for t, width in samples(a, b, mean, sigma):
            height = abs(weighted(acb(t), True)).mid() * width
            largest = largest.max(height) if height.is_finite() else largest
    tolerance = arb(error) + largest.mid() * arb((1, -bits))
    if tolerance.is_zero():
        tolerance = arb((1, -8 * bits))
    for weighted, a, b in work:
        total = total + integral(weighted, a, b, arb((1, -bits - 4)), tolerance)
    return (total + arb(0, cut.upper())) / (2 * arb.pi()).sqrt()


def samples(low: arb, high: arb, mean: arb, sigma: arb) -> Iterator[tuple[arb, arb]]:
    """Yield points, and widths around them, at which an integrand may peak.

    Its size must be known about: Arb takes tolerances from 0 on badly. Some points are spread
    evenly, others are at ±2ᵏ, where forms differ, however small that is on the scale of sigma.
    """
    width = ((high - low) / SAMPLES).mid()
    yield from (((low + width * k).mid(), width) for k in range(1, SAMPLES))
    for size in (arb((1, k)) for k in range(-4, 6)):
        for x in (size, -size):
            t = ((x - mean) / sigma).mid()
            if low < t < high:
                yield t, (size / sigma).mid()


def weigh(g: Callable[[acb], acb], mean: arb, sigma: arb, t: acb, analytic: bool) -> acb:
    """Return g(μ + σt)·e^(−t²/2)."""
    return g(mean + sigma * t) * (t * t / -2).exp()


def integral(f: Callable[[acb, bool], acb], low: arb, high: arb, share: arb, error: arb) -> arb:
    """Return ∫ f from the middle of one ball to that of another.

    A bound on what f adds inside the two balls widens the result.
    """
    a, b = low.mid(), high.mid()
    total = acb.integral(f, a, b, rel_tol=share, abs_tol=error, use_heap=True).real
    for end in (low, high):
        if not end.is_exact():
            total = total + arb(0, (abs(f(acb(end), False)).upper() * end.rad()).upper())
    return total


def averaged(statistics: Callable[[int], Sequence[Any]], to: Target) -> list[Rounded]:
    """Round statistics of averages, doubling the bits until all round.

    Raises
    ------
    ComputationError
        If the digits of one stay uncertain at the highest precision.
    """
    results: dict[int, Rounded] = {}
    count = 0
    for doubling in range(DOUBLINGS):
        bits = (to.bits_needed + SPARE) << doubling
        with working(bits + 24):
            found = statistics(bits)
            count = len(found)
            for k, y in enumerate(found):
                if k not in results and (r := rounded(y, to)) is not None:
                    results[k] = r
        if len(results) == count:
            return [results[k] for k in range(count)]
    raise ComputationError(
        "an average cannot be told to so many digits: it is too near to the middle between two "
        "numbers, or the form changes too quickly on the scale of --sigma; take other --digits, or "
        "a --sigma nearer to the scale of the form"
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


def powers(form: Form, quantity: str, power: int) -> list[Integrand]:
    """Return a power of a quantity on the smooth stretches of the axis."""
    return [
        (end_ball(each.low), end_ball(each.high), partial(power_of, each.curve, power, 1))
        for each in on_line(form, quantity)
        if not each.curve.vanishes
    ]


def power_of(curve: Curve, power: int, side: int, z: acb) -> acb:
    """Return side·y, or y², of a curve at a complex ball.

    Arb's ** has no bound around 0.
    """
    y = curve.at(z)
    return y * side if power == 1 else y * y


def end_ball(end: Any) -> arb:
    """Return an end of a stretch as a ball."""
    return arb(end) if isinstance(end, float) else position(end)


class Moments(NamedTuple):
    """Moments of f(X) and f′(X); gains 1/√Var f, 1/√E f² and 1/√E f′²."""

    gradient_second_moment: Rounded
    gradient_mean: Rounded
    gradient_variance: Rounded
    mean: Rounded
    second_moment: Rounded
    variance: Rounded
    gain_variance: Rounded
    gain_second_moment: Rounded
    gain_gradient: Rounded


def second_moments(form: Form, quantity: str, of: Normal, bits: int) -> tuple[arb, arb]:
    """Return E g and E g² of a quantity as balls."""
    bound = growth(form, quantity) ** 2
    first, second = (expectation(powers(form, quantity, n), of, bits, bound) for n in (1, 2))
    return first, second


def moments(form: Form, mean: Any = 0, sigma: Any = 1, to: Target = FLOAT64) -> Moments:
    """Return the moments for X ~ N(mean, sigma²), each correctly rounded.

    >>> from gelu_cli.formulas import find_form
    >>> moments(find_form("relu")).gradient_variance
    0.25
    """
    of = normal(mean, sigma)

    def statistics(bits: int) -> list[Any]:
        g, g2 = second_moments(form, "gradient", of, bits)
        f, f2 = second_moments(form, "value", of, bits)
        variance = f2 - f * f
        gains = [gain(y) for y in (variance, f2, g2)]
        return [g2, g, g2 - g * g, f, f2, variance, *gains]

    return Moments(*averaged(statistics, to))


def gain(y: arb) -> Any:
    """Return 1/√y; infinite at 0."""
    if y.is_zero():
        return math.inf
    return 1 / y.sqrt() if y > 0 else arb.nan()


def momentum_variance(
    form: Form, momentum: Any, mean: Any = 0, sigma: Any = 1, to: Target = FLOAT64
) -> Rounded:
    """Return (1 − B)/(1 + B)·E f′², the variance of a momentum average."""
    of, b = normal(mean, sigma), to_fraction(momentum)
    share = (1 - b) / (1 + b)

    def statistics(bits: int) -> list[arb]:
        bound = growth(form, "gradient") ** 2
        return [arb(share) * expectation(powers(form, "gradient", 2), of, bits, bound)]

    return averaged(statistics, to)[0]
