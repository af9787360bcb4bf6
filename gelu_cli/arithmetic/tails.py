"""Numbers far out: sums of powers of x times exponentials, up to infinity or on an interval.

A form tends to its limit as powers of x times e^(polynomial in x), and what it differs by from
another form, or its second derivative, is a sum of such terms. No enclosure tells the sign of that
on an octave, over which e^(−x²) loses hundreds of digits. As Σ e^(Eᵢ(x))·Lᵢ(x) it is that of the
term that outgrows the others. Eᵢ is a polynomial without constant, Lᵢ = c₀xⁿ + c₁xⁿ⁻¹ + …, where
a ball stands for what is known of a coefficient, or of a factor, for all x ≥ T, or T ≤ x ≤ U.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cmp_to_key
from math import factorial
from typing import TypeAlias

from flint import arb

from gelu_cli.arithmetic import Curve, Operators
from gelu_cli.arithmetic.balls import Ball, real, sign_of
from gelu_cli.arithmetic.exact import RATIONAL, Exact, Irrational, Monomial, unknown

TERMS = 8
"""Powers of x that are kept, and for 1 = e⁰ as many negative ones; one more bounds the rest."""

ASYMPTOTIC = 4
"""Terms of e^(z²)·erfc(z) in 1/z², which are the smaller the farther out."""

FAR = 8
"""From here on they are better than a ball, on an interval too: what they cancel with is gone."""

ASYMPTOTIC_FROM = 1024
"""From here on two terms of an expansion bound erfc and log(1 + eˣ) well enough."""

MONOMIALS = 16
"""Most exact terms of a coefficient; of the sum of more only its ball is known."""

EXPONENTS = 4
"""Exponentials that are kept above the least one, the coefficient of which bounds the rest."""


class UntoldError(ArithmeticError):
    """What dominates is not known from T on, or is not of this kind."""


ONE = Monomial(1, 0)


class Coefficient:
    """A real number in a ball; exactly, as a sum of terms, no two of one monomial."""

    __slots__ = ("ball", "terms")

    def __init__(self, terms: Iterable[Exact], ball: Ball) -> None:
        factors: dict[Monomial, Fraction] = {}
        for term in terms:
            if isinstance(term, Irrational):
                monomial, factor = term.monomial, term.factor
            else:
                monomial, factor = ONE, term
            factors[monomial] = factors.get(monomial, 0) + factor
        kept = [f if m == ONE else Irrational(m, f) for m, f in factors.items() if f]
        self.terms = frozenset(kept if len(kept) <= MONOMIALS else [unknown()])
        self.ball = ball if kept else arb(0)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Coefficient) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(self.terms)

    def __bool__(self) -> bool:
        return bool(self.terms)

    @property
    def number(self) -> Exact:
        """The number as `exact` has it: of a sum it knows what it is called."""
        if len(self.terms) > 1:
            return unknown(self.terms)
        return next(iter(self.terms), Fraction(0))

    @property
    def sign(self) -> int:
        """The sign; raises `UntoldError` if it is not known."""
        sign = sign_of(self.ball)
        if self and not sign:
            raise UntoldError
        return sign

    def __add__(self, other: Coefficient) -> Coefficient:
        return Coefficient((*self.terms, *other.terms), self.ball + other.ball)

    def __mul__(self, other: Coefficient) -> Coefficient:
        products = (one * two for one in self.terms for two in other.terms)
        return Coefficient(products, self.ball * other.ball)

    def __neg__(self) -> Coefficient:
        return Coefficient((-term for term in self.terms), -self.ball)

    def inverse(self) -> Coefficient:
        """Return its inverse; raises `UntoldError` if it may be 0."""
        if not self.sign:
            raise UntoldError
        return Coefficient([1 / self.number], 1 / self.ball)


def within(ball: Ball) -> Coefficient:
    """Return a number of which a ball is known, and nothing else."""
    return Coefficient([unknown()], ball)


def rational(value: Fraction | int) -> Coefficient:
    """Return a fraction."""
    return Coefficient([Fraction(value)], real(Fraction(value)))


Exponent: TypeAlias = tuple[tuple[int, Coefficient], ...]
"""A polynomial without constant: its powers, the highest first, and their coefficients."""

Series: TypeAlias = Mapping[int, Coefficient]
"""Powers of x, positive and negative, and their coefficients."""


class Tail(Operators):
    """A number for all x ≥ T: Σ e^(E(x))·L(x)."""

    __slots__ = ("a", "terms")

    def __init__(self, terms: Mapping[Exponent, Series], a: TailArithmetic) -> None:
        self.a = a
        kept = {exponent: a.folded(exponent, series) for exponent, series in terms.items()}
        self.terms = a.fewer({exponent: series for exponent, series in kept.items() if series})

    def __neg__(self) -> Tail:
        return Tail({e: {n: -c for n, c in s.items()} for e, s in self.terms.items()}, self.a)

    def __add__(self, other: Tail | int) -> Tail:
        total = {e: dict(s) for e, s in self.terms.items()}
        for e, series in self.a.number(other).terms.items():
            into = total.setdefault(e, {})
            for n, c in series.items():
                into[n] = into[n] + c if n in into else c
        return Tail(total, self.a)

    def __mul__(self, other: Tail | int) -> Tail:
        total: dict[Exponent, dict[int, Coefficient]] = {}
        others = self.a.number(other).terms.items()
        for e, series in self.terms.items():
            for f, factors in others:
                into = total.setdefault(_sum(e, f), {})
                for n, c in series.items():
                    for m, d in factors.items():
                        into[n + m] = into[n + m] + c * d if n + m in into else c * d
        return Tail(total, self.a)

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
        d = Tail({_negative(e): {-n: c.inverse()}}, self.a)
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
        """Return a bound on |self| for all x ≥ T; raises `UntoldError` if there is none."""
        if self.a.stop is not None:
            return sum((self.a.size(e, s) for e, s in self.terms.items()), arb(0)).upper()
        return sum((self.a.bound(e, n, c) for e, n, c in self._monomials()), arb(0)).upper()

    def _monomials(self) -> Iterator[tuple[Exponent, int, Coefficient]]:
        for e, series in self.terms.items():
            for n, c in series.items():
                yield e, n, c

    def leading(self) -> tuple[Exponent, int, Coefficient]:
        """Return a monomial that outgrows all others."""
        if not self.terms:
            raise UntoldError
        largest = self.a.in_order(self.terms)[-1]
        n = max(self.terms[largest])
        return largest, n, self.terms[largest][n]

    @property
    def sign(self) -> int:
        """The sign for all x ≥ T; 0 if the number is 0. Raises `UntoldError` if it is not known."""
        if not self.terms:
            return 0
        e, n, c = self.leading()
        if self.a.stop is not None:
            value = self.a.polynomial(self.terms[e].items())
            rest = {_sum(f, _negative(e)): s for f, s in self.terms.items() if f != e}
            if not sum((self.a.size(f, s) for f, s in rest.items()), arb(0)) < abs(value):
                raise UntoldError
            return sign_of(value)
        sign, others = c.sign, arb(0)
        for f, m, d in self._monomials():
            if (f, m) != (e, n):
                others += self.a.bound(_sum(f, _negative(e)), m - n, d)
        if not others < abs(c.ball):
            raise UntoldError
        return sign


def _sum(one: Exponent, other: Exponent) -> Exponent:
    total = dict(one)
    for n, c in other:
        total[n] = total[n] + c if n in total else c
    return tuple(sorted(((n, c) for n, c in total.items() if c), reverse=True, key=lambda t: t[0]))


def _negative(exponent: Exponent) -> Exponent:
    return tuple((n, -c) for n, c in exponent)


def _compare(one: Exponent, other: Exponent) -> int:
    """Return the sign of the difference of two polynomials far out."""
    difference = _sum(one, _negative(other))
    return difference[0][1].sign if difference else 0


class TailArithmetic:
    """The `Arithmetic` of numbers for all x ≥ T, or, of the other side, all x ≤ −T.

    >>> a, x = far_out(real(8), None, 1)
    >>> (a.erfc(x) - a.exp(-x * x)).sign
    -1
    """

    def __init__(self, start: Ball, stop: Ball | None = None) -> None:
        self.start = start
        self.stop: Ball = stop

    def _power(self, n: int) -> Ball:
        """Return a ball around all xⁿ; up to infinity n must not be positive."""
        if not n:
            return arb(1)
        return (self.start**n).union(arb(0) if self.stop is None else self.stop**n)

    def polynomial(self, terms: Iterable[tuple[int, Coefficient]]) -> Ball:
        """Return a ball around Σ cₙxⁿ on the interval, by its terms and by the mean value theorem.

        The theorem holds for coefficients that depend on x: for each x there is a polynomial.
        """
        powers = [(n, c.ball, self._power(n)) for n, c in terms]
        plain = sum((c * power for _, c, power in powers), arb(0))
        if len(powers) < 2:
            return plain
        whole = self._power(1)
        middle = whole.mid()
        slope = sum((n * c * power for n, c, power in powers), arb(0)) / whole
        there = sum((c * middle**n for n, c, _ in powers), arb(0))
        return plain.intersection(there + slope * (whole - middle))

    def in_order(self, exponents: Iterable[Exponent]) -> list[Exponent]:
        """Return exponents in ascending order, far out or in the middle of the interval."""
        if self.stop is not None:
            middle = (self.start + self.stop) / 2

            def there(exponent: Exponent) -> Ball:
                return sum((c.ball * middle**n for n, c in exponent), arb(0)).mid()

            return sorted(exponents, key=there)
        return sorted(exponents, key=cmp_to_key(_compare))

    def constant(self, value: Coefficient) -> Tail:
        """Return a constant."""
        return Tail({(): {0: value}}, self)

    def folded(self, exponent: Exponent, series: Series) -> Series:
        """Return a series without zeros, and without more terms than are kept."""
        powers = sorted((n for n, c in series.items() if c), reverse=True)
        if not powers:
            return {}
        most = TERMS if exponent else TERMS + sum(n >= 0 for n in powers)
        kept, left = {n: series[n] for n in powers[:most]}, powers[most:]
        if left:
            last = left[0]
            ball = sum((series[n].ball * self._power(n - last) for n in left), arb(0))
            kept[last] = within(ball)
        return kept

    def fewer(self, terms: dict[Exponent, Series]) -> Mapping[Exponent, Series]:
        """Return as many exponentials as are kept, the least one with a bound of the rest."""
        while len(terms) > EXPONENTS + 1:
            least, last = self.in_order(terms)[:2]
            factor = _sum(least, _negative(last))
            n = max(terms[least])
            size = sum((self.bound(factor, m - n, c) for m, c in terms[least].items()), arb(0))
            rest = within(arb(0, size.upper()))
            into = dict(terms[last])
            into[n] = into[n] + rest if n in into else rest
            del terms[least]
            terms[last] = self.folded(last, into)
        return terms

    def size(self, exponent: Exponent, series: Series) -> Ball:
        """Return a bound on a series times e^E on the interval."""
        size = abs(self.polynomial(series.items())) * self.polynomial(exponent).exp()
        return size.upper() if size.is_finite() else arb.pos_inf()

    def bound(self, exponent: Exponent, n: int, c: Coefficient) -> Ball:
        """Return a bound on |c|·xⁿ·e^E for all x; up to infinity it must fall from T on."""
        start = self.start
        if self.stop is not None:
            return self.size(exponent, {n: c})
        if not exponent:
            if n > 0:
                raise UntoldError
            return abs(c.ball) * start**n
        (degree, first), *others = exponent
        slope = -first.ball * degree * start**degree
        against = sum((abs(d.ball) * k * start**k for k, d in others), arb(max(n, 0)))
        if not slope > against:
            raise UntoldError
        power = sum((d.ball * start**k for k, d in exponent), arb(0))
        return abs(c.ball) * start**n * power.exp()

    def number(self, value: Tail | int) -> Tail:
        """Return an int as such a number."""
        return self.constant(rational(value)) if isinstance(value, int) else value

    @property
    def pi(self) -> Tail:
        """π."""
        return self.constant(Coefficient([RATIONAL.pi], arb.pi()))

    def rational(self, value: Fraction | int) -> Tail:
        """Return `value`."""
        return self.constant(rational(value))

    def _constant_of(self, x: Tail) -> Coefficient | None:
        """Return the number that a constant is, None if it depends on x."""
        if not x.terms:
            return rational(0)
        if list(x.terms) == [()] and list(x.terms[()]) == [0]:
            return x.terms[()][0]
        return None

    def sqrt(self, x: Tail) -> Tail:
        """Return √x of a constant."""
        c = self._constant_of(x)
        if c is None:
            raise UntoldError
        return self.constant(Coefficient([RATIONAL.sqrt(c.number)], c.ball.sqrt()))

    def exp(self, x: Tail) -> Tail:
        """Return eˣ: of the powers, of the constant, and of what tends to 0, by its series."""
        if any(x.terms):
            raise UntoldError
        series = x.terms.get((), {})
        exponent = tuple((n, c) for n, c in sorted(series.items(), reverse=True) if n > 0)
        c = series.get(0, rational(0))
        factor = Coefficient([RATIONAL.exp(c.number)], c.ball.exp())
        result = Tail({exponent: {0: factor}}, self)
        small = Tail({(): {n: d for n, d in series.items() if n < 0}}, self)
        if not small.terms:
            return result
        if self.stop is not None:
            return result * self.constant(within(self._all(small).exp()))
        inverses = [Fraction(1, factorial(k)) for k in range(TERMS)]
        return result * small.power_series(inverses.__getitem__, lambda r: r.exp())

    def expm1(self, x: Tail) -> Tail:
        """Return eˣ − 1."""
        return self.exp(x) - 1

    def _all(self, x: Tail) -> Ball:
        """Return a ball around x, which is made of powers, on the interval."""
        if any(x.terms) or self.stop is None:
            raise UntoldError
        return self.polynomial(x.terms.get((), {}).items())

    def _side(self, x: Tail) -> int:
        """Return the sign of x where it tends to ±∞, or is over ½ in size on the interval."""
        if self._constant_of(x) is not None:
            return 0
        if self.stop is not None:
            v = self._all(x)
            return sign_of(v) if abs(v) > 0.5 else 0
        e, n, c = x.leading()
        if e or n <= 0 or any(x.terms):
            raise UntoldError
        return c.sign

    def _plain(self, x: Tail, exact: Callable[[Exact], Exact], f: Callable[[Ball], Ball]) -> Tail:
        """Return f(x) of a constant, or of all x on the interval; f is monotone."""
        c = self._constant_of(x)
        if c is None:
            return self.constant(within(_between(f, self._all(x))))
        return self.constant(Coefficient([exact(c.number)], f(c.ball)))

    def erfc(self, x: Tail) -> Tail:
        """Return erfc(x) = e^(−x²)/(x√π)·(1 − 1/(2x²) + 3/(4x⁴) − …), the terms of which bound it.

        To the left it is 2 less that of −x.
        """
        side = self._side(x)
        if not side:
            return self._plain(x, RATIONAL.erfc, lambda v: v.erfc())
        if side < 0:
            return 2 - self.erfc(-x)
        square = x * x
        if self.stop is not None and not (len(x.terms[()]) == 1 and self._all(x) > FAR):
            return self.exp(-square) * self.constant(within(_between(_scaled_erfc, self._all(x))))
        step, term = (2 * square).inverse(), self.rational(1)
        total = term
        for k in range(1, ASYMPTOTIC):
            term = -(2 * k - 1) * term * step
            total = total + term
        last = self.constant(within(arb(0).union(arb(2 * ASYMPTOTIC - 1))))
        return self.exp(-square) * (total - term * step * last) / (x * self.sqrt(self.pi))

    def logistics(self, x: Tail) -> tuple[Tail, Tail]:
        """Return σ(x) and σ(−x): 1 − t and t = e⁻ˣ − e⁻²ˣ + … to the right."""
        side = self._side(x)
        if not side:

            def half(v: Tail) -> Tail:
                return self._plain(v, lambda c: RATIONAL.logistics(c)[0], _logistic)

            return half(x), half(-x)
        outward = x if side > 0 else -x
        t = self._falling(outward, _logistic, lambda k: (-1) ** k, lambda r: 1 / (1 + r))
        return (1 - t, t) if side > 0 else (t, 1 - t)

    def softplus(self, x: Tail) -> Tail:
        """Return log(1 + eˣ), x + log(1 + e⁻ˣ) to the right."""
        side = self._side(x)
        if not side:
            return self._plain(x, RATIONAL.softplus, _softplus)
        outward = x if side > 0 else -x
        rest = self._falling(
            outward, _scaled_softplus,
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
            return power * self.constant(within(_between(f, self._all(x))))
        return power * power.power_series(coefficient, bound)


def _between(f: Callable[[Ball], Ball], v: Ball) -> Ball:
    """Return a ball around a monotone function."""
    return f(v.lower()).union(f(v.upper()))


def _logistic(v: Ball) -> Ball:
    return 1 / (1 + (-v).exp())


def _softplus(v: Ball) -> Ball:
    return v.exp().log1p()


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
    return a, Tail({(): {1: rational(side)}}, a)


def sign_far_out(curve: Curve, start: Ball, stop: Ball | None, side: int) -> int | None:
    """Return the sign of a curve for all |x| from start to stop on a side, None if not known."""
    a, x = far_out(start, stop, side)
    try:
        return a.number(curve(a, x)).sign
    except (UntoldError, ZeroDivisionError):
        return None


def tail_of(curve: Curve, side: int, first: int, last: int) -> tuple[int, int] | None:
    """Return an n with the sign of a curve for all |x| ≥ 2ⁿ on a side, n the least from `first` on.

    None if no n up to about `last` is known.

    >>> tail_of(lambda a, x: x - 1000, 1, 2, 99)
    (10, 1)
    """
    unknown, known = first - 1, first
    while (sign := sign_far_out(curve, arb(2) ** known, None, side)) is None:
        unknown, known = known, known + max(1, known // 2)
        if known > last:
            return None
    while known - unknown > 1:
        middle = (unknown + known) // 2
        if sign_far_out(curve, arb(2) ** middle, None, side) is None:
            unknown = middle
        else:
            known = middle
    return known, sign


def sign_between(curve: Curve, low: Ball, high: Ball) -> int:
    """Return the sign of a curve on an interval beside 0, 0 if it is not known there."""
    return sign_far_out(curve, *_sides(low, high)) or 0


def size_between(curve: Curve, low: Ball, high: Ball) -> Ball:
    """Return a bound on the size of a curve on an interval beside 0, infinite if there is none."""
    a, x = far_out(*_sides(low, high))
    try:
        return a.number(curve(a, x)).size()
    except (UntoldError, ZeroDivisionError):
        return arb.pos_inf()


def _sides(low: Ball, high: Ball) -> tuple[Ball, Ball, int]:
    return (low, high, 1) if low > 0 else (-high, -low, -1)
