"""The least largest error within proved bounds: interval Newton on the conditions of an optimum.

At the best values v the errors at all contacts xⱼ are ±E, and 0 is in the convex hull of the slopes
of |error| there (Kolmogorov's criterion: Cheney, Introduction to Approximation Theory, 1966). With
signs sⱼ and weights wⱼ ≥ 0 these are as many equations as unknowns v, E, w, x:

    sⱼ·e(xⱼ, v) = E,   Σ wⱼ·sⱼ·∂e/∂v(xⱼ, v) = 0,   Σ wⱼ = 1,   ∂e/∂x(xⱼ, v) = 0 at extrema.

For a box Z around z the solutions in it are in z − J(Z)⁻¹F(z), J the matrix of the derivatives for
all of Z; if that is inside Z, there is one, and one only (Krawczyk; Neumaier, Interval Methods for
Systems of Equations, 1990).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from flint import acb, arb, arb_mat, ctx

from gelu_cli.old.arithmetic import Result, Rounding, balls
from gelu_cli.old.arithmetic.balls import BALLS, Ball, enclosure, sign_of
from gelu_cli.old.arithmetic.dual import Dual, DualArithmetic
from gelu_cli.old.fitting.families import Family, Pieces
from gelu_cli.old.fitting.search import Contact, Found

GUARD = 128
"""Bits beyond those of a rounding."""

MOST_STEPS = 50

SPARE = 64
"""Bits by which the last step of Newton's method may be larger than the last bit."""

LEAST_WEIGHT = -(2.0**-20)
"""Weights above it are not negative: of a contact that carries nothing it may be 0."""

TWICE = DualArithmetic(DualArithmetic(BALLS))
"""Its numbers have all first and second derivatives in some variables, as rows and columns."""

Equations: TypeAlias = Callable[[Sequence[Ball]], tuple[Sequence[Ball], Any]]
"""z → F(z), and the matrix J(z) of its derivatives."""


class NotFoundError(Exception):
    """Newton's method does not lead to what it was started for."""


class Peak(NamedTuple):
    """A contact: balls around where it is, the error there, and its weight."""

    contact: Contact
    x: Ball
    error: Ball
    weight: Ball


class Optimum(NamedTuple):
    """Balls around the values of the free parameters, and the contacts."""

    values: list[Ball]
    peaks: list[Peak]

    @property
    def middles(self) -> list[Fraction]:
        """The values about, as fractions."""
        return list(map(middle_of, self.values))


class Jet(NamedTuple):
    """A real number with its first and second derivatives in n variables, as arrays."""

    value: Ball
    slopes: Any
    bends: Any


def middle_of(ball: Ball) -> Fraction:
    """Return the middle of a real ball."""
    return balls.exactly(ball.mid())


def all_told(numbers: Sequence[Ball], rounding: Rounding) -> list[Result] | None:
    """Return what the numbers of each ball round to, or None if those of any differ.

    A number that is not told from 0 is taken for 0 if it is below 2**-GUARD.
    """
    results = []
    for ball in numbers:
        around = enclosure(ball, GUARD + 2 * rounding.precision)
        result = rounding.settle(around.low, around.high)
        if ball.contains(0) and ball.abs_upper() < arb(2) ** -GUARD:
            result = rounding.exactly(Fraction(0))
        if result is None:
            return None
        results.append(result)
    return results


def jet(
    f: Callable[[list[Dual]], Dual], numbers: Sequence[Ball], units: Sequence[Fraction] = ()
) -> Jet:
    """Return f of some numbers, with its derivatives in them, in units of 1 or of `units`.

    >>> [row.tolist() for row in jet(lambda z: z[0] * z[1], [arb(2), arb(3)])[1:]]
    [[3.00000000000000, 2.00000000000000], [[0, 1.00000000000000], [1.00000000000000, 0]]]
    """
    n = len(numbers)
    unit, nothing = np.full((n, n), acb(0)), np.full((n, n), acb(0))
    for i in range(n):
        unit[i, i] = BALLS.rational(units[i]) if units else acb(1)
    y = f([Dual(Dual(acb(number), unit[i][None, :]), Dual(unit[i][:, None], nothing))
           for i, number in enumerate(numbers)])  # fmt: skip
    real = np.frompyfunc(lambda part: acb(part).real, 1, 1)
    slopes = np.broadcast_to(y.value.derivative, (1, n))[0]
    bends = np.broadcast_to(y.derivative.derivative, (n, n))
    return Jet(acb(y.value.value).real, real(slopes), real(bends))


