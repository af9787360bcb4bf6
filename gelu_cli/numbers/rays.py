"""Forms on a ray from a power of 2 to infinity: sums of C·yᵖ·e^(−E(y)).

y = |x| runs over [T, ∞), T = 2ᵏ. A number is a sum of a few terms C(y)·yᵖ·e^(−E(y)), in the order
of their growth: C(y) is in a ball for all y, and E a sum of polynomials that tend to infinity. What
has no exponential, and no negative power, is a polynomial, all of whose terms are kept. Of other
sums the terms beyond a few go into the ball of the last one, as they are smaller by a factor that
falls from T on. So the sign of a number, and a bound on its size, hold up to infinity. Where they
cannot be told `Undecided` is raised: from a larger T on they can.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from flint import arb, fmpq

from gelu_cli.formulas.special import Number, pi
from gelu_cli.numbers.rounding import sign

Coefficient: TypeAlias = "arb | fmpq"
PRECISION = 256
FARTHEST = 160
"""The exponent of 2 up to which a ray is moved."""

TERMS = 3
"""Terms of a sum: what is left of two that are alike, or the way in which a limit is neared, is in
the second; the third bounds the others."""

HALF = fmpq(1, 2)


class Undecided(ArithmeticError):
    """A ray begins too near to 0."""


class Exponent:
    """A polynomial c₁y + c₂y² + … that tends to +∞."""

    def __init__(self, coefficients: tuple[Coefficient, ...]) -> None:
        self.coefficients = coefficients
        exact = all(isinstance(c, fmpq) for c in coefficients)
        self.key: Any = coefficients if exact else id(self)


Exponents: TypeAlias = "Mapping[Any, tuple[Exponent, int]]"
"""A sum of exponents, each with how often it is in it."""

NO_EXPONENTS: Exponents = MappingProxyType({})


def merged(one: Exponents, other: Exponents, times: int = 1) -> Exponents:
    """Return one + times·other."""
    found = dict(one)
    for key, (exponent, n) in other.items():
        total = found.pop(key, (exponent, 0))[1] + times * n
        if total:
            found[key] = exponent, total
    return found


def polynomial_of(exponents: Exponents) -> list[Any]:
    """Return a sum of exponents as coefficients, that of y first."""
    total: list[Any] = []
    for exponent, n in exponents.values():
        for power, c in enumerate(exponent.coefficients):
            if power == len(total):
                total.append(arb(0))
            total[power] = total[power] + c * n
    return total


class Term(NamedTuple):
    """size·y^power·e^(−exponents), the size in a ball for all y."""

    size: Any
    power: int = 0
    exponents: Exponents = NO_EXPONENTS

    def times(self, other: Term) -> Term:
        """Multiply by a term."""
        exponents = merged(self.exponents, other.exponents)
        return Term(self.size * other.size, self.power + other.power, exponents)

    def inverse(self) -> Term:
        """Return 1/term."""
        return Term(1 / self.size, -self.power, merged(NO_EXPONENTS, self.exponents, -1))

    def compared(self, other: Term) -> int:
        """Compare growth: 1 if faster than the other, 0 if alike, else −1."""
        if self.exponents != other.exponents:
            difference = polynomial_of(merged(self.exponents, other.exponents, -1))
            for c in reversed(difference):
                if found := sign(c):
                    return -found
                if not arb(c).is_zero():
                    raise Undecided
        return sign(self.power - other.power)

    def share(self, other: Term, start: int) -> arb:
        """Return [0, sup] of its quotient by a term of faster growth.

        Sizes apart.
        """
        difference = polynomial_of(merged(self.exponents, other.exponents, -1))
        return arb(0).union(falling(difference, self.power - other.power, start))


CONSTANT = Term(fmpq(1))


def is_nothing(size: Coefficient) -> bool:
    """Return True for an exact 0."""
    return size == 0 if isinstance(size, fmpq) else size.is_zero()


def summed(start: int, terms: Iterable[Term]) -> tuple[Term, ...]:
    """Add terms that grow alike, the fastest first, and fold the last ones."""
    kept: list[Term] = []
    for term in terms:
        for i, other in enumerate(kept):
            way = term.compared(other)
            if way == 0:
                kept[i] = other._replace(size=other.size + term.size)
            elif way > 0:
                kept.insert(i, term)
            else:
                continue
            break
        else:
            kept.append(term)
    kept = [term for term in kept if not is_nothing(term.size)]
    if all(term.power >= 0 and not term.exponents for term in kept):
        return tuple(kept)
    for term in kept[TERMS:]:
        last = kept[TERMS - 1]
        size = last.size + term.share(last, start) * term.size
        kept[TERMS - 1] = last._replace(size=size)
    return tuple(kept[:TERMS])


class Ray(Number):
    """A number for all y ≥ 2ᵏ: a sum of terms."""

    def __init__(self, start: int, terms: Iterable[Term]) -> None:
        self.start, self.terms = start, summed(start, terms)

    @classmethod
    def polynomial(cls, start: int, *coefficients: Coefficient) -> Ray:
        """Return the polynomial c₀ + c₁y + … as a sum of terms."""
        return cls(start, [Term(c, power) for power, c in enumerate(coefficients)])

    def of(self, other: Any) -> Ray:
        """Return another number as one of this ray."""
        if isinstance(other, Ray):
            return other
        return Ray(self.start, [Term(fmpq(other) if isinstance(other, int) else other)])

    @property
    def is_zero(self) -> bool:
        """True for 0."""
        return not self.terms

    def size(self) -> arb:
        """Return the number divided by yᵖ·e^(−E) of its first term, as a ball."""
        first, *others = self.terms or (Term(fmpq(0)),)
        shares = (each.share(first, self.start) * each.size for each in others)
        return sum(shares, arb(first.size))

    def sign(self) -> int:
        """Return the sign that the number has everywhere on the ray; 0 if it is 0."""
        found = sign(self.size())
        if not found and not self.is_zero:
            raise Undecided
        return found

    def most(self, start: int | None = None) -> arb:
        """Return a bound on |number| from the start on, or from a later one."""
        if self.is_zero:
            return arb(0)
        first, at = self.terms[0], self.start if start is None else start
        return abs(self.size()).upper() * falling(polynomial_of(first.exponents), first.power, at)

    def grows(self) -> bool:
        """Return True if the number is unbounded."""
        return bool(self.terms) and self.terms[0].compared(CONSTANT) > 0

    def limit(self) -> tuple[Any, Ray]:
        """Return the limit of a bounded number, and the number less its limit."""
        if self.terms and not self.terms[0].compared(CONSTANT):
            return self.terms[0].size, Ray(self.start, self.terms[1:])
        return fmpq(0), self

    def __add__(self, other: Any) -> Ray:
        return Ray(self.start, [*self.terms, *self.of(other).terms])

    def __neg__(self) -> Ray:
        return Ray(self.start, [each._replace(size=-each.size) for each in self.terms])

    def __sub__(self, other: Any) -> Ray:
        return self + -self.of(other)

    def __rsub__(self, other: Any) -> Ray:
        return self.of(other) - self

    def __mul__(self, other: Any) -> Ray:
        others = self.of(other).terms
        return Ray(self.start, [a.times(b) for a in self.terms for b in others])

    def split(self) -> tuple[Ray, Ray, arb]:
        """Return t, w and 1 + w of a number t·(1 + w), in which |w| < 1 falls."""
        first = Ray(self.start, self.terms[:1])
        if not first.sign():
            raise Undecided
        w = Ray(self.start, self.terms[1:]) * Ray(self.start, [self.terms[0].inverse()])
        most = w.most()
        if not most < 1:
            raise Undecided
        return first, w, arb(1, most)

    def inverse(self) -> Ray:
        """Return 1/number, by 1/(1 + w) = 1 − w + w²/(1 + w)."""
        first, w, ball = self.split()
        inverse = Ray(self.start, [first.terms[0].inverse()])
        return inverse if w.is_zero else inverse * (1 - w + w * w * (1 / ball))

    def __truediv__(self, other: Any) -> Ray:
        return self * self.of(other).inverse()

    def __rtruediv__(self, other: Any) -> Ray:
        return self.of(other) * self.inverse()

    __radd__, __rmul__ = __add__, __mul__

    def exp(self) -> Ray:
        """Return e^y of a polynomial."""
        coefficients: list[Any] = [fmpq(0)] * (1 + max((t.power for t in self.terms), default=0))
        for term in self.terms:
            assert term.power >= 0
            assert not term.exponents
            coefficients[term.power] = term.size
        constant, *higher = coefficients
        size = arb(constant).exp()
        if not higher:
            return Ray(self.start, [Term(size)])
        leading = sign(higher[-1])
        if not leading:
            raise Undecided
        exponent = Exponent((*(leading * c for c in higher),))
        return Ray(self.start, [Term(size, 0, {exponent.key: (exponent, -leading)})])

    def sqrt(self) -> Ray:
        """Return √number, by √(1 + w) = 1 + w/2 − w²/(2(1 + √(1 + w))²)."""
        first, w, ball = self.split()
        ((size, power, exponents),) = first.terms
        if size <= 0 or power % 2 or exponents:
            raise Undecided
        root = Ray(self.start, [Term(arb(size).sqrt(), power // 2)])
        return root * (1 + w / 2 - w * w * (1 / (2 * (1 + ball.sqrt()) ** 2)))

    def log1p(self) -> Ray:
        """Return log(1 + y) of a small y: y − y²/2·[1/(1 + m), 1/(1 − m)]."""
        most = self.most()
        if not most < 0.5:
            raise Undecided
        return self - self * self * (1 / (2 * arb(1, most)))

    def mills(self, power: int, first: fmpq, second: int) -> Ray:
        """Return a tail over its density: y⁻ᵖ(1 − first/y² + [0, second]/y⁴).

        Two partial sums of an alternating series that envelops it.
        """
        inverse = self.inverse()
        square = inverse * inverse
        found = 1 - square * first + square * square * arb(0).union(arb(second))
        for _ in range(power):
            found = found * inverse
        return found


def falling(difference: Sequence[Any], power: int, start: int) -> arb:
    """Return the supremum of yᵖ·e^(−D(y)) from 2ᵏ on, if it does not rise."""
    if not difference or all(arb(c).is_zero() for c in difference):
        if power > 0:
            raise Undecided
        return arb((1, power * start))
    y = arb((1, start))
    slope = arb(-power)  # y·D′(y) − p must be positive from T on
    lower = arb(0)
    for n, c in enumerate(difference, 1):
        slope = slope + n * arb(c) * y**n
        if n < len(difference):
            lower = lower + n * abs(arb(c)) * y**n
    last = len(difference) * arb(difference[-1]) * y ** len(difference)
    if not (slope > 0 and last > 2 * (lower + abs(power))):
        raise Undecided
    value = arb(0)
    for n, c in enumerate(difference, 1):
        value = value + arb(c) * y**n
    return ((-value).exp() * arb((1, power * start))).upper()


class RaySeries(Number):
    """A power series with numbers of a ray as its coefficients."""

    def __init__(self, terms: Sequence[Ray]) -> None:
        self.terms = list(terms)

    def __getitem__(self, k: int) -> Ray:
        return self.terms[k]

    def of(self, other: Any) -> RaySeries:
        """Return another number as a series."""
        if isinstance(other, RaySeries):
            return other
        first, nothing = self.terms[0].of(other), Ray(self.terms[0].start, ())
        return RaySeries([first] + [nothing] * (len(self.terms) - 1))

    def __add__(self, other: Any) -> RaySeries:
        return RaySeries([a + b for a, b in zip(self.terms, self.of(other).terms, strict=True)])

    def __neg__(self) -> RaySeries:
        return RaySeries([-a for a in self.terms])

    def __sub__(self, other: Any) -> RaySeries:
        return self + -self.of(other)

    def __rsub__(self, other: Any) -> RaySeries:
        return self.of(other) - self

    def __mul__(self, other: Any) -> RaySeries:
        other = self.of(other)
        return RaySeries([dot(self.terms, other.terms, n) for n in range(len(self.terms))])

    def __truediv__(self, other: Any) -> RaySeries:
        other = self.of(other)
        inverse, found = other[0].inverse(), list[Ray]()
        for n in range(len(self.terms)):
            left = self[n]
            for k in range(n):
                left = left - found[k] * other[n - k]
            found.append(left * inverse)
        return RaySeries(found)

    def __rtruediv__(self, other: Any) -> RaySeries:
        return self.of(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def continued(self, first: Ray, factor: RaySeries | None = None) -> RaySeries:
        """Return the solution y of y′ = factor·x′ that begins with a number.

        Y itself if None.
        """
        found = [first]
        for n in range(1, len(self.terms)):
            of = factor.terms if factor is not None else found
            total = Ray(first.start, ())
            for k in range(1, n + 1):
                total = total + self[k] * of[n - k] * k
            found.append(total / n)
        return RaySeries(found)

    def exp(self) -> RaySeries:
        """Return e^x."""
        return self.continued(self[0].exp())

    def logistic(self) -> RaySeries:
        """Return σ(x)."""
        if self[0].sign() > 0:
            return 1 / (1 + (-self).exp())
        e = self.exp()
        return e / (1 + e)

    def sqrt(self) -> RaySeries:
        """Return √x."""
        found = [self[0].sqrt()]
        for n in range(1, len(self.terms)):
            left = self[n]
            for k in range(1, n):
                left = left - found[k] * found[n - k]
            found.append(left / (found[0] * 2))
        return RaySeries(found)

    def log1p(self) -> RaySeries:
        """Return log(1 + x)."""
        return self.continued(self[0].log1p(), 1 / (1 + self))

    def expm1(self) -> RaySeries:
        """Return e^x − 1."""
        return self.exp() - 1

    def erfc(self) -> RaySeries:
        """Return erfc(x) as x → ∞, e^(−x²)/(x√π)·(1 − 1/(2x²) + [0, 1]/x⁴)."""
        density = (-self * self).exp() * (1 / pi().sqrt())
        return self.continued(density[0] * self[0].mills(1, HALF, 1), density * -2)

    def normal_cdf(self) -> RaySeries:
        """Return Φ(x) as x → −∞, φ(x)/|x|·(1 − 1/x² + [0, 3]/x⁴)."""
        density = (self * self / -2).exp() * (1 / (2 * pi()).sqrt())
        return self.continued(density[0] * (-self[0]).mills(1, fmpq(1), 3), density)

    def normal_loss(self) -> RaySeries:
        """Return φ(x) + xΦ(x) as x → −∞, φ(x)/x²·(1 − 3/x² + [0, 15]/x⁴)."""
        density = (self * self / -2).exp() * (1 / (2 * pi()).sqrt())
        return self.continued(density[0] * (-self[0]).mills(2, fmpq(3), 15), self.normal_cdf())


def dot(a: Sequence[Ray], b: Sequence[Ray], n: int) -> Ray:
    """Return the n-th coefficient of a product."""
    total = a[0] * b[n]
    for k in range(1, n + 1):
        total = total + a[k] * b[n - k]
    return total
