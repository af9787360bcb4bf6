"""Averages of errors: E|d| and √(E d²), d = form − target."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise

from flint import acb, arb

from gelu_cli.calculus.averages import (
    Integrand,
    Normal,
    Uniform,
    average,
    averaged,
    end_ball,
    expectation,
    growth_of,
)
from gelu_cli.calculus.covering import signed_parts
from gelu_cli.calculus.curves import Comparison, Curve, Stretch, stretches
from gelu_cli.numbers.formats import FLOAT64
from gelu_cli.numbers.rounding import Rounded, Target


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

    >>> from gelu_cli.calculus.averages import normal
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
            ends = [end_ball(part.low), *middle, end_ball(part.high)]
            for n, (a, b) in enumerate(pairwise(ends)):
                pieces.append((a, b, partial(_times, part.curve, side * (-1) ** n)))
        return [abs(expectation(pieces, of, bits, growth_of(parts[0].curve)))]

    return averaged(statistics, to)[0] if parts else to.zero(False)


def _times(curve: Curve, side: int, z: acb) -> acb:
    return curve.at(z) * side
