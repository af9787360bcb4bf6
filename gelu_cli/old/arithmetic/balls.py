"""Balls of Arb (python-flint): numbers within bounds, at a point, on an interval, in the plane.

The forms' formulas run on them as they are. On complex balls they give what rigorous integration
asks for. Arb's working precision is one for all threads of a process: whatever computes with balls
does so inside `working`. Numbers are `acb`, also where they are real: a power of an `arb` around 0
is not defined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import count
from math import inf, perm
from threading import RLock
from typing import Any, NamedTuple, TypeAlias

from flint import acb, acb_poly, acb_series, arb, ctx, fmpq, fmpq_poly

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic import Curve, mpf
from gelu_cli.old.arithmetic.beside import Beside, BesideArithmetic
from gelu_cli.old.arithmetic.interval import Interval

Ball: TypeAlias = Any
"""A ball of python-flint, which has no types: an `acb`, or an `arb` for bounds."""

Polynomial: TypeAlias = Any
"""A polynomial with exact coefficients, python-flint's `fmpq_poly`."""

_LOCK = RLock()

LONGEST = 18
"""Most terms of a power series; python-flint would keep 10."""


@contextmanager
def working(bits: int) -> Iterator[None]:
    """Compute with balls at a precision in bits, in one thread at a time."""
    with _LOCK, ctx.workprec(bits):
        ctx.cap = LONGEST
        yield


LONG = 2.0**-8
"""The radius of a real ball from which on a monotone function is computed at its ends."""


def _monotone(f: Callable[[Ball], Ball]) -> Any:
    """Return a monotone function as a method of balls; on long real ones its ends tell it."""

    def on_ball(x: Ball) -> Ball:
        if x.imag.is_zero() and x.real.rad() > LONG:
            return f(acb(x.real.lower())).union(f(acb(x.real.upper())))
        return f(x)

    return staticmethod(on_ball)


def _logistic(x: Ball) -> Ball:
    if x.real.mid() > 0:
        return 1 / (1 + (-x).exp())
    power = x.exp()
    return power / (1 + power)


def _softplus(x: Ball) -> Ball:
    """Return log(1 + eˣ), without bounds where a ball may meet the branch cut."""
    power = x.exp()
    return power.log1p() if (1 + power).real > 0 else acb(arb.nan())


class BallArithmetic:
    """The `Arithmetic` of balls, at the working precision.

    >>> with working(64):
    ...     print(BALLS.erfc(acb(27)).real.str(9))
    [5.23704892e-319 +/- 3.79e-328]
    """

    @property
    def pi(self) -> Ball:
        """π."""
        return acb.pi()

    def rational(self, value: Fraction | int) -> Ball:
        """Return a ball around `value`."""
        return acb(fmpq(value.numerator, value.denominator))

    sqrt = staticmethod(acb.sqrt)  # of constants
    exp, expm1, erf, erfc, softplus, _logistic = map(
        _monotone, (acb.exp, acb.expm1, acb.erf, acb.erfc, _softplus, _logistic)
    )

    def logistics(self, x: Ball) -> tuple[Ball, Ball]:
        """Return σ(x) and σ(−x)."""
        return self._logistic(x), self._logistic(-x)


BALLS = BallArithmetic()


class SeriesArithmetic(BallArithmetic):
    """The `Arithmetic` of power series in h with balls for coefficients, those of f(x + h).

    Divisors have the constant 1, whatever the ball x.
    """

    exp, erf, erfc = map(staticmethod, (acb_series.exp, acb_series.erf, acb_series.erfc))

    def expm1(self, x: Ball) -> Ball:
        """Return eˣ − 1."""
        return x.exp() - 1

    def logistics(self, x: Ball) -> tuple[Ball, Ball]:
        """Return σ(x + h) = σ(x)/d and σ(−x − h) = σ(−x)e⁻ʰ/d, d = 1 + σ(−x)(e⁻ʰ − 1), for x ≥ 0.

        To the left of 0 they change places: the divisor is nearly 1 far out.
        """
        if x[0].real.mid() < 0:
            right, left = self.logistics(-x)
            return left, right
        s, t = BALLS.logistics(x[0])
        power = self.exp(-_less_constant(x))
        d = 1 + t * (power - 1)
        return s / d, t * power / d

    def softplus(self, x: Ball) -> Ball:
        """Return log(1 + eˣ⁺ʰ) = log(1 + eˣ) + log(1 + σ(x)(eʰ − 1))."""
        s, _ = BALLS.logistics(x[0])
        return BALLS.softplus(x[0]) + (1 + s * self.expm1(_less_constant(x))).log()


