"""The best constants of a family by either criterion, and their proof.

A family has members: forms that differ in constants. Newton's method finds the best constants, with
difference quotients at high precision in place of derivatives. The proofs do not rely on Newton's
method: a lower bound holds for all constants, and the error is enclosed at the printed constants.

sup: Let n be the number of constants, and let the difference of any two members change its sign at
most n − 1 times for x > 0. If the error of a member alternates in sign at n + 1 points, the |error|
of every other member is at least as large at one of these points: else the difference of the two
members would change its sign n times. So the least |error| at these points is a lower bound for the
sup error of all members (de La Vallée Poussin; Cheney, Introduction to Approximation Theory, 1966).

rms: Let J = E e² be the mean square error as a function of the constants. The difference of J at
two members is the integral of the difference of their e², on stretches between the kinks of both
members. If the form is linear in the constants, J is quadratic, so difference quotients are exact;
the minimum J − ½gᵀH⁻¹g, where J, the gradient g and the Hessian H of J are balls, is a lower bound.
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

STEPS, STEPS_TO_PEAK = 40, 40  # most steps of Newton's method, for constants and for a peak
SPARE, SPARE_OF_SQUARES = 32, 20  # bits beyond those asked for, with sup and with rms

COARSE = 24
"""Relative steps for rms: 2^−(2·COARSE) for first, 2^−COARSE for second derivatives."""

ASSUMED_GROWTH = 0, arb(1)  # |d² − e²| ≤ x² for |x| ≥ 1 (errors d, e of two members), unproved
NOT_FOUND = (
    "no best constants are found: the error has no minimum, or does not depend on them; take "
    "another --range or another --criterion, or fewer --free"
)


def moved(values: Sequence[fmpq], bits: int) -> Iterator[tuple[list[fmpq], fmpq]]:
    """Increase one value at a time by a small step; yield each copy and step."""
    for i, value in enumerate(values):
        step = abs(value or fmpq(1)) * power_of_two(-bits)
        yield [*values[:i], value + step, *values[i + 1 :]], step


def quotients(
    equations: Equations, z: Sequence[fmpq], at_z: Sequence[arb], bits: int
) -> list[list[arb]]:
    """Return difference quotients, a row per unknown; `at_z` is equations(z)."""
    return [
        [(there - here) / arb(step) for here, there in zip(at_z, equations(more), strict=True)]
        for more, step in moved(z, bits)
    ]


def solve(
    equations: Equations, start: Sequence[fmpq], bits: int, accuracy: int
) -> tuple[list[fmpq], arb_mat]:
    """Find a root near a start; also return the last matrix of derivatives.

    `equations` takes n fractions and returns n balls. The relative steps of difference quotients
    are 2^−bits. Newton's method ends if the relative steps of the root are below 2^−accuracy, and
    raises ComputationError if it does not converge.
    """
    z = list(start)
    for number in range(STEPS):
        try:
            residuals = equations(z)
            if number % 2 == 0:  # every second step keeps the matrix
                matrix = arb_mat(quotients(equations, z, residuals, bits)).transpose()
            step = matrix.solve(arb_mat(len(z), 1, residuals)).entries()
            sizes = [abs(exact_ball(part) / (v or 1)) for v, part in zip(z, step, strict=True)]
            z = [exact_ball(arb(v - part)) for v, part in zip(z, step, strict=True)]
        except (LookupError, ValueError, ZeroDivisionError):
            break  # a kink left the range, a step was too long, or the matrix is singular
        if max(sizes) < power_of_two(-accuracy):
            return z, matrix
    raise ComputationError(NOT_FOUND)


class Peak(NamedTuple):
    """A maximum of |error|: x, the error there, and the index of the piece."""

    x: arb
    error: arb
    piece: int


class Optimum(NamedTuple):
    """Constants; a lower bound of all members' errors, or None; peaks for sup."""

    values: list[fmpq]
    bound: fmpq | None
    peaks: Sequence[Peak] = ()


def least_error(family: Family, bits: int) -> Optimum:
    """Find the constants of the minimax error, to `bits` bits or more.

    One search is enough if a lower bound proves its result; else take the best of STARTS searches.
    If none is refined to an optimum, raise ComputationError.
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
    """Refine constants until the k peaks of |error| are equally high.

    pᵢ is |error| at peak i. Solve p₁(v) = … = pₖ(v) = M for M and n constants v. If k ≠ n + 1,
    also solve Σwᵢ∇pᵢ(v) = 0 with weights w of sum 1.
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
    """Return the peak near a contact: an end if |error| grows towards it."""
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
    """Bound the sup error of all members from below; None if not proved.

    An edge (`Rules.edge`) is an A such that a form is max(0, x) for |x| > A. If no edge is free,
    the proof is in this module's docstring. Else let the fitted member have the edge A, another
    member the edge B. If B ≥ A, the proof holds for the peaks at |x| < A. If B < A, both members
    are max(0, x) at the peak beyond A, and have equal errors there.
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
    """Find the constants of least mean square error, to `bits` bits or more."""
    convex = {*family.free} <= {*family.rules.linear}
    starts = family.starts()[: 1 if convex else None]
    best = min((least_square(family, start) for start in starts), key=lambda each: each.error)
    accuracy, start = bits + SPARE_OF_SQUARES, [*map(to_fraction, best.values)]
    with working(2 * accuracy):
        slopes = partial(square_gradient, family, accuracy + (2 * COARSE if convex else 0), convex)
        values, hessian = solve(slopes, start, COARSE, accuracy - SPARE_OF_SQUARES // 2)
        if not convex:
            return Optimum(values, None)
        pair = family.member(values), find_form("exact")
        square = square_difference(family, pair, 2 * accuracy, proved=True)
        g = arb_mat(len(values), 1, slopes(values))
        rest = (g.transpose() * hessian.solve(g)).entries()[0] / 2
        return Optimum(values, exact_ball((square - rest).sqrt().lower()))


def square_gradient(family: Family, bits: int, proved: bool, values: Sequence[fmpq]) -> list[arb]:
    """Return central difference quotients of E e² in the constants."""
    found = []
    for i, (more, step) in enumerate(moved(values, 2 * COARSE)):
        less = [*values[:i], values[i] - step, *values[i + 1 :]]
        pair = family.member(more), family.member(less)
        found.append(square_difference(family, pair, bits, proved=proved) / arb(2 * step))
    return found


def square_difference(family: Family, pair: tuple[Form, Form], bits: int, *, proved: bool) -> arb:
    """Return E d² − E e² for the errors d and e of a pair of forms.

    The result is accurate to 2^−bits of the integral's largest part. If `proved`, the radius
    includes a proved bound of the tails, which are not integrated.
    """
    target, quantity = find_form("exact"), family.quantity

    def errors(i: int, j: int, k: int) -> Any:  # a pair of curves on each stretch
        smooth = Smooth(target, k, quantity)
        pieces = zip(pair, (i, j), strict=True)
        return [Curve(Smooth(form, n, quantity), smooth) for form, n in pieces]

    parts = on_stretches(squares, stretches([*pair, target], family.low, family.high, errors))
    forms = [*pair, target, target]
    far = growth(Smooth(form, 0, quantity) for form in forms) if proved else ASSUMED_GROWTH
    return expectation(parts, family.of or Uniform(family.low, family.high), bits, far)[0]


def squares(errors: Any, x: Any) -> list[Any]:
    """Return d² − e² for a pair of errors at a real or complex ball x."""
    d, e = (each.at(x) for each in errors)
    return [(d - e) * (d + e)]
