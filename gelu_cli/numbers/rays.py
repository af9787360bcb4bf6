"""Forms on a whole ray, from a power of 2 to infinity.

C·yᵖ·e^(−E(y)), c somewhere in a ball.

y = |x| runs over [T, ∞), T = 2ᵏ. A number is a polynomial in y, or C(y)·yᵖ·e^(−E(y)) where C is in
a ball for all y and E a sum of polynomials that tend to infinity. Sums are taken by their leading
term: the other one is smaller by a factor that falls from T on. So the sign of a number, and a
bound on its size, hold up to infinity. Where they cannot be told `Undecided` is raised: from a
larger T on they can.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from flint import arb, fmpq

from gelu_cli.formulas.special import Number, pi
from gelu_cli.numbers.rounding import sign

Coefficient: TypeAlias = "arb | fmpq"
PRECISION = 256
FARTHEST = 160
"""The exponent of 2 up to which a ray is moved."""


class Undecided(ArithmeticError):
    """A ray begins too near to 0."""


class Exponent:
    """A polynomial c₁y + c₂y² + … that tends to +∞."""

    def __init__(self, coefficients: tuple[Coefficient, ...]) -> None:
        self.coefficients = coefficients
        exact = all(isinstance(c, fmpq) for c in coefficients)
        self.key: Any = coefficients if exact else id(self)


Exponents: TypeAlias = "dict[Any, tuple[Exponent, int]]"
"""A sum of exponents, each with how often it is in it."""


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


class Ray(Number):
    """A number for all y ≥ 2ᵏ: a polynomial, or size·yᵖ·e^(−E(y))."""

    def __init__(
        self,
        start: int,
        polynomial: Sequence[Coefficient] | None = None,
        size: arb | None = None,
        power: int = 0,
        exponents: Exponents | None = None,
    ) -> None:
        self.start = start
        self.exponents = exponents or {}
        if polynomial is None:
            assert size is not None
            self.polynomial, self.size, self.power = None, size, power
            return
        kept = list(polynomial)
        while kept and kept[-1] == 0:
            kept.pop()
        self.polynomial = tuple(kept)
        self.power = max(len(kept) - 1, 0)
        self.size = arb(0)
        for distance, c in enumerate(reversed(kept)):
            self.size = self.size + arb(c) * arb((1, -distance * start)).union(
                arb(0) if distance else arb(1)
            )

    def of(self, other: Any) -> Ray:
        """Return another number as one of this ray."""
        if isinstance(other, Ray):
            return other
        return Ray(self.start, [fmpq(other) if isinstance(other, int) else other])

    @property
    def is_zero(self) -> bool:
        """True for the polynomial 0."""
        return self.polynomial == ()

    def __add__(self, other: Any) -> Ray:
        other = self.of(other)
        if self.is_zero or other.is_zero:
            return other if self.is_zero else self
        if self.polynomial is not None and other.polynomial is not None:
            a, b = sorted((self.polynomial, other.polynomial), key=len)
            return Ray(self.start, [x + y for x, y in zip(a, b, strict=False)] + [*b[len(a) :]])
        one, two = (self, other) if other.fades_beside(self) else (other, self)
        share = two.most_beside(one)
        size = one.size + two.size * arb(0).union(share) if share != 1 else one.size + two.size
        return Ray(self.start, None, size, one.power, one.exponents)

    def fades_beside(self, other: Ray) -> bool:
        """Return True if this divided by the other does not grow."""
        difference = polynomial_of(merged(self.exponents, other.exponents, -1))
        for c in reversed(difference):
            if found := sign(c):
                return found > 0
            if not arb(c).is_zero():
                raise Undecided
        return self.power <= other.power

    def most_beside(self, other: Ray) -> arb:
        """Return the supremum of the quotient of both, without their sizes."""
        difference = polynomial_of(merged(self.exponents, other.exponents, -1))
        return falling(difference, self.power - other.power, self.start)

    def most(self, start: int | None = None) -> arb:
        """Return a bound on |y| from the start on, or from a later one."""
        if self.is_zero:
            return arb(0)
        at = self.start if start is None else start
        return abs(self.size).upper() * falling(polynomial_of(self.exponents), self.power, at)

    def sign(self) -> int:
        """Return the sign that the number has everywhere on the ray; 0 if it is 0."""
        found = sign(self.size)
        if not found and not self.is_zero:
            raise Undecided
        return found

    def __neg__(self) -> Ray:
        if self.polynomial is not None:
            return Ray(self.start, [-c for c in self.polynomial])
        return Ray(self.start, None, -self.size, self.power, self.exponents)

    def __sub__(self, other: Any) -> Ray:
        return self + -self.of(other)

    def __rsub__(self, other: Any) -> Ray:
        return self.of(other) - self

    def __mul__(self, other: Any) -> Ray:
        other = self.of(other)
        if self.is_zero or other.is_zero:
            return Ray(self.start, [])
        if self.polynomial is not None and other.polynomial is not None:
            product: list[Any] = [fmpq(0)] * (len(self.polynomial) + len(other.polynomial) - 1)
            for i, a in enumerate(self.polynomial):
                for j, b in enumerate(other.polynomial):
                    product[i + j] = product[i + j] + a * b
            return Ray(self.start, product)
        exponents = merged(self.exponents, other.exponents)
        size, power = self.size * other.size, self.power + other.power
        return Ray(self.start, None, size, power, exponents)

    def inverse(self) -> Ray:
        """Return 1/y."""
        self.sign()
        if self.polynomial is not None and len(self.polynomial) == 1:
            return Ray(self.start, [1 / self.polynomial[0]])
        exponents = merged({}, self.exponents, -1)
        return Ray(self.start, None, 1 / self.size, -self.power, exponents)

    def __truediv__(self, other: Any) -> Ray:
        return self * self.of(other).inverse()

    def __rtruediv__(self, other: Any) -> Ray:
        return self.of(other) * self.inverse()

    __radd__, __rmul__ = __add__, __mul__

    def exp(self) -> Ray:
        """Return e^y of a polynomial."""
        assert self.polynomial is not None
        constant, *higher = self.polynomial or (fmpq(0),)
        size = arb(constant).exp()
        if not higher:
            return Ray(self.start, [size])
        leading = sign(arb(higher[-1]))
        if not leading:
            raise Undecided
        exponent = Exponent((*(leading * c for c in higher),))
        return Ray(self.start, None, size, 0, {exponent.key: (exponent, -leading)})

    def sqrt(self) -> Ray:
        """Return √y of a number without exponential."""
        if self.sign() <= 0 or self.power % 2 or self.exponents:
            raise Undecided
        return Ray(self.start, None, self.size.sqrt(), self.power // 2)

    def log1p(self) -> Ray:
        """Return log(1 + y) of a small number.

        Between y(1 − m) and y(1 + m), m = max |y|.
        """
        most = self.most()
        if not most < 0.5:
            raise Undecided
        return self * Ray(self.start, None, arb(1, most))

    def mills(self, coefficient: int, power: int) -> Ray:
        """Return y⁻ᵖ·(1 − coefficient/y², 1).

        What is left of a tail beside its density.
        """
        square = (self * self).inverse()
        less = Ray(self.start, None, arb(0).union(arb(coefficient)) * -1) * square + 1
        found = less
        for _ in range(power):
            found = found * self.inverse()
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
        first, nothing = self.terms[0].of(other), Ray(self.terms[0].start, [])
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
            total = Ray(first.start, [])
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
        """Return erfc(x) as x → ∞, between 1 and 1 − 1/(2x²) times e^(−x²)/(x√π)."""
        density = (-self * self).exp() * (1 / pi().sqrt())
        return self.continued(density[0] * (self[0].mills(1, 1)), density * -2)

    def normal_cdf(self) -> RaySeries:
        """Return Φ(x) as x → −∞, between 1 and 1 − 1/x² times φ(x)/|x|."""
        density = (self * self / -2).exp() * (1 / (2 * pi()).sqrt())
        return self.continued(density[0] * (-self[0]).mills(1, 1), density)

    def normal_loss(self) -> RaySeries:
        """Return φ(x) + xΦ(x) as x → −∞, between 1 and 1 − 3/x² times φ(x)/x²."""
        density = (self * self / -2).exp() * (1 / (2 * pi()).sqrt())
        return self.continued(density[0] * (-self[0]).mills(3, 2), self.normal_cdf())


def dot(a: Sequence[Ray], b: Sequence[Ray], n: int) -> Ray:
    """Return the n-th coefficient of a product."""
    total = a[0] * b[n]
    for k in range(1, n + 1):
        total = total + a[k] * b[n - k]
    return total
