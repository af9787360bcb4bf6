"""Correct rounding (ties to even) of balls, fractions and their sums.

A number y is n·u with a unit u, a power of 2 or 10; n has as many digits as the target. Ziv's test
is whether all of a ball has the same n. A fraction plus a tiny rest needs one more idea: where
their sum meets a tie between two numbers, the sign of fraction − tie + rest decides.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol

from flint import arb, ctx, fmpq, fmpz

from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.formats import FLOAT64, Format, power_of_two

Rounded = float | Decimal

NORMAL = 2.0**-1000
"""Above it Arb rounds ends to float64 once."""

HALF = fmpq(1, 2)
HALF_BALL, FORTIETH = arb(0.5), arb(0.025)

LONGEST = 40
"""Terms of power series; Arb drops those beyond `ctx.cap`, 10 by default, without a word."""

LEADING = 128
"""Bits to which log₁₀ is computed for a leading digit: exponents have up to 60."""

SPARE_DIGITS = 20
"""Digits beyond those that are expected, to which `Places` rounds at most."""


class working:  # noqa: N801
    """Context that sets Arb's working precision, and series to LONGEST terms.

    Arb has one precision for the process: nothing else sets it.
    """

    __slots__ = ("before", "bits")

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def __enter__(self) -> None:
        self.before = ctx.prec, ctx.cap
        ctx.prec, ctx.cap = self.bits, LONGEST

    def __exit__(self, *error: object) -> None:
        ctx.prec, ctx.cap = self.before


def sign(y: Any) -> int:
    """Return the sign of a ball, 0 if it has none."""
    return 1 if y > 0 else -1 if y < 0 else 0


def less(a: Any, b: Any) -> bool:
    """Return a < b of fractions and infinities.

    Fmpq does not compare with floats.
    """
    if isinstance(a, float) or isinstance(b, float):
        return float(a) < float(b)
    return bool(a < b)


def exact_ball(y: arb) -> fmpq:
    """Return the middle of a ball as a fraction."""
    mantissa, exponent = map(int, y.mid().man_exp())
    return fmpq(mantissa) * power_of_two(exponent)


class Target(Protocol):
    """What numbers are rounded to; a unit is named by its exponent."""

    @property
    def bits_needed(self) -> int:
        """Bits of precision that tell neighbours apart."""
        ...

    def unit_exponent(self, y: arb) -> int:
        """Return the exponent of the unit of numbers like y, to within 1."""
        ...

    def unit(self, exponent: int) -> fmpq:
        """Return a unit."""
        ...

    def in_units(self, y: arb, exponent: int) -> arb:
        """Return y divided by a unit."""
        ...

    def compose(self, n: int, exponent: int, negative: bool) -> Rounded:
        """Return ∓n units."""
        ...

    def zero(self, negative: bool) -> Rounded:
        """Return a zero."""
        ...

    def shift(self, n: fmpz, exponent: int) -> int:
        """Return 1 if n has too many digits for its unit, −1 if too few, else 0."""
        ...


@lru_cache(256)
def power_of_ten(exponent: int) -> fmpq:
    """Return a power of ten as a fraction."""
    whole = fmpz(10) ** abs(exponent)
    return fmpq(whole, 1) if exponent >= 0 else fmpq(1, whole)


@dataclass(frozen=True)
class Decimals:
    """Rounding to `digits` significant digits.

    >>> round_fraction(Decimals(3), fmpq(2, 3))
    Decimal('0.667')
    """

    digits: int

    LARGEST = 10**17
    """Beyond 10^±LARGEST they are infinities and zeros: `decimal` has no larger exponents."""

    @property
    def bits_needed(self) -> int:
        """Bits of precision that tell neighbours apart: log₂ 10 < 10/3."""
        return self.digits * 10 // 3 + 1

    def unit_exponent(self, y: arb) -> int:
        """Return the exponent of the unit of numbers like y, to within 1."""
        with working(LEADING):
            leading = (abs(y.mid()).log() / arb(10).log()).mid().floor().unique_fmpz()
        assert leading is not None  # the middle of a ball has no width
        return int(leading) - self.digits + 1

    def unit(self, exponent: int) -> fmpq:
        """Return 10ᵉ."""
        return power_of_ten(exponent)

    def in_units(self, y: arb, exponent: int) -> arb:
        """Return y/10ᵉ."""
        return y * arb(10) ** -exponent

    def compose(self, n: int, exponent: int, negative: bool) -> Rounded:
        """Return ∓n·10ᵉ."""
        if n == fmpz(10) ** self.digits:
            n, exponent = n // 10, exponent + 1
        if abs(exponent) > self.LARGEST:
            infinity = -math.inf if negative else math.inf
            return infinity if exponent > 0 else self.zero(negative)
        return decimal_of(n, exponent, negative)

    def zero(self, negative: bool) -> Decimal:
        """Return a zero with a sign."""
        return Decimal("-0" if negative else "0")

    def shift(self, n: fmpz, exponent: int) -> int:
        """Return 1 if n has too many digits, −1 if it has too few, else 0."""
        least = fmpz(10) ** (self.digits - 1)
        return int(n > 10 * least) - int(n < least)

    def from_float(self, value: float) -> Rounded:
        """Round a float64, with the sign of a zero; infinities and NaN stay."""
        if not math.isfinite(value):
            return value
        rounded = round_fraction(self, to_fraction(value))
        assert isinstance(rounded, Decimal)
        return rounded.copy_sign(Decimal(value))

    def exactly(self, value: Fraction | fmpq) -> Rounded:
        """Round a fraction."""
        return round_fraction(self, to_fraction(value))


def rounding_to(digits: int | None) -> Target:
    """Return the rounding to decimals of `digits` digits, or to float64.

    >>> round_fraction(rounding_to(2), fmpq(1, 3)), round_fraction(rounding_to(None), fmpq(1, 4))
    (Decimal('0.33'), 0.25)
    """
    return FLOAT64 if digits is None else Decimals(digits)


@dataclass(frozen=True)
class Places:
    """Rounding to `places` decimals after the point.

    Fewer than 0 are zeros before it.

    `digits` are expected; a number of SPARE_DIGITS more is rounded to so many digits.

    >>> round_fraction(Places(2, 2), fmpq(2, 3)), round_fraction(Places(-3, 2), fmpq(12345))
    (Decimal('0.67'), Decimal('1.2E+4'))
    """

    places: int
    digits: int

    @property
    def widest(self) -> Decimals:
        """The rounding of numbers with too many digits."""
        return Decimals(self.digits + SPARE_DIGITS)

    @property
    def bits_needed(self) -> int:
        """Bits of precision that tell neighbours apart, at most."""
        return self.widest.bits_needed

    def unit_exponent(self, y: arb) -> int:
        """Return the exponent of the unit of numbers like y, to within 1."""
        return max(-self.places, self.widest.unit_exponent(y))

    def unit(self, exponent: int) -> fmpq:
        """Return 10ᵉ."""
        return power_of_ten(exponent)

    def in_units(self, y: arb, exponent: int) -> arb:
        """Return y/10ᵉ."""
        return y * arb(10) ** -exponent

    def compose(self, n: int, exponent: int, negative: bool) -> Rounded:
        """Return ∓n·10ᵉ."""
        if exponent == -self.places:
            return decimal_of(n, exponent, negative and n != 0)
        return self.widest.compose(n, exponent, negative)

    def zero(self, negative: bool) -> Decimal:
        """Return zero."""
        return decimal_of(0, -self.places, False)

    def shift(self, n: fmpz, exponent: int) -> int:
        """Return 1 if n has too many digits, −1 if too few, else 0."""
        digits = self.widest.digits
        return int(n > 10**digits) - int(exponent > -self.places and n < 10 ** (digits - 1))


def decimal_of(n: int, exponent: int, negative: bool) -> Decimal:
    """Return ∓n·10ᵉ."""
    return Decimal(f"{'-' * negative}{fmpz(n)}E{exponent}")


def round_ball(to: Target, y: arb) -> Rounded | None:
    """Round a ball; None unless all its numbers round alike.

    None if that is not one number.

    >>> from gelu_cli.numbers.formats import FLOAT64, FORMATS
    >>> round_ball(FORMATS["bfloat16"], arb(1) / 3), round_ball(FLOAT64, arb(0, 1))
    (0.333984375, None)
    """
    if isinstance(to, Format) and to.precision == 53:
        low = float(y.lower())
        if low == float(y.upper()) and NORMAL < abs(low) < math.inf:
            return low
    negative = bool(y < 0)
    if not (negative or y > 0) or not y.is_finite():
        return None
    exponent = to.unit_exponent(y)
    for _ in range(3):  # the first exponent may be off by one
        units = abs(to.in_units(y, exponent))
        n = (units + HALF_BALL).floor().unique_fmpz()
        if n is None:
            return None
        if not (shift := to.shift(n, exponent)):
            # Below the least n of a unit the next unit is finer: nearer than 1/40 all round to n.
            if to.shift(n - 1, exponent) < 0 and not units > arb(n) - FORTIETH:
                return None
            return to.compose(int(n), exponent, negative)
        exponent += shift
    return None


def round_fraction(to: Target, value: fmpq) -> Rounded:
    """Return a fraction rounded to nearest, ties to even.

    >>> from gelu_cli.numbers.formats import FORMATS
    >>> round_fraction(Decimals(2), fmpq(1, 8)), round_fraction(FORMATS["float16"], fmpq(1, 3))
    (Decimal('0.12'), 0.333251953125)
    """
    if value == 0:
        return to.zero(False)
    size = abs(value)
    exponent = to.unit_exponent(arb(size))
    while True:
        units = size / to.unit(exponent)
        n = units.floor()
        beyond = units - n
        n += int(beyond > HALF or (beyond == HALF and int(n) % 2))
        if units < n and to.shift(n - 1, exponent) < 0:
            exponent -= 1  # below the least n of a unit the next unit is finer
            continue
        if not (shift := to.shift(n, exponent)):
            return to.compose(int(n), exponent, bool(value < 0))
        exponent += shift


def round_sum(to: Target, anchor: fmpq, rest: arb | None) -> Rounded | None:
    """Round anchor + rest; None if the ball of the rest does not decide.

    Without a rest the anchor is all.

    >>> from gelu_cli.numbers.formats import FORMATS
    >>> round_sum(FORMATS["float32"], 1 + power_of_two(-24), arb((-1, -5000)))  # near a tie
    1.0
    """
    if rest is None or rest.is_zero():
        return round_fraction(to, anchor)
    if anchor == 0:
        return round_ball(to, rest)
    total = rest + arb(anchor)
    found = round_ball(to, total)
    if found is not None or not abs(rest) < abs(arb(anchor)) / 4:
        return found
    unit = to.unit(to.unit_exponent(total))
    tie = ((anchor / unit).floor() + HALF) * unit
    beyond = rest + arb(anchor - tie)
    side = sign(beyond)
    if not side or not abs(beyond) < arb(unit) / 2:
        return None
    return round_fraction(to, tie + unit / 4 * side)