def _less_constant(x: Ball) -> Ball:
    return acb_series([0, *x.coeffs()[1:]], prec=x.prec)


SERIES = SeriesArithmetic()

TERMS = 8
"""Terms of a Taylor polynomial; the next one bounds the remainder."""


WILD = 1 << 16
"""A Taylor polynomial is no use if its radius is over WILD times the value in the middle."""


class Taylor(NamedTuple):
    """A curve on a ball around `middle`, by Taylor's theorem with Lagrange's remainder."""

    near: Ball
    """The power series at the middle."""

    whole: Ball
    """The coefficients of the power series at all x of the ball."""

    h: Ball
    """What is to be added to the middle."""

    def derivative(self, order: int = 0) -> Ball:
        """Return a real ball around the values of a derivative.

        fⁿ(m + h) = Σ k!/(k − n)!·aₖhᵏ⁻ⁿ for n ≤ k ≤ TERMS, the last aₖ at some other point.
        """
        total = self.whole[TERMS] * perm(TERMS, order)
        for k in reversed(range(order, TERMS)):
            total = self.near[k] * perm(k, order) + self.h * total
        return total.real

    @property
    def is_wild(self) -> bool:
        """Whether next to nothing is known of the curve on the ball."""
        return not self.derivative().rad() < WILD * abs(self.near[0].real)


def taylor(curve: Curve, x: Ball) -> Taylor | None:
    """Return a curve on a real ball x, None where it divides by what may be 0.

    >>> curve = taylor(lambda a, x: a.exp(x) - 1 - x, acb(arb(0.25, 0.0625)))
    >>> curve.derivative() > 0, curve.derivative(2) > 1
    (True, True)
    """
    middle = acb(x.real.mid())
    try:
        return Taylor(series(curve, middle, TERMS), series(curve, x, TERMS), x - middle)
    except ValueError:
        return None


def on_ball(curve: Curve, x: Ball) -> Ball:
    """Return a ball around the values of a curve at all x of a real ball."""
    found = taylor(curve, x)
    return acb(arb.nan() if found is None else found.derivative())


def series(curve: Curve, x: Ball, order: int) -> Ball:
    """Return a curve's power series in h at x + h; raises `ValueError` if it divides by 0.

    >>> series(lambda a, x: x * x, acb(3), 2)
    9.00000000000000 + 6.00000000000000*x + 1.00000000000000*x^2 + O(x^3)
    """
    nothing = acb_series([0], prec=order + 1)
    return nothing + curve(SERIES, acb_series([x, 1], prec=order + 1))


ZERO, X = fmpq_poly([]), fmpq_poly([0, 1])
"""The polynomials 0 and x."""


