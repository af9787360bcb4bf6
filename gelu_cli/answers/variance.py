"""What does a form make of Gaussian inputs?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.arithmetic.multiprecision import Multiprecision
from gelu_cli.calculus.averages import Integrand, Sample, averages
from gelu_cli.calculus.closed_forms import closed_form
from gelu_cli.calculus.monte_carlo import sampled_second_moment
from gelu_cli.errors import UsageError
from gelu_cli.forms import Form
from gelu_cli.report import Cell, Column, Report, Row
from gelu_cli.values.evaluate import Result, Rounding, rounding_to

DEFAULT_FORMS = ("exact", "tanh", "sigmoid", "relu", "elu", "silu", "softplus")

HEADINGS = ("E f′²", "E f′", "Var f′", "E f", "E f²", "Var f", "1/√Var f", "1/√E f²", "1/√E f′²")


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
    return Moments(*averages(_integrand(form), _statistics, mean, sigma, rounding))


def moments(
    forms: Sequence[Form],
    mean: Fraction = Fraction(0),
    sigma: Fraction = Fraction(1),
    *,
    momentum: Fraction | None = None,
    samples: int | None = None,
    seed: int = 0,
    digits: int | None = None,
) -> Report:
    """Return a row for each form f: the moments of f(X) and f′(X) for X ~ N(mean, sigma²).

    Every number is correctly rounded, to float64 or to `digits` significant digits. `momentum` B
    adds (1 − B)/(1 + B)·E f′², the stationary variance of a momentum average of independent
    terms f′(X). `samples` adds a Monte-Carlo estimate of E f′² with its standard error. Raises
    `UsageError` for sigma ≤ 0, a momentum outside [0, 1), fewer than 2 samples.

    >>> from gelu_cli.forms import find_form
    >>> [[row]] = moments([find_form("exact")]).blocks
    >>> row[1], row[2], row[10]
    (0.4558508656492871, 0.5, '1/3 + 2/(3√3·π)')
    """
    if sigma <= 0:
        raise UsageError(f"sigma must be positive, not {float(sigma):g}")
    if momentum is not None and not 0 <= momentum < 1:
        raise UsageError(f"momentum must be in [0, 1), not {float(momentum):g}")
    if samples is not None and samples < 2:
        raise UsageError(f"samples must be 2 or more, not {samples}: one has no spread")
    rounding = rounding_to(digits)
    columns = [Column("form", "form")]
    columns += [Column(*pair) for pair in zip(Moments._fields, HEADINGS, strict=True)]
    columns.append(Column("closed_form", "closed form of E f′²"))
    if momentum is not None:
        columns.append(Column("momentum_variance", "Var of momentum"))
    if samples is not None:
        columns.append(Column("sampled_second_moment", "E f′² sampled"))
        columns.append(Column("standard_error", "± standard error"))

    def row(form: Form) -> Row:
        known = closed_form(form, mean, sigma)
        found = gaussian_moments(form, mean, sigma, rounding)
        cells: list[Cell] = [form.label, *found, known.text if known else None]
        if momentum is not None:
            cells.append(_momentum_variance(form, mean, sigma, momentum, rounding))
        if samples is not None:
            estimate = sampled_second_moment(form, float(mean), float(sigma), samples, seed)
            cells += (rounding.exactly(Fraction(number)) for number in estimate)
        return tuple(cells)

    facts = {"inputs": f"X ~ N({_short(mean)}, {_short(sigma)}²)"}
    if samples is not None:
        facts["samples"] = f"{samples:,} for each form, seed {seed}"
    return Report(
        title="Moments of Gaussian inputs",
        columns=columns,
        blocks=([row(form)] for form in forms),
        digits=digits,
        facts=facts,
    )


def _integrand(form: Form) -> Callable[[Multiprecision], Integrand]:
    def integrand(a: Multiprecision) -> Integrand:
        def at(part: int, x: Any) -> tuple[Any, Any]:
            values = form.on_piece(part, a, x, order=1)
            return values.value, values.gradient

        return Integrand((-math.inf, *(kink.position(a) for kink in form.kinks), math.inf), at)

    return integrand


def _statistics(sample: Sample) -> Sequence[Any]:
    mean, second, variance = _spread(sample, [f for f, _ in sample.values])
    slope, slope_second, slope_variance = _spread(sample, [g for _, g in sample.values])
    sqrt = sample.a.sqrt
    gains = (1 / sqrt(y) if y else math.inf for y in (variance, second, slope_second))
    return slope_second, slope, slope_variance, mean, second, variance, *gains


def _momentum_variance(
    form: Form, mean: Fraction, sigma: Fraction, momentum: Fraction, rounding: Rounding
) -> Result:
    share = (1 - momentum) / (1 + momentum)

    def statistics(sample: Sample) -> Sequence[Any]:
        return [sample.a.rational(share) * sample.mean([g * g for _, g in sample.values])]

    (variance,) = averages(_integrand(form), statistics, mean, sigma, rounding)
    return variance


def _spread(sample: Sample, values: Sequence[Any]) -> tuple[Any, Any, Any]:
    """Return mean, second moment and variance; the last from deviations, which do not cancel."""
    mean = sample.mean(values)
    second = sample.mean([y * y for y in values])
    return mean, second, sample.mean([(y - mean) ** 2 for y in values])


def _short(number: Fraction) -> str:
    return f"{float(number):.12g}"
