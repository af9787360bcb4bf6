"""Enclosures: every operation returns an interval that holds the true result.

A form evaluated here comes with its own error bound, the width of the result: cancellation,
conditioning and rounding are all in it. The numbers are mpmath's, through its stateless layer
(`mpmath.libmp`), in which the precision is an argument: no context, no global setting.

The four operations and the square root are mpmath's interval operations, rounded outward. The
elementary functions below are monotone, so that the ends of the argument give the ends of the
result; each end is computed with `GUARD` bits more than asked for and moved outward by one unit
of the precision asked for. mpmath aims at an error below one unit of the precision it works
with; the guard leaves it 2**GUARD of them.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from mpmath import libmp

from gelu_cli.arithmetic.elementary import Mpf, expm1, minus_erfc, softplus

GUARD = 10


class Interval:
    """A closed interval [low, high] that holds one real number.

    >>> third = IntervalArithmetic(20).rational(Fraction(1, 3))
    >>> libmp.to_float(third.low) < 1 / 3 < libmp.to_float(third.high)
    True
    """

    __slots__ = ("high", "low", "precision")

    def __init__(self, low: Mpf, high: Mpf, precision: int) -> None:
        self.low = low
        self.high = high
        self.precision = precision

    def _with(
        self, other: Interval | int, operation: Callable[..., tuple[Mpf, Mpf]], swap: bool = False
    ) -> Interval:
        mine = self.low, self.high
        if isinstance(other, int):
            value = libmp.from_int(other)
            theirs = value, value
        else:
            theirs = other.low, other.high
        left, right = (theirs, mine) if swap else (mine, theirs)
        low, high = operation(left, right, self.precision)
        return Interval(low, high, self.precision)

    def __add__(self, other: Interval | int) -> Interval:
        return self._with(other, libmp.mpi_add)

    def __sub__(self, other: Interval | int) -> Interval:
        return self._with(other, libmp.mpi_sub)

    def __mul__(self, other: Interval | int) -> Interval:
        return self._with(other, libmp.mpi_mul)

    def __truediv__(self, other: Interval | int) -> Interval:
        return self._with(other, libmp.mpi_div)

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: int) -> Interval:
        return self._with(other, libmp.mpi_sub, swap=True)

    def __rtruediv__(self, other: int) -> Interval:
        return self._with(other, libmp.mpi_div, swap=True)

    def __neg__(self) -> Interval:
        return Interval(libmp.mpf_neg(self.high), libmp.mpf_neg(self.low), self.precision)

    def __pow__(self, power: int) -> Interval:
        low, high = libmp.mpi_pow_int((self.low, self.high), power, self.precision)
        return Interval(low, high, self.precision)

    def __repr__(self) -> str:
        ends = (libmp.to_str(end, 20) for end in (self.low, self.high))
        return f"[{', '.join(ends)}]"


class IntervalArithmetic:
    """The `Arithmetic` of enclosures at a working precision in bits.

    >>> a = IntervalArithmetic(40)
    >>> tail = a.erfc(a.rational(27))  # 1 − erf(27) would be 0 at this precision
    >>> libmp.to_str(tail.low, 9)
    '5.23704892e-319'
    """

    def __init__(self, precision: int) -> None:
        self.precision = precision
        self.pi = Interval(libmp.mpf_pi(precision, "f"), libmp.mpf_pi(precision, "c"), precision)

    def rational(self, value: Fraction | int) -> Interval:
        """Return an enclosure of `value`, exact where it fits the precision."""
        low, high = (
            libmp.from_rational(value.numerator, value.denominator, self.precision, rounding)
            for rounding in ("f", "c")
        )
        return Interval(low, high, self.precision)

    def float64(self, value: float) -> Interval:
        """Return the finite float64 `value`, exactly."""
        exact = libmp.from_float(value)
        return Interval(exact, exact, self.precision)

    def sqrt(self, x: Interval) -> Interval:
        """Return √x."""
        low, high = libmp.mpi_sqrt((x.low, x.high), self.precision)
        return Interval(low, high, self.precision)

    def exp(self, x: Interval) -> Interval:
        """Return eˣ."""
        return self._increasing(libmp.mpf_exp, x.low, x.high)

    def expm1(self, x: Interval) -> Interval:
        """Return eˣ − 1."""
        return self._increasing(expm1, x.low, x.high)

    def erfc(self, x: Interval) -> Interval:
        """Return erfc(x), which is −(an increasing function)."""
        return -self._increasing(minus_erfc, x.low, x.high)

    def logistics(self, x: Interval) -> tuple[Interval, Interval]:
        """Return σ(x) = 1/(1 + e⁻ˣ) and σ(−x)."""
        power = self.exp(-x)
        s = 1 / (1 + power)
        return s, power * s

    def softplus(self, x: Interval) -> Interval:
        """Return log(1 + eˣ)."""
        return self._increasing(softplus, x.low, x.high)

    def _increasing(self, f: Callable[[Mpf, int], Mpf], low: Mpf, high: Mpf) -> Interval:
        working = self.precision + GUARD
        least = f(low, working)
        greatest = least if high == low else f(high, working)
        return Interval(
            _outward(least, self.precision, "f"), _outward(greatest, self.precision, "c"),
            self.precision,
        )  # fmt: skip


@lru_cache(maxsize=64)
def interval_arithmetic(precision: int) -> IntervalArithmetic:
    """Return the arithmetic of enclosures at `precision` bits, always the same one."""
    return IntervalArithmetic(precision)


def _outward(y: Mpf, precision: int, rounding: str) -> Mpf:
    margin = libmp.mpf_shift(libmp.mpf_abs(y), -precision)
    move = libmp.mpf_sub if rounding == "f" else libmp.mpf_add
    return move(y, margin, precision + GUARD, rounding)
