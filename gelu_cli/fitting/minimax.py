"""The constants with the least maximum error, and their proof.

If the members that differ in n constants differ, for x > 0, in at most n − 1 changes of sign, none
has a smaller error at all of n + 1 points where the errors alternate. So the least of |error| at
such points is a lower bound for every member, however the points were found (de La Vallée
Poussin; Cheney, Introduction to Approximation Theory, 1966).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import NamedTuple

from flint import arb, ctx, fmpq

from gelu_cli.calculus.curves import position
from gelu_cli.errors import ComputationError
from gelu_cli.fitting.families import STARTS, Family
from gelu_cli.fitting.newton import NOT_FOUND, quotients, solve
from gelu_cli.fitting.search import Contact, Found, least_largest
from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.rounding import exact_ball, sign, working

SPARE, NEWTON = 32, 40
"""Bits beyond those of the digits that are asked for; most steps to an extremum."""


class Peak(NamedTuple):
    """A place where the error is largest, the error, the piece of the form."""

    x: arb
    error: arb
    piece: int


class Optimum(NamedTuple):
    """Constants, a lower bound for all members if proved, and the peaks.

    A mean square error has no peaks.
    """

    values: list[fmpq]
    bound: fmpq | None
    peaks: Sequence[Peak] = ()


def least_error(family: Family, bits: int) -> Optimum:
    """Find the constants of the least largest error, to `bits` or more.

    One search is enough if the bound proves it; otherwise the best of several is taken.

    Raises
    ------
    ComputationError
        If no search leads to an optimum.

    Examples
    --------
    >>> from gelu_cli.fitting.families import family_of
    >>> from gelu_cli.formulas import find_form
    >>> (beta,), *_ = least_error(family_of(find_form("sigmoid")), 53)
    >>> float(beta.p) / float(beta.q)
    1.7729339656167546
    """
    found = list[Found]()
    for start in family.starts():
        found.append(least_largest(family, start))
        if len(found) in (1, STARTS):
            best = min(found, key=lambda each: each.error)
            with suppress(ComputationError), working(3 * (bits + SPARE)):
                optimum = refined(family, best, bits + SPARE)
                if optimum.bound is not None or len(found) == STARTS:
                    return optimum
    raise ComputationError(NOT_FOUND)


def refined(family: Family, found: Found, bits: int) -> Optimum:
    """Solve p₁(v) = … = pₖ(v) = E for the heights p of k peaks.

    With fewer peaks than n + 1 also Σwᵢ∇pᵢ(v) = 0 with weights w of sum 1.
    """
    n, k = len(family.free), len(found.contacts)

    def peaks(values: Sequence[fmpq]) -> list[Peak]:
        form = family.member(values)
        return [peak(family, form, contact) for contact in found.contacts]

    def heights(values: Sequence[fmpq]) -> list[arb]:
        pairs = zip(found.contacts, peaks(values), strict=True)
        return [p.error if contact.error > 0 else -p.error for contact, p in pairs]

    def levelled(z: Sequence[fmpq]) -> list[arb]:
        return [height - arb(z[-1]) for height in heights(z[:n])]

    def balanced(z: Sequence[fmpq]) -> list[arb]:
        values, weights, p = z[:n], z[n:-1], heights(z[:n])
        sums = [
            sum((arb(w) * slope for w, slope in zip(weights, row, strict=True)), arb(0))
            for row in quotients(heights, values, p, bits)
        ]
        return [*(each - arb(z[-1]) for each in p), *sums, arb(sum(weights, fmpq(-1)))]

    start, equations = [to_fraction(each) for each in (*found.values, found.error)], levelled
    if k != n + 1:
        start[n:n], equations = [fmpq(1, k)] * k, balanced
    values = solve(equations, start, bits, bits)[0][:n]
    at = peaks(values)
    return Optimum(values, alternation(family, at), at)


def peak(family: Family, form: Form, contact: Contact) -> Peak:
    """Return the extremum near a contact, or the end that it is beyond."""
    stretch = family.parts(form)[contact.stretch]
    curve, x = stretch.curve, arb(contact.x)
    low, high = map(position, stretch.ends())
    if contact.side:
        x = high if contact.side > 0 else low
        outwards = curve.taylor(x, 1)[1] * contact.side
        if not (outwards < 0 if contact.error > 0 else outwards > 0):
            return Peak(x, curve.taylor(x, 0)[0], curve.form.i)
    near = arb((1, -ctx.prec // 2))
    for _ in range(NEWTON):
        _, slope, bend = curve.taylor(x, 2)
        step = (slope / (2 * bend)).mid()
        x = (x - step).mid()
        if abs(step) < near:
            break
    x = x.max(low).min(high)
    return Peak(x, curve.taylor(x, 0)[0], curve.form.i)


def alternation(family: Family, peaks: Sequence[Peak]) -> fmpq | None:
    """Bound every member's largest error from below; None without alternation.

    An edge that is free has a peak beyond it: a member with a nearer edge is as far off there,
    and one with an edge farther out has to be near on more of the axis.
    """
    edge, ordered = family.rules.edge, family.rules.ordered
    inside = {*family.free} - {edge}
    if family.quantity == "gradient" or not family.form.symmetric:
        return None
    outer = (0, family.form.outer(True)) if edge else ()
    inner = sorted((p for p in peaks if p.piece not in outer), key=lambda p: float(p.x.mid()))
    if (len(inner) < len(peaks)) != (edge in family.free):
        return None
    signs = [sign(p.error) for p in inner]
    alternate = all(one * other < 0 for one, other in pairwise(signs))
    if len(signs) <= len(inside) or not alternate or not ordered(inside, family.form.fractions):
        return None
    return min(exact_ball(p.error.abs_lower()) for p in peaks)
