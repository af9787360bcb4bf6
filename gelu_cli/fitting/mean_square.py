"""The constants whose mean square error is least: for X ~ N(M, S²), or uniform over a range.

The derivatives of J = E e² are difference quotients, taken inside the integrals: kinks may move. If
the form is linear in the constants, J is a parabola, of which difference quotients are exact; its
least value, J − ½gᵀH⁻¹g with J, g and H in balls, is a lower bound for all constants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from flint import acb, arb, arb_mat, fmpq

from gelu_cli.calculus.averages import (
    Integrand,
    Normal,
    end_ball,
    expectation,
    growth,
    integral,
)
from gelu_cli.calculus.curves import Curve, stretches
from gelu_cli.fitting.families import Family
from gelu_cli.fitting.newton import derivatives, moved, solve
from gelu_cli.fitting.search import least_square
from gelu_cli.formulas import Form, find_form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.rounding import exact_ball, working
from gelu_cli.numbers.series import Smooth

SPARE = 20
"""Bits beyond those of the digits that are asked for."""

COARSE = 24
"""Steps of the second derivatives, which need not be right: a share of 2^−COARSE."""


class Least(NamedTuple):
    """Constants, and a lower bound of the root mean square of all members, if proved."""

    values: list[fmpq]
    bound: fmpq | None


def least_mean_square(family: Family, of: Normal | None, bits: int) -> Least:
    """Find the constants of the least mean square error, to so many bits and some more.

    Examples
    --------
    >>> from gelu_cli.calculus.averages import normal
    >>> from gelu_cli.fitting.families import family_of
    >>> (beta,), bound = least_mean_square(family_of(find_form("sigmoid")), normal(), 53)
    >>> float(beta.p) / float(beta.q), bound
    (1.7119130489927412, None)
    """
    convex = {*family.free} <= {*family.rules.linear}
    starts = family.starts()[: 1 if convex else None]
    best = min((least_square(family, start, of) for start in starts), key=lambda each: each.error)
    accuracy = bits + SPARE
    with working(2 * accuracy):
        slopes = partial(gradient, family, of, accuracy + (2 * COARSE if convex else 0), convex)
        values = solve(slopes, [*map(to_fraction, best.values)], COARSE, accuracy - SPARE // 2)
        if not convex:
            return Least(values, None)
        form, g = family.member(values), slopes(values)
        square = change(family, of, (form, find_form("exact")), 2 * accuracy, proved=True)
        hessian = derivatives(slopes, values, g, COARSE)
        column = arb_mat(len(g), 1, g)
        least = square - (column.transpose() * hessian.solve(column)).entries()[0] / 2
        return Least(values, exact_ball(least.sqrt().lower()))


def gradient(
    family: Family, of: Normal | None, bits: int, proved: bool, values: Sequence[fmpq]
) -> list[arb]:
    """Return the derivatives of E e² in the constants."""
    found = []
    for i, (more, step) in enumerate(moved(values, 2 * COARSE)):
        less = [*values[:i], values[i] - step, *values[i + 1 :]]
        pair = family.member(more), family.member(less)
        found.append(change(family, of, pair, bits, proved=proved) / arb(2 * step))
    return found


def change(
    family: Family, of: Normal | None, pair: tuple[Form, Form], bits: int, *, proved: bool
) -> arb:
    """Return E e² of one form less that of another, to a share of 2^−bits of its largest part.

    If proved, the ball holds all that is beyond the range of integration.
    """
    one, other, exact = *pair, find_form("exact")

    def factors(*pieces: int) -> Any:  # a triple in place of a curve
        f, g, target = map(Smooth, (*pair, exact), pieces, [family.quantity] * 3)
        return Curve(f, g), Curve(f, target), Curve(g, target)

    parts: list[Integrand] = [
        (end_ball(part.low), end_ball(part.high), partial(product, part.curve))
        for part in stretches([one, other, exact], family.low, family.high, factors)
    ]
    if of is None:
        width, share = arb(family.high - family.low), arb((1, -bits))
        tiny = arb((1, -8 * bits))
        return (
            sum((integral(partial(plain, f), a, b, share, tiny) for a, b, f in parts), arb(0))
            / width
        )
    bound = 1.0
    if proved:
        f, g, target = (growth(form, family.quantity) for form in (*pair, exact))
        bound = (f + g) * (f + g + 2 * target)
    return expectation(parts, of, bits, bound)


def product(curves: tuple[Curve, Curve, Curve], z: acb) -> acb:
    """Return e₁² − e₀² = (f₁ − f₀)·(e₁ + e₀) at a complex ball."""
    difference, one, other = (curve.at(z) for curve in curves)
    return difference * (one + other)


def plain(f: Callable[[acb], acb], z: acb, analytic: bool) -> acb:
    """Return f(z), as Arb's integrals call it."""
    return f(z)
