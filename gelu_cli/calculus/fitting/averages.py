"""The least mean square or mean absolute error among the members of a family.

At the least average its derivatives in the parameters are 0: E[e·∂e] for the square, E[sgn e·∂e]
for the absolute error, and at a kink that moves with a parameter the difference between the sides,
times the density there. They are solved for by Broyden's method (Math. Comp. 19, 1965), from a
least-squares fit in float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

import numpy as np
from scipy import special
from scipy.optimize import least_squares

from gelu_cli.arithmetic import Arithmetic, Curve, Real, mpf
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.format_arrays import Array
from gelu_cli.arithmetic.multiprecision import Multiprecision, multiprecision
from gelu_cli.calculus.comparison import Comparison
from gelu_cli.calculus.fitting.families import Family
from gelu_cli.calculus.fitting.refinement import Errors, NotFoundError, exactly
from gelu_cli.calculus.fitting.samples import errors_on
from gelu_cli.calculus.fitting.search import MEMBER
from gelu_cli.calculus.integrals import Averages, Normal
from gelu_cli.calculus.stretches import Stretch

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


def balanced_on_average(
    family: Family, nearest: Nearest, normal: Normal, absolute: bool, digits: int
) -> tuple[list[Fraction], Fraction]:
    """Return the values at which the average is least, and by what share they may be off.

    Raises `NotFoundError` if Broyden's method does not converge, or floats see no error at all.
    """
    if not nearest.error:
        raise NotFoundError
    context = multiprecision(4 * digits + 64).context
    sizes = [Fraction(abs(value) or 1) for value in nearest.values]
    slopes = _Slopes(family, normal, absolute, sizes, Fraction(nearest.error))

    def at(units: Any, digits: int) -> Any:
        values = [size * exactly(unit) for size, unit in zip(sizes, units, strict=True)]
        return context.matrix([context.mpf(str(each)) for each in slopes.at(values, digits)])

    units = context.matrix(
        [
            context.mpf(value) / float(size)
            for value, size in zip(nearest.values, sizes, strict=True)
        ]
    )
    curvature = _curvature(family, nearest.values, normal, absolute)
    scale = np.array(list(map(float, sizes)))
    curvature *= np.outer(scale, scale) / (nearest.error if absolute else nearest.error**2)
    try:
        inverse = context.inverse(context.matrix(curvature.tolist()))
    except ZeroDivisionError as error:  # a singular matrix
        raise NotFoundError from error
    here = at(units, FEW_DIGITS)
    wanted = FEW_DIGITS
    for _ in range(STEPS):
        move = -inverse * here
        units += move
        share = exactly(context.norm(move, context.inf))
        if share < Fraction(1, 10 ** (digits + SPARE_DIGITS // 2)):
            return [size * exactly(unit) for size, unit in zip(sizes, units, strict=True)], share
        if share < NEAR:
            wanted = digits + SPARE_DIGITS
        there = at(units, wanted)
        change = inverse * (there - here)
        row = move.T * inverse
        inverse += (move - change) * row / (row * (there - here))[0]
        here = there
    raise NotFoundError


def _curvature(family: Family, values: Sequence[float], normal: Normal, absolute: bool) -> Array:
    """Return the second derivatives of E|e|, or of ½E e², in the parameters, about.

    Without the curvature of the form in them, which is multiplied by the error or by its sign. Of
    E|e| they come from the points where the error changes its sign: 2·Σ ∂e·∂eᵀ·density/|e′|.
    """
    x, share = _sample(normal, absolute)
    error, slopes, _ = _errors(family, np.array(values), x)
    if not absolute:
        curvature: Array = (slopes * share) @ slopes.T
        return curvature
    crossed = np.flatnonzero(np.sign(error[1:]) != np.sign(error[:-1]))
    weights = 2 * share[crossed] / np.abs(np.diff(error)[crossed])  # the density is share/Δx
    curvature = (slopes[:, crossed] * weights) @ slopes[:, crossed].T
    return curvature


class _Slopes(NamedTuple):
    """The derivatives of an average in the parameters, each in units of its size.

    Of E|e| or of ½E e², as a share of what |e| or e² is at the start.
    """

    family: Family
    normal: Normal
    absolute: bool
    sizes: Sequence[Fraction]
    error: Fraction

    def at(self, values: Sequence[Fraction], digits: int) -> list[Fraction]:
        """Return the derivatives for a member, to about so many decimals."""
        averages = Averages(self.normal, Decimals(digits).precision, precise=False, signed=False)
        comparison = self.family.comparison(values)
        steps = self._steps(comparison, values, 2 * averages.bits)
        return [step + self._mean(averages, comparison, values, i) for i, step in enumerate(steps)]

    def _mean(
        self, averages: Averages, comparison: Comparison, values: Sequence[Fraction], i: int
    ) -> Fraction:
        """Return the average slope of |e|, or of ½e², in a parameter, in units of its size."""
        unit = self._unit(self.sizes[i])

        def curves_on(stretch: Stretch) -> tuple[Curve, Curve]:
            """Return the error, and the slope of |e| or ½e²."""
            pieces = self.family.pieces(comparison.form, stretch)

            def error(a: Arithmetic, x: Real) -> Real:
                return Errors(self.family, a).at(pieces, x, list(map(a.rational, values)))

            def slope(a: Arithmetic, x: Real) -> Real:
                given = list(map(a.rational, values))
                move = Errors(self.family, a).slopes(pieces, x, given)[i] * a.rational(unit)
                return move if self.absolute else error(a, x) * move

            return error, slope

        whole = comparison.stretches(-inf, inf)
        errors, slopes = zip(*map(curves_on, whole), strict=True)
        signs = list(zip(whole, errors, strict=True)) if self.absolute else []
        found = averages.of(list(zip(whole, slopes, strict=True)), signs, share=False)
        return mpf.to_fraction(found.folded.middle)

    def _unit(self, size: Fraction) -> Fraction:
        return size / (self.error if self.absolute else self.error**2)

    def _steps(
        self, comparison: Comparison, values: Sequence[Fraction], bits: int
    ) -> list[Fraction]:
        """Return what the error's jumps at kinks add: the kinks move with the parameters."""
        errors = Errors(self.family, multiprecision(bits))
        a, given = errors.a, list(map(errors.a.rational, values))
        steps = [a.rational(0)] * len(values)
        kinks = {kink.square: i for i, kink in enumerate(comparison.form.kinks)}
        for left, right in pairwise(comparison.stretches(-inf, inf)):
            kink = kinks.get(left.high.square)
            if kink is None:
                continue
            x = errors.kink(kink, values)
            sides = (self.family.pieces(comparison.form, part) for part in (left, right))
            before, after = (self._part(errors.at(pieces, x, given)) for pieces in sides)
            for j, size in enumerate(self.sizes):
                move = errors.move(kink, j, given) * a.rational(self._unit(size))
                steps[j] += (before - after) * self._density(a, x) * move
        return list(map(exactly, steps))

    def _part(self, error: Any) -> Any:
        return abs(error) if self.absolute else error * error / 2

    def _density(self, a: Multiprecision, x: Any) -> Any:
        mean, sigma = map(a.rational, self.normal)
        return a.exp(-(((x - mean) / sigma) ** 2) / 2) / (sigma * a.sqrt(2 * a.pi))
