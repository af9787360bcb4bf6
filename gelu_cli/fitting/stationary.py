"""The least average error within proved bounds: interval Newton on its derivatives.

Of L(e) = ½e², or |e|, the average over X ~ N(μ, σ²) has the derivatives

    Gᵢ = E[L′(e)·∂ᵢe] + Σ (L⁻ − L⁺)·ρ·∂ᵢk,
    Jᵢₗ = E[L′(e)·∂ᵢ∂ₗe + L″(e)·∂ᵢe·∂ₗe] + Σ ∂ₗ((L⁻ − L⁺)·ρ·∂ᵢk) + (∂ᵢL⁻ − ∂ᵢL⁺)·ρ·∂ₗk,

with sums over the kinks k that move with the parameters, L⁻ and L⁺ on either side, ρ the density.
For |e|, E[L″(e)·∂ᵢe·∂ₗe] is Σ 2∂ᵢe·∂ₗe·ρ/|e′| over the places where e changes its sign. Everything
is enclosed, J for all members in a box at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import NamedTuple, TypeAlias

from flint import acb, arb

from gelu_cli.arithmetic import Arithmetic, Curve, Real, mpf
from gelu_cli.arithmetic.balls import BALLS, Ball, exactly, real, sign_of, working
from gelu_cli.arithmetic.beside import Beside, BesideArithmetic
from gelu_cli.arithmetic.dual import Dual, DualArithmetic
from gelu_cli.arithmetic.exact import RationalArithmetic, unknown
from gelu_cli.arithmetic.interval import Interval, IntervalArithmetic
from gelu_cli.arithmetic.tails import Coefficient, TailArithmetic
from gelu_cli.calculus.coverings import sign_changes
from gelu_cli.calculus.integrals import Averages, Normal, Parts
from gelu_cli.calculus.roots import Bracket, enclose_root
from gelu_cli.calculus.stretches import Place, Stretch
from gelu_cli.errors import ComputationError
from gelu_cli.fitting.families import Family, Pieces
from gelu_cli.fitting.newton import (
    TWICE,
    Jet,
    NotFoundError,
    constant,
    jet_of,
    middle_of,
    step_of,
    variables,
)

NEAR = (40, 80)
"""A box of ±2**-n around the constants, relative to them, has to prove that there is a root."""

MORE = 20
"""Bits of derivatives beyond those of the box."""

STEPS = 40

BITS, ROOT_BITS = 256, 128
"""Of balls for what is no integral, and of a root's enclosure."""


Held: TypeAlias = Sequence[tuple[Stretch, Pieces]]
"""The stretches of the line, and which pieces hold there."""

Bends: TypeAlias = list[list[Ball]]


class Members(NamedTuple):
    """The members of a family whose parameters are within a radius of some values."""

    family: Family
    values: Sequence[Fraction]
    sizes: Sequence[Fraction]
    """The units of the radius, and of derivatives."""

    radius: Fraction = Fraction(0)

    def given(self, a: Arithmetic) -> list[Real]:
        """Return the parameters of all members at once, as numbers of an arithmetic."""
        if not self.radius:
            return list(map(a.rational, self.values))
        ends = ((value - self.radius * size, value + self.radius * size)
                for value, size in zip(self.values, self.sizes, strict=True))  # fmt: skip
        return [between(a, f"parameter {i}", *pair) for i, pair in enumerate(ends)]

    @property
    def balls(self) -> list[Ball]:
        """The parameters as real balls."""
        return [ball.real for ball in self.given(BALLS)]

    def error(self, pieces: Pieces) -> Curve:
        """Return the error as a curve."""
        return lambda a, x: self.family.error_at(pieces, a, x, self.given(a))

    def slope(self, pieces: Pieces, i: int, weighted: bool) -> Curve:
        """Return ∂ᵢe as a curve, or e·∂ᵢe."""

        def curve(a: Arithmetic, x: Real) -> Real:
            units = (size * (i == j) for j, size in enumerate(self.sizes))
            given = list(map(Dual, self.given(a), map(a.rational, units)))
            dual = DualArithmetic(a)
            form = self.family.form_at(pieces, dual, Dual(x, a.rational(0)), given)
            if not weighted:  # the target has no slope
                return form.derivative
            return (form.value - self.family.target_at(pieces, a, x)) * form.derivative

        return curve

    def bend(self, pieces: Pieces, i: int, j: int, weighted: bool) -> Curve:
        """Return ∂ᵢ∂ⱼe as a curve, or ∂ᵢ∂ⱼ of ½e²."""

        def curve(a: Arithmetic, x: Real) -> Real:
            given = [constant(a, value) for value in self.given(a)]
            given[i].value.derivative = a.rational(self.sizes[i])
            given[j].derivative.value = a.rational(self.sizes[j])
            twice = DualArithmetic(DualArithmetic(a))
            form = self.family.form_at(pieces, twice, constant(a, x), given)
            bend = form.derivative.derivative
            if not weighted:
                return bend
            error = form.value.value - self.family.target_at(pieces, a, x)
            return error * bend + form.value.derivative * form.derivative.value

        return curve


