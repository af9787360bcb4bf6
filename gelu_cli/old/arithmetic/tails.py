"""Numbers far out: sums of powers of x times exponentials, up to infinity or on an interval.

A form tends to its limit as powers of x times e^(polynomial in x), and what it differs by from
another form, or its second derivative, is a sum of such terms. No enclosure tells the sign of that
on an octave, over which e^(−x²) loses hundreds of digits. As Σ e^(Eᵢ(x))·Lᵢ(x) it is that of the
term that outgrows the others. Eᵢ is a polynomial without constant, Lᵢ = c₀xⁿ + c₁xⁿ⁻¹ + …, where
a ball stands for what is known of a coefficient, or of a factor, for all x ≥ T, or T ≤ x ≤ U.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import factorial
from typing import Any, TypeAlias

from flint import arb

from gelu_cli.old.arithmetic import Curve, Operators
from gelu_cli.old.arithmetic.balls import Ball, real, sign_of
from gelu_cli.old.arithmetic.exact import RATIONAL, Exact, unknown

TERMS = 8
"""Powers of x that are kept, and for 1 = e⁰ as many negative ones; one more bounds the rest."""

EXPONENTS = 4
"""Exponentials that are kept above the least one, the coefficient of which bounds the rest."""

ASYMPTOTIC = 4
"""Terms of e^(z²)·erfc(z) in 1/z², which are the smaller the farther out."""

FAR = 8
"""From here on they are better than a ball, on an interval too: what they cancel with is gone."""

ASYMPTOTIC_FROM = 1024
"""From here on two terms of an expansion bound erfc and log(1 + eˣ) well enough."""


class UntoldError(ArithmeticError):
    """What dominates is not known from T on, or is not of this kind."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A real number: its name in exact algebra, by which it cancels, and a ball around it."""

    number: Exact
    ball: Ball = field(compare=False)

    def __add__(self, other: Coefficient) -> Coefficient:
        return Coefficient(self.number + other.number, self.ball + other.ball)

    def __mul__(self, other: Coefficient) -> Coefficient:
        return Coefficient(self.number * other.number, self.ball * other.ball)

    def __neg__(self) -> Coefficient:
        return Coefficient(-self.number, -self.ball)


def within(ball: Ball) -> Coefficient:
    """Return a number of which a ball is known, and nothing else."""
    return Coefficient(unknown(), ball)


def rational(value: Fraction | int) -> Coefficient:
    """Return a fraction."""
    return Coefficient(Fraction(value), real(Fraction(value)))


Exponent: TypeAlias = tuple[tuple[int, Coefficient], ...]
"""A polynomial without constant: its powers, the highest first, and their coefficients."""

Series: TypeAlias = Iterable[tuple[int, Coefficient]]
"""Powers of x, positive and negative, and their coefficients."""


def _summed(series: Series) -> dict[int, Coefficient]:
    total: dict[int, Coefficient] = {}
    for n, c in series:
        total[n] = total[n] + c if n in total else c
    return {n: c for n, c in total.items() if c.number != 0}


def _sum(one: Exponent, other: Exponent) -> Exponent:
    return tuple(sorted(_summed((*one, *other)).items(), reverse=True, key=lambda term: term[0]))


def _negative(exponent: Exponent) -> Exponent:
    return tuple((n, -c) for n, c in exponent)