def constant(x: Ball) -> Dual:
    """Return a ball as a constant of `TWICE`."""
    zero = acb(0)
    return Dual(Dual(acb(x), zero), Dual(zero, zero))


def refined(family: Family, found: Found) -> Optimum:
    """Return balls around what a search has found, at the working precision.

    Each contact is where the solved equations say that it is: a grid in float64 cannot tell an end
    of a stretch from an extremum next to it. Then the equations are solved for the other one.
    Raises `NotFoundError` if no solution of the equations is proved to be there.

    >>> from math import inf
    >>> from gelu_cli.old.arithmetic.balls import working
    >>> from gelu_cli.old.fitting.search import least_largest_error
    >>> from gelu_cli.old.formulas import find_form
    >>> gate = Family(find_form("sigmoid"), ("beta",), find_form("exact"), "gate")
    >>> with working(200):
    ...     best = refined(gate, least_largest_error(gate, [1.0], 0, inf))
    >>> [peak.x.str(9, radius=False) for peak in best.peaks]
    ['0.571057148', '2.04307252']
    """
    values = [balls.real(Fraction(value)) for value in found.values]
    try:
        if found.is_member:
            return Optimum(_matched(family, found.apart, values), [])
        contacts = list(found.contacts)
        for _ in range(len(contacts) + 1):
            conditions = _Conditions(family, contacts)
            optimum = conditions.solved(found.error, values)
            sides = [conditions.side(peak, optimum.values) for peak in optimum.peaks]
            if sides == [contact.side for contact in contacts]:
                return optimum
            contacts = [each._replace(side=side)
                        for each, side in zip(contacts, sides, strict=True)]  # fmt: skip
    except ArithmeticError as error:  # a singular matrix, or no number
        raise NotFoundError from error
    raise NotFoundError


class _Conditions:
    """The equations of an optimum, for contacts at extrema, ends, and kinks that may move."""

    def __init__(self, family: Family, contacts: Sequence[Contact]) -> None:
        self.family, self.contacts = family, contacts
        self.n, self.k = len(family.free), len(contacts)
        self.first_x = self.n + 1 + self.k
        inner = [j for j, contact in enumerate(contacts) if not contact.side]
        self.columns = {j: self.first_x + i for i, j in enumerate(inner)}
        """The unknown that is the x of a contact, where it is one, and its equation."""

    def solved(self, error: float, values: Sequence[Ball]) -> Optimum:
        """Return the solution near the values, and the largest error, of a search."""
        xs = [self._extremum(self.contacts[j], values) for j in self.columns]
        weights = [arb(contact.weight) for contact in self.contacts]
        solution = solved(self.at, [*values, arb(error), *weights, *xs])
        values, height = solution[: self.n], solution[self.n]
        weights = solution[self.n + 1 : self.first_x]
        if not all(weight > LEAST_WEIGHT for weight in weights):
            raise NotFoundError
        places = [solution[self.columns[j]] if j in self.columns
                  else self._end(contact, contact.side, values)
                  for j, contact in enumerate(self.contacts)]  # fmt: skip
        errors = [contact.sign * height for contact in self.contacts]
        return Optimum(values, list(map(Peak, self.contacts, places, errors, weights)))

    def side(self, peak: Peak, values: Sequence[Ball]) -> int:
        """Return on which `Contact.side` a contact is, by its solution.

        An extremum beyond an end is no point of the stretch: the end is the contact. And an end is
        none if |error| falls towards it: there is an extremum before it.
        """
        contact = peak.contact
        if contact.end is None:
            low, high = (self._end(contact, side, values) for side in (-1, 1))
            return int(bool(peak.x > high)) - int(bool(peak.x < low))
        if contact.end.place.infinite:
            return contact.side
        slope = self._jet(contact, values, peak.x).slopes[-1]
        return 0 if sign_of(slope) == -contact.side else contact.side

    def _end(self, contact: Contact, side: int, values: Sequence[Ball]) -> Ball:
        place, kink = contact.ends[side > 0]
        if kink is None:
            return place.position(BALLS).real
        return acb(self.family.kink_at(kink, BALLS, list(map(acb, values)))).real

    def _jet(self, contact: Contact, values: Sequence[Ball], x: Ball | None) -> Jet:
        """Return |error| at a contact, with its derivatives in the values, and in x if it is free.

        A kink moves with the values.
        """

        def error(numbers: list[Dual]) -> Dual:
            given, place, kink = numbers[: self.n], *contact.ends[contact.side > 0]
            if x is not None:
                point = numbers[-1]
            elif kink is None:
                point = place.position(TWICE)
            else:
                point = self.family.kink_at(kink, TWICE, given)
            signed: Dual = contact.sign * self.family.error_at(contact.pieces, TWICE, point, given)
            return signed

        return jet(error, [*values] if x is None else [*values, x])

    def _extremum(self, contact: Contact, values: Sequence[Ball]) -> Ball:
        """Return where the slope in x is about 0 near a contact, for the values of the search."""
        x, width = arb(contact.x), contact.high - contact.low
        for _ in range(MOST_STEPS):
            _, slopes, bends = self._jet(contact, values, x)
            step = slopes[-1] / bends[-1][-1]
            x = (x - step).mid()
            if not contact.low - width <= x <= contact.high + width:
                raise NotFoundError
            if abs(step) < 2.0**-SPARE * abs(x):
                break
        return x

    def at(self, unknown: Sequence[Ball]) -> tuple[list[Ball], Any]:
        """Return the left sides of the equations, and their derivatives in the unknowns."""
        n, k, size = self.n, self.k, len(unknown)
        values, height, weights = unknown[:n], unknown[n], unknown[n + 1 : self.first_x]
        matrix, balance, jets = np.full((size, size), arb(0)), np.full(n, arb(0)), []
        for j, (contact, weight) in enumerate(zip(self.contacts, weights, strict=True)):
            column = self.columns.get(j)
            here = self._jet(contact, values, unknown[column] if column else None)
            jets.append(here)
            balance += here.slopes[:n] * weight
            places = [*range(n), *([column] if column else [])]
            matrix[j, places] = here.slopes
            matrix[j, n] = arb(-1)
            matrix[k : k + n, places] += here.bends[:n] * weight
            matrix[k : k + n, n + 1 + j] = here.slopes[:n]
            matrix[k + n, n + 1 + j] = arb(1)
            if column:
                matrix[column, places] = here.bends[-1]
        level = [here.value - height for here in jets]
        flat = [jets[j].slopes[-1] for j in self.columns]
        return [*level, *balance, sum(weights) - 1, *flat], matrix


