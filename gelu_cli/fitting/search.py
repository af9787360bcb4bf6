"""About where the best constants are: searches in float64, with scipy.

The largest error is made least by sequential linear programming. At the extrema of the error on a
grid it is replaced by its tangents in the constants, and a step is kept where the true error
agrees (Madsen, J. Inst. Maths Applics 16, 1975; Osborne & Watson, Computer Journal 12, 1969). Mean
squares are least squares.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares, linprog

from gelu_cli.calculus.averages import Normal
from gelu_cli.calculus.curves import Stretch, float_of
from gelu_cli.errors import UsageError
from gelu_cli.fitting.families import Family
from gelu_cli.formulas import Form
from gelu_cli.formulas.doubles import float64_of_piece

Array = NDArray[np.float64]

FARTHEST, POINTS, STEPS = 40.0, 401, 100
"""Where grids end on the real axis, points of a stretch, most linear programs."""

FIRST_STEP, LARGEST_STEP, LEAST_STEP = 0.25, 16.0, 1e-7
"""Of a constant, relative to its size."""

KEPT = 0.75
"""A constant that must keep its sign loses at most this share of itself in a step."""

ENOUGH = 1e-7
"""A program that promises less, relative to the error, is the last one."""

CARRIES, NEAR, IDLE = 1e-6, 1 - 1e-4, 1e-7
"""Least multiplier and relative error of a contact; a relative change of the error that is none."""

EXACT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}

REACH = 12
"""Standard deviations over which a mean square is taken."""


class Contact(NamedTuple):
    """Where the error is largest: on which stretch, about where, its sign.

    `side` is −1 or 1 at an end of the stretch, 0 at an extremum inside.
    """

    stretch: int
    x: float
    sign: int
    side: int


class Found(NamedTuple):
    """Constants, their largest or mean square error, and the contacts that carry it."""

    values: list[float]
    error: float
    contacts: Sequence[Contact] = ()


class Extrema(NamedTuple):
    """Extrema and ends of the error on stretches, by their share of the way from low to high."""

    part: NDArray[np.int64]
    share: Array
    x: Array
    error: Array

    @property
    def largest(self) -> float:
        """The largest |error|."""
        return float(np.max(np.abs(self.error)))

    @property
    def shares(self) -> list[Array]:
        """The shares of each stretch."""
        return np.split(self.share, np.flatnonzero(np.diff(self.part)) + 1)


def share_at(place: Any) -> Any:
    """Return the share of the way to places of the grid, which is denser at both ends."""
    return (1 - np.cos(np.pi * place / (POINTS - 1))) / 2


GRID = share_at(np.arange(POINTS))


def error_on(form: Form, stretch: Stretch, x: Array) -> Array:
    """Return the error of a form on a stretch at float64s."""
    curve = stretch.curve
    assert curve.target is not None
    pieces = (form, curve.form.i), (curve.target.form, curve.target.i)
    f, g = (float64_of_piece(each, i, curve.form.quantity, x) for each, i in pieces)
    return np.where(np.isfinite(f - g), f - g, 0.0)


def errors_at(
    family: Family, values: Array, shares: Sequence[Array]
) -> tuple[list[Array], list[Array]]:
    """Return x and the errors at shares of each stretch: points move with its ends."""
    form, xs = family.member(values.tolist()), []
    parts = family.deciding(form)
    for stretch, share in zip(parts, shares, strict=True):
        low, high = (np.clip(root(end), -FARTHEST, FARTHEST) for end in stretch.ends())
        xs.append(low + (high - low) * share)
    return xs, [error_on(form, stretch, x) for stretch, x in zip(parts, xs, strict=True)]


def root(square: Any) -> float:
    """Return x with x·|x| = square, a fraction or an infinity."""
    y = float_of(square)
    return float(np.copysign(np.sqrt(abs(y)), y))


def extrema_of(family: Family, values: Array) -> Extrema:
    """Find the extrema of the error on a grid, by parabolas through three points, and the ends."""
    count = len(family.deciding(family.member(values.tolist())))
    _, errors = errors_at(family, values, [GRID] * count)
    shares = [share_at(summits(np.abs(error))) for error in errors]
    xs, errors = errors_at(family, values, shares)
    part = np.repeat(np.arange(count), [len(each) for each in shares])
    return Extrema(part, *map(np.concatenate, (shares, xs, errors)))


def summits(y: Array) -> Array:
    """Return the places of the maxima of a sequence, between its members, and of its ends."""
    left, here, right = y[:-2], y[1:-1], y[2:]
    inner = np.flatnonzero((here >= left) & (here > right))
    left, here, right = (each[inner] for each in (left, here, right))
    beyond = (right - left) / (2 * (2 * here - left - right))
    return np.array([0.0, *(inner + 1 + beyond), len(y) - 1.0])


def slopes(f: Callable[[Array], Array], values: Array) -> Array:
    """Return the derivatives of f in each of the values, by central differences."""
    steps = 1e-6 * np.where(values != 0, np.abs(values), 1.0)
    moves = zip(np.diag(steps), steps, strict=True)
    return np.array([(f(values + move) - f(values - move)) / (2 * step) for move, step in moves])


def slopes_at(family: Family, values: Array, here: Extrema) -> Array:
    """Return the derivatives of the errors at extrema, which stay where they are, in the values."""
    return slopes(lambda each: np.concatenate(errors_at(family, each, here.shares)[1]), values)


class Program(NamedTuple):
    """A linear program solved: the step, the error it promises, the multipliers of the points."""

    move: Array
    promised: float
    weights: Array


def program(family: Family, values: Array, error: Array, slope: Array, step: float) -> Program:
    """Find the step that makes the largest tangent least.

    A constant moves by at most the share `step` of its size, or of what changes the error by
    itself. In units that change the error by the largest one: minimise t ≥ |e + slope·move|.
    """
    largest = np.max(np.abs(error)) or 1.0
    steepest = np.max(np.abs(slope), axis=1)
    unit = largest / np.where(steepest > 0, steepest, largest)
    far = step * np.maximum(np.abs(values), np.where(steepest > 0, unit, 0.0))
    signs = np.array(family.signs)
    least = np.where(signs > 0, np.minimum(far, KEPT * np.abs(values)), far)
    most = np.where(signs < 0, np.minimum(far, KEPT * np.abs(values)), far)
    a, b, ones = slope.T * unit / largest, error / largest, np.ones((len(error), 1))
    solved = linprog(
        np.append(np.zeros(len(values)), 1.0),
        A_ub=np.block([[a, -ones], [-a, -ones]]),
        b_ub=np.append(-b, b),
        bounds=[*zip(-least / unit, most / unit, strict=True), (0, None)],
        options=EXACT,
    )
    above, below = -solved.ineqlin.marginals.reshape(2, -1)
    return Program(solved.x[:-1] * unit, largest * float(solved.x[-1]), above + below)


def least_largest(family: Family, start: Sequence[float]) -> Found:
    """Return the member near a start whose largest error is least.

    >>> from gelu_cli.fitting.families import family_of
    >>> from gelu_cli.formulas import find_form
    >>> found = least_largest(family_of(find_form("sigmoid"), quantity="gate"), [1.0])
    >>> round(found.values[0], 3), [contact.sign for contact in found.contacts]
    (1.702, [1, -1])
    """
    values, step = np.array(start), FIRST_STEP
    here = extrema_of(family, values)
    slope = slopes_at(family, values, here)
    for _ in range(STEPS):
        solved = program(family, values, here.error, slope, step)
        gain = here.largest - solved.promised
        if gain < ENOUGH * here.largest or step < LEAST_STEP:
            break
        there = values + solved.move
        reached = extrema_of(family, there)
        if here.largest - reached.largest < gain / 2:
            there, reached = corrected(family, values, here, slope, solved, reached)
        gained = here.largest - reached.largest
        if gained > gain / 10:
            values, here = there, reached
            slope = slopes_at(family, values, here)
            step = min(2 * step, LARGEST_STEP) if gained > gain / 2 else step
        else:
            step /= 4
    weights = program(family, values, here.error, slope, FIRST_STEP).weights
    carrying = np.flatnonzero((weights > CARRIES) & (np.abs(here.error) > NEAR * here.largest))
    check_idle(family, values, here.largest, slope[:, carrying])
    return Found(values.tolist(), here.largest, [contact_at(here, i) for i in carrying.tolist()])


def corrected(
    family: Family, values: Array, here: Extrema, slope: Array, solved: Program, reached: Extrema
) -> tuple[Array, Extrema]:
    """Return a step whose errors at contacts are nearer to the tangents, if it is better.

    The least change of the constants that makes up for what the tangents leave out (Fletcher,
    Math. Programming Study 17, 1982): in valleys that are curved, steps become longer.
    """
    there = values + solved.move
    left_out = np.concatenate(errors_at(family, there, here.shares)[1]) - here.error
    left_out -= solved.move @ slope
    carrying, scale = solved.weights > CARRIES, np.where(values != 0, np.abs(values), 1.0)
    a, b = slope[:, carrying].T * scale, left_out[carrying]
    change = -scale * np.linalg.lstsq(a / here.largest, b / here.largest, rcond=None)[0]
    if ((there + change) * np.array(family.signs) < 0).any():
        return there, reached
    other = extrema_of(family, there + change)
    return (there + change, other) if other.largest < reached.largest else (there, reached)


def check_idle(family: Family, values: Array, error: float, slope: Array) -> None:
    """Raise UsageError if the largest error depends on none of the constants."""
    sizes = np.where(values != 0, np.abs(values), 1.0)
    if slope.size and (np.abs(slope) * sizes[:, None] <= IDLE * error).all():
        names = " and ".join(family.free)
        raise UsageError(
            f"the largest error, {error:.6g}, does not depend on {names}: no constants are best; "
            "take another --range or another --criterion"
        )


def contact_at(here: Extrema, i: int) -> Contact:
    """Return the contact at an extremum."""
    side = {0.0: -1, 1.0: 1}.get(float(here.share[i]), 0)
    return Contact(int(here.part[i]), float(here.x[i]), 1 if here.error[i] > 0 else -1, side)


def least_square(family: Family, start: Sequence[float], of: Normal | None) -> Found:
    """Return the member near a start whose mean square error is least.

    For X ~ N(M, S²), or uniform over the range. Points move with the ends of stretches, so that
    the mean square is smooth in the constants.
    """
    mean, sigma = (0.0, 1.0) if of is None else map(float_of, of)
    ends = (mean - REACH * sigma, mean + REACH * sigma) if of else (-np.inf, np.inf)
    step = np.sqrt(np.gradient(GRID))

    def errors(values: Array) -> Array:
        form, found = family.member(values.tolist()), []
        for stretch in family.parts(form):
            low, high = (np.clip(root(end), *ends) for end in stretch.ends())
            x = low + (high - low) * GRID
            density = np.exp(-(((x - mean) / sigma) ** 2) / 4) if of else 1.0
            found.append(np.sqrt(high - low) * step * density * error_on(form, stretch, x))
        return np.concatenate(found)

    limits = [(0.0 if s > 0 else -np.inf, 0.0 if s < 0 else np.inf) for s in family.signs]
    fitted = least_squares(
        errors,
        start,
        jac=lambda values: slopes(errors, values).T,
        bounds=tuple(zip(*limits, strict=True)),
        x_scale="jac",
        ftol=1e-12,
        xtol=1e-10,
        gtol=1e-12,
    )
    return Found(fitted.x.tolist(), float(fitted.cost))
