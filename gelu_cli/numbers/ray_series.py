"""Power series whose coefficients are numbers on a ray."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq

from gelu_cli.formulas.special import Number, pi
from gelu_cli.numbers.rays import Ray

HALF = fmpq(1, 2)


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

    def continued(self, first: Ray, factor: RaySeries | None = None) -> RaySeries:
        """Return the solution y of y′ = factor·x′ whose first term is `first`.

        Without a factor solve y′ = y·x′.
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
