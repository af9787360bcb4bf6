"""The least mean square or mean absolute error among the members of a family.

At the least average its derivatives in the parameters are 0: E[e·∂e] for the square, E[sgn e·∂e]
for the absolute error, and at a kink that moves with a parameter the difference between the sides,
times the density there. They are solved for by Broyden's method (Math. Comp. 19, 1965), from a
least-squares fit in float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy import special
from scipy.optimize import least_squares

from gelu_cli.arithmetic.arrays import Array
from gelu_cli.calculus.fitting.families import Family
from gelu_cli.calculus.fitting.samples import errors_on
from gelu_cli.calculus.fitting.search import MEMBER
from gelu_cli.calculus.integrals import Normal

POINTS, REACH = 2001, 12
"""The search in float64 looks at so many points, up to so many sigmas away."""

CLOSE = 1e-14
"""Relative: when the search ends."""

SOFT = 0.02
"""|e| is rounded off below this share of its root mean square, for the search."""

SPARE_DIGITS = 8
STEPS = 40
FEW_DIGITS = 14
"""Of the slopes while steps are long."""

NEAR = 1e-6
"""After a smaller step all digits count."""


class Nearest(NamedTuple):
    """Values of the free parameters, the average error, and how large the form is on average."""

    values: list[float]
    error: float
    size: float

    @property
    def is_member(self) -> bool:
        """Whether the target itself seems to be a member: the error is noise."""
        return self.error <= MEMBER * self.size


def nearest_on_average(
    family: Family, start: Sequence[float], normal: Normal, absolute: bool
) -> Nearest:
    """Return the member near `start` whose mean square, or mean absolute, error is least, about.

    >>> from gelu_cli.forms import find_form
    >>> family = Family(find_form("sigmoid"), ("beta",), find_form("exact"), "value")
    >>> nearest = nearest_on_average(family, [1.0], Normal(Fraction(0), Fraction(1)), False)
    >>> round(nearest.values[0], 3)
    1.712
    """
    x, share = _sample(normal, absolute)
    root = np.sqrt(share)

    def fitted(begin: Sequence[float], **loss: Any) -> Any:
        return least_squares(
            lambda values: root * _errors(family, values, x)[0],
            begin,
            lambda values: (root * _errors(family, values, x)[1]).T,
            bounds=_bounds(family),
            x_scale="jac",
            **dict.fromkeys(("ftol", "xtol", "gtol"), CLOSE),
            **loss,
        )

    fit = fitted(start)
    if absolute and fit.cost:
        scale = SOFT * np.sqrt(2 * fit.cost / POINTS)
        fit = fitted(fit.x, loss="soft_l1", f_scale=scale)
    error, _, sizes = _errors(family, fit.x, x)
    average = share @ np.abs(error) if absolute else np.sqrt(share @ error**2)
    size = np.sqrt(share @ sizes**2)
    return Nearest(list(map(float, fit.x)), float(average), float(size))


def _sample(normal: Normal, absolute: bool) -> tuple[Array, Array]:
    """Return points for the search and their weights, which add up to 1.

    Those of the trapezoidal rule, which is exact to float64 for smooth functions; for a loss that
    takes no weights quantiles, of the same weight each.
    """
    if absolute:
        share = (np.arange(POINTS) + 0.5) / POINTS
        t, weights = special.ndtri(share), np.full(POINTS, 1 / POINTS)
    else:
        t = np.linspace(-REACH, REACH, POINTS)
        weights = np.exp(-t * t / 2)
        weights /= weights.sum()
    return float(normal.mean) + float(normal.sigma) * t, weights


def _errors(family: Family, values: Array, x: Array) -> tuple[Array, Array, Array]:
    """Return the errors of a member at points, their slopes in the parameters, and its size."""
    error, slopes, size = np.empty(len(x)), np.empty((len(values), len(x))), np.empty(len(x))
    comparison = family.comparison([Fraction(float(value)) for value in values])
    for stretch in comparison.stretches(-np.inf, np.inf):
        here = (float(stretch.low) < x) & (x <= float(stretch.high))
        pieces = family.pieces(comparison.form, stretch)
        found = errors_on(family, list(values), pieces, x[here])
        error[here], slopes[:, here], size[here] = found
    return error, slopes, size


def _bounds(family: Family) -> tuple[list[float], list[float]]:
    signs = {parameter.name: parameter.sign for parameter in family.form.parameters}
    low = [0.0 if signs[name] > 0 else -np.inf for name in family.free]
    high = [0.0 if signs[name] < 0 else np.inf for name in family.free]
    return low, high
