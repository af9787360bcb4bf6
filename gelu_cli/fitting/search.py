"""Approximate best constants by searches in float64, with scipy.

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
from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.fitting.families import Family
from gelu_cli.fitting.newton import NOT_FOUND
from gelu_cli.formulas import Form
from gelu_cli.formulas.doubles import float64_of_piece

Array = NDArray[np.float64]

FARTHEST = 40.0
"""Where grids end on the real axis."""

REACH = 12
"""Standard deviations over which a mean square is taken."""

STEPS, FIRST_STEP, LARGEST_STEP, LEAST_STEP, KEPT = 100, 0.25, 16.0, 1e-6, 0.75
"""Most programs; steps relative to the constants; most of a constant that must keep its sign."""

ENOUGH, NEAR, CARRIES, IDLE = 1e-4, 1 - 1e-4, 1e-6, 1e-7
"""Relative to the largest: the last gain, an error that is as large, a slope that is 0.
Multipliers of contacts are larger than CARRIES."""

SMALLEST, LARGEST = 1e-4, 1e6
"""Sizes of constants: beyond them a search is taken to go on for ever."""


class Contact(NamedTuple):
    """A largest error: its stretch, its approximate x, the error.

    `side` is −1 or 1 at an end of the stretch, 0 at an extremum inside.
    """

    stretch: int
    x: float
    error: float
    side: int


class Found(NamedTuple):
    """Constants, their largest or mean square error, and its contacts."""

    values: list[float]
    error: float
    contacts: Sequence[Contact] = ()


class Extrema(NamedTuple):
    """Extrema and ends of stretches, by shares of each, and the errors there."""

    shares: list[Array]
    error: Array

    @property
    def largest(self) -> float:
        """The largest |error|."""
        return float(np.max(np.abs(self.error)))


def share_at(place: Any) -> Any:
    """Return the shares of places of a grid, which is denser at both ends."""
    return (1 - np.cos(np.pi * place / 400)) / 2


GRID = share_at(np.arange(401))


def x_at(stretch: Stretch, share: Any, low: float = -FARTHEST, high: float = FARTHEST) -> Any:
    """Return x at shares of the part of a stretch between two numbers."""
    squares = np.array([float_of(end) for end in stretch.ends()])
    low, high = np.clip(np.copysign(np.sqrt(np.abs(squares)), squares), low, high)
    return low + (high - low) * share


def error_on(form: Form, stretch: Stretch, x: Array) -> Array:
    """Return the error of a form on a stretch at float64s."""
    curve = stretch.curve
    assert curve.target is not None
    f = float64_of_piece(form, curve.form.i, curve.form.quantity, x)
    error = f - float64_of_piece(curve.target.form, curve.target.i, curve.form.quantity, x)
    return np.where(np.isfinite(error), error, 0.0)


def errors_at(family: Family, values: Array, shares: Sequence[Array] | None = None) -> list[Array]:
    """Return the errors at shares of each stretch: points move with its ends.

    If a kink has left the range since the shares were taken, the last stretch has the others.
    """
    form = family.member(values.tolist())
    parts = family.deciding(form)
    shares = [GRID] * len(parts) if shares is None else shares
    places = [(parts[min(i, len(parts) - 1)], share) for i, share in enumerate(shares)]
    return [error_on(form, stretch, x_at(stretch, share)) for stretch, share in places]


def extrema_of(family: Family, values: Array) -> Extrema:
    """Find the extrema of the error between points of a grid, and the ends."""
    shares = [share_at(summits(np.abs(error))) for error in errors_at(family, values)]
    return Extrema(shares, np.concatenate(errors_at(family, values, shares)))


def summits(y: Array) -> Array:
    """Return the places of the ends of a sequence, and of maxima by parabolas."""
    left, here, right = y[:-2], y[1:-1], y[2:]
    inner = np.flatnonzero((here >= left) & (here > right))
    left, here, right = (each[inner] for each in (left, here, right))
    beyond = (right - left) / (2 * (2 * here - left - right))
    return np.array([0.0, *(inner + 1 + beyond), len(y) - 1.0])


def sizes_of(values: Array) -> Array:
    """Return the sizes of constants, at least 0.001."""
    return np.maximum(np.abs(values), 1e-3)


def slopes(f: Callable[[Array], Array], values: Array) -> Array:
    """Return the derivatives of f in the values, by central differences."""
    steps = 1e-6 * sizes_of(values)
    moves = zip(np.diag(steps), steps, strict=True)
    return np.array([(f(values + move) - f(values - move)) / (2 * step) for move, step in moves])


def program(
    family: Family, values: Array, error: Array, slope: Array, step: float
) -> tuple[Array, float, Array]:
    """Find the move to the least largest tangent, that error, multipliers.

    A constant moves by at most the share `step` of its size, or of what changes the error by
    itself. In units that change the error by the largest one: minimise t ≥ |e + slope·move|.
    """
    largest = np.max(np.abs(error)) or 1.0
    steepest = np.max(np.abs(slope), axis=1)
    unit = largest / np.where(steepest > 0, steepest, largest)
    far = step * np.maximum(np.abs(values), np.where(steepest > 0, unit, 0.0))
    far = np.where(family.signs, np.minimum(far, KEPT * np.abs(values)), far) / unit
    a, b, ones = slope.T * unit / largest, error / largest, np.ones((len(error), 1))
    solved = linprog(
        np.append(np.zeros(len(values)), 1.0),
        A_ub=np.block([[a, -ones], [-a, -ones]]),
        b_ub=np.append(-b, b),
        bounds=[*zip(-far, far, strict=True), (0, None)],
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if solved.x is None:
        raise ComputationError(NOT_FOUND)
    above, below = -solved.ineqlin.marginals.reshape(2, -1)
    return solved.x[:-1] * unit, largest * float(solved.x[-1]), above + below


def least_largest(family: Family, start: Sequence[float]) -> Found:
    """Return the member near a start whose largest error is least.

    Raises UsageError if that error depends on none of the constants.

    >>> from gelu_cli.fitting.families import family_of
    >>> from gelu_cli.formulas import find_form
    >>> found = least_largest(family_of(find_form("sigmoid"), quantity="gate"), [1.0])
    >>> round(found.values[0], 3), [contact.error > 0 for contact in found.contacts]
    (1.702, [True, False])
    """

    def tangents(values: Array, here: Extrema) -> Array:  # an extremum stays where it is
        return slopes(lambda v: np.concatenate(errors_at(family, v, here.shares)), values)

    values, step = np.array(start), FIRST_STEP
    here = extrema_of(family, values)
    slope = tangents(values, here)
    for _ in range(STEPS):
        move, promised, weights = program(family, values, here.error, slope, step)
        gain = here.largest - promised
        if gain < ENOUGH * here.largest or step < LEAST_STEP:
            break
        there, reached = values + move, extrema_of(family, values + move)
        if here.largest - reached.largest < gain / 2:
            left_out = np.concatenate(errors_at(family, there, here.shares)) - here.error
            left_out -= move @ slope
            at = weights > CARRIES
            there, reached = corrected(family, there, reached, slope.T[at], left_out[at])
        gained = here.largest - reached.largest
        if gained > gain / 10:
            values, here, slope = there, reached, tangents(there, reached)
            step = min(2 * step, LARGEST_STEP) if gained > gain / 2 else step
        else:
            step /= 4
    *_, weights = program(family, values, here.error, slope, FIRST_STEP)
    carrying = weights > CARRIES
    near = np.abs(slope)[:, carrying & (np.abs(here.error) > NEAR * here.largest)]
    if near.size and (near <= IDLE * np.max(np.abs(slope), axis=1, keepdims=True)).all():
        raise UsageError(
            f"the largest error, {here.largest:.6g}, does not depend on "
            f"{' and '.join(family.free)}; take another --range or another --criterion"
        )
    return Found(values.tolist(), here.largest, contacts(family, values, here, carrying))


def corrected(
    family: Family, values: Array, reached: Extrema, slope: Array, left_out: Array
) -> tuple[Array, Extrema]:
    """Move constants to the tangents at contacts, if that is better.

    The least change that makes up for what the tangents leave out (Fletcher, Math. Programming
    Study 17, 1982): in valleys that are curved, steps become longer.
    """
    sizes, largest = sizes_of(values), reached.largest
    change = sizes * np.linalg.lstsq(slope * sizes / largest, -left_out / largest, rcond=None)[0]
    if ((values + change) * family.signs < 0).any():
        return values, reached
    other = extrema_of(family, values + change)
    return (values + change, other) if other.largest < largest else (values, reached)


def contacts(
    family: Family, values: Array, here: Extrema, carrying: NDArray[np.bool_]
) -> list[Contact]:
    """Return the contacts among extrema."""
    parts = family.deciding(family.member(values.tolist()))
    places = [(i, share) for i, shares in enumerate(here.shares) for share in shares.tolist()]
    return [
        Contact(i, float(x_at(parts[i], share)), error, int(share == 1) - (share == 0))
        for (i, share), error, carries in zip(places, here.error.tolist(), carrying, strict=True)
        if carries
    ]


def least_square(family: Family, start: Sequence[float], of: Normal | None) -> Found:
    """Return the member near a start whose mean square error is least.

    For X ~ N(M, S²), or uniform over the range. Points move with the ends of stretches, so that
    the mean square is smooth in the constants.
    """
    mean, sigma = (0.0, np.inf) if of is None else map(float_of, of)
    ends, step = (mean - REACH * sigma, mean + REACH * sigma), np.sqrt(np.gradient(GRID))

    def errors(values: Array) -> Array:
        form, found = family.member(values.tolist()), []
        for stretch in family.parts(form):
            x = x_at(stretch, GRID, *ends)
            density = np.exp(-(((x - mean) / sigma) ** 2) / 4)
            found.append(np.sqrt(x[-1] - x[0]) * step * density * error_on(form, stretch, x))
        gone = len(form.cuts) + 2 - len(found)  # kinks that have left the range
        return np.concatenate([*found, np.zeros(gone * len(GRID))])

    signs, nearest = np.array(family.signs), SMALLEST / 2
    fitted = least_squares(
        errors,
        start,
        jac=lambda values: slopes(errors, values).T,
        bounds=(np.where(signs > 0, nearest, -np.inf), np.where(signs < 0, -nearest, np.inf)),
        x_scale="jac",
        ftol=1e-9,
        xtol=1e-8,
        gtol=1e-9,
    )
    return Found(fitted.x.tolist(), float(fitted.cost))


def check_sizes(family: Family, values: Sequence[float]) -> None:
    """Raise UsageError for a constant that a search has moved far away."""
    for name, value, sign in zip(family.free, values, family.signs, strict=True):
        if abs(value) > LARGEST or (sign and abs(value) < SMALLEST):
            raise UsageError(
                f"{name} has no best value: the error still falls at {name} = {value:.1g}; "
                "take another --range or another --criterion"
            )
