"""The least average error: searched in float64, enclosed until its digits are told, and bounded."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy import special
from scipy.optimize import least_squares

from gelu_cli.arithmetic import Result
from gelu_cli.arithmetic.balls import exactly, working
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.format_arrays import Array
from gelu_cli.calculus.integrals import Normal
from gelu_cli.errors import ComputationError
from gelu_cli.fitting.bounds import below, rounded_down
from gelu_cli.fitting.families import FLOAT64_DIGITS, Best, Criterion, Family, constants_rounding
from gelu_cli.fitting.least_suprema import least_supremum
from gelu_cli.fitting.newton import NotFoundError, all_known, told
from gelu_cli.fitting.refusals import check_values
from gelu_cli.fitting.samples import errors_on
from gelu_cli.fitting.search import MEMBER, STARTS, TRIES, starts_of
from gelu_cli.fitting.stationary import Average, Stationary, stationary
from gelu_cli.stages import tell
from gelu_cli.values.evaluate import rounding_to

MORE_DIGITS = 6
SPARE, LAST_BITS = 20, 1 << 14
"""Bits beyond a rounding's own that a constant has at first, and at last."""

POINTS, REACH = 2001, 12
"""Points of the search in float64, and how many sigmas they reach."""

CLOSE = 1e-14
"""Relative: when the search ends."""

SOFT = 0.02
"""|e| is rounded off below this share of its root mean square, for the search."""


def least_average(family: Family, criterion: Criterion, digits: int | None) -> Best:
    """Return the member whose average error is least; raises `ComputationError` without one."""
    normal, absolute = criterion.normal, criterion.name == "mean"
    convex = set(family.free) <= family.form.fit.linear
    starts = starts_of(family)[: 1 if convex else STARTS]
    tell("best constants, searching")
    tries = [nearest_on_average(family, start, normal, absolute) for start in starts]
    tries.sort(key=lambda each: each.error)
    check_values(family, tries[0].values)
    if tries[0].is_member:
        best = least_supremum(family, Criterion("sup"), digits)
        if best.lower_bound == 0:
            error = criterion.error(
                family.comparison_as_printed(best.constants), rounding_to(digits)
            )
            return best._replace(criterion=criterion, error=error, points=())
    for nearest in tries[:TRIES]:
        with suppress(NotFoundError):
            sizes = [Fraction(abs(value) or 1) for value in nearest.values]
            average = Average(family, normal, absolute, sizes, Fraction(nearest.error))
            found, constants = _rounded_average(average, nearest, digits)
            error = criterion.error(family.comparison_as_printed(constants), rounding_to(digits))
            if convex:
                bound = _average_bound(family, criterion, average, found, digits)
                return Best(family, criterion, constants, error, bound, "bound")
            return Best(family, criterion, constants, error, None, f"best of {len(starts)} starts")
    raise ComputationError("no best constants are found; take another criterion, or fewer --free")


def _average_bound(
    family: Family, criterion: Criterion, average: Average, found: Stationary, digits: int | None
) -> Result:
    """Return the least average of a convex function, rounded down."""
    more = Decimals(max(digits or 0, FLOAT64_DIGITS) + MORE_DIGITS)
    near = Fraction(below(criterion.error(family.comparison(found.member), more)))
    slack = average.unit * exactly(found.slack)  # of E|e|, or of ½E e² = ½rms²
    least = near - slack if average.absolute else near - 2 * slack / near
    return rounded_down(least, rounding_to(digits))


def _rounded_average(
    average: Average, nearest: Nearest, digits: int | None
) -> tuple[Stationary, list[Result]]:
    """Solve with ever more bits until the constants are told."""
    rounding = constants_rounding(digits)
    bits = rounding.precision + SPARE
    while bits <= LAST_BITS:
        tell(f"best constants, {bits} bits")
        found = stationary(average, nearest.values, bits)
        with working(bits + SPARE):
            constants: list[Result] | None = all_known([told(v, rounding) for v in found.values])
        if constants is not None:
            return found, constants
        bits *= 2
    raise NotFoundError


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
