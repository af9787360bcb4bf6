"""The functions that forms are made of, for every type of number.

Results for Arb's balls (a midpoint and a radius), complex balls and power series are enclosures. If
a complex ball meets a branch cut, the result is not finite: a finite result shows that the function
is analytic there. Results for power series over the fractions are exact, or an exception in
`form.INEXACT` is raised. Other numbers are subclasses of `Number` with methods of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Self

from flint import acb, acb_series, arb, arb_series, ctx, fmpq, fmpq_series

FAR_OUT = 16
"""For balls with midpoints x > FAR_OUT, erfc(x) is enclosed by values at the ends, as Arb's bound
for wide balls is useless."""

NARROW = 2.0**-20
"""For balls of larger radius, φ(x) + x·Φ(x), which cancels, is enclosed by values at the ends."""


class Number:
    """Base class of numbers that are not Arb's.

    Subclasses have exp, log1p, sqrt, erfc, logistic, +, *, / and unary −. They also have a method
    `of`, which converts operands of the operators below, or replace these operators.
    """

    def __sub__(self, other: Any) -> Self:
        return self + -self.of(other)  # type: ignore

    def __rsub__(self, other: Any) -> Self:
        return -self + other  # type: ignore

    def __radd__(self, other: Any) -> Self:
        return self + other  # type: ignore

    def __rmul__(self, other: Any) -> Self:
        return self * other  # type: ignore

    def __rtruediv__(self, other: Any) -> Self:
        return self.of(other) / self  # type: ignore

    def expm1(self) -> Self:
        """Return eˣ − 1."""
        return self.exp() - 1  # type: ignore

    def normal_cdf(self) -> Any:
        """Return Φ(x)."""
        x: Any = self
        return erfc(x * -sqrt_half()) / 2


def is_series(x: Any) -> bool:
    """Return True for power series."""
    return isinstance(x, (arb_series, acb_series, fmpq_series))


def pi() -> arb:
    """Return π to the working precision."""
    return _constants(ctx.prec)[0]


def sqrt_half() -> arb:
    """Return √½ to the working precision."""
    return _constants(ctx.prec)[1]


def sqrt_two_over_pi() -> arb:
    """Return √(2/π), the scale of the tanh form, to the working precision."""
    return _constants(ctx.prec)[2]


@lru_cache(64)
def _constants(prec: int) -> tuple[arb, arb, arb]:
    """Compute constants; `prec`, the working precision, is the cache key."""
    return arb.pi(), arb(0.5).sqrt(), (2 / arb.pi()).sqrt()


def exp(x: Any) -> Any:
    """Return eˣ."""
    return x.exp()


def expm1(x: Any) -> Any:
    """Return eˣ − 1, accurate at small x."""
    if not is_series(x):
        return x.expm1()
    series: Any = x.exp() - 1
    if isinstance(x, fmpq_series):
        return series
    constant = x[0].expm1()  # as x[0].exp() − 1 would cancel
    return series + (constant - series[0])


def log1p(x: Any) -> Any:
    """Return log(1 + x), accurate at small x."""
    if isinstance(x, acb):
        return x.log1p() if abs(x) < 1 else (1 + x).log(analytic=True)
    if not is_series(x):
        return x.log1p()
    constant = x[0]
    return type(x)([constant.log1p()], x.prec) + (1 + (x - constant) / (1 + constant)).log()


def sqrt(x: Any) -> Any:
    """Return √x; ValueError if a series over fractions has no such root."""
    if isinstance(x, (int, fmpq)):
        return arb(x).sqrt()
    if isinstance(x, acb):
        return x.sqrt(analytic=True)
    if isinstance(x, fmpq_series):
        root = _rational_root(x[0])
        unit: Any = x * (1 / x[0])  # type: ignore[operator]
        return unit.sqrt() * root
    return x.sqrt()


def _rational_root(x: fmpq) -> fmpq:
    root = fmpq(x.p.isqrt(), x.q.isqrt())
    if root * root != x or not x:
        raise ValueError("the root is irrational, or has no series")
    return root


def logistic(x: Any) -> Any:
    """Return σ(x) = 1/(1 + e⁻ˣ), accurate as x → −∞."""
    if isinstance(x, Number):
        return x.logistic()  # type: ignore[attr-defined]
    if is_series(x) or (x.real if isinstance(x, acb) else x).mid() < 0:
        e = x.exp()
        return e / (1 + e)
    return 1 / (1 + (-x).exp())


def _by_ends(f: Callable[[Any], Any], slope: Callable[[Any], Any], x: Any) -> Any:
    """Enclose a monotone f(x) by the values of f at both ends of the ball x."""
    constant = x[0] if is_series(x) else x
    value = f(constant.lower()).union(f(constant.upper()))
    if constant is x:
        return value
    return arb_series([value], prec=x.prec) + (slope(x) * x.derivative()).integral()


def erfc(x: Any) -> Any:
    """Return erfc(x), accurate as x → ∞."""
    constant = x[0] if is_series(x) else x
    if not isinstance(constant, arb) or constant.is_exact() or not constant.mid() > FAR_OUT:
        return x.erfc()
    return _by_ends(erfc, lambda x: (-x * x).exp() * (-2 / pi().sqrt()), x)


def normal_cdf(x: Any) -> Any:
    """Return Φ(x), accurate as x → −∞."""
    return x.normal_cdf() if isinstance(x, Number) else erfc(x * -sqrt_half()) / 2


def normal_density(x: Any) -> Any:
    """Return φ(x) = e^(−x²/2)/√(2π)."""
    return exp(x * x / -2) * (sqrt_two_over_pi() / 2)


def normal_loss(x: Any) -> Any:
    """Return φ(x) + x·Φ(x), the integral of Φ up to x."""
    constant = x[0] if is_series(x) else x
    if isinstance(constant, arb) and constant.rad() > NARROW:
        return _by_ends(normal_loss, normal_cdf, x)
    return x * normal_cdf(x) + normal_density(x)


def horner(coefficients: Sequence[Any], x: Any) -> Any:
    """Evaluate a polynomial; the coefficients ascend from the constant."""
    total: Any = 0
    for coefficient in reversed(coefficients):
        total = total * x + coefficient
    return total
