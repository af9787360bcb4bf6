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
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from flint import acb, arb, arb_mat, ctx

from gelu_cli.arithmetic import Arithmetic, Real, Result, Rounding, balls
from gelu_cli.arithmetic.balls import BALLS, Ball, enclosure, sign_of
from gelu_cli.arithmetic.dual import Dual, DualArithmetic
from gelu_cli.fitting.families import Family
from gelu_cli.fitting.search import Contact, Found, StretchEnd

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


def middle_of(ball: Ball) -> Fraction:
    """Return the middle of a real ball."""
    return balls.exactly(ball.mid())


def told(ball: Ball, rounding: Rounding) -> Result | None:
    """Return what all numbers of a ball round to, or None if they differ.

    A number that is not told from 0 is taken for 0 if it is below 2**-GUARD.
    """
    if ball.contains(0) and ball.abs_upper() < arb(2) ** -GUARD:
        return rounding.exactly(Fraction(0))
    around = enclosure(ball, GUARD + 2 * rounding.precision)
    return rounding.settle(around.low, around.high)


Known = TypeVar("Known")


def all_known(found: Sequence[Known | None]) -> list[Known] | None:
    """Return what was found, or None if any of it is not known."""
    known = [each for each in found if each is not None]
    return known if len(known) == len(found) else None