class Tail(Operators):
    """A number for all x ≥ T, or T ≤ x ≤ U: Σ e^(E(x))·L(x)."""

    __slots__ = ("a", "terms")

    def __init__(self, terms: Iterable[tuple[Exponent, Series]], a: TailArithmetic) -> None:
        self.a = a
        total: dict[Exponent, list[tuple[int, Coefficient]]] = {}
        for exponent, series in terms:
            total.setdefault(exponent, []).extend(series)
        kept = {exponent: a.folded(exponent, series) for exponent, series in total.items()}
        self.terms = a.fewer({exponent: series for exponent, series in kept.items() if series})

    def __neg__(self) -> Tail:
        return self * -1

    def __add__(self, other: Tail | int) -> Tail:
        both = (self.terms, self.a.number(other).terms)
        return Tail(((e, s.items()) for terms in both for e, s in terms.items()), self.a)

    def __mul__(self, other: Tail | int) -> Tail:
        return Tail(
            (
                (_sum(e, f), [(n + m, c * d) for n, c in s.items() for m, d in t.items()])
                for e, s in self.terms.items()
                for f, t in self.a.number(other).terms.items()
            ),
            self.a,
        )

    def __truediv__(self, other: Tail | int) -> Tail:
        return self * self.a.number(other).inverse()

    def __rtruediv__(self, other: int) -> Tail:
        return self.inverse() * other

    def __pow__(self, power: int) -> Tail:
        if power < 0:
            return (self**-power).inverse()
        half = self ** (power // 2) if power else self.a.rational(1)
        return half * half * self if power % 2 else half * half if power else half

    def inverse(self) -> Tail:
        """Return 1/self = 1/d·(1 − r + r² − …), self = d·(1 + r) with the largest monomial d."""
        e, n, c = self.leading()
        if not sign_of(c.ball):
            raise UntoldError
        d = Tail([(_negative(e), [(-n, Coefficient(1 / c.number, 1 / c.ball))])], self.a)
        rest = self * d - 1
        return d * rest.power_series(lambda k: (-1) ** k, lambda r: 1 / (1 + r))

    def power_series(
        self, coefficient: Callable[[int], Fraction | int], bound: Callable[[Ball], Ball]
    ) -> Tail:
        """Return Σ coefficient(k)·selfᵏ; the remainder is within selfᴺ·bound(self), up to a sign.

        Powers of x below those kept are in the last coefficient of each series.
        """
        total, power = self.a.rational(0), self.a.rational(1)
        if not self.terms:
            return total + self.a.rational(coefficient(0))
        size = self.size()
        if not size < 1:
            raise UntoldError
        for k in range(EXPONENTS if all(self.terms) else TERMS):
            total = total + power * self.a.rational(coefficient(k))
            power = power * self
        remainder = arb(0, bound(arb(0, size)).abs_upper())
        return total + power * self.a.constant(within(remainder))

    def size(self) -> Ball:
        """Return a bound on |self|; raises `UntoldError` if there is none."""
        return sum((self.a.size(e, s.items()) for e, s in self.terms.items()), arb(0)).upper()

    def leading(self) -> tuple[Exponent, int, Coefficient]:
        """Return the monomial that is to outgrow all others."""
        if not self.terms:
            raise UntoldError
        largest = max(self.terms, key=self.a.middle_of)
        n = max(self.terms[largest])
        return largest, n, self.terms[largest][n]

    @property
    def sign(self) -> int:
        """The sign; 0 if the number is 0. Raises `UntoldError` if it is not known."""
        if not self.terms:
            return 0
        e, n, _ = self.leading()
        relative = {
            _sum(f, _negative(e)): [(m - n, d) for m, d in series.items()]
            for f, series in self.terms.items()
        }
        value = self.a.polynomial(relative.pop(()))
        if not sum((self.a.size(f, s) for f, s in relative.items()), arb(0)) < abs(value):
            raise UntoldError
        return sign_of(value)


class TailArithmetic:
    """The `Arithmetic` of numbers for all x ≥ T, or T ≤ x ≤ U; on the other side, all x ≤ −T.

    >>> a, x = far_out(real(8), None, 1)
    >>> (a.erfc(x) - a.exp(-x * x)).sign
    -1
    """

    def __init__(self, start: Ball, stop: Ball | None = None) -> None:
        self.start = start
        self.stop: Ball = stop
        self.middle = (start if stop is None else (start + stop) / 2).mid()

    def middle_of(self, exponent: Exponent) -> Ball:
        """Return about the exponent in the middle of the interval, or at its finite end."""
        return sum((c.ball * self.middle**n for n, c in exponent), arb(0)).mid()

    def polynomial(self, series: Series) -> Ball:
        """Return a ball around Σ cₙxⁿ; up to infinity no n may be positive.

        On an interval by the mean value theorem too, which holds for coefficients that depend on
        x as well: for each x there is a polynomial.
        """
        powers = [(n, c.ball, self._power(n)) for n, c in series]
        plain = sum((c * power for _, c, power in powers), arb(0))
        if len(powers) < 2 or self.stop is None:
            return plain
        whole = self._power(1)
        slope = sum((n * c * power for n, c, power in powers), arb(0)) / whole
        there = sum((c * self.middle**n for n, c, _ in powers), arb(0))
        return plain.intersection(there + slope * (whole - self.middle))

    def _power(self, n: int) -> Ball:
        """Return a ball around all xⁿ."""
        if n > 0 and self.stop is None:
            raise UntoldError
        if not n:
            return arb(1)
        return (self.start**n).union(arb(0) if self.stop is None else self.stop**n)

    def size(self, exponent: Exponent, series: Series) -> Ball:
        """Return a bound on a series times e^E; up to infinity each term must fall from T on."""
        if self.stop is None and exponent:
            return sum((self._falling_size(exponent, n, c) for n, c in series), arb(0))
        size = abs(self.polynomial(series)) * self.polynomial(exponent).exp()
        return size.upper() if size.is_finite() else arb.pos_inf()

    def _falling_size(self, exponent: Exponent, n: int, c: Coefficient) -> Ball:
        """Return a bound on |c|·xⁿ·e^E for x ≥ T, where −xE′(x) > n: so it falls."""
        start = self.start
        (degree, first), *others = exponent
        slope = -first.ball * degree * start**degree
        against = sum((abs(d.ball) * k * start**k for k, d in others), arb(max(n, 0)))
        if not slope > against:
            raise UntoldError
        power = sum((d.ball * start**k for k, d in exponent), arb(0))
        return abs(c.ball) * start**n * power.exp()

    def folded(self, exponent: Exponent, series: Series) -> dict[int, Coefficient]:
        """Return a series without zeros, and without more terms than are kept."""
        total = _summed(series)
        powers = sorted(total, reverse=True)
        most = TERMS if exponent else TERMS + sum(n >= 0 for n in powers)
        kept, left = {n: total[n] for n in powers[:most]}, powers[most:]
        if left:
            last = left[0]
            kept[last] = within(self.polynomial([(n - last, total[n]) for n in left]))
        return kept

    def fewer(
        self, terms: dict[Exponent, dict[int, Coefficient]]
    ) -> Mapping[Exponent, Mapping[int, Coefficient]]:
        """Return as many exponentials as are kept, the least one with a bound of the rest."""
        while len(terms) > EXPONENTS + 1:
            least, last = sorted(terms, key=self.middle_of)[:2]
            n = max(terms[least])
            relative = [(m - n, c) for m, c in terms.pop(least).items()]
            rest = arb(0, self.size(_sum(least, _negative(last)), relative).upper())
            terms[last] = self.folded(last, [*terms[last].items(), (n, within(rest))])
        return terms

    def number(self, value: Tail | int) -> Tail:
        """Return an int as such a number."""
        return self.rational(value) if isinstance(value, int) else value

    def constant(self, value: Coefficient) -> Tail:
        """Return a constant."""
        return Tail([((), [(0, value)])], self)

    @property
    def pi(self) -> Tail:
        """π."""
        return self.constant(Coefficient(RATIONAL.pi, arb.pi()))

    def rational(self, value: Fraction | int) -> Tail:
        """Return `value`."""
        return self.constant(rational(value))

    def sqrt(self, x: Tail) -> Tail:
        """Return √x of a constant."""
        if not x.terms:
            return x
        if [*x.terms] != [()] or [*x.terms[()]] != [0]:
            raise UntoldError
        c = x.terms[()][0]
        return self.constant(Coefficient(RATIONAL.sqrt(c.number), c.ball.sqrt()))

    def exp(self, x: Tail) -> Tail:
        """Return eˣ: of the powers, of the constant, and of what tends to 0, by its series."""
        if any(x.terms):
            raise UntoldError
        series = x.terms.get((), {})
        exponent = tuple((n, c) for n, c in sorted(series.items(), reverse=True) if n > 0)
        c = series.get(0, rational(0))
        factor = Coefficient(RATIONAL.exp(c.number), c.ball.exp())
        result = Tail([(exponent, [(0, factor)])], self)
        small = Tail([((), [(n, d) for n, d in series.items() if n < 0])], self)
        if not small.terms:
            return result
        if self.stop is not None:
            return result * self._between(lambda v: v.exp(), small)
        inverses = [Fraction(1, factorial(k)) for k in range(TERMS)]
        return result * small.power_series(inverses.__getitem__, lambda r: r.exp())

    def expm1(self, x: Tail) -> Tail:
        """Return eˣ − 1."""
        return self.exp(x) - 1

    def _all(self, x: Tail) -> Ball:
        """Return a ball around x, which is made of powers; up to infinity none is positive."""
        if any(x.terms):
            raise UntoldError
        return self.polynomial(x.terms.get((), {}).items())

    def _between(self, f: Callable[[Ball], Ball], x: Tail) -> Tail:
        """Return a monotone function of all x."""
        v = self._all(x)
        return self.constant(within(f(v.lower()).union(f(v.upper()))))

    def _side(self, x: Tail) -> int:
        """Return the sign of x where it tends to ±∞, or is over ½ in size on the interval."""
        if any(x.terms):
            raise UntoldError
        if self.stop is None and x.terms:
            _, n, c = x.leading()
            return sign_of(c.ball) if n > 0 else 0
        v = self._all(x)
        return sign_of(v) if abs(v) > 0.5 else 0

    def erfc(self, x: Tail) -> Tail:
        """Return erfc(x) = e^(−x²)/(x√π)·(1 − 1/(2x²) + 3/(4x⁴) − …), the terms of which bound it.

        To the left it is 2 less that of −x.
        """
        side = self._side(x)
        if not side:
            return self._between(lambda v: v.erfc(), x)
        if side < 0:
            return 2 - self.erfc(-x)
        density = self.exp(-x * x)
        if self.stop is not None and not (len(x.terms[()]) == 1 and self._all(x) > FAR):
            return density * self._between(_scaled_erfc, x)
        step, term = (2 * x * x).inverse(), self.rational(1)
        total = term
        for k in range(1, ASYMPTOTIC):
            term = -(2 * k - 1) * term * step
            total = total + term
        last = self.constant(within(arb(0).union(arb(2 * ASYMPTOTIC - 1))))
        return density * (total - term * step * last) / (x * self.sqrt(self.pi))

    def logistics(self, x: Tail) -> tuple[Tail, Tail]:
        """Return σ(x) and σ(−x): 1 − t and t = e⁻ˣ − e⁻²ˣ + … to the right."""
        side = self._side(x)
        if not side:
            return self._between(_logistic, x), self._between(_logistic, -x)
        t = self._falling(side * x, _logistic, lambda k: (-1) ** k, lambda r: 1 / (1 + r))
        return (1 - t, t) if side > 0 else (t, 1 - t)

    def softplus(self, x: Tail) -> Tail:
        """Return log(1 + eˣ), x + log(1 + e⁻ˣ) to the right."""
        side = self._side(x)
        if not side:
            return self._between(lambda v: v.exp().log1p(), x)
        rest = self._falling(
            side * x, _scaled_softplus,
            lambda k: Fraction((-1) ** k, k + 1), lambda r: 1 / (1 - abs(r)),
        )  # fmt: skip
        return x + rest if side > 0 else rest

    def _falling(
        self,
        x: Tail,
        f: Callable[[Ball], Ball],
        coefficient: Callable[[int], Fraction | int],
        bound: Callable[[Ball], Ball],
    ) -> Tail:
        """Return e⁻ˣ·f(x), f monotone on an interval; up to infinity f is a power series in e⁻ˣ."""
        power = self.exp(-x)
        if self.stop is not None:
            return power * self._between(f, x)
        return power * power.power_series(coefficient, bound)


def _logistic(v: Ball) -> Ball:
    return 1 / (1 + (-v).exp())


def _scaled_softplus(v: Ball) -> Ball:
    """Return eᵛ·log(1 + e⁻ᵛ), which rises to 1: log(1 + p)/p is within p/2 of it."""
    power = (-v).exp()
    return power.log1p() / power if v < ASYMPTOTIC_FROM else arb(1).union(1 - power / 2)


def _scaled_erfc(v: Ball) -> Ball:
    """Return e^(v²)·erfc(v), which falls: 1/(v√π) less at most a part in 2v² of it."""
    if v < ASYMPTOTIC_FROM:
        return (v * v).exp() * v.erfc()
    return (1 / (v * arb.pi().sqrt())) * arb(1).union(1 - 1 / (2 * v * v))


def far_out(start: Ball, stop: Ball | None, side: int) -> tuple[TailArithmetic, Tail]:
    """Return the arithmetic of numbers for all |x| from start to stop on a side of 0, and x."""
    a = TailArithmetic(start, stop)
    return a, Tail([((), [(1, rational(side))])], a)


def _told(curve: Curve, place: tuple[Ball, Ball | None, int], told: Callable[[Tail], Any]) -> Any:
    """Return what is told of a curve far out, None where it is not known."""
    a, x = far_out(*place)
    try:
        return told(a.number(curve(a, x)))
    except (UntoldError, ZeroDivisionError):
        return None


def tail_of(curve: Curve, side: int, first: int, last: int) -> tuple[int, int] | None:
    """Return an n with the sign of a curve for all |x| ≥ 2ⁿ on a side, n the least from `first` on.

    None if no n up to about `last` is known.

    >>> tail_of(lambda a, x: x - 1000, 1, 2, 99)
    (10, 1)
    """

    def sign_from(n: int) -> Any:
        return _told(curve, (arb(2) ** n, None, side), lambda y: y.sign)

    unknown, known = first - 1, first
    while (sign := sign_from(known)) is None:
        unknown, known = known, known + max(1, known // 2)
        if known > last:
            return None
    while known - unknown > 1:
        middle = (unknown + known) // 2
        if sign_from(middle) is None:
            unknown = middle
        else:
            known = middle
    return known, sign


def sign_between(curve: Curve, low: Ball, high: Ball) -> int:
    """Return the sign of a curve on an interval beside 0, 0 if it is not known there."""
    return _told(curve, _outward(low, high), lambda y: y.sign) or 0


def size_between(curve: Curve, low: Ball, high: Ball) -> Ball:
    """Return a bound on the size of a curve on an interval beside 0, infinite if there is none."""
    size = _told(curve, _outward(low, high), Tail.size)
    return arb.pos_inf() if size is None else size


def _outward(low: Ball, high: Ball) -> tuple[Ball, Ball, int]:
    return (low, high, 1) if low > 0 else (-high, -low, -1)
