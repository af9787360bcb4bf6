"""What a feed-forward block's output and gradient lose where another form is computed.

The block is W₂·f(W₁x + b₁) + b₂. Where f becomes g, its output changes by W₂·(g − f)(h), with
pre-activations h = W₁x + b₁. For weights W₂ of mean 0, independent of h and of each other, the mean
square of W₂·y is that of y times a factor, the same for every y. So ratios of outputs are ratios of
expectations over h, whatever the widths are. Here h ~ N(M, S²). What the layers after the block
make of the change is another question.

In a gated block f(h) is multiplied by c(u), u = Vx independent of h. Mean squares have the factor
E c², which cancels in their ratios; but not in the variance, with (E c)²·(E(g − f))², nor in the
gradient, which has two branches: f′·c for h and f·c′ for u.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic import Curve, Real, Result, Rounding
from gelu_cli.old.arithmetic.beside import Beside, BesideArithmetic
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.calculus.comparison import Comparison
from gelu_cli.old.calculus.integrals import Averages, Normal, averaged, check_sigma
from gelu_cli.old.calculus.stretches import vanishes
from gelu_cli.old.formulas import Form
from gelu_cli.old.network.gated import Ups


class Change(NamedTuple):
    """How the output of a block changes, relatively to what it was, and how its gradient does."""

    relative_rms: Result
    """r = √(E(g − f)²/E f²)."""

    db: Result
    """20·log₁₀ r; −∞ for forms that are the same."""

    bits: Result
    """−log₂ r, about the bits of the output that stay right."""

    relative_rms_centred: Result
    """√(Var(g − f)/E f²): what remains of r where b₂ absorbs the mean of the change.

    In a gated block √(Var((g − f)·c)/E(f·c)²).
    """

    gain: Result
    """√(E g²/E f²)."""

    one_minus_cosine: Result
    """1 − E fg/√(E f²·E g²)."""

    gradient_relative_rms: Result
    """√(E(g′ − f′)²/E f′²), in a gated block of both branches:

    √((E(g′ − f′)²·E c² + E(g − f)²·E c′²)/(E f′²·E c² + E f²·E c′²)).
    """

    gradient_db: Result
    """20·log₁₀ of that."""


def change_of(
    form: Form, target: Form, mean: Fraction, sigma: Fraction, rounding: Rounding = FLOAT64,
    ups: Ups | None = None,
) -> Change:  # fmt: skip
    """Return what becomes of a block with activation f, the target, where it computes g, the form.

    Pre-activations are h ~ N(mean, sigma²); with them f(h), g(h) and both derivatives enter. A
    gated block has `ups` from N(0, sigma²).
    Every number is correctly rounded. Raises `UsageError` for a sigma that is not positive and
    `ComputationError` where f(h) or f′(h) is 0 for all h that matter, so that nothing is relative
    to it.

    >>> from gelu_cli.old.formulas import find_form
    >>> twice, once = find_form("relu"), find_form("noisy_relu")
    >>> change_of(twice, once, Fraction(0), Fraction(1)).gradient_relative_rms  # √(1/12)/√(1/3)
    0.5
    """
    check_sigma(sigma)
    value, gradient = (Comparison(form, target, each) for each in ("value", "gradient"))
    if all(vanishes(curve) for _, curve in value.differences()):
        zero, one = (rounding.exactly(Fraction(n)) for n in (0, 1))
        return Change(zero, -math.inf, math.inf, zero, one, zero, zero, -math.inf)

    def statistics(averages: Averages) -> Sequence[Real]:
        a, average = averages.a, partial(_average, averages)
        c, c_square, c_slope = ups.moments(a, sigma) if ups else (1, 1, 0)
        square, slope_square = (average(each, lambda g, f: f * f) for each in (value, gradient))
        slope_square = slope_square * c_square + square * c_slope
        sizes = {target.label: square, f"the gradient of {target.label}": slope_square}
        for what, number in sizes.items():
            if number.sign == 0:
                raise as_good_as_0(what, mean, sigma)
        change = average(value, lambda g, f: g - f)
        change_square = average(value, lambda g, f: (g - f) ** 2)
        product = average(value, lambda g, f: f * (g - f))
        joint = average(value, lambda g, f: f * g)
        form_square = average(value, lambda g, f: g * g)
        excess = average(gradient, lambda g, f: g * (g - 2 * f))
        slope_change = average(gradient, lambda g, f: (g - f) ** 2)
        r_square = _ratio(averages, (form_square - 2 * joint) / square, change_square / square)
        excess = excess * c_square + (form_square - 2 * joint) * c_slope
        slope_change = slope_change * c_square + change_square * c_slope
        slope = _ratio(averages, excess / slope_square, slope_change / slope_square)
        apart: Real = a.rational(1)  # from a function that is 0
        if form_square.sign != 0:
            # With d = g − f the sine is √(E f²·E d² − (E fd)²)/√(E f²·E g²), which does not cancel
            # as 1 less the cosine does where the angle is small.
            cosine = joint / a.sqrt(square * form_square)
            apart = 1 - cosine
            if (square - 4 * change_square).sign == 1:
                sine_square = (square * change_square - product**2) / (square * form_square)
                apart = sine_square / (1 + cosine)
        decibels = _decibels(r_square, a)
        return (
            a.sqrt(r_square),
            decibels,
            -decibels * a.log(a.rational(10)) / (20 * a.log(a.rational(2))),
            a.sqrt((change_square - (c * change) ** 2 / c_square) / square),
            a.sqrt(form_square / square),
            apart,
            a.sqrt(slope),
            _decibels(slope, a),
        )

    return Change(*averaged(statistics, Normal(mean, sigma), rounding))


def _average(
    averages: Averages, comparison: Comparison, of: Callable[[Real, Real], Real]
) -> Beside:
    """Return E of a function of the form and the target."""

    def joined(form: Curve, target: Curve) -> Curve:
        return lambda a, x: of(form(a, x), target(a, x))

    whole = comparison.stretches(-math.inf, math.inf)
    return averages.of([(stretch, joined(*comparison.pair(stretch))) for stretch in whole])


def _ratio(averages: Averages, excess: Beside, change: Beside) -> Beside:
    """Return E(g − f)²/E f², beside 1 as 1 + E g(g − 2f)/E f² where g is next to nothing."""
    return 1 + excess if averages.a.rests.is_next_to_0(excess.folded) else change


def _decibels(square: Beside, a: BesideArithmetic) -> Real:
    """Return 10·log₁₀ of a ratio of squares, −∞ of 0."""
    return -math.inf if square.sign == 0 else 10 * a.log(square) / a.log(a.rational(10))


def as_good_as_0(what: str, mean: Fraction, sigma: Fraction) -> ComputationError:
    """Return the error that says that no change is relative to what is 0."""
    return ComputationError(
        f"{what} is as good as 0 for h ~ N({float(mean):g}, {float(sigma):g}²), so that no change "
        "is relative to it; take another --target or --mean"
    )
