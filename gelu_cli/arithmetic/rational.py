"""Exact fractions: they settle what no finite precision can, a result that is itself a tie.

Polynomials such as hard GELU take rational values at rational points, and so do all forms at 0.
Such a value may lie exactly half way between two numbers of a format; an enclosure around it
would straddle the half way point at every precision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from fractions import Fraction
from math import inf, isqrt
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from gelu_cli.arithmetic.irrational import Exact as Number


Atom: TypeAlias = Hashable
"""A transcendental number, or an unknown one: a function with its argument, or an object."""


class Monomial(NamedTuple):
    """The number √m·π^(k/2)·Π atomⁿ, m > 0 an integer."""

    m: int
    k: int
    atoms: frozenset[tuple[Atom, int]] = frozenset()


class Unknown:
    """A real number other than 0 that is no fraction, or is not known to be one: factor·monomial.

    Products of such numbers are known, and sums of multiples of one monomial. Any other sum is an
    atom named by its terms, so that it cancels with itself.
    0 times such a number is 0, and 0 over it.

    >>> a = RationalArithmetic()
    >>> root, e = a.sqrt(Fraction(8)), a.exp(Fraction(1))
    >>> root * root, root - 2 * a.sqrt(Fraction(2)), 3 * e / e
    (Fraction(8, 1), Fraction(0, 1), Fraction(3, 1))
    """

    __slots__ = ("factor", "monomial")

    def __init__(self, monomial: Monomial, factor: Fraction = Fraction(1)) -> None:
        self.monomial = monomial
        self.factor = factor

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unknown) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    @property
    def _parts(self) -> tuple[Monomial, Fraction]:
        return self.monomial, self.factor

    def __neg__(self) -> Unknown:
        return Unknown(self.monomial, -self.factor)

    def __add__(self, other: Exact | int) -> Exact:
        if not other:
            return self
        if not isinstance(other, Unknown) or other.monomial != self.monomial:
            return unknown(("+", frozenset([self, other])))
        return (self.factor + other.factor) * Unknown(self.monomial)

    def __sub__(self, other: Exact | int) -> Exact:
        return self + -other

    def __rsub__(self, other: Fraction | int) -> Exact:
        return -self + other

    def __mul__(self, other: Exact | int) -> Exact:
        if not isinstance(other, Unknown):
            return Unknown(self.monomial, self.factor * other) if other else Fraction(0)
        (m, k, atoms), (n, i, others) = self.monomial, other.monomial
        powers = Counter(dict(atoms))
        powers.update(dict(others))
        return _reduced(self.factor * other.factor, m * n, k + i, powers)

    def __truediv__(self, other: Exact | int) -> Exact:
        return self * (other**-1 if isinstance(other, Unknown) else 1 / Fraction(other))

    def __rtruediv__(self, other: Fraction | int) -> Exact:
        return self**-1 * other

    def __pow__(self, power: int) -> Exact:
        m, k, atoms = self.monomial
        factor = self.factor**power * Fraction(m) ** (power // 2)
        return _reduced(factor, m ** (power % 2), k * power, {a: n * power for a, n in atoms})

    __radd__, __rmul__ = __add__, __mul__


def unknown(atom: Atom = None) -> Unknown:
    """Return the number of which nothing else is known than what it is called, if that."""
    return Unknown(Monomial(1, 0, frozenset([(atom or object(), 1)])))


PRIMES = (2, 3, 5, 7)


def _reduced(factor: Fraction, m: int, k: int, powers: Mapping[Atom, int]) -> Exact:
    """Return factor·√m·π^(k/2)·Π atomⁿ, a fraction if that is known to be one."""
    root = isqrt(m)
    if root * root == m:
        factor, m = factor * root, 1
    for prime in PRIMES:
        while m % prime**2 == 0:
            factor, m = factor * prime, m // prime**2
    monomial = Monomial(m, k, frozenset((atom, n) for atom, n in powers.items() if n))
    return factor if monomial == (1, 0, frozenset()) else Unknown(monomial, factor)


Exact: TypeAlias = Fraction | Unknown


class RationalArithmetic:
    """The `Arithmetic` of fractions, and of `Unknown` numbers where they end.

    >>> a = RationalArithmetic()
    >>> a.sqrt(Fraction(4, 9)) * a.logistics(0 * a.pi)[0]
    Fraction(1, 3)
    """

    pi = Unknown(Monomial(1, 2))
    precision = inf

    def rational(self, value: Number | int) -> Exact:
        """Return a fraction itself, and of another number what is known."""
        if isinstance(value, Fraction | int):
            return Fraction(value)
        known: Exact = value.within(self)
        return known

    def sqrt(self, x: Exact) -> Exact:
        """Return √x where it is a fraction."""
        if not isinstance(x, Unknown):
            return _reduced(Fraction(1, x.denominator), x.numerator * x.denominator, 0, {})
        m, k, atoms = x.monomial
        if m == 1 and k % 2 == 0 and not atoms:
            return self.sqrt(x.factor) * Unknown(Monomial(1, k // 2))
        return unknown(("√", x))

    def exp(self, x: Exact) -> Exact:
        """Return e⁰ = 1; at any other fraction the exponential is transcendental."""
        return _at_zero("exp", x, Fraction(1))

    def expm1(self, x: Exact) -> Exact:
        """Return e⁰ − 1 = 0."""
        return _at_zero("expm1", x, Fraction(0))

    def erfc(self, x: Exact) -> Exact:
        """Return erfc(0) = 1."""
        return _at_zero("erfc", x, Fraction(1))

    def logistics(self, x: Exact) -> tuple[Exact, Exact]:
        """Return σ(0) = 1/2, twice."""
        half = Fraction(1, 2)
        return _at_zero("σ", x, half), _at_zero("σ", -x, half)

    def softplus(self, x: Exact) -> Exact:
        """Return an unknown: log(1 + eˣ) is rational at no fraction."""
        return unknown(("softplus", x))


def _at_zero(function: str, x: Exact, value: Fraction) -> Exact:
    return value if x == 0 else unknown((function, x))


RATIONAL = RationalArithmetic()
