"""Rounding to decimals: to a number of significant digits, or of decimal places."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import inf, isfinite
from typing import NamedTuple

from gelu_cli.old.arithmetic import mpf
from gelu_cli.old.arithmetic.mpf import DOWN, NEAREST, ONE, UP, ZERO, Mpf

LARGEST_EXPONENT = 10**17
"""Decimals end at 10^±10^18; what lies beyond 10^±10^17 is an infinity, or a zero, with a sign."""

LOG10_OF_2 = 102435199438739363750012109250103232700
"""⌊log₁₀2·2**128⌋."""

SPARE = 20
"""Digits beyond those that are expected, to which `Places` rounds at most."""


class Decimals(NamedTuple):
    """Rounding to `digits` significant digits, to nearest, ties to even.

    >>> Decimals(3).exactly(Fraction(2, 3))
    Decimal('0.667')
    """

    digits: int

    @property
    def precision(self) -> int:
        """The bits that the digits carry, rounded up."""
        return self.digits * 10 // 3 + 1

    def exactly(self, value: Fraction) -> Decimal:
        """Return the fraction `value` rounded."""
        if not value:
            return Decimal(0)
        place = _place_of_first(value)
        n = round(abs(value) * Fraction(10) ** (self.digits - 1 - place))
        return self._decimal(value < 0, n, place)

    def tie(self, value: Fraction) -> Fraction:
        """Return the number half way between the two decimals around `value`, which is not 0."""
        unit = Fraction(10) ** (_place_of_first(value) - self.digits + 1)
        return (value // unit + Fraction(1, 2)) * unit

    def from_float(self, value: float) -> Decimal | float:
        """Return a float64 rounded, with the sign of a zero; infinities and NaN as they are."""
        if not isfinite(value):
            return value
        return self.exactly(Fraction(value)).copy_sign(Decimal(value))

    def settle(self, low: Mpf, high: Mpf) -> Decimal | float | None:
        """Return what every real number in [low, high] rounds to, or None if they differ."""
        if low == high == ZERO:
            return Decimal(0)
        sign = mpf.sign(low)
        if sign * mpf.sign(high) <= 0 or not (mpf.is_finite(low) and mpf.is_finite(high)):
            return None
        small, large = (low, high) if sign > 0 else (high, low)
        first, second = self._digits(small, DOWN), self._digits(large, UP)
        if first != second:
            return None
        if first is None:
            return sign * inf
        return self._decimal(sign < 0, *first)

    def _digits(self, end: Mpf, rounding: str) -> tuple[int, int] | None:
        """Return (n, place) with |end| ≈ n·10**(place − digits + 1), rounded towards `rounding`.

        Above all decimals it is None, below all of them (0, 0).
        """
        place = (mpf.exponent(end) - 1) * LOG10_OF_2 >> 128
        if place > LARGEST_EXPONENT:
            return None
        if place < -LARGEST_EXPONENT:
            return 0, 0
        working = self.precision + 32 + mpf.bits(end)
        while True:
            power = _power_of_ten(self.digits - 1 - place, working, rounding)
            scaled = mpf.multiply(mpf.absolute(end), power, working, rounding)
            n = mpf.to_int(scaled, NEAREST)
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
    expected; a number of over `SPARE` more is rounded to `digits` + `SPARE` significant digits.

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

    def tie(self, value: Fraction) -> Fraction:
        """Return the number half way between the two decimals around `value`."""
        if value and _place_of_first(value) + self.places >= self._widest.digits:
            return self._widest.tie(value)
        unit = Fraction(10) ** -self.places
        return (value // unit + Fraction(1, 2)) * unit

    def settle(self, low: Mpf, high: Mpf) -> Decimal | float | None:
        """Return what every real number in [low, high] rounds to, or None if they differ."""
        if not (mpf.is_finite(low) and mpf.is_finite(high)):
            return None  # no bound yet
        ends = self._scaled(low, DOWN), self._scaled(high, UP)
        # From here on they round to more digits than the widest have.
        limit = mpf.shift(mpf.from_int(2 * 10**self._widest.digits - 1), -1)
        if any(mpf.compare(mpf.absolute(end), limit) >= 0 for end in ends):
            return self._widest.settle(low, high)
        first, second = (mpf.to_int(end, NEAREST) for end in ends)
        return self._decimal(first) if first == second else None

    def _scaled(self, end: Mpf, rounding: str) -> Mpf:
        """Return end·10**places, rounded down or up."""
        working = self.precision + 32 + mpf.bits(end)
        away = UP if (rounding == UP) != (mpf.sign(end) < 0) else DOWN
        power = _power_of_ten(self.places, working, away)
        return mpf.multiply(end, power, working, rounding)

    def _decimal(self, units: int) -> Decimal:
        return Decimal((int(units < 0), Decimal(abs(units)).as_tuple().digits, -self.places))


def _place_of_first(value: Fraction) -> int:
    """Return ⌊log₁₀|value|⌋ of a fraction that is not 0."""
    size = abs(value)
    # Decimal counts the digits of large integers, which str refuses to write.
    place = Decimal(size.numerator).adjusted() - Decimal(size.denominator).adjusted()
    return place - (size < Fraction(10) ** place)


@lru_cache(maxsize=1024)
def _power_of_ten(exponent: int, precision: int, rounding: str) -> Mpf:
    """Return 10**exponent, rounded down or up."""
    if exponent >= 0:
        return mpf.power(mpf.from_int(10), exponent, precision, rounding)
    divisor = _power_of_ten(-exponent, precision + 20, UP if rounding == DOWN else DOWN)
    return mpf.divide(ONE, divisor, precision, rounding)
