"""Averages over a normal distribution, to the digits asked for.

A distribution N(μ, σ²) becomes a weighted sample (`gelu_cli.calculus.quadrature`), and any
statistic of the sample, a mean or a variance, an estimate of that of the distribution. The step
is halved until the weights add up to 1, and two samples agree in every statistic, to more digits
than are printed: or so well that the next sample would, as each halving doubles the bits in which
they agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from gelu_cli.arithmetic import Result, Rounding, mpf
from gelu_cli.arithmetic.multiprecision import Multiprecision, multiprecision
from gelu_cli.calculus.quadrature import FIRST_LEVEL, Normal, nodes
from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.stages import tell

SPARE = 12
"""Bits beyond the rounding's own to which two samples must agree."""

BEYOND = 8
"""Bits more in which the next sample is expected to agree, where it is not computed."""

FIRST_SLACK = 12
LAST_SLACK = 1200
"""How far below 1 a statistic may lie, in bits, before it is taken for 0: float64 ends before."""

CONDITION = 24
"""Bits that a function loses where it is so small: the logarithm of its size, 1/x² of a tail."""

RAISE, LAST_RAISE = 64, 128
"""An estimate too near to the middle between two numbers gets more bits, a few times over."""

RATIO = 32
"""How much longer a piece may be than the scale at its ends, about."""

SURE_LEVEL, LAST_LEVEL = 8, 12
"""The level from which on little agreement means that there will never be enough; the last."""


def check_sigma(sigma: Fraction) -> None:
    """Raise `UsageError` for a standard deviation that is not positive."""
    if sigma <= 0:
        raise UsageError(f"sigma must be positive, not {float(sigma):g}")


class Sample(NamedTuple):
    """Weights, what they add up to, and what the integrand has at the points they belong to."""

    a: Multiprecision
    weights: Sequence[Any]
    total: Any
    values: Sequence[Any]

    def mean(self, values: Sequence[Any]) -> Any:
        """Return the weighted mean of some function of the values, given at the same points."""
        return self.a.context.fdot(self.weights, values) / self.total


Statistics: TypeAlias = Callable[[Sample], Sequence[Any]]

Loss: TypeAlias = Callable[[Sample, Any], float]
"""(sample, least) → the bits that statistics not below `least` lose to cancellation."""


class Integrand(NamedTuple):
    """A function between the points `ends`, from −∞ to ∞: `at(i, x)` on the i-th part.

    `bends` are places and widths: near x it changes on the scale of x's distance from a place, or
    of its width where that is larger. Where there are several, or any but 0, they are ends as well.
    """

    ends: Sequence[Any]
    at: Callable[[int, Any], Any]
    bends: Sequence[tuple[Any, Any]] = ((0, 1),)

    def scale(self, x: Any) -> Any:
        """Return the scale on which the function changes near x."""
        return min((max(width, abs(x - place)) for place, width in self.bends), default=math.inf)


def averages(
    integrand: Callable[[Multiprecision], Integrand],
    statistics: Statistics,
    mean: Fraction,
    sigma: Fraction,
    rounding: Rounding,
    slack: int = FIRST_SLACK,
    loss: Loss | None = None,
) -> list[Result]:
    """Return statistics of a function of X ~ N(mean, sigma²), each correctly rounded.

    A statistic below 2**−slack costs a second round; one below 2**−1200 is returned as 0, and an
    infinite one as it is. Without `loss` all the bits below 1 are taken to be lost. Raises
    `ComputationError` if the function changes too quickly, on the scale of sigma, to be averaged.

    >>> from gelu_cli.arithmetic.formats import FLOAT64
    >>> square = lambda a: Integrand((-math.inf, math.inf), lambda part, x: x * x)
    >>> averages(square, lambda sample: [sample.mean(sample.values)],
    ...          Fraction(0), Fraction(1, 10), FLOAT64)
    [0.01]
    """
    target = rounding.precision + SPARE
    size = float(abs(mean) + sigma)
    magnitude = max(0, 2 * math.ceil(math.log2(size)))
    slack += max(0, -2 * math.floor(math.log2(float(sigma)))) + magnitude // 2
    least, lost = magnitude + slack + CONDITION, math.inf
    while True:
        spare = int(min(magnitude + slack, least + lost + SPARE))
        a = multiprecision(target + spare)
        normal = Normal(a.rational(mean), a.rational(sigma), target + magnitude + slack)
        sample, estimates = _converged(a, integrand(a), statistics, normal, target, slack)
        too_small = _too_small(estimates, slack)
        if loss and (too_small or spare < magnitude + slack):
            lost = math.ceil(loss(sample, a.context.ldexp(1, -slack)))
        if too_small:
            slack = min(_enough(estimates, slack), LAST_SLACK)
            continue
        if spare < min(magnitude + slack, least + lost):
            continue
        settle = _taken_for_a_tie if target > rounding.precision + SPARE + LAST_RAISE else _settled
        results = [settle(y, target, slack, rounding) for y in estimates]
        if all(result is not None for result in results):
            return [result for result in results if result is not None]
        target += RAISE