def refined(family: Family, found: Found) -> Optimum:
    """Return balls around what a search has found, at the working precision.

    Raises `NotFoundError` if no solution of the equations is proved to be there.

    >>> from math import inf
    >>> from gelu_cli.arithmetic.balls import working
    >>> from gelu_cli.fitting.search import least_largest_error
    >>> from gelu_cli.forms import find_form
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
        return _balanced(family, found, values)
    except ArithmeticError as error:  # a singular matrix, or no number
        raise NotFoundError from error


def variables(numbers: Sequence[Ball], units: Sequence[Fraction] = ()) -> list[Dual]:
    """Return numbers as variables: derivatives are 1, or a unit, in itself and 0 in others."""
    n = len(numbers)
    unit = np.array([[acb(0)] * n for _ in range(n)])
    for i in range(n):
        unit[i, i] = BALLS.rational(units[i]) if units else acb(1)
    nothing = np.full((n, n), acb(0))
    return [
        Dual(Dual(acb(number), unit[i][None, :]), Dual(unit[i][:, None], nothing))
        for i, number in enumerate(numbers)
    ]


def constant(a: Arithmetic, x: Real) -> Dual:
    """Return a number of `a` as a constant with two derivatives."""
    zero = a.rational(0)
    return Dual(Dual(x, zero), Dual(zero, zero))


class Jet(NamedTuple):
    """A real number with its first and second derivatives in n variables."""

    value: Ball
    slopes: list[Ball]
    bends: list[list[Ball]]


def jet_of(y: Dual, n: int) -> Jet:
    """Return what a number made of n variables is."""
    slopes = np.broadcast_to(y.value.derivative, (1, n))[0]
    bends = np.broadcast_to(y.derivative.derivative, (n, n))
    real = [[acb(bend).real for bend in row] for row in bends]
    return Jet(acb(y.value.value).real, [acb(slope).real for slope in slopes], real)


def _balanced(family: Family, found: Found, values: Sequence[Ball]) -> Optimum:
    """Return the optimum, with each contact where the solved equations say that it is.

    A grid in float64 cannot tell an end of a stretch from an extremum next to it. Then the
    equations are solved for the other one.
    """
    contacts = found.contacts
    for _ in range(len(contacts) + 1):
        conditions = _Conditions(family, contacts)
        optimum = conditions.solved(found, values)
        sides = list(map(conditions.side, optimum.peaks, [optimum.values] * len(contacts)))
        if sides == [contact.side for contact in contacts]:
            return optimum
        contacts = [each._replace(side=side) for each, side in zip(contacts, sides, strict=True)]
    raise NotFoundError


class _Conditions:
    """The equations of an optimum, for contacts at extrema, ends, and kinks that may move."""

    def __init__(self, family: Family, contacts: Sequence[Contact]) -> None:
        self.family, self.contacts = family, contacts
        self.n, self.k = len(family.free), len(contacts)
        self.first_x = self.n + 1 + self.k
        inner = [j for j, contact in enumerate(contacts) if not contact.side]
        self.columns = {j: self.first_x + i for i, j in enumerate(inner)}
        """The unknown that is the x of a contact, where it is one."""

    def solved(self, found: Found, values: Sequence[Ball]) -> Optimum:
        """Return the solution near what a search has found."""
        xs = [self._extremum(self.contacts[j], values) for j in self.columns]
        weights = [arb(contact.weight) for contact in self.contacts]
        solution = solved(self.at, [*values, arb(found.error), *weights, *xs])
        values, height = solution[: self.n], solution[self.n]
        weights = solution[self.n + 1 : self.first_x]
        if not all(weight > LEAST_WEIGHT for weight in weights):
            raise NotFoundError
        places = [
            solution[self.columns[j]]
            if j in self.columns
            else self._place(contact, values, contact.side)
            for j, contact in enumerate(self.contacts)
        ]
        errors = [contact.sign * height for contact in self.contacts]
        return Optimum(values, list(map(Peak, self.contacts, places, errors, weights)))

    def _place(self, contact: Contact, values: Sequence[Ball], side: int) -> Ball:
        end = contact.ends[side > 0]
        return acb(_place_of(self.family, end, BALLS, list(map(acb, values)))).real

    def side(self, peak: Peak, values: Sequence[Ball]) -> int:
        """Return on which `Contact.side` a contact is, by its solution.

        An extremum beyond an end is no point of the stretch: the end is the contact. And an end is
        none if |error| falls towards it: there is an extremum before it.
        """
        contact = peak.contact
        if contact.end is None:
            low, high = (self._place(contact, values, side) for side in (-1, 1))
            return int(bool(peak.x > high)) - int(bool(peak.x < low))
        if contact.end.place.infinite:
            return contact.side
        slope = self.jet(contact, values, peak.x).slopes[-1]
        return 0 if sign_of(slope) == -contact.side else contact.side

    def jet(self, contact: Contact, values: Sequence[Ball], x: Ball | None) -> Jet:
        """Return |error| at a contact, with its derivatives in the values, and in x if it is free.

        A kink moves with the values.
        """
        numbers = variables([*values] if x is None else [*values, x])
        given = numbers[: self.n]
        end = contact.ends[contact.side > 0]
        point = numbers[-1] if x is not None else _place_of(self.family, end, TWICE, given)
        error = self.family.error_at(contact.pieces, TWICE, point, given)
        return jet_of(contact.sign * error, len(numbers))

    def _extremum(self, contact: Contact, values: Sequence[Ball]) -> Ball:
        """Return where the slope in x is about 0 near a contact, for the values of the search."""
        x, width = arb(contact.x), contact.high - contact.low
        for _ in range(MOST_STEPS):
            _, slopes, bends = self.jet(contact, values, x)
            step = slopes[-1] / bends[-1][-1]
            x = (x - step).mid()
            if not contact.low - width <= x <= contact.high + width:
                raise NotFoundError
            if abs(step) < 2.0**-SPARE * abs(x):
                break
        return x

    def at(self, unknown: Sequence[Ball]) -> tuple[list[Ball], list[list[Ball]]]:
        """Return the left sides of the equations, and their derivatives in the unknowns."""
        n, k, size = self.n, self.k, len(unknown)
        values, height, weights = unknown[:n], unknown[n], unknown[n + 1 : self.first_x]
        jets = [
            self.jet(contact, values, unknown[self.columns[j]] if j in self.columns else None)
            for j, contact in enumerate(self.contacts)
        ]
        equations = [jet.value - height for jet in jets]
        equations += [sum(w * jet.slopes[i] for w, jet in zip(weights, jets, strict=True))
                      for i in range(n)]  # fmt: skip
        equations.append(sum(weights) - 1)
        equations += [jets[j].slopes[-1] for j in self.columns]
        matrix = [[arb(0)] * size for _ in range(size)]
        for j, (jet, weight) in enumerate(zip(jets, weights, strict=True)):
            places = [*range(n), *([self.columns[j]] if j in self.columns else [])]
            for slope, bends, column in zip(jet.slopes, jet.bends, places, strict=True):
                matrix[j][column] = slope
                for i in range(n):
                    matrix[k + i][column] += weight * bends[i]
                if j in self.columns:
                    matrix[self.columns[j]][column] = bends[-1]
            matrix[j][n] = arb(-1)
            for i in range(n):
                matrix[k + i][n + 1 + j] = jet.slopes[i]
            matrix[k + n][n + 1 + j] = arb(1)
        return equations, matrix


def _place_of(family: Family, end: StretchEnd, a: Any, values: Sequence[Any]) -> Any:
    """Return where an end of a stretch is."""
    return end.place.position(a) if end.kink is None else family.kink_at(end.kink, a, values)


def _matched(family: Family, points: Sequence[Contact], start: Sequence[Ball]) -> list[Ball]:
    """Return the values for which there is no error at all: the target is a member."""

    def error(point: Contact, values: Sequence[Dual], x: Fraction) -> Jet:
        y = family.error_at(point.pieces, TWICE, TWICE.rational(x), values)
        return jet_of(y, len(values))

    def equations(values: Sequence[Ball]) -> tuple[list[Ball], list[list[Ball]]]:
        given = variables(values)
        jets = [error(point, given, Fraction(point.x)) for point in points]
        return [jet.value for jet in jets], [jet.slopes for jet in jets]

    values = solved(equations, start)
    between = [error(point, variables(values), Fraction(point.x) / 2) for point in points]
    if not all(jet.value.contains(0) for jet in between):
        raise NotFoundError
    return values


def solved(equations: Equations, start: Sequence[Ball]) -> list[Ball]:
    """Return balls around the only solution in a box around what Newton's method leads to.

    Raises `NotFoundError` if there is none that can be proved, `ZeroDivisionError` at a singular
    matrix.

    >>> from gelu_cli.arithmetic.balls import working
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