def between(a: Arithmetic, name: str, low: Fraction, high: Fraction) -> Real:
    """Return all numbers between two as one number of an arithmetic; exact algebra has its name."""
    if isinstance(a, DualArithmetic):
        return Dual(between(a.base, name, low, high), a.base.rational(0))
    if isinstance(a, RationalArithmetic):
        return unknown(name)
    if isinstance(a, IntervalArithmetic):
        return Interval(a.rational(low).low, a.rational(high).high, a.precision)
    ball = real(low).union(real(high))
    if isinstance(a, TailArithmetic):
        return a.constant(Coefficient([unknown(name)], ball))
    if isinstance(a, BesideArithmetic):  # beside polynomials
        return Beside(a.rests.anchor(middle_of(ball)), acb(ball - ball.mid()), a.rests)
    return acb(ball)


class Stationary(NamedTuple):
    """Where an average has no slope: balls around the parameters, and a member next to it.

    By `slack` at most the average of ½e²/E², or |e|/E, falls from that member's to the least one
    if it is convex, E the average that the search has found.
    """

    values: list[Ball]
    member: list[Fraction]
    slack: Ball


class Average(NamedTuple):
    """E|e|/E, or E ½e²/E², of the members of a family, with their derivatives."""

    family: Family
    normal: Normal
    absolute: bool
    sizes: Sequence[Fraction]
    error: Fraction

    @property
    def unit(self) -> Fraction:
        """The average is in units of E, or of E²."""
        return self.error if self.absolute else self.error**2

    def slopes(self, values: Sequence[Fraction], bits: int) -> list[Ball]:
        """Return G for a member."""
        members, held = Members(self.family, values, self.sizes), self._held(values)
        signs = [(part, members.error(pieces)) for part, pieces in held if self.absolute]
        with working(bits + BITS):
            kinks = list(self._kinks(members, held))
            total = []
            for i in range(len(values)):
                line = [(part, members.slope(pieces, i, not self.absolute))
                        for part, pieces in held]  # fmt: skip
                moved = sum((kink.slopes[i] for kink in kinks), arb(0))
                total.append(moved + self._integral(line, signs, bits))
        return total

    def bends(self, values: Sequence[Fraction], radius: Fraction, bits: int) -> Bends:
        """Return J for all members within a radius of one."""
        members, held = Members(self.family, values, self.sizes, radius), self._held(values)
        n = len(values)
        parts = [(part, pieces, 1) for part, pieces in held]
        with working(BITS):
            rows = [kink.bends for kink in self._kinks(members, held)]
            if self.absolute:
                crossings = [_crossings(members, *each) for each in held]
                parts = [part for each in crossings for part in each.parts]
                rows += [self._crossed(members, *at) for each in crossings for at in each.roots]
            total = [[sum((row[i][j] for row in rows), arb(0)) for j in range(n)] for i in range(n)]
            for i in range(n):
                for j in range(i + 1):
                    line = [(part, _times(sign, members.bend(pieces, i, j, not self.absolute)))
                            for part, pieces, sign in parts]  # fmt: skip
                    bend = self._integral(line, [], bits)
                    total[i][j] += bend
                    total[j][i] += bend if i != j else 0
        return total

    def _held(self, values: Sequence[Fraction]) -> Held:
        comparison = self.family.comparison(values)
        return [(part, self.family.pieces(comparison.form, part))
                for part in comparison.stretches(-inf, inf)]  # fmt: skip

    def _integral(self, line: Parts, signs: Parts, bits: int) -> Ball:
        averages = Averages(self.normal, bits, precise=False, signed=False)
        line = [(part, _times(1 / self.unit, curve)) for part, curve in line]
        found = averages.of(line, signs, share=False).folded
        return real(mpf.to_fraction(found.low)).union(real(mpf.to_fraction(found.high)))

    def _density(self, a: Arithmetic, x: Real) -> Real:
        """Return ρ(x), in units of the average."""
        mean, sigma = map(a.rational, self.normal)
        density = a.exp(-(((x - mean) / sigma) ** 2) / 2) / (sigma * a.sqrt(2 * a.pi))
        return density * a.rational(1 / self.unit)

    def _loss(self, error: Dual) -> Dual:
        """Return ½e², or |e| where e has a sign."""
        if not self.absolute:
            return error * error / 2
        sign = sign_of(error.value.value.real)
        if not sign:
            raise NotFoundError
        signed: Dual = error * sign
        return signed

    def _jump(self, before: Pieces, after: Pieces, x: Dual, given: Sequence[Dual]) -> Dual:
        """Return (L⁻ − L⁺)·ρ at x."""
        one, other = (self._loss(self.family.error_at(pieces, TWICE, x, given))
                      for pieces in (before, after))  # fmt: skip
        jump: Dual = (one - other) * self._density(TWICE, x)
        return jump

    def _kinks(self, members: Members, held: Held) -> Iterator[Jet]:
        """Yield what each kink that moves adds to G and J, as slopes and bends.

        Integrals end at the kinks of the middle member: J is off by less than how far a kink is
        from there times how the integrand jumps.
        """
        n = len(self.sizes)
        kinks = {kink.square: i for i, kink in enumerate(self.family.member(members.values).kinks)}
        given = variables(members.balls, self.sizes)
        for (left, before), (_, after) in pairwise(held):
            index = kinks.get(left.high.square)
            if index is None:
                continue
            kink = self.family.kink_at(index, TWICE, given)
            at = jet_of(kink, n)
            if all(slope == 0 for slope in at.slopes):
                continue

            moving, still = (jet_of(self._jump(before, after, x, given), n)
                             for x in (kink, constant(BALLS, kink.value.value)))  # fmt: skip
            off = [[arb(0, (2 * at.value.rad() * abs(bend)).upper()) for bend in row]
                   for row in still.bends]  # fmt: skip
            yield Jet(
                at.value,
                [moving.value * slope for slope in at.slopes],
                [[moving.slopes[j] * at.slopes[i] + moving.value * at.bends[i][j]
                  + still.slopes[i] * at.slopes[j] + off[i][j] for j in range(n)]
                 for i in range(n)],
            )  # fmt: skip

    def _crossed(self, members: Members, pieces: Pieces, low: Fraction, high: Fraction) -> Bends:
        """Return what a change of sign between two places adds to J, and bound what is left out."""
        n = len(self.sizes)
        x = acb(real(low).union(real(high)))
        *given, point = variables([*members.balls, x.real], [*self.sizes, Fraction(1)])
        error = jet_of(self.family.error_at(pieces, TWICE, point, given), n + 1)
        density, steep = self._density(BALLS, x).real, abs(error.slopes[n])
        off = real(high - low) * density
        return [[2 * error.slopes[i] * error.slopes[j] * density / steep
                 + arb(0, (off * abs(error.bends[i][j])).upper()) for j in range(n)]
                for i in range(n)]  # fmt: skip


