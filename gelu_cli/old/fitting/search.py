"""The least error among the members of a family, in float64: where it is, about.

Of the largest error, sequential linear programming: on a grid the error is replaced by its tangents
in the parameters, a linear program finds the step that makes the largest of them least, and a step
is kept where the true error agrees (Madsen, J. Inst. Maths Applics 16, 1975; Osborne & Watson,
Computer Journal 12, 1969). The multipliers of the last program say at which points the error is
balanced. Of an average, least squares, of errors that are rounded off near 0 for E |e|.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy import special
from scipy.linalg import qr
from scipy.optimize import least_squares, linprog

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic.format_arrays import Array
from gelu_cli.old.calculus.comparison import End
from gelu_cli.old.calculus.integrals import Normal
from gelu_cli.old.calculus.stretches import Place
from gelu_cli.old.fitting.families import Family, Pieces
from gelu_cli.old.fitting.samples import NOISE, Samples, errors_on, sampled

STEPS = 100
FIRST_STEP, LARGEST_STEP, LEAST_STEP = 0.25, 16.0, 1e-13
"""Of a parameter, relative to its size at the start."""

SETTLED = 1e-9
"""A program that promises less, relative to the error, is the last one."""

EXACT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
"""Of a program: by default its promise may be off by 1e-7 of the error, more than is settled."""

KEPT = 0.75
"""A parameter that must not change its sign loses at most this share of itself in a step."""

MEMBER = 2.0**-40
"""An error smaller than this share of what is approximated may be noise."""

IDLE = 1e-7
"""Of the largest error: a smaller change is none."""

WEIGHT = 1e-7
"""Points with smaller multipliers carry nothing."""

STARTS = 8
"""Searches, where nothing proves that one is enough."""

TRIES = 3
"""The best searches that are refined, until one can be."""

SPREAD = 1.0
"""Starts are up to this many octaves away from the constants in use."""


POINTS, REACH = 2001, 12
"""Points at which an average is taken, and how many sigmas they reach."""

CLOSE = 1e-14
"""Relative: when the search for the least average ends."""

SOFT = 0.02
"""|e| is rounded off below this share of its root mean square, for the search."""


class StretchEnd(NamedTuple):
    """An end of a stretch, and which kink of the form it is, if it is one."""

    place: Place
    kink: int | None


class Contact(NamedTuple):
    """A point where the error is largest: an extremum, or an end of a stretch.

    At `low` and `high`, the next points of the grid or an end, the error differs from that at `x`
    by more than a linear program overlooks. `side` is -1 or 1 at the lower or upper one of the
    `ends` of the stretch, and 0 at an extremum.
    """

    pieces: Pieces
    x: float
    low: float
    high: float
    sign: int
    weight: float
    ends: tuple[StretchEnd, StretchEnd]
    side: int

    @property
    def end(self) -> StretchEnd | None:
        """The end at which it is; None at an extremum."""
        return self.ends[self.side > 0] if self.side else None


class Found(NamedTuple):
    """Values of the free parameters, the largest error on the grid, and the points that carry it.

    `size` is that of what is approximated. `apart` are points, with the pieces there, at which the
    parameters matter most differently, one for each; `likeness` says how differently: 0 if a change
    of one parameter can be made up for by the others. `idle` says that none changes the largest
    error.
    """

    values: list[float]
    error: float
    size: float
    contacts: Sequence[Contact] = ()
    apart: Sequence[tuple[Pieces, float]] = ()
    likeness: float = 1.0
    idle: bool = False

    @property
    def is_member(self) -> bool:
        """Whether the target itself seems to be a member: the error is noise."""
        return self.error <= MEMBER * self.size


def starts_of(family: Family) -> list[list[float]]:
    """Return the constants in use, and others around them: of each, evenly spread octaves."""
    usual = [float(family.form.settings[name]) for name in family.free]
    chance, others = random.Random(0), STARTS - 1
    octaves = [SPREAD * (2 * k / others - 1) for k in range(STARTS) if k != others // 2]
    shuffled = [chance.sample(octaves, others) for _ in usual]
    return [usual, *([value * 2**octave for value, octave in zip(usual, each, strict=True)]
                     for each in zip(*shuffled, strict=True))]  # fmt: skip


def least_largest_error(family: Family, start: Sequence[float], low: End, high: End) -> Found:
    """Return the member near `start` whose largest error on a range is least, in float64.

    >>> from math import inf
    >>> from gelu_cli.old.formulas import find_form
    >>> gate = Family(find_form("sigmoid"), ("beta",), find_form("exact"), "gate")
    >>> found = least_largest_error(gate, [1.0], 0, inf)
    >>> round(found.values[0], 4), [contact.sign for contact in found.contacts]
    (1.7017, [1, -1])
    """
    values = np.array(start, float)
    here = sampled(family, list(values), low, high)
    if not here.largest < np.inf:
        return Found(list(start), np.inf, here.size)
    step = FIRST_STEP
    for _ in range(STEPS):
        move, promised, _ = _program(family, values, here, step)
        if promised <= max(SETTLED * here.largest, NOISE * here.size) or step < LEAST_STEP:
            break
        there = sampled(family, list(values + move), low, high)
        gained = here.largest - there.largest
        if gained >= promised / 10:
            values, here = values + move, there
            step = min(2 * step, LARGEST_STEP) if gained > promised / 2 else step
        else:
            step /= 4
    # With room to move: the multipliers of a short step's program are those of its limits.
    _, _, weights = _program(family, values, here, FIRST_STEP)
    carrying = np.flatnonzero(weights > WEIGHT)
    sizes = np.where(values != 0, np.abs(values), 1.0)
    changes = np.abs(here.slopes[:, carrying]) * sizes[:, None]
    steepest = np.max(np.abs(here.slopes), axis=1, keepdims=True)
    normed = here.slopes / np.where(steepest > 0, steepest, 1.0)
    triangle, order = qr(normed, mode="r", pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    return Found(
        list(map(float, values)),
        here.largest,
        here.size,
        _contacts(here, weights),
        [(here.pieces[here.part[i]], float(here.x[i])) for i in order[: len(values)]],
        float(diagonal[-1] / diagonal[0]) if diagonal[0] else 0.0,
        bool((changes <= IDLE * here.largest).all()),
    )


def _program(
    family: Family, values: Array, here: Samples, step: float
) -> tuple[Array, float, Array]:
    """Return the step that makes the largest tangent least, the gain, and the multipliers.

    A parameter moves by at most the share `step` of its size, or of what changes all the error. In
    units that change the error by the largest one at most: minimise t ≥ |e + slopes·move|.
    """
    steepest = np.max(np.abs(here.slopes), axis=1, initial=0.0)
    with np.errstate(all="ignore"):
        scale = np.maximum(np.abs(values), np.where(steepest > 0, here.largest / steepest, 0.0))
    largest = here.largest or 1.0
    unit = np.where(steepest > 0, largest / np.where(steepest > 0, steepest, 1.0), 1.0)
    limits = []
    for value, sign, far, one in zip(values, family.signs, step * scale, unit, strict=True):
        near = min(far, KEPT * abs(value)) if sign else far  # towards 0
        limits.append((-near / one, far / one) if value > 0 else (-far / one, near / one))
    slopes, error = here.slopes.T * unit / largest, here.error / largest
    ones = np.ones((len(error), 1))
    program = linprog(
        np.append(np.zeros(len(unit)), 1.0),
        A_ub=np.block([[slopes, -ones], [-slopes, -ones]]),
        b_ub=np.append(-error, error),
        bounds=[*limits, (0, None)],
        method="highs", options=EXACT,
    )  # fmt: skip
    if not program.success:
        raise ComputationError("no best constants are found: try another range or other --free")
    above, below = -program.ineqlin.marginals.reshape(2, -1)
    return program.x[:-1] * unit, largest * (1 - program.x[-1]), above + below


def _contacts(here: Samples, weights: Array) -> list[Contact]:
    """Return the points that carry the error: neighbours on the grid stand for one extremum."""
    carrying = np.flatnonzero(weights > WEIGHT)
    apart = (np.diff(carrying) > 2) | (np.diff(here.part[carrying]) > 0)
    contacts = []
    for group in np.split(carrying, np.flatnonzero(apart) + 1) if carrying.size else ():
        best = int(group[np.argmax(np.abs(here.error[group]))])
        part = int(here.part[best])
        inside = np.flatnonzero(here.part == part)
        first, last = int(inside[0]), int(inside[-1])
        for end in (first, last):
            between = here.error[min(best, end) : max(best, end) + 1]
            if np.ptp(between) <= here.flat:  # a linear program cannot tell them apart
                best = end
                break
        other = np.flatnonzero(np.abs(here.error - here.error[best]) > here.flat)
        low = max(first, min(best - 1, int(other[other < best].max(initial=first))))
        high = min(last, max(best + 1, int(other[other > best].min(initial=last))))
        lowest, highest = (
            StretchEnd(end, here.kinks.index(end.square) if end.square in here.kinks else None)
            for end in here.stretches[part]
        )
        contacts.append(Contact(
            here.pieces[part], float(here.x[best]), float(here.x[low]), float(here.x[high]),
            1 if here.error[best] > 0 else -1, float(weights[group].sum()),
            (lowest, highest), {first: -1, last: 1}.get(best, 0),
        ))  # fmt: skip
    return contacts


def nearest_on_average(
    family: Family, start: Sequence[float], normal: Normal, absolute: bool
) -> Found:
    """Return the member near `start` whose mean square, or mean absolute, error is least, about.

    `error` and `size` are averages.

    Points and their weights, which add up to 1, are those of the trapezoidal rule, which is exact
    to float64 for smooth functions; for a loss that takes no weights quantiles, of the same weight
    each.

    >>> from gelu_cli.old.formulas import find_form
    >>> family = Family(find_form("sigmoid"), ("beta",), find_form("exact"), "value")
    >>> nearest = nearest_on_average(family, [1.0], Normal(Fraction(0), Fraction(1)), False)
    >>> round(nearest.values[0], 3)
    1.712
    """
    if absolute:
        t = special.ndtri((np.arange(POINTS) + 0.5) / POINTS)
        weights = np.full(POINTS, 1 / POINTS)
    else:
        t = np.linspace(-REACH, REACH, POINTS)
        weights = np.exp(-t * t / 2)
        weights /= weights.sum()
    x, root = float(normal.mean) + float(normal.sigma) * t, np.sqrt(weights)

    def errors(values: Array) -> tuple[Array, Array, Array]:
        error, slopes, size = np.empty(len(x)), np.empty((len(values), len(x))), np.empty(len(x))
        comparison = family.comparison([Fraction(float(value)) for value in values])
        for stretch in comparison.stretches(-np.inf, np.inf):
            here = (float(stretch.low) < x) & (x <= float(stretch.high))
            pieces = family.pieces(comparison.form, stretch)
            error[here], slopes[:, here], size[here] = errors_on(
                family, list(values), pieces, x[here]
            )
        return error, slopes, size

    def fitted(begin: Sequence[float], **loss: Any) -> Any:
        return least_squares(
            lambda values: root * errors(values)[0],
            begin,
            lambda values: (root * errors(values)[1]).T,
            bounds=([0.0 if sign > 0 else -np.inf for sign in family.signs],
                    [0.0 if sign < 0 else np.inf for sign in family.signs]),
            x_scale="jac", ftol=CLOSE, xtol=CLOSE, gtol=CLOSE, **loss,
        )  # fmt: skip

    fit = fitted(start)
    if absolute and fit.cost:
        fit = fitted(fit.x, loss="soft_l1", f_scale=SOFT * np.sqrt(2 * fit.cost / POINTS))
    error, _, sizes = errors(fit.x)
    average = weights @ np.abs(error) if absolute else np.sqrt(weights @ error**2)
    return Found(list(map(float, fit.x)), float(average), float(np.sqrt(weights @ sizes**2)))
