"""How large is the error of a form on average, for Gaussian inputs?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from gelu_cli.arithmetic.multiprecision import Multiprecision
from gelu_cli.calculus.averages import FIRST_SLACK, Integrand, Sample, averages
from gelu_cli.calculus.comparison import Comparison
from gelu_cli.calculus.crossings import Bracket, enclosed
from gelu_cli.calculus.roots import enclose_root
from gelu_cli.calculus.stretches import Place, Stretch
from gelu_cli.values.evaluate import Result, Rounding

SMALL = 16
"""Errors are small: bits below 1 that their averages are expected to lie at."""


def average_errors(comparison: Comparison, sigma: Fraction, rounding: Rounding) -> list[Result]:
    """Return E|d| and √(E d²) for d = form − target and X ~ N(0, sigma²), correctly rounded.

    The line is cut at the kinks and, for the sake of |d|, where d changes its sign.

    >>> from gelu_cli.forms import find_form
    >>> from gelu_cli.arithmetic.formats import FLOAT64
    >>> noise = Comparison(find_form("noisy_relu"), find_form("relu"), "gradient")
    >>> average_errors(noise, Fraction(1), FLOAT64)  # 1/4 and 1/√12
    [0.25, 0.28867513459481287]
    """
    reach = sigma * math.ceil(math.sqrt(2 * (rounding.precision + 100)))
    parts = [
        (stretch, cut)
        for stretch in comparison.stretches(-math.inf, math.inf)
        for cut in (None, *_crossings(comparison, stretch, reach))
    ]

    def integrand(a: Multiprecision) -> Integrand:
        curves = [comparison.difference(stretch) for stretch, _ in parts]
        cuts = (_position(comparison, stretch, cut, a) for stretch, cut in parts[1:])
        return Integrand((-math.inf, *cuts, math.inf), lambda part, x: curves[part](a, x))

    return averages(integrand, _statistics, Fraction(0), sigma, rounding, FIRST_SLACK + SMALL)


def _statistics(sample: Sample) -> Sequence[Any]:
    square = sample.mean([d * d for d in sample.values])
    return sample.mean([abs(d) for d in sample.values]), sample.a.sqrt(square)


def _crossings(comparison: Comparison, stretch: Stretch, reach: Fraction) -> list[Bracket]:
    low, high = max(stretch.low, Place.of(-reach)), min(stretch.high, Place.of(reach))
    return comparison.crossings(Stretch(low, high)) if low < high else []


def _position(
    comparison: Comparison, stretch: Stretch, crossing: Bracket | None, a: Multiprecision
) -> Any:
    """Return where a part begins: where its stretch does, or at a crossing inside."""
    if crossing is None:
        return stretch.low.position(a)
    root = enclose_root(enclosed(comparison.difference(stretch)), *crossing, a.precision)
    assert root is not None  # the signs at the ends of a bracket are certain
    return a.number(root.middle)