class Crossings(NamedTuple):
    """Where the errors of all members in a box have a sign, and where each has one root."""

    parts: list[tuple[Stretch, Pieces, int]]
    roots: list[tuple[Pieces, Fraction, Fraction]]


def _crossings(members: Members, stretch: Stretch, pieces: Pieces) -> Crossings:
    error = members.error(pieces)
    sign, brackets = sign_changes(error, stretch)
    middle = Members(members.family, members.values, members.sizes).error(pieces)
    found, start = Crossings([], []), stretch.low
    for bracket in brackets:
        low, high = _narrowed(error, middle, bracket)
        found.parts.append((Stretch(start, Place.of(low)), pieces, sign))
        found.roots.append((pieces, low, high))
        start, sign = Place.of(high), -sign
    found.parts.append((Stretch(start, stretch.high), pieces, sign))
    return found


def _narrowed(error: Curve, middle: Curve, bracket: Bracket) -> Bracket:
    """Return a bracket for all members that is little wider than their roots are apart."""
    root = enclose_root(middle, *bracket, ROOT_BITS)
    if root is None:
        raise NotFoundError
    x = mpf.to_fraction(root.middle)
    for k in range(ROOT_BITS - 8, 4, -2):
        low, high = x - abs(x) / 2**k, x + abs(x) / 2**k
        signs = [sign_of(error(BALLS, acb(real(end))).real) for end in (low, high)]
        if signs[0] * signs[1] < 0 and bracket[0] <= low and high <= bracket[1]:
            return low, high
    return bracket


