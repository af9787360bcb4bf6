"""The functions that forms are made of, for every type of number.

Balls, complex balls and power series of Arb enclose. On complex balls a function with a branch cut
has no bound where it meets the cut, as `acb.integral` asks. Series over fractions are exact, or
raise ValueError, AttributeError or TypeError. Subclasses of `Number` bring their own methods.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Self

from flint import acb, acb_series, arb, arb_poly, arb_series, ctx, fmpq, fmpq_series

FAR_OUT = 16
"""Beyond it erfc of a ball is the union of both ends: Arb's own bound on wide balls is useless."""

WIDE = 0.25
"""Beyond this radius σ of a ball is the union of both ends: σ rises."""

NARROW = 2.0**-20
"""Beyond this radius the ends of a ball bound φ(x) + x·Φ(x)."""

FEW_TERMS = 3
SHORT = 8
"""Longer series around wide balls have no use, and would take long."""


class Number:
    """Base of numbers that are not Arb's.

    They have exp, log1p, sqrt, erfc and logistic, `of` makes one of another number, and they are
    added, negated, multiplied and divided.
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
        """Return Φ."""
        x: Any = self
        return erfc(x * -sqrt_half()) / 2

    def normal_loss(self) -> Any:
        """Return φ(x) + x·Φ(x)."""
        x: Any = self
        return x * normal_cdf(x) + normal_density(x)


def is_series(x: Any) -> bool:
    """Return True for power series."""
    return isinstance(x, (arb_series, acb_series, fmpq_series))


def pi() -> arb:
    """Return π to the working precision."""
    return _constant("pi", ctx.prec)


def sqrt_half() -> arb:
    """Return √½ to the working precision."""
    return _constant("sqrt_half", ctx.prec)


def sqrt_two_over_pi() -> arb:
    """Return √(2/π), the scale of the tanh form, to the working precision."""
    return _constant("sqrt_two_over_pi", ctx.prec)


@lru_cache(64)
def _constant(name: str, prec: int) -> arb:
    """Compute a constant; `prec`, the working precision, is part of the key."""
    if name == "sqrt_half":
        return arb(0.5).sqrt()
    return arb.pi() if name == "pi" else (2 / arb.pi()).sqrt()


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
    constant = x[0].expm1()  # so that the first term of the series is accurate as well
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
    """Return √x; of series over fractions where it is one."""
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
    constant = x[0] if is_series(x) else x
    short = constant is x or x.prec <= SHORT
    if short and isinstance(constant, arb) and constant.rad() > WIDE:
        return _wide_logistic(x, constant)
    if is_series(x) or _midpoint(x) < 0:
        e = x.exp()
        return e / (1 + e)
    return 1 / (1 + (-x).exp())


def _wide_logistic(x: Any, constant: arb) -> Any:
    """Return σ of a wide ball, or of a series around one, by σ′ = σ(1 − σ)."""
    value = logistic(constant.lower()).union(logistic(constant.upper()))
    if constant is x:
        return value
    y: Any = type(x)([value], x.prec)
    for _ in range(x.prec):
        y = value + (y * (1 - y) * x.derivative()).integral()
    return y


def erfc(x: Any) -> Any:
    """Return erfc, accurate as x → ∞.

    It falls, so that the ends of a ball bound it.
    """
    constant = x[0] if is_series(x) else x
    if not isinstance(constant, arb) or not constant.mid() > FAR_OUT:
        return x.erfc()
    value = constant.lower().erfc().union(constant.upper().erfc())
    if constant is x:
        return value
    slope = (-x * x).exp() * x.derivative() * (-2 / pi().sqrt())
    return arb_series([value], prec=x.prec) + slope.integral()


def normal_cdf(x: Any) -> Any:
    """Return Φ(x), accurate as x → −∞."""
    return x.normal_cdf() if isinstance(x, Number) else erfc(x * -sqrt_half()) / 2


def normal_density(x: Any) -> Any:
    """Return φ(x) = e^(−x²/2)/√(2π)."""
    return exp(x * x / -2) * (sqrt_two_over_pi() / 2)


def normal_loss(x: Any) -> Any:
    """Return φ(x) + x·Φ(x), the integral of Φ up to x.

    It rises, so that the ends of a wide ball bound it: its terms cancel.
    """
    if isinstance(x, Number):
        return x.normal_loss()
    constant = x[0] if is_series(x) else x
    if not (isinstance(constant, arb) and constant.rad() > NARROW):
        return x * normal_cdf(x) + normal_density(x)
    value = normal_loss(constant.lower()).union(normal_loss(constant.upper()))
    if constant is x:
        return value
    return arb_series([value], prec=x.prec) + (normal_cdf(x) * x.derivative()).integral()


def horner(coefficients: Sequence[Any], x: Any) -> Any:
    """Return a polynomial, the lowest power first.

    On balls by its expansion in the middle.
    """
    constant = x[0] if is_series(x) else x
    if isinstance(constant, arb) and not constant.is_exact() and len(coefficients) > FEW_TERMS:
        middle = constant.mid()
        coefficients = arb_poly(list(coefficients))(arb_poly([middle, 1])).coeffs()
        x = x - middle
    total: Any = 0
    for coefficient in reversed(coefficients):
        total = total * x + coefficient
    return total


def _midpoint(x: Any) -> Any:
    return (x.real if isinstance(x, acb) else x).mid()
