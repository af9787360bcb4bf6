"""Straight lines that a quantity approaches, at 0 and far out."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from flint import arb, fmpq

from gelu_cli.errors import ComputationError
from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.cells import Floats
from gelu_cli.numbers.far import faint_from, far_out
from gelu_cli.numbers.formats import LITTLE, Format
from gelu_cli.numbers.rays import FARTHEST
from gelu_cli.numbers.rounding import exact_ball, sign, working
from gelu_cli.numbers.series import Smooth

NEAR = 2.0**-60
"""Below it the tangent at 0 is the line."""

NEGLIGIBLE = 2300
"""Far out the distance from the line is below 2^−NEGLIGIBLE: no format has such a unit."""

TERMS, BITS = 5, 320
NORMAL = 2.0**-1022


class Line(NamedTuple):
    """A quantity is level + slope·x + term·xᵖ, up to 2⁻⁵⁰ of the term.

    `side` is the sign of the term, 0 if there is none. If p is 0 the term is negligible.
    """

    level: fmpq
    slope: fmpq
    side: int
    term: float = 0.0
    power: int = 0

    @property
    def plain(self) -> bool:
        """True if float64s hold the line: a number, or ±2ᵏ·x."""
        level, slope = (to_fraction(float(int(k.p) / int(k.q))) for k in self[:2])
        power_of_2 = abs(int(self.slope.p)) == 1
        return (slope == 0 or (level == 0 and power_of_2)) and (level, slope) == self[:2]

    def at(self, x: Floats) -> Floats:
        """Return the line at float64s."""
        level, slope = (float(int(k.p) / int(k.q)) for k in self[:2])
        return slope * x if slope else np.full(len(x), level)


@lru_cache(4096)
def asymptote(form: Form, quantity: str, right: bool) -> tuple[Line, float]:
    """Return the line for large |x| on a side, and the |x| at which it begins."""
    try:
        far = far_out(form, quantity, right)
        start = faint_from(form, quantity, right, NEGLIGIBLE) if far.sign else far.start
    except ComputationError:
        return Line(fmpq(0), fmpq(0), 0), np.inf
    return Line(far.k0, far.k1, far.sign), 2.0**start if start < FARTHEST else np.inf


@lru_cache(4096)
def tangent(form: Form, quantity: str, right: bool) -> Line | None:
    """Return the line for |x| < NEAR on a side; None if it is not exact."""
    i = next(n for n, cut in enumerate(form.cuts) if cut.square == 0) + right
    if any(0 < abs(cut.square) < to_fraction(NEAR) ** 2 for cut in form.cuts):
        return None
    curve, (k0, k1) = Smooth(form, i, quantity), form.line(i, quantity)
    with working(BITS):
        ball = arb(0).union(arb(NEAR if right else -NEAR))
        try:
            at_0, near = curve.expand(arb(0), TERMS), curve.expand(ball, TERMS)
        except (ValueError, ZeroDivisionError):
            return None
        first, second = at_0[0] + arb(k0), at_0[1] + arb(k1)
        if not first.is_exact() or (first.is_zero() and not second.is_exact()):
            return None
        level = exact_ball(first)
        slope = fmpq(0) if level else exact_ball(second)
        for k in range(1 if level else 2, TERMS):
            term = near[k] + arb(k1) if k == 1 else near[k]
            if way := sign(term):
                side = way if right or k % 2 == 0 else -way
                return Line(level, slope, side, float(term.mid()), k) if level or slope else None
            if not (at_0[k] + arb(k1) if k == 1 else at_0[k]).is_zero():
                return None
    return Line(level, slope, 0) if not curve.has_rest else None


def on_lines(form: Form, quantity: str, x: Floats, to: Format) -> tuple[Floats, Floats, Any, Any]:
    """Return m, low, exponents and a mask of points near lines."""
    m, low = np.zeros_like(x), np.zeros_like(x)
    exponent = np.full(x.shape, to.least_exponent, np.int32)
    known, size = np.zeros(x.shape, bool), np.abs(x)
    for right in (False, True):
        line, beyond = asymptote(form, quantity, right)
        near = tangent(form, quantity, right)
        sides = (x > 0) == right
        for each, zone in ((line, size >= beyond), (near, (size < NEAR) & (size > 0))):
            here = np.flatnonzero(zone & sides)
            if each is None or not each.plain or not len(here):
                continue
            z = each.at(x[here])
            n = np.maximum(np.frexp(z)[1] - 1, to.emin) - to.precision + 1
            m[here] = np.ldexp(z, -n)
            distance = np.ldexp(each.term * x[here] ** each.power, -n) if each.power else 0.0 * z
            distance = np.where(np.abs(distance) < LITTLE, each.side * LITTLE, distance)
            if not (each.level or each.slope):
                m[here], known[here] = each.side * LITTLE, True
                continue
            low[here], exponent[here], known[here] = distance, n, np.abs(z) > NORMAL
    return m, low, exponent, known
