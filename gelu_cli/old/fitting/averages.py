"""The least average error within proved bounds: interval Newton on its derivatives.

Of L(e) = ½e², or |e|, the average over X ~ N(μ, σ²) has the derivatives

    Gᵢ = E[L′(e)·∂ᵢe] + Σ (L⁻ − L⁺)·ρ·∂ᵢk,
    Jᵢₗ = E[L′(e)·∂ᵢ∂ₗe + L″(e)·∂ᵢe·∂ₗe] + Σ ∂ₗ((L⁻ − L⁺)·ρ·∂ᵢk) + (∂ᵢL⁻ − ∂ᵢL⁺)·ρ·∂ₗk,

with sums over the kinks k that move with the parameters, L⁻ and L⁺ on either side, ρ the density.
For |e|, E[L″(e)·∂ᵢe·∂ₗe] is Σ 2∂ᵢe·∂ₗe·ρ/|e′| over the places where e changes its sign. Everything
is enclosed, J for all members in a box at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from flint import acb, arb

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic import Arithmetic, Curve, Real, mpf
from gelu_cli.old.arithmetic.balls import BALLS, Ball, exactly, real, sign_of, working
from gelu_cli.old.arithmetic.beside import Beside, BesideArithmetic
from gelu_cli.old.arithmetic.dual import Dual, DualArithmetic
from gelu_cli.old.arithmetic.exact import RationalArithmetic, unknown
from gelu_cli.old.arithmetic.interval import Interval, IntervalArithmetic
from gelu_cli.old.arithmetic.tails import Coefficient, TailArithmetic
from gelu_cli.old.calculus.coverings import sign_changes
from gelu_cli.old.calculus.integrals import Averages, Normal, Parts
from gelu_cli.old.calculus.roots import Bracket, enclose_root
from gelu_cli.old.calculus.stretches import Place, Stretch
from gelu_cli.old.fitting.families import Family, Pieces
from gelu_cli.old.fitting.newton import TWICE, Jet, NotFoundError, constant, jet, middle_of, step_of

NEAR = (40, 80)
"""A box of ±2**-n around the constants, relative to them, has to prove that there is a root."""

MORE = 20
"""Bits of derivatives beyond those of the box."""

STEPS = 40

BITS, ROOT_BITS = 256, 128
"""Of balls for what is no integral, and of a root's enclosure."""

