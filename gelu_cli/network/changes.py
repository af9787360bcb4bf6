"""The change of a block's output and gradient if another form is computed.

If g replaces f in W₂·f(h) + b₂, the output changes by W₂·(g − f)(h). For weights W₂ of mean 0,
independent of h and of each other, the mean square of W₂·y is that of y times a factor that is the
same for every y. So ratios of outputs are ratios of averages over h ~ N(M, S²), for all widths.

In a gated block W₂·(f(h)·u) with u ~ N(0, S²), independent of h, mean squares of values have the
factor E u² = S², which cancels. The gradient has two branches, f′·u for h and f for u.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from flint import arb

from gelu_cli.calculus.averages import Normal, average, averaged, differences
from gelu_cli.calculus.curves import Comparison, on_line
from gelu_cli.formulas import Form
from gelu_cli.numbers.formats import FLOAT64
from gelu_cli.numbers.rounding import Rounded, Target


class Change(NamedTuple):
    """Relative changes of a block's output and of its gradient.

    r = √(E(g − f)²/E f²) and 20·log₁₀ r; √(E(g′ − f′)²/E f′²), of a gated block with both branches,
    and its decibels.
    """

    relative_rms: Rounded
    db: Rounded
    gradient_relative_rms: Rounded
    gradient_db: Rounded


def change(
    form: Form, target: Form, of: Normal, to: Target = FLOAT64, *, gated: bool = False
) -> Change:
    """Measure what `form` changes in a block with the activation `target`.

    Parameters
    ----------
    form, target
        The form g that replaces f, and f.
    of
        Distribution of the pre-activations h; the ups of a gated block have mean 0 and its sigma.
    to
        What each number is rounded to, correctly.
    gated
        True for a gated block.

    Raises
    ------
    ComputationError
        If the digits of a number stay uncertain at the highest precision.

    Examples
    --------
    >>> from gelu_cli.calculus.averages import normal
    >>> from gelu_cli.formulas import find_form
    >>> relu, mean_of_relu = find_form("relu"), find_form("noisy_relu")
    >>> change(relu, mean_of_relu, normal()).gradient_relative_rms  # √(1/12)/√(1/3)
    0.5
    """
    value, gradient = (Comparison(form, target, name) for name in ("value", "gradient"))
    if all(curve.vanishes for curve, *_ in differences(value, of)):
        return Change(to.zero(False), -math.inf, to.zero(False), -math.inf)

    def statistics(bits: int) -> Sequence[Any]:
        square, slope_square = (
            average(on_line(target, name), 2, of, bits) for name in ("value", "gradient")
        )
        change_square, slope_change = (
            average(differences(each, of), 2, of, bits) for each in (value, gradient)
        )
        if gated:
            up_square = arb(of.sigma * of.sigma)
            slope_square = up_square * slope_square + square
            slope_change = up_square * slope_change + change_square
        return [*sizes(change_square / square), *sizes(slope_change / slope_square)]

    return Change(*averaged(statistics, to))


def sizes(square: arb) -> tuple[arb, arb]:
    """Return the root of a ratio of squares, and its decibels."""
    return square.sqrt(), 10 * square.log() / arb(10).log()