def _converged(
    a: Multiprecision,
    integrand: Integrand,
    statistics: Statistics,
    normal: Normal,
    target: int,
    slack: int,
) -> tuple[Sample, Sequence[Any]]:
    weights: list[Any] = []
    values: list[Any] = []
    previous: Sequence[Any] | None = None
    common = 0
    for level in range(FIRST_LEVEL, LAST_LEVEL + 1):
        tell(f"averages, step 1/{1 << level}, {_digits(common)} of {_digits(target)} digits agree")
        for x, weight, part in _points(a, integrand, normal, level):
            weights.append(weight)
            values.append(integrand.at(part, x))
        total = a.context.fsum(weights)
        sample = Sample(a, weights, total, values)
        estimates = statistics(sample)
        if previous is not None:
            before = common
            common = _bits_in_common([total, *estimates], [1 << level, *previous], target, slack)
            if _agree(total, 1 << level, target, slack):
                if _too_small(estimates, slack) or _would_agree(before, common, target):
                    return sample, estimates
                if all(map(partial(_agree, target=target, slack=slack), estimates, previous)):
                    return sample, estimates
        if level >= SURE_LEVEL and not _may_agree(common, level, target):
            break
        previous = estimates
    raise ComputationError(
        f"no average over sigma {float(normal.sigma):g} converges: the form changes too quickly "
        "there; take a --sigma nearer to the scale of the form, or fewer --digits"
    )


def _would_agree(before: int, common: int, target: int) -> bool:
    """Return whether the next sample would agree with the last one.

    In as many more bits as the last one has gained, but in no more than twice as many, as the
    error of the rule is squared where the step is halved.
    """
    return min(common * common, 2 * common * before) >= (target + BEYOND) * before > 0


def _may_agree(common: int, level: int, target: int) -> bool:
    """Return whether bits that agree may become enough: a level doubles them, an early one more."""
    return common << max(1, 2 * (LAST_LEVEL - 1 - level)) >= target


def _points(
    a: Multiprecision, integrand: Integrand, normal: Normal, level: int
) -> Iterator[tuple[Any, Any, int]]:
    """Yield the points that a level adds, with their weights and the parts that they lie in."""
    for part, low, high in _parts(integrand.ends, normal):
        for left, right in pairwise([low, *_cuts(integrand, low, high), high]):
            end = right if math.isinf(left) else left
            width = integrand.scale(a.rational(0) if math.isinf(end) else end)
            for x, weight in _nodes(a, normal, left, right, level, width):
                yield x, weight, part


def _cuts(integrand: Integrand, low: Any, high: Any) -> list[Any]:
    """Return where to cut a part between two points, at whose ends the function bends sharply.

    Every piece is then at most RATIO times as long as the scale at its ends, which costs fewer
    points than a step that is small enough for the whole.
    """
    length = high - low
    if math.isinf(length):
        return []
    cuts = []
    for end, side in ((low, 1), (high, -1)):
        distance = integrand.scale(end) * RATIO
        while distance * RATIO < length:
            cuts.append(end + side * distance)
            distance *= RATIO
    return sorted(cuts)


def _parts(ends: Sequence[Any], normal: Normal) -> Iterator[tuple[int, Any, Any]]:
    """Yield the parts of the line where there is any density, each with its ends.

    An end without density counts as infinite, and the part around the mean is halved if it has
    another end: however narrow the density is, it is then where the nodes are dense.
    """
    mean, far = normal.mean, normal.reach * normal.sigma
    for part, (left, right) in enumerate(pairwise(ends)):
        if left >= mean + far or right <= mean - far:
            continue
        low = -math.inf if left < mean - far else left
        high = math.inf if right > mean + far else right
        if low < mean < high and not (math.isinf(low) and math.isinf(high)):
            yield part, low, mean
            yield part, mean, high
        else:
            yield part, low, high


@lru_cache(maxsize=64)
def _nodes(
    a: Multiprecision, normal: Normal, low: Any, high: Any, level: int, width: Any
) -> tuple[tuple[Any, Any], ...]:
    """Return all the nodes at once: every form without kinks asks for the same ones."""
    return tuple(nodes(a, normal, low, high, level, width))


def _too_small(estimates: Sequence[Any], slack: int) -> bool:
    """Return whether a statistic is so small that it takes more bits, and more of the line."""
    return slack < LAST_SLACK and any(_vanishing(y, slack) for y in estimates)


def _enough(estimates: Sequence[Any], slack: int) -> int:
    """Return the slack to try next: four times as much, or what the least estimate asks for."""
    least = min(abs(y) for y in estimates)
    size = mpf.exponent(mpf.from_context(least)) if least else -math.inf
    return int(min(4 * slack, max(slack, -size) + FIRST_SLACK))


def _agree(y: Any, z: Any, target: int, slack: int) -> bool:
    if _vanishing(y, slack) or math.isinf(y):
        return True
    return bool(abs(y - z) * (1 << target) <= abs(y))


def _bits_in_common(ys: Sequence[Any], zs: Sequence[Any], target: int, slack: int) -> int:
    """Return in how many bits all of the numbers agree that do not vanish, at most the target."""
    exponents = [
        (mpf.exponent(mpf.from_context(y)), mpf.exponent(mpf.from_context(y - z)))
        for y, z in zip(ys, zs, strict=True)
        if y != z and not math.isinf(y) and not _vanishing(y, slack)
    ]
    return max(0, min([target, *(size - rest for size, rest in exponents)]))


def _digits(bits: int) -> int:
    return int(bits * math.log10(2))


def _vanishing(y: Any, slack: int) -> bool:
    return not math.isinf(y) and bool(abs(y) * (1 << slack) < 1)


def _settled(y: Any, target: int, slack: int, rounding: Rounding) -> Result | None:
    if math.isinf(y):
        return float(y)
    if _vanishing(y, slack):
        return rounding.exactly(Fraction(0))
    number = mpf.from_context(y)
    margin = mpf.shift(mpf.absolute(number), -target)
    return rounding.settle(mpf.subtract(number, margin), mpf.add(number, margin))


def _taken_for_a_tie(y: Any, target: int, slack: int, rounding: Rounding) -> Result | None:
    """Return what the estimate rounds to if it is the middle itself that it lies so near to."""
    settled = _settled(y, target, slack, rounding)
    if settled is not None:
        return settled
    return rounding.exactly(mpf.to_fraction(mpf.rounded(mpf.from_context(y), target - SPARE)))