Held: TypeAlias = Sequence[tuple[Stretch, Pieces]]
"""The stretches of the line, and which pieces hold there."""


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

    def derivative(self, pieces: Pieces, absolute: bool, *variables: int) -> Curve:
        """Return as a curve ∂ᵢ or ∂ᵢ∂ₗ of ½e², or of e for |e|, for one or two parameters."""

        def curve(a: Arithmetic, x: Real) -> Real:
            dual, numbers = a, [x, *self.given(a)]
            for i in variables:
                numbers = [Dual(number, dual.rational(self.sizes[i] if j == i + 1 else 0))
                           for j, number in enumerate(numbers)]  # fmt: skip
                dual = DualArithmetic(dual)
            y = self.family.form_at(pieces, dual, numbers[0], numbers[1:])
            if absolute:  # the target has no slope in the parameters
                return y.derivative if len(variables) == 1 else y.derivative.derivative
            target = self.family.target_at(pieces, a, x)
            if len(variables) == 1:
                return (y.value - target) * y.derivative
            error = y.value.value - target
            return error * y.derivative.derivative + y.value.derivative * y.derivative.value

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
        return a.constant(Coefficient(unknown(name), ball))
    if isinstance(a, BesideArithmetic):  # beside polynomials
        return Beside(a.rests.anchor(middle_of(ball)), acb(ball - ball.mid()), a.rests)
    return acb(ball)


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
                line = [(part, members.derivative(pieces, self.absolute, i))
                        for part, pieces in held]  # fmt: skip
                moved = sum((kink.slopes[i] for kink in kinks), arb(0))
                total.append(moved + self._integral(line, signs, bits))
        return total

    def bends(self, values: Sequence[Fraction], radius: Fraction, bits: int) -> Any:
        """Return J for all members within a radius of one, as an array."""
        members, held = Members(self.family, values, self.sizes, radius), self._held(values)
        n = len(values)
        parts = [(part, pieces, 1) for part, pieces in held]
        with working(BITS):
            total = np.full((n, n), arb(0))
            for kink in self._kinks(members, held):
                total += kink.bends
            if self.absolute:
                parts = []
                for part, pieces in held:
                    for start, sign, root in _crossings(members, part, pieces):
                        parts.append((start, pieces, sign))
                        if root:
                            total += self._crossed(members, pieces, *root)
            for i in range(n):
                for j in range(i + 1):
                    line = [(part, _times(sign, members.derivative(pieces, self.absolute, i, j)))
                            for part, pieces, sign in parts]  # fmt: skip
                    bend = self._integral(line, [], bits)
                    total[i, j] += bend
                    total[j, i] += bend if i != j else 0
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

    def _kinks(self, members: Members, held: Held) -> Iterator[Jet]:
        """Yield what each kink that moves adds to G and J, as slopes and bends."""
        kinks = {kink.square: i for i, kink in enumerate(self.family.member(members.values).kinks)}
        for (left, before), (_, after) in pairwise(held):
            index = kinks.get(left.high.square)
            if index is not None:
                place = partial(self.family.kink_at, index, TWICE)
                kink = jet(place, members.balls, self.sizes)
                if any(slope != 0 for slope in kink.slopes):
                    yield self._moved(members, (before, after), place, kink)

    def _moved(
        self,
        members: Members,
        sides: Sequence[Pieces],
        place: Callable[[list[Dual]], Dual],
        kink: Jet,
    ) -> Jet:
        """Return what a kink adds to G and J, from (L⁻ − L⁺)·ρ there.

        Integrals end at the kinks of the middle member: J is off by less than how far a kink is
        from there times how the integrand jumps.
        """

        def jump(x: Dual, given: list[Dual]) -> Dual:
            losses = []
            for pieces in sides:
                error = self.family.error_at(pieces, TWICE, x, given)
                sign = sign_of(error.value.value.real)
                if self.absolute and not sign:
                    raise NotFoundError
                losses.append(error * sign if self.absolute else error * error / 2)
            difference: Dual = (losses[0] - losses[1]) * self._density(TWICE, x)
            return difference

        middle = constant(kink.value)
        moving = jet(lambda given: jump(place(given), given), members.balls, self.sizes)
        still = jet(lambda given: jump(middle, given), members.balls, self.sizes)
        return Jet(
            kink.value,
            kink.slopes * moving.value,
            np.multiply.outer(kink.slopes, moving.slopes)
            + np.multiply.outer(still.slopes, kink.slopes)
            + kink.bends * moving.value
            + _within(still.bends, 2 * kink.value.rad()),
        )

    def _crossed(self, members: Members, pieces: Pieces, low: Fraction, high: Fraction) -> Any:
        """Return what a change of sign between two places adds to J, and bound what is left out."""
        x = real(low).union(real(high))
        error = jet(lambda given: self.family.error_at(pieces, TWICE, given[-1], given[:-1]),
                    [*members.balls, x], [*self.sizes, Fraction(1)])  # fmt: skip
        density = self._density(BALLS, acb(x)).real
        rows = np.multiply.outer(error.slopes[:-1], error.slopes[:-1])
        off = _within(error.bends[:-1, :-1], real(high - low) * density)
        return rows * (2 * density / abs(error.slopes[-1])) + off


def _within(rows: Any, factor: Ball) -> Any:
    """Return balls around 0 that hold some numbers times a factor."""
    return np.frompyfunc(lambda y: arb(0, (factor * abs(y)).upper()), 1, 1)(rows)


def _crossings(
    members: Members, stretch: Stretch, pieces: Pieces
) -> Iterator[tuple[Stretch, int, Bracket | None]]:
    """Yield where the errors of all members in a box have a sign, each with the root after it."""
    error = members.error(pieces)
    middle = members._replace(radius=Fraction(0)).error(pieces)
    sign, brackets = sign_changes(error, stretch)
    start = stretch.low
    for bracket in brackets:
        low, high = _narrowed(error, middle, bracket)
        yield Stretch(start, Place.of(low)), sign, (low, high)
        start, sign = Place.of(high), -sign
    yield Stretch(start, stretch.high), sign, None


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


class Stationary(NamedTuple):
    """Where an average has no slope: balls around the parameters, and a member next to it.

    By `slack` at most the average of ½e²/E², or |e|/E, falls from that member's to the least one
    if it is convex, E the average that the search has found.
    """

    values: list[Ball]
    member: list[Fraction]
    slack: Ball


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
        if rows is None:
            rows = average.bends(values, Fraction(0), near + MORE)
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
        if not all(bend.is_finite() for bend in rows.flat):
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
    average: Average, values: Sequence[Fraction], rows: Any, bits: int
) -> tuple[list[Ball], Ball, list[Fraction]]:
    """Return a step of Newton's method, by how much the average falls at most, and its end."""
    slopes = average.slopes(values, bits)
    with working(bits + BITS):
        step = step_of(slopes, rows)
        falls = (abs(slope * part).upper() for slope, part in zip(slopes, step, strict=True))
        end = [value - middle_of(part) * size
               for value, size, part in zip(values, average.sizes, step, strict=True)]  # fmt: skip
        return step, sum(falls, arb(0)).upper(), end
