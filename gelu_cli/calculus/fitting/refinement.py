"""The least largest error to any number of digits: Newton's method from where the search ended.

With one more contact than parameters the errors at all of them are equal in size, which
determines the parameters. With fewer, as for gradients, the parameters are where 0 lies in the
convex hull of the slopes of |error| at the contacts, Kolmogorov's criterion (Cheney,
Introduction to Approximation Theory, 1966).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from gelu_cli.arithmetic import Real, mpf
from gelu_cli.arithmetic.dual import Dual, DualArithmetic
from gelu_cli.arithmetic.multiprecision import multiprecision
from gelu_cli.calculus.fitting.families import Family, Pieces
from gelu_cli.calculus.fitting.search import Contact, Found

MOST_STEPS = 50

SPARE = 64
"""Bits by which the last step of Newton's method may be larger than the last bit."""

Numbers: TypeAlias = list[Any]


class NotFoundError(Exception):
    """Newton's method does not lead to what it was started for."""


class Peak(NamedTuple):
    """A contact: where it is, the error there, and its share in what holds the balance."""

    contact: Contact
    x: Any
    error: Any
    weight: Any


class Optimum(NamedTuple):
    """The values of the free parameters, and the contacts, as numbers of many bits."""

    values: Numbers
    peaks: list[Peak]


