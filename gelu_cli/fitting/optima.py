"""The best constants of a family by either criterion, and their proof.

Newton's method takes difference quotients: with many bits they are as good as derivatives. No proof
rests on what it finds: bounds hold for any constants, and errors are enclosed at those printed.

If the members that differ in n constants differ, for x > 0, in at most n − 1 changes of sign, none
has a smaller error at all of n + 1 points where the errors alternate. So the least of |error| at
such points is a lower bound for every member, however the points were found (de La Vallée
Poussin; Cheney, Introduction to Approximation Theory, 1966).

The derivatives of J = E e² are taken inside the integrals: kinks may move. If the form is linear in
the constants, J is a parabola, of which difference quotients are exact; its least value,
J − ½gᵀH⁻¹g with J, g and H in balls, is a lower bound for all constants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from flint import arb, arb_mat, ctx, fmpq

from gelu_cli.calculus.averages import Uniform, expectation, growth, on_stretches
from gelu_cli.calculus.curves import Curve, position, stretches
from gelu_cli.errors import ComputationError
from gelu_cli.fitting.families import STARTS, Family
from gelu_cli.fitting.search import Contact, Found, least_largest, least_square
from gelu_cli.formulas import Form, find_form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.formats import power_of_two
from gelu_cli.numbers.rounding import exact_ball, sign, working
from gelu_cli.numbers.series import Smooth

Equations: TypeAlias = "Callable[[Sequence[fmpq]], list[arb]]"

STEPS, STEPS_TO_PEAK = 40, 40
SPARE, SPARE_OF_SQUARES = 32, 20
"""Bits beyond those of the digits that are asked for."""

COARSE = 24
"""Bits of the steps of second derivatives."""

NO_GROWTH = 0, arb(1)
NOT_FOUND = (
    "no best constants are found: the error does not depend on them, or falls without end; take "
    "another --range or another --criterion, or fewer --free"
)


def moved(values: Sequence[fmpq], bits: int) -> Iterator[tuple[list[fmpq], fmpq]]:
    """Yield the values with each increased by a share 2^−bits, and the step."""
    for i, value in enumerate(values):
        step = abs(value or fmpq(1)) * power_of_two(-bits)
        yield [*values[:i], value + step, *values[i + 1 :]], step


def quotients(
    equations: Equations, z: Sequence[fmpq], left: Sequence[arb], bits: int
) -> list[list[arb]]:
    """Return the derivatives in each unknown at z; `left` are the values."""
    return [
        [(there - here) / arb(step) for here, there in zip(left, equations(more), strict=True)]
        for more, step in moved(z, bits)
    ]


def solve(
    equations: Equations, start: Sequence[fmpq], bits: int, accuracy: int
) -> tuple[list[fmpq], arb_mat]:
    """Find a root near a start; also return the last matrix of derivatives.

    Parameters
    ----------
    equations
        As many as unknowns, of fractions, at the working precision.
    start
        The unknowns to begin with.
    bits
        Difference quotients are taken with steps of a share of 2^−bits.
    accuracy
        The last step is at most a share of 2^−accuracy.

    Raises
    ------
    ComputationError
        If the steps do not get as small.

    Examples
    --------
    >>> from gelu_cli.numbers.rounding import working
    >>> with working(256):
    ...     (root,), _ = solve(lambda z: [arb(z[0] * z[0] - 2)], [fmpq(3, 2)], 85, 85)
    >>> float(root.p) / float(root.q)
    1.4142135623730951
    """
    z = list(start)
    for number in range(STEPS):
        try:
            left = equations(z)
            if number % 2 == 0:  # every second step keeps the matrix
                matrix = arb_mat(quotients(equations, z, left, bits)).transpose()
            step = matrix.solve(arb_mat(len(z), 1, left)).entries()
            sizes = [abs(exact_ball(part) / (v or 1)) for v, part in zip(z, step, strict=True)]
            z = [exact_ball(arb(v - part)) for v, part in zip(z, step, strict=True)]
        except (LookupError, ValueError, ZeroDivisionError):
            break  # a kink leaves the range, a step is too long, the matrix is singular
        if max(sizes) < power_of_two(-accuracy):
            return z, matrix
    raise ComputationError(NOT_FOUND)


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
    for _ in range(STEPS_TO_PEAK):
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


def least_mean_square(family: Family, bits: int) -> Optimum:
    """Find the constants of the least mean square error, to `bits` or more.

    Examples
    --------
    >>> from gelu_cli.calculus.averages import normal
    >>> from gelu_cli.fitting.families import family_of
    >>> sigmoid = family_of(find_form("sigmoid"), criterion="rms", of=normal())
    >>> (beta,), bound, _ = least_mean_square(sigmoid, 53)
    >>> float(beta.p) / float(beta.q), bound
    (1.7119130489927412, None)
    """
    convex = {*family.free} <= {*family.rules.linear}
    starts = family.starts()[: 1 if convex else None]
    best = min((least_square(family, start) for start in starts), key=lambda each: each.error)
    accuracy, start = bits + SPARE_OF_SQUARES, [*map(to_fraction, best.values)]
    with working(2 * accuracy):
        slopes = partial(gradient, family, accuracy + (2 * COARSE if convex else 0), convex)
        values, hessian = solve(slopes, start, COARSE, accuracy - SPARE_OF_SQUARES // 2)
        if not convex:
            return Optimum(values, None)
        pair = family.member(values), find_form("exact")
        square = change(family, pair, 2 * accuracy, proved=True)
        g = arb_mat(len(values), 1, slopes(values))
        rest = (g.transpose() * hessian.solve(g)).entries()[0] / 2
        return Optimum(values, exact_ball((square - rest).sqrt().lower()))


def gradient(family: Family, bits: int, proved: bool, values: Sequence[fmpq]) -> list[arb]:
    """Return the derivatives of E e² in the constants."""
    found = []
    for i, (more, step) in enumerate(moved(values, 2 * COARSE)):
        less = [*values[:i], values[i] - step, *values[i + 1 :]]
        pair = family.member(more), family.member(less)
        found.append(change(family, pair, bits, proved=proved) / arb(2 * step))
    return found


def change(family: Family, pair: tuple[Form, Form], bits: int, *, proved: bool) -> arb:
    """Return E e² of one form less that of another.

    It is right to a share of 2^−bits of its largest part. If proved, the ball holds all that is
    beyond the range of integration.
    """
    target, quantity = find_form("exact"), family.quantity

    def errors(i: int, j: int, k: int) -> Any:  # two curves in place of one
        smooth = Smooth(target, k, quantity)
        pieces = zip(pair, (i, j), strict=True)
        return [Curve(Smooth(form, n, quantity), smooth) for form, n in pieces]

    parts = on_stretches(product, stretches([*pair, target], family.low, family.high, errors))
    forms = [*pair, target, target]
    far = growth(Smooth(form, 0, quantity) for form in forms) if proved else NO_GROWTH
    return expectation(parts, family.of or Uniform(family.low, family.high), bits, far)[0]


def product(errors: Any, x: Any) -> list[Any]:
    """Return d² − e² of two errors at a real or complex ball."""
    d, e = (each.at(x) for each in errors)
    return [(d - e) * (d + e)]
