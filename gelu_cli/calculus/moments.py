"""Moments of a form and of its gradient, for Gaussian inputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from gelu_cli.arithmetic import Arithmetic, Real, Result, Rounding
from gelu_cli.arithmetic.beside import Beside
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.calculus.integrals import Averages, Normal, averaged, squared
from gelu_cli.calculus.stretches import curves_on_line
from gelu_cli.forms import Form


class Spread(NamedTuple):
    """Mean and second moment of a number that varies."""

    mean: Real
    second_moment: Real

    @property
    def variance(self) -> Real:
        """The second moment less the square of the mean."""
        return self.second_moment - self.mean**2


class Moment(NamedTuple):
    """An entry of what is known of f(X) and f′(X): its name, how it is headed, and what it is."""

    name: str
    heading: str
    of: Callable[[Spread, Spread, Arithmetic], Real]
    """(f, f′, arithmetic) → the moment."""


def _gain(square: Beside, a: Arithmetic) -> Real:
    return math.inf if square.sign == 0 else 1 / a.sqrt(square)


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

    def statistics(averages: Averages) -> Sequence[Real]:
        f, g = (_spread(averages, form, quantity) for quantity in ("value", "gradient"))
        return [moment.of(f, g, averages.a) for moment in MOMENTS]

    return Moments(*averaged(statistics, Normal(mean, sigma), rounding))


def momentum_variance(
    form: Form, mean: Fraction, sigma: Fraction, momentum: Fraction, rounding: Rounding
) -> Result:
    """Return (1 − B)/(1 + B)·E f′², the stationary variance of a momentum average."""
    share = (1 - momentum) / (1 + momentum)

    def statistics(averages: Averages) -> Sequence[Real]:
        square = _spread(averages, form, "gradient").second_moment
        return [averages.a.rational(share) * square]

    (variance,) = averaged(statistics, Normal(mean, sigma), rounding)
    return variance


def _spread(averages: Averages, form: Form, quantity: str) -> Spread:
    line = curves_on_line(form, quantity)
    squares = [(stretch, squared(curve)) for stretch, curve in line]
    return Spread(averages.of(line), averages.of(squares))