def _matched(
    family: Family, points: Sequence[tuple[Pieces, float]], start: Sequence[Ball]
) -> list[Ball]:
    """Return the values for which there is no error at all: the target is a member."""

    def errors(values: Sequence[Ball], share: int = 1) -> list[Jet]:
        def error(pieces: Pieces, x: float, given: list[Dual]) -> Dual:
            place = TWICE.rational(Fraction(x) / share)
            found: Dual = family.error_at(pieces, TWICE, place, given)
            return found

        return [jet(partial(error, *point), values) for point in points]

    def equations(values: Sequence[Ball]) -> tuple[list[Ball], list[Any]]:
        jets = errors(values)
        return [each.value for each in jets], [each.slopes for each in jets]

    values = solved(equations, start)
    if not all(between.value.contains(0) for between in errors(values, 2)):
        raise NotFoundError
    return values


def solved(equations: Equations, start: Sequence[Ball]) -> list[Ball]:
    """Return balls around the only solution in a box around what Newton's method leads to.

    Raises `NotFoundError` if there is none that can be proved, `ZeroDivisionError` at a singular
    matrix.

    >>> from gelu_cli.old.arithmetic.balls import working
    >>> with working(100):
    ...     (root,) = solved(lambda z: ([z[0] ** 2 - 2], [[2 * z[0]]]), [arb(1.5)])
    ...     print(root.str(12, radius=False))
    1.41421356237
    """
    bits = ctx.prec
    z = list(start)
    sizes = [abs(each) if each != 0 else arb(1) for each in z]
    for _ in range(MOST_STEPS):
        step = step_of(*equations(z))
        z = [(each - part).mid() for each, part in zip(z, step, strict=True)]
        if all(abs(part) < arb(2) ** (SPARE - bits) * size
               for part, size in zip(step, sizes, strict=True)):  # fmt: skip
            break
    else:
        raise NotFoundError
    box = [arb(each, arb(2) ** (-bits // 2) * size) for each, size in zip(z, sizes, strict=True)]
    step = step_of(equations(z)[0], equations(box)[1])
    found = [each - part for each, part in zip(z, step, strict=True)]
    if not all(around.contains_interior(each) for around, each in zip(box, found, strict=True)):
        raise NotFoundError
    return found


def step_of(left: Sequence[Ball], matrix: Sequence[Sequence[Ball]]) -> list[Ball]:
    """Return J⁻¹F for all matrices within the bounds."""
    column = arb_mat(len(left), 1, list(left))
    return list(arb_mat([list(row) for row in matrix]).solve(column).entries())
