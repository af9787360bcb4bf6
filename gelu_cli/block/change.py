"""What a feed-forward block's output and gradient lose where another form is computed.

The block is W₂·f(W₁x + b₁) + b₂. Where f becomes g, its output changes by W₂·(g − f)(h), with
pre-activations h = W₁x + b₁. For weights W₂ of mean 0, independent of h and of each other, the mean
square of W₂·u is that of u times a factor, the same for every u. So ratios of outputs are ratios of
expectations over h, whatever the widths are. Here h ~ N(M, S²). What the layers after the block
make of the change is another question.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from gelu_cli.arithmetic import Result, Rounding
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.arithmetic.multiprecision import Multiprecision
from gelu_cli.calculus.averages import FIRST_SLACK, LAST_SLACK, Sample, averages, check_sigma
from gelu_cli.calculus.moments import values_and_gradients
from gelu_cli.errors import ComputationError
from gelu_cli.forms import Form

SMALL = 32
"""Changes are small: bits below 1 that their squares are expected to lie at."""


class Change(NamedTuple):
    """How the output of a block changes, relatively to what it was, and how its gradient does."""

    relative_rms: Result
    """r = √(E(g − f)²/E f²)."""

    db: Result
    """20·log₁₀ r; −∞ for forms that are the same."""

    bits: Result
    """−log₂ r, about the bits of the output that stay right."""

    relative_rms_centred: Result
    """√(Var(g − f)/E f²): what remains of r where b₂ absorbs the mean of the change."""

    gain: Result
    """√(E g²/E f²)."""

    one_minus_cosine: Result
    """1 − E fg/√(E f²·E g²)."""

    gradient_relative_rms: Result
    """√(E(g′ − f′)²/E f′²)."""

    gradient_db: Result
    """20·log₁₀ of that."""


def change_of(
    form: Form, target: Form, mean: Fraction, sigma: Fraction, rounding: Rounding = FLOAT64
) -> Change:
    """Return what becomes of a block with activation f, the target, where it computes g, the form.

    Pre-activations are h ~ N(mean, sigma²); with them f(h), g(h) and both derivatives enter.
    Every number is correctly rounded. Raises `UsageError` for a sigma that is not positive and
    `ComputationError` where f(h) or f′(h) is 0 for all h that matter, so that nothing is relative
    to it.

    >>> from gelu_cli.forms import find_form
    >>> twice, once = find_form("relu"), find_form("noisy_relu")
    >>> change_of(twice, once, Fraction(0), Fraction(1)).gradient_relative_rms  # √(1/12)/√(1/3)
    0.5
    """
    check_sigma(sigma)
    if form.function == target.function:
        return _no_change(rounding)
    integrand = values_and_gradients([form, target])
    slack = FIRST_SLACK + SMALL
    *change, square, slope_square = averages(
        integrand, _statistics, mean, sigma, rounding, slack, _loss
    )
    if not (square and slope_square):
        what = f"the gradient of {target.label}" if square else target.label
        raise as_good_as_0(what, mean, sigma)
    return Change(*change)


def as_good_as_0(what: str, mean: Fraction, sigma: Fraction) -> ComputationError:
    """Return the error that says that no change is relative to what is 0."""
    return ComputationError(
        f"{what} is as good as 0 for h ~ N({float(mean):g}, {float(sigma):g}²), so that no change "
        "is relative to it; take another --target or --mean"
    )


def _no_change(rounding: Rounding) -> Change:
    """Return what is so where a form becomes itself."""
    zero, one = (rounding.exactly(Fraction(n)) for n in (0, 1))
    return Change(zero, -math.inf, math.inf, zero, one, zero, zero, -math.inf)


def _statistics(sample: Sample) -> Sequence[Any]:
    """Return the fields of `Change`, E f² and E f′², by sums of which none cancels."""
    a, mean = sample.a, sample.mean
    g, g1, f, f1 = zip(*(form + target for form, target in sample.values), strict=True)
    square, slope_square = (_mean_square(sample, values) for values in (f, f1))
    change = _differences(g, f)
    average = mean(change)
    r = _root(a, _mean_square(sample, change), square)
    slope = _root(a, _mean_square(sample, _differences(g1, f1)), slope_square)
    log, slope_log = (_log10(a, y) for y in (r, slope))
    return (
        r,
        20 * log,
        -log / a.context.log10(2),
        _root(a, _mean_square(sample, [d - average for d in change]), square),
        _root(a, _mean_square(sample, g), square),
        _one_minus_cosine(sample, f, g),
        slope,
        20 * slope_log,
        square,
        slope_square,
    )


def _loss(sample: Sample, least: Any) -> float:
    """Return the bits that differences lose, and logarithms of what is nearly 1.

    The differences are those of g and f, of g − f and its mean, and of f and g of one size.
    """
    found = _statistics(sample)
    if not all(found[-2:]):
        return 0.0
    r, db, _, centred, gain, cosine, slope, slope_db, *_ = found
    sizes = [1 / max(each, least) for each in (r, slope, sample.a.sqrt(cosine))]
    sizes += [size * max(1, gain) for size in sizes] + [r / max(centred, least)]
    sizes += [10 / max(abs(each), least) for each in (db, slope_db)]
    return max(0.0, float(sample.a.context.log(max(1, *sizes), 2)))


def _one_minus_cosine(sample: Sample, f: Sequence[Any], g: Sequence[Any]) -> Any:
    """Return half the square of the distance between f and g, each divided by its size."""
    sizes = [sample.a.sqrt(_mean_square(sample, values)) for values in (f, g)]
    if not all(sizes):
        return sample.a.rational(1)  # with a function that is 0, nothing has anything in common
    units = ([y / size for y in values] for values, size in zip((f, g), sizes, strict=True))
    return _mean_square(sample, _differences(*units)) / 2


def _mean_square(sample: Sample, values: Sequence[Any]) -> Any:
    return sample.mean([y * y for y in values])


def _differences(g: Sequence[Any], f: Sequence[Any]) -> list[Any]:
    return [u - v for u, v in zip(g, f, strict=True)]


def _root(a: Multiprecision, square: Any, of: Any) -> Any:
    """Return the root of a ratio of mean squares, infinite over 0."""
    return a.sqrt(square / of) if of else a.context.inf


def _log10(a: Multiprecision, y: Any) -> Any:
    """Return log₁₀ y, −∞ for a y so small that it is taken for 0."""
    return a.context.log10(y) if y * (1 << LAST_SLACK) >= 1 else -a.context.inf
