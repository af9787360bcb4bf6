"""Exact numbers: fractions, and what is known of other real numbers, such as π/2 and √2.

They settle what no finite precision can: a result that is itself a tie. Polynomials such as hard
GELU take rational values at rational points, and so do all forms at 0. Such a value may lie exactly
half way between two numbers of a format; an enclosure around it would straddle the half way point
at every precision.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partialmethod, total_ordering
from typing import Any, NamedTuple, TypeAlias

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic import PointArithmetic, Real, Result, Rounding, mpf
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.arithmetic.interval import Interval, IntervalArithmetic, settled

FEW_BITS, MOST_BITS = 64, 1 << 16
"""The precisions at which a number is told from 0, first and last."""

GUARD = 32
"""Bits beyond those of a rounding that an enclosure has first."""

Atom: TypeAlias = Hashable
"""A number that is no fraction: the name of a function with its argument, or any other object."""


class Monomial(NamedTuple):
    """The number √m·π^(k/2)·Π atomⁿ, m > 0 an integer."""

    m: int
    k: int
    atoms: frozenset[tuple[Atom, int]] = frozenset()


@total_ordering
@dataclass(frozen=True, repr=False)
class Irrational:
    """A real number other than 0 that is no fraction, or is not known to be one: factor·monomial.

    Products of such numbers are known, and sums of multiples of one monomial. Any other sum is an
    atom named by its terms, so that it cancels with itself.
    0 times such a number is 0, and 0 over it.

    What asks for the sign or the size raises `ComputationError` where the number cannot be told
    from 0.

    >>> root, e = RATIONAL.sqrt(Fraction(8)), RATIONAL.exp(Fraction(1))
    >>> root * root, root - 2 * RATIONAL.sqrt(Fraction(2)), 3 * e / e
    (Fraction(8, 1), Fraction(0, 1), Fraction(3, 1))
    >>> root > Fraction(14, 5), float(root + 1)
    (True, 3.8284271247461903)
    """

    monomial: Monomial
    factor: Fraction = Fraction(1)

    def __repr__(self) -> str:
        return f"Irrational({mpf.to_text(self._known.middle, 17)}…)"

    def within(self, a: PointArithmetic) -> Real:
        """Return the number in an arithmetic."""
        m, k, atoms = self.monomial
        result = a.rational(self.factor)
        if m > 1:
            result = result * a.sqrt(a.rational(m))
        root_of_pi = [(a.sqrt(a.pi), k) if k % 2 else (a.pi, k // 2)] if k else []
        for base, power in (*root_of_pi, *((_within(atom, a), n) for atom, n in atoms)):
            result = result * base**power if power > 0 else result / base**-power
        return result

    @cached_property
    def _known(self) -> Interval:
        """An enclosure without 0."""
        bits = FEW_BITS
        while not (enclosure := IntervalArithmetic(bits).rational(self)).sign:
            if bits >= MOST_BITS:
                raise ComputationError(
                    f"a number cannot be told from 0 with {MOST_BITS} bits; write it more simply"
                )
            bits *= 2
        return enclosure

    @property
    def sign(self) -> int:
        """1 or −1."""
        return self._known.sign

    @property
    def exponent(self) -> int:
        """A k with 2**(k − 1) ≤ |x| < 2**k, or one more or less."""
        return mpf.exponent(self._known.middle)

    def rounded(self, rounding: Rounding) -> Result:
        """Return the number, rounded to nearest once, whatever it is rounded to."""
        bits = max(self._known.precision, rounding.precision + GUARD)
        while True:
            result = settled(
                rounding, IntervalArithmetic(bits).rational(self), lambda tie: sign_of(self - tie)
            )
            if result is not None:
                return result
            bits *= 2

    def __float__(self) -> float:
        nearest = float(self.rounded(FLOAT64))
        if math.isinf(nearest):
            raise OverflowError("a number beyond float64")
        return nearest

    def __floor__(self) -> int:
        enclosure = IntervalArithmetic(self.exponent + FEW_BITS).rational(self)
        nearest = mpf.to_int(enclosure.middle, mpf.NEAREST)
        return nearest if self >= nearest else nearest - 1

    def __lt__(self, other: Exact | int) -> bool:
        return sign_of(self - other) < 0

    def __neg__(self) -> Irrational:
        return Irrational(self.monomial, -self.factor)

    def __abs__(self) -> Irrational:
        return -self if self.sign < 0 else self

    def __add__(self, other: Exact | int) -> Exact:
        if not other:
            return self
        if not isinstance(other, Irrational) or other.monomial != self.monomial:
            return unknown(("+", frozenset([self, other])))
        return (self.factor + other.factor) * Irrational(self.monomial)

    def __sub__(self, other: Exact | int) -> Exact:
        return self + -other

    def __rsub__(self, other: Fraction | int) -> Exact:
        return -self + other

    def __mul__(self, other: Exact | int) -> Exact:
        if not isinstance(other, Irrational):
            return Irrational(self.monomial, self.factor * other) if other else Fraction(0)
        (m, k, atoms), (n, i, others) = self.monomial, other.monomial
        powers = Counter(dict(atoms))
        powers.update(dict(others))
        return _reduced(self.factor * other.factor, m * n, k + i, powers)

    def __truediv__(self, other: Exact | int) -> Exact:
        return self * (other**-1 if isinstance(other, Irrational) else 1 / Fraction(other))

    def __rtruediv__(self, other: Fraction | int) -> Exact:
        return self**-1 * other

    def __pow__(self, power: int) -> Exact:
        m, k, atoms = self.monomial
        factor = self.factor**power * Fraction(m) ** (power // 2)
        return _reduced(factor, m ** (power % 2), k * power, {a: n * power for a, n in atoms})

    __radd__, __rmul__ = __add__, __mul__


Exact: TypeAlias = Fraction | Irrational
"""A real number without any error."""


def unknown(atom: Atom = None) -> Irrational:
    """Return an irrational number that is known by its name alone, or not even by one."""
    return Irrational(Monomial(1, 0, frozenset([(atom or object(), 1)])))


def _within(atom: Any, a: PointArithmetic) -> Real:
    """Return what an atom of `RATIONAL` is in an arithmetic."""
    function, argument = atom
    if function == "+":
        return sum(a.rational(term) for term in argument)
    x = a.rational(argument)
    return a.logistics(x)[0] if function == "logistics" else getattr(a, function)(x)


PRIMES = (2, 3, 5, 7)


def _reduced(factor: Fraction, m: int, k: int, powers: Mapping[Atom, int]) -> Exact:
    """Return factor·√m·π^(k/2)·Π atomⁿ, a fraction if that is known to be one."""
    root = math.isqrt(m)
    if root * root == m:
        factor, m = factor * root, 1
    for prime in PRIMES:
        while m % prime**2 == 0:
            factor, m = factor * prime, m // prime**2
    monomial = Monomial(m, k, frozenset((atom, n) for atom, n in powers.items() if n))
    return factor if monomial == (1, 0, frozenset()) else Irrational(monomial, factor)


class RationalArithmetic:
    """The `Arithmetic` of fractions, and of `Irrational` numbers where they end.

    >>> a = RationalArithmetic()
    >>> a.sqrt(Fraction(4, 9)) * a.logistics(0 * a.pi)[0], a.pi / 2
    (Fraction(1, 3), Irrational(1.5707963267948966…))
    """

    pi = Irrational(Monomial(1, 2))
    precision = math.inf

    def rational(self, value: Exact | int) -> Exact:
        """Return a number itself."""
        return Fraction(value) if isinstance(value, int) else value

    def sqrt(self, x: Exact) -> Exact:
        """Return √x, x ≥ 0, as a fraction where it is one."""
        if not isinstance(x, Irrational):
            return _reduced(Fraction(1, x.denominator), x.numerator * x.denominator, 0, {})
        m, k, atoms = x.monomial
        if m == 1 and k % 2 == 0 and not atoms:
            return self.sqrt(x.factor) * Irrational(Monomial(1, k // 2))
        return unknown(("sqrt", x))

    def _known_at_0(self, function: str, value: Fraction, x: Exact) -> Exact:
        """Return f(0) = value; at any other fraction f is transcendental."""
        return value if x == 0 else unknown((function, x))

    exp = partialmethod(_known_at_0, "exp", Fraction(1))
    expm1 = partialmethod(_known_at_0, "expm1", Fraction(0))
    erfc = partialmethod(_known_at_0, "erfc", Fraction(1))
    _logistic = partialmethod(_known_at_0, "logistics", Fraction(1, 2))

    def logistics(self, x: Exact) -> tuple[Exact, Exact]:
        """Return σ(x) and σ(−x)."""
        return self._logistic(x), self._logistic(-x)

    def softplus(self, x: Exact) -> Exact:
        """Return an irrational number: log(1 + eˣ) is rational at no fraction."""
        return unknown(("softplus", x))


RATIONAL = RationalArithmetic()


def sign_of(x: Exact) -> int:
    """Return −1, 0 or 1."""
    return x.sign if isinstance(x, Irrational) else (x > 0) - (x < 0)


def exponent_of(x: Exact) -> int:
    """Return about the k with 2**(k − 1) ≤ |x| < 2**k, of 0 too."""
    if isinstance(x, Irrational):
        return x.exponent
    return x.numerator.bit_length() - x.denominator.bit_length()


def nearest(x: Exact, rounding: Rounding) -> Result:
    """Return a number rounded to nearest, once.

    >>> nearest(RATIONAL.sqrt(Fraction(2)), FLOAT64)
    1.4142135623730951
    """
    return x.rounded(rounding) if isinstance(x, Irrational) else rounding.exactly(x)
