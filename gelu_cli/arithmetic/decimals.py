"""Rounding to decimals: to a number of significant digits, or of decimal places."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import inf, isfinite
from typing import NamedTuple

from mpmath import libmp

from gelu_cli.arithmetic.elementary import Mpf

LARGEST_EXPONENT = 10**17
"""Decimals end at 10^±10^18; what lies beyond 10^±10^17 is an infinity, or a zero, with a sign."""

SPARE = 20


class Decimals(NamedTuple):
    """Rounding to `digits` significant digits, to nearest, ties to even.

    >>> Decimals(3).exactly(Fraction(2, 3))
    Decimal('0.667')
    """

    digits: int

    @property
    def precision(self) -> int:
        """The bits that so many digits carry."""
        return self.digits * 10 // 3 + 1

    def exactly(self, value: Fraction) -> Decimal:
        """Return the fraction `value` rounded."""
        if not value:
            return Decimal(0)
        size = abs(value)
        # Decimal counts the digits of large integers, which str refuses to write.
        place = Decimal(size.numerator).adjusted() - Decimal(size.denominator).adjusted()
        if size < Fraction(10) ** place:
            place -= 1
        return self._decimal(value < 0, round(size * Fraction(10) ** (self.digits - 1 - place)),
                             place)  # fmt: skip

    def from_float(self, value: float) -> Decimal | float:
        """Return a float64 rounded, with the sign of a zero; infinities and NaN as they are."""
        if not isfinite(value):
            return value
        return self.exactly(Fraction(value)).copy_sign(Decimal(value))

    def settle(self, low: Mpf, high: Mpf) -> Decimal | float | None:
        """Return what every real number in [low, high] rounds to, or None if they differ."""
        if low == high == libmp.fzero:
            return Decimal(0)
        if low[0] != high[0] or not (low[1] and high[1]):
            return None
        small, large = (low, high) if not low[0] else (high, low)
        first, second = self._digits(small, "f"), self._digits(large, "c")
        if first != second:
            return None
        if first is None:
            return -inf if low[0] else inf
        return self._decimal(bool(low[0]), *first)

    def _digits(self, end: Mpf, rounding: str) -> tuple[int, int] | None:
        """Return (n, place) with |end| ≈ n·10**(place − digits + 1), rounded towards `rounding`.

        Above all decimals it is None, below all of them (0, 0).
        """
        _, man, exp, bits = end
        magnitude = 0, man, exp, bits
        place = (exp + bits - 1) * _log10_of_2() >> 128
        if place > LARGEST_EXPONENT:
            return None
        if place < -LARGEST_EXPONENT:
            return 0, 0
        working = self.precision + 32 + bits
        while True:
            power = _power_of_ten(self.digits - 1 - place, working, rounding)
            scaled = libmp.mpf_mul(magnitude, power, working, rounding)
            n = int(libmp.to_int(scaled, "n"))
            if n < 10**self.digits:
                return n, place
            place += 1  # the estimate was one low, or 9.99… rounded up

    def _decimal(self, negative: bool, n: int, place: int) -> Decimal:
        if n == 10**self.digits:
            n, place = n // 10, place + 1
        exponent = place - self.digits + 1 if n else 0
        return Decimal((int(negative), Decimal(n).as_tuple().digits, exponent))


class Places(NamedTuple):
    """Rounding to `places` decimals after the point, to nearest, ties to even.

    Less than 0 places are zeros before the point. `digits` says how many significant digits are
    expected; a number with over `SPARE` more is rounded to so many, wherever the last one is.

    >>> Places(2, 2).exactly(Fraction(2, 3)), Places(-3, 2).exactly(Fraction(12345))
    (Decimal('0.67'), Decimal('1.2E+4'))
    """

    places: int
    digits: int

    @property
    def _widest(self) -> Decimals:
        return Decimals(self.digits + SPARE)

    @property
    def precision(self) -> int:
        """The bits that the numbers carry at most."""
        return self._widest.precision

    def exactly(self, value: Fraction) -> Decimal:
        """Return the fraction `value` rounded."""
        rounded = self._widest.exactly(value)
        place = rounded.adjusted() + self.places
        if value and place >= self._widest.digits:
            return rounded
        counts = value and place >= -1
        return self._decimal(round(value * Fraction(10) ** self.places) if counts else 0)

    def settle(self, low: Mpf, high: Mpf) -> Decimal | float | None:
        """Return what every real number in [low, high] rounds to, or None if they differ."""
        ends = self._scaled(low, "f"), self._scaled(high, "c")
        if any(not end[1] and end != libmp.fzero for end in ends):
            return None  # no bound yet
        # From here on they round to more digits than the widest have.
        limit = libmp.from_man_exp(2 * 10**self._widest.digits - 1, -1)
        if any(libmp.mpf_ge(libmp.mpf_abs(end), limit) for end in ends):
            return self._widest.settle(low, high)
        first, second = (int(libmp.to_int(end, "n")) for end in ends)
        return self._decimal(first) if first == second else None

    def _scaled(self, end: Mpf, rounding: str) -> Mpf:
        """Return end·10**places, rounded down or up."""
        working = self.precision + 32 + end[3]
        away = "c" if (rounding == "c") != bool(end[0]) else "f"
        power = _power_of_ten(self.places, working, away)
        return libmp.mpf_mul(end, power, working, rounding)

    def _decimal(self, units: int) -> Decimal:
        return Decimal((int(units < 0), Decimal(abs(units)).as_tuple().digits, -self.places))


@lru_cache(maxsize=1)
def _log10_of_2() -> int:
    """Return ⌊log₁₀2 · 2**128⌋."""
    ratio = libmp.mpf_div(libmp.mpf_ln2(200), libmp.mpf_ln10(200), 160, "f")
    return int(libmp.to_int(libmp.mpf_shift(ratio, 128), "f"))


@lru_cache(maxsize=1024)
def _power_of_ten(exponent: int, precision: int, rounding: str) -> Mpf:
    """Return 10**exponent, rounded down or up."""
    low, high = libmp.mpi_pow_int((libmp.ften, libmp.ften), exponent, precision)
    power: Mpf = low if rounding == "f" else high
    return power
