"""The least largest error among the members of a family, in float64: where it is, about.

Sequential linear programming: on a grid the error is replaced by its tangents in the parameters,
a linear program finds the step that makes the largest of them least, and a step is kept where the
true error agrees (Madsen, J. Inst. Maths Applics 16, 1975; Osborne & Watson, Computer Journal 12,
1969). The multipliers of the last program say at which points the error is balanced.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.optimize import brentq, linprog

from gelu_cli.arithmetic.format_arrays import Array
from gelu_cli.calculus.comparison import End
from gelu_cli.calculus.stretches import LEAST, Place
from gelu_cli.errors import ComputationError
from gelu_cli.fitting.families import Family, Pieces
from gelu_cli.fitting.samples import Samples, sampled

STEPS = 100
FIRST_STEP, LARGEST_STEP, LEAST_STEP = 0.25, 16.0, 1e-13
"""Of a parameter, relative to its size at the start."""

SETTLED = 1e-9
"""A program that promises less, relative to the error, is the last one."""

EXACT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
"""Of a program: by default its promise may be off by 1e-7 of the error, more than is settled."""

NOISE = 2.0**-46
"""Of float64 errors, relative to what is approximated."""

EDGES, NEAR_EDGE = 0.7, 1e-3
"""How far an edge is looked for, and how closely, in its logarithm."""


KEPT = 0.75
"""So much of itself a parameter that must not change its sign may lose in a step."""

FLAT = 1e-6
"""Errors that differ by this share of the largest are one to a linear program."""

MEMBER = 2.0**-40
"""An error that is so much smaller than what is approximated may be noise."""

IDLE = 1e-7
"""Of the largest error: a smaller change is none."""

WEIGHT = 1e-7
"""Points with smaller multipliers carry nothing."""


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

    `size` is that of what is approximated. `apart` are points at which the parameters matter most
    differently, one for each; `likeness` says how differently: 0 if a change of one parameter can
    be made up for by the others. `idle` says that none changes the largest error.
    """

    values: list[float]
    error: float
    size: float
    contacts: list[Contact]
    apart: list[Contact]
    likeness: float
    idle: bool

    @property
    def is_member(self) -> bool:
        """Whether the target itself seems to be a member: the error is noise."""
        return self.error <= MEMBER * self.size


def least_largest_error(family: Family, start: Sequence[float], low: End, high: End) -> Found:
    """Return the member near `start` whose largest error on a range is least, in float64.

    >>> from math import inf
    >>> from gelu_cli.forms import find_form
    >>> gate = Family(find_form("sigmoid"), ("beta",), find_form("exact"), "gate")
    >>> found = least_largest_error(gate, [1.0], 0, inf)
    >>> round(found.values[0], 4), [contact.sign for contact in found.contacts]
    (1.7017, [1, -1])
    """
    edge = family.form.fit.edge
    if edge in family.free:
        start = _with_balanced_edge(family, edge, start, low, high)
    return _search(family, start, low, high)


def _with_balanced_edge(
    family: Family, edge: str, start: Sequence[float], low: End, high: End
) -> list[float]:
    """Return the values for which the errors on both sides of an edge are about equal.

    The farther the edge is, the larger is the one inside, and the smaller the one outside.
    """
    at = family.free.index(edge)
    inner = [*start[:at], *start[at + 1 :]]

    def excess(logarithm: float) -> float:
        nonlocal inner
        place = Fraction(math.exp(logarithm))
        fixed = family.form.with_settings(family.form.label, {**family.form.chosen, edge: place})
        free = tuple(name for name in family.free if name != edge)
        inside = _search(family._replace(form=fixed, free=free), inner, low, min(high, place))
        beyond = sampled(family._replace(form=fixed, free=()), [], place, high).largest
        inner = inside.values
        return math.log(max(inside.error, LEAST) / max(beyond, LEAST))

    middle = math.log(start[at])
    try:
        root = brentq(excess, middle - EDGES, middle + EDGES, xtol=NEAR_EDGE)
    except ValueError:  # no balance: one side is the larger one everywhere
        return list(start)
    return [*inner[:at], math.exp(root), *inner[at:]]


