"""Averages of errors.

E|d| and √(E d²) over a normal distribution, and over a range.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise
from typing import Any

from flint import acb, arb

from gelu_cli.calculus.averages import (
    Integrand,
    averaged,
    end_ball,
    expectation,
    growth,
    integral,
    normal,
    power_of,
)
from gelu_cli.calculus.covering import signed_parts
from gelu_cli.calculus.curves import Comparison, Curve, stretches
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.formats import FLOAT64
from gelu_cli.numbers.rounding import Rounded, Target


def error_averages(
    comparison: Comparison, mean: Any = 0, sigma: Any = 1, to: Target = FLOAT64
) -> tuple[Rounded, Rounded]:
    """Return E|d| and √(E d²), d = form − target, X ~ N(mean, sigma²).

    >>> from gelu_cli.calculus.curves import compare
    >>> from gelu_cli.formulas import find_form
    >>> error_averages(compare(find_form("noisy_relu"), find_form("relu"), "gradient"))
    (0.25, 0.28867513459481287)
    """
    of = normal(mean, sigma)
    forms = [comparison.form, comparison.target]
    parts = [
        part
        for part in stretches(forms, -math.inf, math.inf, comparison.difference)
        if not part.curve.vanishes
    ]
    signed = [(part, *signed_parts(part)) for part in parts]
    bound = sum(growth(form, comparison.quantity) for form in forms) ** 2

    def statistics(bits: int) -> list[arb]:
        first, square = list[Integrand](), list[Integrand]()
        for part, side, inner in signed:
            middle = [each.narrowed(bits + 16) for each in inner]
            ends = [end_ball(part.low), *middle, end_ball(part.high)]
            for n, (a, b) in enumerate(pairwise(ends)):
                first.append((a, b, partial(power_of, part.curve, 1, side * (-1) ** n)))
                square.append((a, b, partial(power_of, part.curve, 2, 1)))
        second = expectation(square, of, bits, bound)
        return [
            abs(expectation(first, of, bits, bound)),
            second.sqrt() if second > 0 else arb.nan(),
        ]

    mean_abs, rms = averaged(statistics, to) if parts else [to.zero(False)] * 2
    return mean_abs, rms


def unweighted(curve: Curve, z: acb, analytic: bool) -> acb:
    """Return y² of a curve at a complex ball."""
    return power_of(curve, 2, 1, z)


def root_mean_square(comparison: Comparison, low: Any, high: Any, to: Target = FLOAT64) -> Rounded:
    """Return √(1/(b − a)·∫ₐᵇ d² dx) of d = form − target over a finite range.

    >>> from gelu_cli.calculus.curves import compare
    >>> from gelu_cli.formulas import find_form
    >>> root_mean_square(compare(find_form("relu"), find_form("exact"), "value"), -4, 4)
    0.08786712292382719
    """
    forms = [comparison.form, comparison.target]
    parts = stretches(forms, low, high, comparison.difference)

    def statistics(bits: int) -> list[arb]:
        total = arb(0)
        for part in parts:
            if not part.curve.vanishes:
                a, b = end_ball(part.low), end_ball(part.high)
                f = partial(unweighted, part.curve)
                total = total + integral(f, a, b, arb((1, -bits - 4)), arb((1, -4 * bits)))
        mean = total / arb(to_fraction(high) - to_fraction(low))
        return [mean.sqrt() if mean > 0 else arb.nan()]

    return averaged(statistics, to)[0]
