"""The constants whose mean square error is least.

X is N(M, S²), or uniform over a range. The derivatives of J = E e² are difference quotients, taken
inside the integrals: kinks may move. If the form is linear in the constants, J is a parabola, of
which difference quotients are exact; its least value, J − ½gᵀH⁻¹g with J, g and H in balls, is a
lower bound for all constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, cast

from flint import acb, arb, arb_mat, fmpq

from gelu_cli.calculus.averages import (
    Integrand,
    Normal,
    Uniform,
    end_ball,
    expectation,
    growth,
)
from gelu_cli.calculus.curves import complex_rest, stretches
from gelu_cli.fitting.families import Family
from gelu_cli.fitting.minimax import Optimum
from gelu_cli.fitting.newton import moved, quotients, solve
from gelu_cli.fitting.search import check_sizes, least_square
from gelu_cli.formulas import Form, find_form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.rounding import exact_ball, working
from gelu_cli.numbers.series import Smooth

SPARE = 20
"""Bits beyond those of the digits that are asked for."""

COARSE = 24
"""Steps of the second derivatives, which need not be right: a share of 2^−COARSE."""

NO_GROWTH = 0, arb(1)


def least_mean_square(family: Family, of: Normal | None, bits: int) -> Optimum:
    """Find the constants of the least mean square error, to `bits` or more.

    Examples
    --------
    >>> from gelu_cli.calculus.averages import normal
    >>> from gelu_cli.fitting.families import family_of
    >>> (beta,), bound, _ = least_mean_square(family_of(find_form("sigmoid")), normal(), 53)
    >>> float(beta.p) / float(beta.q), bound
    (1.7119130489927412, None)
    """
    convex = {*family.free} <= {*family.rules.linear}
    starts = family.starts()[: 1 if convex else None]
    best = min((least_square(family, start, of) for start in starts), key=lambda each: each.error)
    accuracy = bits + SPARE
    check_sizes(family, best.values)
    start = [*map(to_fraction, best.values)]
    with working(2 * accuracy):
        slopes = partial(gradient, family, of, accuracy + (2 * COARSE if convex else 0), convex)
        if not convex:
            return Optimum(solve(slopes, start, COARSE, accuracy - SPARE // 2), None)
        g = slopes(start)
        hessian = arb_mat(quotients(slopes, start, g, COARSE))

        def step(g: list[arb]) -> list[arb]:
            entries: list[arb] = hessian.solve(arb_mat(len(g), 1, g)).entries()
            return entries

        values = [exact_ball(arb(v) - move) for v, move in zip(start, step(g), strict=True)]
        g, pair = slopes(values), (family.member(values), find_form("exact"))
        square = change(family, of, pair, 2 * accuracy, proved=True)
        rest = sum((one * move for one, move in zip(g, step(g), strict=True)), arb(0))
        return Optimum(values, exact_ball((square - rest / 2).sqrt().lower()))


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
    """Return E e² of one form less that of another.

    It is right to a share of 2^−bits of its largest part. If proved, the ball holds all that is
    beyond the range of integration.
    """
    forms = [*pair, find_form("exact")]

    def pieces(*indices: int) -> Any:  # three quantities in place of a curve
        three = [Smooth(f, i, family.quantity) for f, i in zip(forms, indices, strict=True)]
        f, g, t = (each.line for each in three)
        return three, [f[k] - g[k] for k in (0, 1)], [f[k] + g[k] - 2 * t[k] for k in (0, 1)]

    parts: list[Integrand] = [
        (end_ball(part.low), end_ball(part.high), partial(product, cast(Any, part.curve)))
        for part in stretches(forms, family.low, family.high, pieces)
    ]
    if of is None:
        return expectation(parts, Uniform(family.low, family.high), bits, NO_GROWTH)
    far = growth([*forms, forms[-1]], family.quantity) if proved else NO_GROWTH
    return expectation(parts, of, bits, far)


def product(pieces: tuple[Sequence[Smooth], Sequence[fmpq], Sequence[fmpq]], z: acb) -> acb:
    """Return (f − t)² − (g − t)² at a complex ball, without cancellation.

    As (f − g)·(f + g − 2t), each with its straight line, which is exact, apart.
    """
    three, (a0, a1), (b0, b1) = pieces
    f, g, t = (complex_rest(each, z) for each in three)
    return (f - g + (z * a1 + a0)) * (f + g - 2 * t + (z * b1 + b0))