class RestsAt(BallArithmetic):
    """Balls beside polynomials in x with exact coefficients, at all x of a ball (`beside.Rests`).

    >>> a, x = beside_polynomials(acb(60))
    >>> gate = a.erfc(-x / 8) / 2
    >>> (x * gate).anchor
    x
    """

    precision = 0

    def __init__(self, x: Ball) -> None:
        self.x = x

    def anchor(self, value: Fraction | int) -> Polynomial:
        """Return a constant."""
        return fmpq_poly([fmpq(value.numerator, value.denominator)])

    def inverse(self, anchor: Polynomial) -> Polynomial | None:
        """Return 1/anchor of a constant other than 0."""
        return fmpq_poly([1 / anchor[0]]) if anchor.length() == 1 else None

    def enclosed(self, anchor: Polynomial) -> Ball:
        """Return a polynomial at x."""
        return acb_poly(anchor)(self.x)

    def is_little(self, rest: Ball, anchor: Polynomial) -> bool:
        """Return true: an anchor says nothing about signs here."""
        return True

    def is_next_to_0(self, v: Ball) -> bool:
        """Return whether |v| < 1/4."""
        return bool(v.abs_upper() < 0.25)

    def is_right(self, v: Ball) -> bool:
        """Return whether the real part of v is greater than 1."""
        return bool(v.real > 1)

    def expm1_less_x(self, x: Ball) -> Ball:
        """Return eˣ − 1 − x = x²/2·(1 + x/3·(1 + x/4·(…))) for |x| < 1/4.

        Each factor is within 1/2 of 1, and N of them take 2N + log₂N! bits off their error.
        """
        total = acb(arb(1, 0.5), arb(0, 0.5))
        for n in range(ctx.prec // 4 + 8, 2, -1):
            total = 1 + x * total / n
        return x * x / 2 * total


def beside_polynomials(x: Ball) -> tuple[BesideArithmetic, Beside]:
    """Return the arithmetic of numbers beside polynomials in x, and x, its own anchor."""
    rests = RestsAt(x)
    return BesideArithmetic(rests), Beside(X, None, rests)


def fractions(polynomial: Polynomial) -> list[Fraction]:
    """Return the coefficients of a polynomial, that of the lowest power first.

    >>> fractions(X * X / 2)
    [Fraction(0, 1), Fraction(0, 1), Fraction(1, 2)]
    """
    return [Fraction(int(c.p), int(c.q)) for c in polynomial.coeffs()]


def real(value: Fraction | int) -> Ball:
    """Return a real ball around a fraction."""
    return arb(fmpq(value.numerator, value.denominator))


def exactly(x: Ball) -> Fraction:
    """Return an exact real ball as a fraction.

    >>> exactly(arb(0.375))
    Fraction(3, 8)
    """
    man, exp = x.man_exp()
    return Fraction(int(man)) * Fraction(2) ** int(exp)


def sign_of(y: Ball) -> int:
    """Return the sign of a real ball, 0 if there is none."""
    return int(bool(y > 0)) - int(bool(y < 0))


def log2_of(size: Ball) -> float:
    """Return a bound on the logarithm of a size, which may be 0, infinite, or unknown.

    >>> 3 <= log2_of(arb(8)) < 3.001, log2_of(arb(0)), log2_of(arb.nan())
    (True, -inf, inf)
    """
    if size.is_zero():
        return -inf
    return float((size.upper().log() / arb.const_log2()).upper()) if size.is_finite() else inf


def bits_of(size: Ball) -> int:
    """Return the least n with size ≤ 2ⁿ, or one more, of a real ball."""
    return int((size.upper().log() / arb.const_log2()).upper().ceil().unique_fmpz())


DEPTH = 2000
"""Most bisections towards a place where an integrand is steep."""

MOST_VALUES = 1 << 16
"""Most values of an integrand for one integral, which take some seconds."""


def integral(f: Callable[[Ball], Ball], low: Ball, high: Ball, share: Ball, error: Ball) -> Ball:
    """Return the integral of f from low to high, to a relative error `share`, or to `error`.

    f(z) is a ball around all values on z, unbounded where f is not analytic. Raises
    `ComputationError` if too many of them are needed.

    >>> with working(53):
    ...     print(integral(lambda z: z * z, arb(0), arb(3), arb(2)**-40, arb(2)**-40).str(9))
    [9.00000000 +/- 3e-12]
    """
    raised: list[BaseException] = []
    values = count(1)

    def watched(z: Ball, _: bool) -> Ball:
        try:
            if not raised and next(values) > MOST_VALUES:
                raise ComputationError(
                    "an average takes too long, as it is due to inputs very far from the mean; "
                    "take a --mean nearer to 0, or another --sigma"
                )
            return acb(0) if raised else f(z)
        except BaseException as caught:  # which Arb does not let through
            raised.append(caught)
            return acb(0)  # so that no part is cut any more

    found = acb.integral(watched, low, high, rel_tol=share, abs_tol=error,
                         depth_limit=DEPTH, use_heap=True)  # fmt: skip
    if raised:
        raise raised[0]
    return found.real


def enclosure(ball: Ball, bits: int) -> Interval:
    """Return the interval that a real ball is.

    >>> enclosure(arb(1.25), 60)
    [1.25, 1.25]
    """
    if not ball.is_finite():
        return Interval(mpf.MINUS_INFINITY, mpf.INFINITY, bits)
    low, high = (mpf.shift(mpf.from_int(int(man)), int(exp))
                 for man, exp in (ball.lower().man_exp(), ball.upper().man_exp()))  # fmt: skip
    return Interval(low, high, bits)
