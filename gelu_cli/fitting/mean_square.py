"""The constants whose mean square error is least.

The derivatives of J = E e² are difference quotients, taken inside the integrals: kinks may move. If
the form is linear in the constants, J is a parabola, of which difference quotients are exact; its
least value, J − ½gᵀH⁻¹g with J, g and H in balls, is a lower bound for all constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from flint import arb, arb_mat, fmpq

from gelu_cli.calculus.averages import Uniform, expectation, growth, on_stretches
from gelu_cli.calculus.curves import Curve, stretches
from gelu_cli.fitting.families import Family
from gelu_cli.fitting.minimax import Optimum
from gelu_cli.fitting.newton import moved, solve
from gelu_cli.fitting.search import least_square
from gelu_cli.formulas import Form, find_form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.rounding import exact_ball, working
from gelu_cli.numbers.series import Smooth

SPARE, COARSE = 20, 24
"""Bits beyond those of the digits that are asked for; of the steps of second derivatives."""

NO_GROWTH = 0, arb(1)


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
    accuracy, start = bits + SPARE, [*map(to_fraction, best.values)]
    with working(2 * accuracy):
        slopes = partial(gradient, family, accuracy + (2 * COARSE if convex else 0), convex)
        values, hessian = solve(slopes, start, COARSE, accuracy - SPARE // 2)
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