def _times(factor: Fraction | int, curve: Curve) -> Curve:
    if not factor:
        return lambda a, x: a.rational(0)
    return lambda a, x: curve(a, x) * a.rational(factor)


def stationary(average: Average, start: Sequence[float], bits: int) -> Stationary:
    """Return where an average has no slope, to about so many bits, near a member.

    Raises `NotFoundError` if that is not proved.
    """
    values = list(map(Fraction, start))
    for near in NEAR:
        with suppress(ZeroDivisionError, ComputationError, NotFoundError):
            values = _approached(average, values, near)
            return _enclosed(average, values, near, bits)
    raise NotFoundError


def _approached(average: Average, values: Sequence[Fraction], near: int) -> list[Fraction]:
    """Return a member next to a root: the last step of Newton's method is within the box."""
    rows = None
    for _ in range(STEPS):
        rows = rows or average.bends(values, Fraction(0), near + MORE)
        step, _, values = _step(average, values, rows, near + MORE)
        size = max(abs(part).upper() for part in step)
        if size < arb(2) ** -(near + 2):
            return values
        rows = rows if size < 2.0**-6 else None
    raise NotFoundError


def _enclosed(average: Average, values: Sequence[Fraction], near: int, bits: int) -> Stationary:
    """Return the root in a box around a member, which becomes ever smaller."""
    radius = Fraction(1, 1 << near)
    for k in range(STEPS):
        told = radius.denominator.bit_length() - radius.numerator.bit_length()
        rows = average.bends(values, radius, near + MORE)
        if not all(bend.is_finite() for row in rows for bend in row):
            raise NotFoundError
        step, slack, moved = _step(average, values, rows, min(2 * told, bits) + (k + 1) * MORE)
        if k == 0 and not all(abs(part) < real(radius) for part in step):
            raise NotFoundError
        radius = max(exactly(part.rad()) for part in step)
        with working(bits + BITS):
            found = [arb(real(value), real(radius * size))
                     for value, size in zip(moved, average.sizes, strict=True)]  # fmt: skip
            if all(ball.rad() < abs(ball) * arb(2) ** -bits for ball in found):
                return Stationary(found, list(values), slack)
        values = moved
    raise NotFoundError


def _step(
    average: Average, values: Sequence[Fraction], rows: Bends, bits: int
) -> tuple[list[Ball], Ball, list[Fraction]]:
    """Return a step of Newton's method, by how much the average falls at most, and its end."""
    slopes = average.slopes(values, bits)
    with working(bits + BITS):
        step = step_of(slopes, rows)
        falls = (abs(slope * part).upper() for slope, part in zip(slopes, step, strict=True))
        end = [value - middle_of(part) * size
               for value, size, part in zip(values, average.sizes, step, strict=True)]  # fmt: skip
        return step, sum(falls, arb(0)).upper(), end