class Errors:
    """The errors of a family's members in numbers of many bits, with slopes by dual numbers."""

    def __init__(self, family: Family, a: Any) -> None:
        self.family = family
        self.a = a
        self._dual = DualArithmetic(a)
        self._zero = a.rational(0)

    def at(self, pieces: Pieces, x: Real, values: Numbers) -> Real:
        """Return the error at x."""
        return self.family.error_at(pieces, self.a, x, values)

    def along(self, pieces: Pieces, x: Real, values: Numbers) -> Real:
        """Return the derivative of the error in x."""
        constants = [Dual(value, self._zero) for value in values]
        x = self._dual.variable(x)
        return self.family.error_at(pieces, self._dual, x, constants).derivative

    def slopes(self, pieces: Pieces, x: Real, values: Numbers) -> Numbers:
        """Return the derivatives of the error in the parameters."""
        slopes = [self._slope(i, pieces, x, values) for i in range(len(values))]
        if not self.family.relative:
            return slopes
        target = self.family.target_at(pieces, self.a, x)
        return [slope / target for slope in slopes]

    def _slope(self, i: int, pieces: Pieces, x: Real, values: Numbers) -> Real:
        """Return the derivative of the form in a parameter: the target has none."""
        given = [Dual(value, self._zero + (i == j)) for j, value in enumerate(values)]
        return self.family.form_at(pieces, self._dual, Dual(x, self._zero), given).derivative

    def slopes_at(self, contact: Contact, x: Real, values: Numbers) -> Numbers:
        """Return the derivatives of the error at a contact, which may move with a kink."""
        slopes = self.slopes(contact.pieces, x, values)
        if contact.kink is None:
            return slopes
        along = self.along(contact.pieces, x, values)
        moves = (self.move(contact.kink, i, values) for i in range(len(values)))
        return [slope + along * move for slope, move in zip(slopes, moves, strict=True)]

    def place(self, contact: Contact, values: Numbers) -> Real:
        """Return where a contact is, for these values of the parameters."""
        if contact.kink is not None:
            return self.kink(contact.kink, list(map(exactly, values)))
        if contact.place is not None:
            return contact.place.position(self.a)
        return self._extremum(contact, values)

    def kink(self, kink: int, values: Sequence[Fraction], share: int = 1) -> Real:
        """Return where a kink of a member is, with `share` times the bits."""
        a = multiprecision(share * self.a.precision)
        return self.family.member(values).kinks[kink].position(a)

    def move(self, kink: int, i: int, values: Numbers) -> Real:
        """Return the derivative of a kink's position in a parameter, by a central difference."""
        exact = list(map(exactly, values))
        step = (abs(exact[i]) or 1) / 2 ** (self.a.precision // 2)
        ends = (self.kink(kink, [*exact[:i], exact[i] + side, *exact[i + 1 :]], share=2)
                for side in (step, -step))  # fmt: skip
        after, before = ends
        return (after - before) / multiprecision(2 * self.a.precision).rational(2 * step)

    def _extremum(self, contact: Contact, values: Numbers) -> Real:
        """Return the root of the slope near a contact: the secant method."""
        low, x, high = map(self.a.rational, map(Fraction, (contact.low, contact.x, contact.high)))
        before = x + (high - x) / 8
        f, f_before = (self.along(contact.pieces, each, values) for each in (x, before))
        for _ in range(MOST_STEPS):
            if f == f_before:
                return x
            before, x = x, x - f * (x - before) / (f - f_before)
            if abs(x - before) <= self.a.context.ldexp(abs(x), SPARE - self.a.precision):
                return x
            if not 2 * low - high <= x <= 2 * high - low:
                break
            f_before, f = f, self.along(contact.pieces, x, values)
        raise NotFoundError


def exactly(value: Any) -> Fraction:
    """Return a number of mpmath's as a fraction."""
    return mpf.to_fraction(mpf.from_context(value))


def refined(family: Family, found: Found, precision: int) -> Optimum:
    """Return what a search has found with `precision` bits; raises `NotFoundError`.

    >>> from math import inf
    >>> from gelu_cli.calculus.fitting.search import least_largest_error
    >>> from gelu_cli.forms import find_form
    >>> gate = Family(find_form("sigmoid"), ("beta",), find_form("exact"), "gate")
    >>> best = refined(gate, least_largest_error(gate, [1.0], 0, inf), 200)
    >>> [round(float(peak.x), 6) for peak in best.peaks]
    [0.571057, 2.043073]
    """
    errors = Errors(family, multiprecision(precision))
    values = [errors.a.rational(Fraction(value)) for value in found.values]
    try:
        if found.is_member:
            return Optimum(_matched(errors, found.apart, values), [])
        if len(found.contacts) > len(values):
            values, weights = _levelled(errors, found.contacts, values)
        else:
            values, weights = _balanced(errors, found.contacts, values)
    except (ArithmeticError, ValueError) as error:  # a singular matrix, or a number that overflows
        raise NotFoundError from error
    if not all(weight > -(2.0**-20) for weight in weights):
        raise NotFoundError
    places = [errors.place(contact, values) for contact in found.contacts]
    heights = [
        errors.at(contact.pieces, x, values)
        for contact, x in zip(found.contacts, places, strict=True)
    ]
    return Optimum(values, list(map(Peak, found.contacts, places, heights, weights)))


def _matched(errors: Errors, points: Sequence[Contact], values: Numbers) -> Numbers:
    """Return the values for which there is no error at all: the target is a member."""
    context = errors.a.context

    def step(values: Numbers) -> Numbers:
        pairs = [(point, errors.a.rational(Fraction(point.x))) for point in points]
        rows = [errors.slopes(point.pieces, x, values) for point, x in pairs]
        heights = [errors.at(point.pieces, x, values) for point, x in pairs]
        return list(context.lu_solve(context.matrix(rows), -context.matrix(heights)))

    values = _newton(errors, step, values)
    least = context.ldexp(1, SPARE - errors.a.precision)
    for point in points:  # a member has no error in between either
        x = errors.a.rational(Fraction(point.x)) / 2
        if abs(errors.at(point.pieces, x, values)) > least * abs(x):
            raise NotFoundError
    return values


def _levelled(
    errors: Errors, contacts: Sequence[Contact], values: Numbers
) -> tuple[Numbers, Numbers]:
    """Return the values for which the errors at all contacts are equal in size."""
    context = errors.a.context

    def equations(values: Numbers) -> tuple[Any, Any]:
        places = [errors.place(contact, values) for contact in contacts]
        rows = [[*errors.slopes_at(contact, x, values), -contact.sign]
                for contact, x in zip(contacts, places, strict=True)]  # fmt: skip
        heights = [
            errors.at(contact.pieces, x, values)
            for contact, x in zip(contacts, places, strict=True)
        ]
        return context.matrix(rows), -context.matrix(heights)

    def step(values: Numbers) -> Numbers:
        return list(context.lu_solve(*equations(values)))[:-1]

    values = _newton(errors, step, values)
    matrix, _ = equations(values)
    *_, last = (context.matrix([*[0] * len(values), -1]),)
    return values, [weight * contact.sign for weight, contact in
                    zip(context.lu_solve(matrix.T, last), contacts, strict=True)]  # fmt: skip


def _balanced(
    errors: Errors, contacts: Sequence[Contact], values: Numbers
) -> tuple[Numbers, Numbers]:
    """Return the values for which 0 is in the convex hull of the slopes of |error|.

    Solved for the values and the weights together: the errors are equal in size, the weighted
    slopes add up to 0, and the weights to 1.
    """
    context, n = errors.a.context, len(values)

    def equations(unknown: Numbers) -> Numbers:
        values, weights = unknown[:n], unknown[n:]
        places = [errors.place(contact, values) for contact in contacts]
        first, *others = (contact.sign * errors.at(contact.pieces, x, values)
                          for contact, x in zip(contacts, places, strict=True))  # fmt: skip
        slopes = [errors.slopes_at(*each, values) for each in zip(contacts, places, strict=True)]
        shares = [weight * contact.sign for weight, contact in zip(weights, contacts, strict=True)]
        balance = [context.fdot(shares, column) for column in zip(*slopes, strict=True)]
        return [*(other - first for other in others), *balance, context.fsum(weights) - 1]

    def step(unknown: Numbers) -> Numbers:
        here = equations(unknown)
        columns = []
        for i, value in enumerate(unknown):
            h = context.ldexp(abs(value) or 1, -errors.a.precision // 2)
            there = equations([*unknown[:i], value + h, *unknown[i + 1 :]])
            columns.append([(y - x) / h for x, y in zip(here, there, strict=True)])
        return list(context.lu_solve(context.matrix(columns).T, -context.matrix(here)))

    weights = [errors.a.rational(Fraction(contact.weight)) for contact in contacts]
    unknown = _newton(errors, step, [*values, *weights])
    return unknown[:n], unknown[n:]


def _newton(errors: Errors, step: Callable[[Numbers], Numbers], unknown: Numbers) -> Numbers:
    """Take steps until they are of the size of the last bits."""
    least = errors.a.context.ldexp(1, SPARE - errors.a.precision)
    sizes = [abs(value) or 1 for value in unknown]
    for _ in range(MOST_STEPS):
        move = step(unknown)
        unknown = [value + part for value, part in zip(unknown, move, strict=True)]
        if all(abs(part) <= least * size for part, size in zip(move, sizes, strict=True)):
            return unknown
    raise NotFoundError