def _search(family: Family, start: Sequence[float], low: End, high: End) -> Found:
    values = np.array(start, float)
    here = sampled(family, list(values), low, high)
    if not here.largest < np.inf:
        return Found(list(start), np.inf, here.size, [], [], 1.0, False)
    step = FIRST_STEP
    for _ in range(STEPS):
        move, promised, _ = _program(here, _limits(family, values, step * _scale(values, here)))
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
    _, _, weights = _program(here, _limits(family, values, FIRST_STEP * _scale(values, here)))
    carrying = np.flatnonzero(weights > WEIGHT)
    triangle, order = qr(_normed(here.slopes), mode="r", pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    return Found(
        list(map(float, values)),
        here.largest,
        here.size,
        _contacts(here, weights),
        [_contact(here, int(i), 0.0) for i in order[: len(values)]],
        float(diagonal[-1] / diagonal[0]) if diagonal[0] else 0.0,
        _is_idle(here, carrying, values),
    )


def _is_idle(here: Samples, carrying: NDArray[np.int64], values: Array) -> bool:
    """Return whether no parameter, changed by as much as itself, changes the largest error."""
    sizes = np.where(values != 0, np.abs(values), 1.0)
    changes = np.abs(here.slopes[:, carrying]) * sizes[:, None]
    return bool((changes <= IDLE * here.largest).all())


def _normed(slopes: Array) -> Array:
    """Return slopes with each parameter's largest one ±1."""
    largest = np.max(np.abs(slopes), axis=1, keepdims=True)
    normed: Array = slopes / np.where(largest > 0, largest, 1.0)
    return normed


def _scale(values: Array, here: Samples) -> Array:
    """Return how large a step each parameter may take: its size, or what changes all the error."""
    steepest = np.max(np.abs(here.slopes), axis=1, initial=0.0)
    with np.errstate(all="ignore"):
        return np.maximum(np.abs(values), np.where(steepest > 0, here.largest / steepest, 0.0))


def _limits(family: Family, values: Array, steps: Array) -> list[tuple[float, float]]:
    """Return how far each parameter may move: one whose sign is fixed by most of itself."""
    signs = {parameter.name: parameter.sign for parameter in family.form.parameters}
    limits = []
    for name, value, step in zip(family.free, values, steps, strict=True):
        towards_0 = min(step, KEPT * abs(value)) if signs[name] else step
        limits.append((-towards_0, step) if value > 0 else (-step, towards_0))
    return limits


def _program(here: Samples, limits: Sequence[tuple[float, float]]) -> tuple[Array, float, Array]:
    """Return the step that makes the largest tangent least, the gain, and the multipliers.

    In units that change the error by the largest one at most: minimise t ≥ |e + slopes·step|.
    """
    largest = here.largest or 1.0
    steepest = np.max(np.abs(here.slopes), axis=1, initial=0.0)
    unit = np.where(steepest > 0, largest / np.where(steepest > 0, steepest, 1.0), 1.0)
    slopes, error = here.slopes.T * unit / largest, here.error / largest
    ones = np.ones((len(error), 1))
    program = linprog(
        np.append(np.zeros(len(unit)), 1.0),
        A_ub=np.block([[slopes, -ones], [-slopes, -ones]]),
        b_ub=np.append(-error, error),
        bounds=[*((low / u, high / u) for (low, high), u in zip(limits, unit, strict=True)),
                (0, None)],
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
        contacts.append(_contact(here, _at_the_end(here, best), float(weights[group].sum())))
    return contacts


def _at_the_end(here: Samples, i: int) -> int:
    """Return an end of a stretch for a point beside it: a linear program cannot tell them apart."""
    inside = np.flatnonzero(here.part == here.part[i])
    for end in map(int, (inside[0], inside[-1])):
        between = here.error[min(i, end) : max(i, end) + 1]
        if np.ptp(between) <= _flat(here):
            return end
    return i


def _contact(here: Samples, i: int, weight: float) -> Contact:
    part = int(here.part[i])
    inside = np.flatnonzero(here.part == part)
    first, last = int(inside[0]), int(inside[-1])
    lower = np.flatnonzero(np.abs(here.error - here.error[i]) > _flat(here))
    low = max(first, min(i - 1, int(lower[lower < i].max(initial=first))))
    high = min(last, max(i + 1, int(lower[lower > i].min(initial=last))))
    lowest, highest = (
        StretchEnd(end, here.kinks.index(end.square) if end.square in here.kinks else None)
        for end in here.stretches[part]
    )
    return Contact(
        here.pieces[part],
        float(here.x[i]),
        float(here.x[low]),
        float(here.x[high]),
        1 if here.error[i] > 0 else -1,
        weight,
        (lowest, highest),
        {first: -1, last: 1}.get(i, 0),
    )


def _flat(here: Samples) -> float:
    """Return the difference of two errors up to which a linear program may take one for another."""
    return max(FLAT * here.largest, NOISE * here.size)


STARTS = 8
"""Searches from so many places, where nothing proves that one is enough."""

TRIES = 3
"""So many of the best searches are refined, until one can be."""

SPREAD = 1.0
"""Starts are up to so many octaves away from the constants in use."""


def starts_of(family: Family) -> list[list[float]]:
    """Return the constants in use, and others around them: of each, evenly spread octaves."""
    usual = [float(family.form.settings[name]) for name in family.free]
    chance, others = random.Random(0), STARTS - 1
    octaves = [SPREAD * (2 * k / others - 1) for k in range(STARTS) if k != others // 2]
    shuffled = [chance.sample(octaves, others) for _ in usual]
    return [usual, *([value * 2**octave for value, octave in zip(usual, each, strict=True)]
                     for each in zip(*shuffled, strict=True))]  # fmt: skip
