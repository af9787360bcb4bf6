"""What does a form make of Gaussian inputs?"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from gelu_cli.errors import UsageError
from gelu_cli.old.answers import report_of
from gelu_cli.old.calculus.integrals import check_sigma
from gelu_cli.old.calculus.landmarks import negative_probability
from gelu_cli.old.calculus.moments import (
    HEADINGS,
    Moments,
    closed_form,
    gaussian_moments,
    momentum_variance,
)
from gelu_cli.old.calculus.monte_carlo import sampled_second_moment
from gelu_cli.old.formulas import Form
from gelu_cli.old.report import Cell, Report, Row
from gelu_cli.old.stages import part
from gelu_cli.old.values.evaluate import rounding_to


def variance(
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

    The last column is P(f(X) < 0).

    Every number is correctly rounded, to float64 or to `digits` significant digits. `momentum` B
    adds (1 − B)/(1 + B)·E f′², the stationary variance of a momentum average of independent
    terms f′(X). `samples` adds a Monte-Carlo estimate of E f′² with its standard error. Raises
    `UsageError` for sigma ≤ 0, a momentum outside [0, 1), fewer than 2 samples.

    >>> from gelu_cli.old.formulas import find_form
    >>> from gelu_cli.old.report import read
    >>> [row], _ = read(variance([find_form("exact")]))
    >>> row[1], row[2], row[10]
    (0.4558508656492871, 0.5, '1/3 + 2/(3√3·π)')
    """
    check_sigma(sigma)
    if momentum is not None and not 0 <= momentum < 1:
        raise UsageError(f"momentum must be in [0, 1), not {float(momentum):g}")
    if samples is not None and samples < 2:
        raise UsageError(f"samples must be 2 or more, not {samples}: one has no spread")
    rounding = rounding_to(digits)

    def row(form: Form) -> Row:
        cells: list[Cell] = [form.label]
        with part(form.label):
            cells += gaussian_moments(form, mean, sigma, rounding)
            cells.append(closed_form(form, mean, sigma))
            if momentum is not None:
                cells.append(momentum_variance(form, mean, sigma, momentum, rounding))
            if samples is not None:
                estimate = sampled_second_moment(form, float(mean), float(sigma), samples, seed)
                cells += (rounding.exactly(Fraction(number)) for number in estimate)
            cells.append(negative_probability(form, mean, sigma, rounding))
        return tuple(cells)

    facts = {"inputs": f"X ~ N({float(mean):.12g}, {float(sigma):.12g}²)"}
    headings = {"form": "form", **dict(zip(Moments._fields, HEADINGS, strict=True))}
    headings["closed_form"] = "closed form of E f′²"
    if momentum is not None:
        headings["momentum_variance"] = "Var of momentum"
    if samples is not None:
        facts["samples"] = f"{samples:,} for each form, seed {seed}"
        headings["sampled_second_moment"] = "E f′² sampled"
        headings["standard_error"] = "± standard error"
    headings["negative_probability"] = "P(f < 0)"
    rows = ([row(form)] for form in forms)
    return report_of("Moments of Gaussian inputs", headings, rows, digits, facts=facts)
