"""A quantity on one smooth piece of a form: series, tangent, asymptotes."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from math import inf
from typing import NamedTuple

from flint import arb, arb_series, fmpq

from gelu_cli.errors import ComputationError
from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.rays import FARTHEST, Far, faint_from, far_out
from gelu_cli.numbers.rounding import exact_ball, sign, working

NEAR = 2.0**-60  # |x| below which the tangent at 0 is used
TERMS, BITS = 5, 320  # terms of the power series at 0; bits of their coefficients
NEGLIGIBLE = 2300  # an asymptote is used if |rest| < 2⁻²³⁰⁰: below LITTLE ULP in any format
ODD = {True: ("value", "complement", "curvature", "gate_gradient"), False: ("gradient",)}
"""By `has_gate` of a form: quantities with another parity (odd or even) than the form's tails."""


class Smooth(NamedTuple):
    """A quantity of a form on its piece number i: k₀ + k₁·x + rest."""

    form: Form
    i: int
    quantity: str

    @property
    def line(self) -> tuple[fmpq, fmpq]:
        """The exact part, k₀ and k₁."""
        return self.form.line(self.i, self.quantity)

    @property
    def has_rest(self) -> bool:
        """True if the quantity is more than a straight line."""
        return self.form.has_rest(self.i, self.quantity)

    def expand(self, x: arb, length: int) -> arb_series:
        """Return `length` terms of the power series in h of the rest at x + h."""
        return self.form.expand(self.i, self.quantity, x, length)

    def meets_zero(self, right: bool) -> bool:
        """Return True if the piece is on the right (left) of 0 and ends at 0."""
        return any(cut.square == 0 and self.i - right == n for n, cut in enumerate(self.form.cuts))

    def far(self, right: bool) -> Far | None:
        """Return the asymptote; None if unknown or if the piece is not outermost."""
        if self.i == self.form.outer(right):
            with suppress(ComputationError):
                return far_out(self.form, self.quantity, right)
        return None

    def image(self) -> tuple[Smooth, int] | None:
        """Return the piece that this piece mirrors, and a sign s; or None.

        The rest of this piece at x is s times the rest of the other piece at −x.
        """
        piece = self.form.pieces[self.i]
        if not piece.reflected:
            return None
        sign = -piece.sign if self.quantity in ODD[self.form.has_gate] else piece.sign
        sign = 1 if self.quantity == "mask_variance" else sign  # x²G(1 − G) is even
        return Smooth(self.form, len(self.form.pieces) - 1 - self.i, self.quantity), sign


class Line(NamedTuple):
    """A line level + slope·x near a quantity; quantity − line is term·x^power.

    The relative error of term·x^power is at most 2⁻⁵⁰; `side` is the sign of quantity − line. If
    `power` is 0, only `side` is known: quantity − line is negligible, and `term` is stored as 0.
    """

    level: fmpq
    slope: fmpq
    side: int
    term: float = 0.0
    power: int = 0

    @property
    def plain(self) -> bool:
        """True if float64s hold the line exactly: a constant, or ±2⁻ᵏ·x."""
        held = all(to_fraction(int(k.p) / int(k.q)) == k for k in self[:2])
        return held and (not self.slope or (not self.level and abs(self.slope.p) == 1))


@lru_cache(4096)
def asymptote(form: Form, quantity: str, right: bool) -> tuple[Line, float]:
    """Return the asymptote on a side, and the |x| (or ∞) from which to use it."""
    far = Smooth(form, form.outer(right), quantity).far(right)
    if far is None:
        return Line(fmpq(0), fmpq(0), 0), inf
    start = faint_from(form, quantity, right, NEGLIGIBLE) if far.sign else far.start
    return Line(far.k0, far.k1, far.sign), 2.0**start if start < FARTHEST else inf


@lru_cache(4096)
def tangent(form: Form, quantity: str, right: bool) -> Line | None:
    """Return the exact tangent for |x| < NEAR on a side; None if unknown."""
    if any(0 < abs(cut.square) < to_fraction(NEAR) ** 2 for cut in form.cuts):
        return None
    i = next(n for n, cut in enumerate(form.cuts) if cut.square == 0) + right
    curve, way = Smooth(form, i, quantity), 1 if right else -1
    with working(BITS):
        try:
            k0_k1, zone = arb_series([*curve.line], prec=TERMS), arb(0).union(arb(way * NEAR))
            at_0, near = (curve.expand(x, TERMS) + k0_k1 for x in (arb(0), zone))
        except (ValueError, ZeroDivisionError):
            return None
        first = 2 if at_0[0].is_zero() else 1
        if not all(at_0[k].is_exact() for k in range(first)):
            return None
        level, slope = exact_ball(at_0[0]), exact_ball(at_0[1]) if first == 2 else fmpq(0)
        k = next((k for k in range(first, TERMS) if not at_0[k].is_zero()), None)
        if k is None:
            return None if curve.has_rest else Line(level, slope, 0)
        side = sign(near[k]) * (way if k % 2 else 1)
        line = Line(level, slope, side, float(near[k].mid()), k)
        return line if side and (level or slope) else None
