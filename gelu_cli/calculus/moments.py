"""Moments of a form and of its gradient, for Gaussian inputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from gelu_cli.arithmetic import Result, Rounding
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.arithmetic.multiprecision import Multiprecision
from gelu_cli.calculus.averages import Integrand, Sample, averages
from gelu_cli.calculus.stretches import Place
from gelu_cli.forms import Form


class Spread(NamedTuple):
    """Mean, second moment and variance of a sample of numbers."""

    mean: Any
    second_moment: Any
    variance: Any


class Moment(NamedTuple):
    """An entry of what is known of f(X) and f′(X): its name, how it is headed, and what it is."""

    name: str
    heading: str
    of: Callable[[Spread, Spread, Multiprecision], Any]
    """(f, f′, arithmetic) → the moment."""


def _gain(square: Any, a: Multiprecision) -> Any:
    return 1 / a.sqrt(square) if square else math.inf


MOMENTS = (
    Moment("gradient_second_moment", "E f′²", lambda f, g, a: g.second_moment),
    Moment("gradient_mean", "E f′", lambda f, g, a: g.mean),
    Moment("gradient_variance", "Var f′", lambda f, g, a: g.variance),
    Moment("mean", "E f", lambda f, g, a: f.mean),
    Moment("second_moment", "E f²", lambda f, g, a: f.second_moment),
    Moment("variance", "Var f", lambda f, g, a: f.variance),
    Moment("gain_variance", "1/√Var f", lambda f, g, a: _gain(f.variance, a)),
    Moment("gain_second_moment", "1/√E f²", lambda f, g, a: _gain(f.second_moment, a)),
    Moment("gain_gradient", "1/√E f′²", lambda f, g, a: _gain(g.second_moment, a)),
)
"""Every moment, in the order of the columns; `Moments` has a field for each."""


class Moments(NamedTuple):
    """Moments of f(X) and f′(X), and the three gains 1/√Var f, 1/√E f² and 1/√E f′²."""

    gradient_second_moment: Result
    gradient_mean: Result
    gradient_variance: Result
    mean: Result
    second_moment: Result
    variance: Result
    gain_variance: Result
    gain_second_moment: Result
    gain_gradient: Result


def gaussian_moments(
    form: Form, mean: Fraction, sigma: Fraction, rounding: Rounding = FLOAT64
) -> Moments:
    """Return the moments for X ~ N(mean, sigma²), each correctly rounded.

    >>> from gelu_cli.forms import find_form
    >>> gaussian_moments(find_form("relu"), Fraction(0), Fraction(1)).gradient_variance
    0.25
    """
    integrand = values_and_gradients([form])
    return Moments(*averages(integrand, _statistics, mean, sigma, rounding, loss=_loss))


def values_and_gradients(forms: Sequence[Form]) -> Callable[[Multiprecision], Integrand]:
    """Return x ↦ [(f(x), f′(x)) for each form f] as an integrand, cut where one is not smooth."""
    cuts = _cuts(forms)
    pieces = [
        [0 if cut is None else form.piece_from(cut.square) for form in forms]
        for cut in (None, *cuts)
    ]

    def integrand(a: Multiprecision) -> Integrand:
        def at(part: int, x: Any) -> list[tuple[Any, Any]]:
            values = (
                form.on_piece(piece, a, x, 1)
                for form, piece in zip(forms, pieces[part], strict=True)
            )
            return [(each.value, each.gradient) for each in values]

        bends = (bend for form in forms for bend in form.bends)
        places = [(bend.position(a), a.rational(bend.width)) for bend in bends]
        return Integrand((-math.inf, *(cut.position(a) for cut in cuts), math.inf), at, places)

    return integrand


def _cuts(forms: Sequence[Form]) -> list[Place]:
    """Return where the line is cut: at kinks and bends, unless all there is is a bend at 0."""
    kinks = {kink.square for form in forms for kink in form.kinks}
    squares = kinks | {bend.square for form in forms for bend in form.bends}
    if not kinks and squares <= {0}:
        return []
    return sorted(map(Place, squares))


def _statistics(sample: Sample) -> Sequence[Any]:
    f, g = (_spread(sample, values) for values in zip(*_only(sample), strict=True))
    return [moment.of(f, g, sample.a) for moment in MOMENTS]


def _only(sample: Sample) -> list[tuple[Any, Any]]:
    """Return the values and gradients of a sample of one form."""
    return [pair for (pair,) in sample.values]


def _loss(sample: Sample, least: Any) -> float:
    """Return the bits that means and variances of f and f′ lose: sums of terms of both signs.

    Of f′ near its zero the terms are as large as f.
    """
    f, g = zip(*_only(sample), strict=True)
    sizes = [max(abs(y), abs(z)) for y, z in _only(sample)]
    square = sample.mean([size * size for size in sizes])
    size = sample.mean(sizes)
    means = [abs(sample.mean(values)) for values in (f, g)]
    spreads = [_spread(sample, values).variance for values in (f, g)]
    ratios = [size / max(mean, least) for mean in means]
    ratios += [sample.a.sqrt(square / max(spread, least)) for spread in spreads]
    return max(0.0, float(sample.a.context.log(max(1, *ratios), 2)))


def momentum_variance(
    form: Form, mean: Fraction, sigma: Fraction, momentum: Fraction, rounding: Rounding
) -> Result:
    """Return (1 − B)/(1 + B)·E f′², the stationary variance of a momentum average."""
    share = (1 - momentum) / (1 + momentum)

    def statistics(sample: Sample) -> Sequence[Any]:
        return [sample.a.rational(share) * sample.mean([g * g for _, g in _only(sample)])]

    integrand = values_and_gradients([form])
    (variance,) = averages(integrand, statistics, mean, sigma, rounding, loss=_loss)
    return variance


def _spread(sample: Sample, values: Sequence[Any]) -> Spread:
    """Return the spread of the values, the variance from deviations, which do not cancel."""
    mean = sample.mean(values)
    second = sample.mean([y * y for y in values])
    deviations = [y - mean for y in values]
    return Spread(mean, second, sample.mean([d * d for d in deviations]))
