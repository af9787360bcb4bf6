"""Approximate best constants by searches in float64, with scipy.

Minimax: minimize t under −t ≤ error ≤ t by sequential quadratic programming (SLSQP), first on a
coarse grid, then also at the extrema of the error. Mean squares: nonlinear least squares. A stretch
is an interval on which the error is smooth; a share, 0 … 1, is a position in a stretch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares, minimize

from gelu_cli.calculus.curves import Stretch, float_of
from gelu_cli.fitting.families import Family
from gelu_cli.formulas import Form
from gelu_cli.formulas.doubles import float64_of_piece

Array = NDArray[np.float64]

FARTHEST, REACH, SMALLEST = 40.0, 12, 1e-4
"""Grids end at |x| = FARTHEST. A mean square covers REACH standard deviations on each side of the
mean. A constant whose sign is prescribed is at least SMALLEST in size."""

ROUNDS, NEAR, FARTHER = 4, 1e-4, 300.0
"""SLSQP runs at most ROUNDS times. At a contact |error| is at least 1 − NEAR times the largest
|error|. A unit step of a constant changes an error by at most FARTHER times the largest |error|."""


class Contact(NamedTuple):
    """An extremum of largest |error|: stretch index, approximate x, error.

    `side` is −1 at the lower and 1 at the upper end of the stretch, 0 between the ends.
    """

    stretch: int
    x: float
    error: float
    side: int


class Found(NamedTuple):
    """Constants; their sup error, or a multiple of E e²; contacts for sup."""

    values: list[float]
    error: float
    contacts: Sequence[Contact] = ()


def share_at(index: Any) -> Any:
    """Map grid indices 0 … 400 to shares 0 … 1 of a length, dense at the ends."""
    return (1 - np.cos(np.pi * index / 400)) / 2


GRID, COARSE_GRID = share_at(np.arange(401)), share_at(np.arange(0, 401, 8))


def x_at(stretch: Stretch, share: Any, low: float = -FARTHEST, high: float = FARTHEST) -> Any:
    """Return x at shares of the part of a stretch inside [low, high]."""
    squares = np.array([float_of(end) for end in stretch.ends()])
    low, high = np.clip(np.copysign(np.sqrt(np.abs(squares)), squares), low, high)
    return low + (high - low) * share


def error_on(form: Form, stretch: Stretch, x: Array) -> Array:
    """Return the error of a form at points x of a stretch; 0 if not finite."""
    curve = stretch.curve
    assert curve.target is not None
    f = float64_of_piece(form, curve.form.i, curve.form.quantity, x)
    error = f - float64_of_piece(curve.target.form, curve.target.i, curve.form.quantity, x)
    return np.where(np.isfinite(error), error, 0.0)


def errors_at(family: Family, values: Array, shares: Sequence[Array]) -> list[Array]:
    """Return errors at shares of each stretch: points move with the stretch.

    If a kink has left the range, a stretch is missing: its shares are taken on the last stretch.
    """
    form = family.member(values.tolist())
    parts = family.parts(form)
    pairs = [(parts[min(i, len(parts) - 1)], share) for i, share in enumerate(shares)]
    return [error_on(form, stretch, x_at(stretch, share)) for stretch, share in pairs]


def extrema(family: Family, values: Array) -> list[Array]:
    """Find local maxima of |error| on each stretch, as shares of its length."""
    grids = [GRID for _ in family.parts(family.member(values.tolist()))]
    return [share_at(summits(np.abs(error))) for error in errors_at(family, values, grids)]


def summits(y: Array) -> Array:
    """Return indices of local maxima, inner ones interpolated by parabolas."""
    left, here, right = y[:-2], y[1:-1], y[2:]
    inner = np.flatnonzero((here >= left) & (here > right))
    left, here, right = (each[inner] for each in (left, here, right))
    beyond = (right - left) / (2 * (2 * here - left - right))
    first, last = [0.0] * bool(y[0] >= y[1]), [len(y) - 1.0] * bool(y[-1] >= y[-2])
    return np.array([*first, *(inner + 1 + beyond), *last])


def bounds(family: Family) -> tuple[Array, Array]:
    """Return lower and upper bounds that keep the signs of constants."""
    signs = {each.name: each.sign for each in family.form.parameters}
    sign = np.array([signs[name] for name in family.free])
    return np.where(sign > 0, SMALLEST, -np.inf), np.where(sign < 0, -SMALLEST, np.inf)


def units(family: Family, values: Array, shares: Sequence[Array], most: float) -> Array:
    """Return steps of constants that change no error by more than `most`."""
    sizes, errors = np.maximum(np.abs(values), 1e-3), errors_at(family, values, shares)
    moved = [errors_at(family, values + step, shares) for step in np.diag(1e-6 * sizes)]
    slopes = 1e6 * np.max([np.abs(np.hstack(each) - np.hstack(errors)) for each in moved], axis=1)
    return np.asarray(sizes / np.maximum(1.0, slopes / most))


def least_largest(family: Family, start: Sequence[float]) -> Found:
    """Find the minimax constants near a start."""
    values, shares = np.array(start), extrema(family, np.array(start))
    largest = np.max(np.abs(np.concatenate(errors_at(family, values, shares)))) or 1.0
    unit = units(family, values, shares, FARTHER * largest)
    limits = [*zip(*(each / unit for each in bounds(family)), strict=True), (0, None)]
    points = [COARSE_GRID] * len(shares)
    for _ in range(ROUNDS):

        def below(z: Array) -> Array:
            error = np.concatenate(errors_at(family, z[:-1] * unit, points)) / largest  # noqa: B023
            return np.concatenate([z[-1] - error, z[-1] + error])

        with catch_warnings():
            simplefilter("ignore", RuntimeWarning)  # old versions of scipy warn of clipping
            solved = minimize(
                lambda z: z[-1],
                [*values / unit, 1.0],
                method="SLSQP",
                bounds=limits,
                constraints={"type": "ineq", "fun": below},
                options={"eps": 1e-6, "ftol": 1e-6, "maxiter": 50},
            )
        values, promised = solved.x[:-1] * unit, solved.x[-1] * largest
        shares = extrema(family, values)
        errors = errors_at(family, values, shares)
        largest = np.max(np.abs(np.concatenate(errors))) or 1.0
        if largest < promised * (1 + NEAR):
            break
        points = [np.union1d(COARSE_GRID, each) for each in shares]
    return Found(values.tolist(), largest, contacts(family, values, shares, errors))


def contacts(
    family: Family, values: Array, shares: Sequence[Array], errors: Sequence[Array]
) -> list[Contact]:
    """Return the extrema at which |error| is largest.

    An extremum at the common end of two stretches is listed once, unless the form has an edge
    (`Rules.edge`), at which the error may jump.
    """
    least, found = (1 - NEAR) * np.max(np.abs(np.concatenate(errors))), list[Contact]()
    for i, part in enumerate(family.parts(family.member(values.tolist()))):
        for share, error in zip(shares[i].tolist(), errors[i].tolist(), strict=True):
            here = Contact(i, float(x_at(part, share)), error, int(share == 1) - int(share == 0))
            same = found and found[-1].side == 1 and here.side == -1 and found[-1].error * error > 0
            if abs(error) >= least and not (same and not family.rules.edge):
                found.append(here)
    return found


def least_square(family: Family, start: Sequence[float]) -> Found:
    """Find the constants near a start with the least mean square error.

    Grid points move with the ends of stretches, so that the sum is smooth in the constants.
    """
    mean, sigma = (0.0, np.inf) if family.of is None else map(float_of, family.of)
    ends, step = (mean - REACH * sigma, mean + REACH * sigma), np.sqrt(np.gradient(GRID))

    def errors(values: Array) -> Array:
        form, found = family.member(values.tolist()), []
        for stretch in family.parts(form):
            x = x_at(stretch, GRID, *ends)
            density = np.exp(-(((x - mean) / sigma) ** 2) / 4)
            found.append(np.sqrt(x[-1] - x[0]) * step * density * error_on(form, stretch, x))
        gone = len(form.cuts) + 2 - len(found)  # kinks that have left the range
        return np.concatenate([*found, np.zeros(gone * len(GRID))])

    fitted = least_squares(errors, start, bounds=bounds(family), x_scale="jac", xtol=1e-9)
    return Found(fitted.x.tolist(), float(fitted.cost))
