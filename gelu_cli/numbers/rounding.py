"""Correct rounding (ties to even) of balls, fractions and their sums.

A number y is n·u with a unit u, a power of 2 or 10; n has as many digits as the target. Ziv's test
is whether all of a ball has the same n. A fraction plus a tiny rest needs one more idea: where
their sum meets a tie between two numbers, the sign of fraction − tie + rest decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

from flint import arb, ctx, fmpq, fmpz

from gelu_cli.errors import ComputationError
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.formats import FLOAT64, Format, power_of_two

Rounded = float | Decimal

NORMAL = 2.0**-1000
"""Above it Arb rounds ends to float64 once."""

HALF = fmpq(1, 2)
HALF_BALL, FORTIETH = arb(0.5), arb(0.025)

DOUBLINGS, SPARE_BITS = 6, 40
"""How often the bits of an enclosure are doubled, from so many beyond the target's on."""

LONGEST = 40
"""Terms of power series; Arb drops those beyond `ctx.cap`, 10 by default, without a word."""

LOG_2, MOST = 5553023288523357132, 1 << 60
"""log₁₀ 2 times 2⁶⁴: that exponents of 10 below MOST are known to within 1."""

HUGE, TINY = arb((1, 1 << 62)), arb((1, -1 << 62))
"""Beyond all numbers of a target but infinity, and 0."""

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
    """Return a < b of fractions and infinities."""
    if isinstance(a, float):
        return a < 0 and a != b
    return b > 0 if isinstance(b, float) else bool(a < b)


def exact_ball(y: arb) -> fmpq:
    """Return the middle of a ball as a fraction."""
    mantissa, exponent = map(int, y.mid().man_exp())
    return fmpq(mantissa) * power_of_two(exponent)


@dataclass(frozen=True)
class Decimals:
    """Rounding to `digits` digits, none of them below 10^least_exponent.

    >>> round_fraction(Decimals(3), fmpq(2, 3))
    Decimal('0.667')
    """

    digits: int
    least_exponent: float = -math.inf

    base = 10
    LARGEST = 10**17
    """Beyond 10^±LARGEST they are infinities and zeros: `decimal` has no larger exponents."""

    @property
    def precision(self) -> int:
        """The significant digits, by the name that formats have for theirs."""
        return self.digits

    @property
    def bits_needed(self) -> int:
        """Bits of precision that tell neighbours apart: log₂ 10 < 10/3."""
        return self.digits * 10 // 3 + 1

    def compose(self, n: int, exponent: int, negative: bool) -> Rounded:
        """Return ∓n·10ᵉ."""
        if n == fmpz(10) ** self.digits:
            n, exponent = n // 10, exponent + 1
        if abs(exponent) > self.LARGEST:
            infinity = -math.inf if negative else math.inf
            return infinity if exponent > 0 else self.zero(negative)
        return Decimal(f"{'-' * (negative and n != 0)}{fmpz(n)}E{exponent}")

    def zero(self, negative: bool) -> Decimal:
        """Return a zero with a sign."""
        return Decimal("-0" if negative else "0")

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


class Places(Decimals):
    """Rounding to `places` decimals after the point.

    Negative `places` round to tens, hundreds, ….

    Results have at most `digits` + SPARE_DIGITS significant digits.

    >>> round_fraction(Places(2, 2), fmpq(2, 3)), round_fraction(Places(-3, 2), fmpq(12345))
    (Decimal('0.67'), Decimal('1.2E+4'))
    """

    def __init__(self, places: int, digits: int) -> None:
        super().__init__(digits + SPARE_DIGITS, -places)

    def zero(self, negative: bool) -> Decimal:
        """Return zero."""
        return Decimal((0, (0,), int(self.least_exponent)))


Target: TypeAlias = Format | Decimals
"""What numbers are rounded to: digits of a base, none below its least exponent."""


def rounding_to(digits: int | None) -> Target:
    """Return the rounding to decimals of `digits` digits, or to float64.

    >>> round_fraction(rounding_to(2), fmpq(1, 3)), round_fraction(rounding_to(None), fmpq(1, 4))
    (Decimal('0.33'), 0.25)
    """
    return FLOAT64 if digits is None else Decimals(digits)


@lru_cache(1024)
def power_of(base: int, exponent: int) -> fmpq:
    """Return a power of a base: a unit, or the largest number of digits."""
    power: fmpq = fmpq(base) ** exponent
    return power


def leading_bit(y: arb) -> int:
    """Return ⌊log₂|y|⌋ of the middle of a ball."""
    mantissa, exponent = y.mid().man_exp()
    return int(exponent) + int(abs(mantissa)).bit_length() - 1


def unit_exponent(to: Target, y: arb) -> int:
    """Return the exponent of the unit of numbers like y, to within 1."""
    leading = leading_bit(y)
    if to.base == 10:
        leading = leading * LOG_2 >> 64
    return int(max(leading - to.precision + 1, to.least_exponent))


def shift(to: Target, n: fmpz, exponent: int) -> int:
    """Return 1 if n has too many digits for its unit, −1 if too few, else 0."""
    most = power_of(to.base, to.precision).p
    few = exponent > to.least_exponent and n * to.base < most
    return int(n > most) - int(few)


def round_ball(to: Target, y: arb) -> Rounded | None:
    """Round a ball; None unless all its numbers round alike.

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
    exponent = unit_exponent(to, y)
    if abs(exponent) > MOST:
        ends = [unit_exponent(to, end) for end in (abs(y).lower(), abs(y).upper())]
        certain = min(ends) > MOST or max(ends) < -MOST
        return to.compose(1, exponent, negative) if certain else None  # infinite, or 0
    for _ in range(3):  # the first exponent may be off by one
        units = abs(y * (arb((1, -exponent)) if to.base == 2 else arb(10) ** -exponent))
        n = (units + HALF_BALL).floor().unique_fmpz()
        if n is None:
            break
        if not (way := shift(to, n, exponent)):
            # Below the least n of a unit the next unit is finer: nearer than 1/40 all round to n.
            if shift(to, n - 1, exponent) < 0 and not units > arb(n) - FORTIETH:
                if not units < n:
                    break
                exponent -= 1
                continue
            return to.compose(int(n), exponent, negative)
        exponent += way
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
    exponent = unit_exponent(to, arb(size))
    while True:
        units = size / power_of(to.base, exponent)
        n = units.floor()
        beyond = units - n
        n += int(beyond > HALF or (beyond == HALF and int(n) % 2))
        if units < n and shift(to, n - 1, exponent) < 0:
            exponent -= 1  # below the least n of a unit the next unit is finer
            continue
        if not (way := shift(to, n, exponent)):
            return to.compose(int(n), exponent, bool(value < 0))
        exponent += way


def round_sum(to: Target, anchor: fmpq, rest: arb | None) -> Rounded | None:
    """Round anchor + rest; None if the ball of the rest does not decide.

    If `rest` is None, round the anchor.

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
    unit = power_of(to.base, unit_exponent(to, total))
    tie = ((anchor / unit).floor() + HALF) * unit
    beyond = rest + arb(anchor - tie)
    side = sign(beyond)
    if not side or not abs(beyond) < arb(unit) / 2:
        return None
    return round_fraction(to, tie + unit / 4 * side)


def round_by_doubling(to: Target, enclosed: Callable[[int], arb | None], of: str) -> Rounded:
    """Round a number that is enclosed to more and more bits.

    Parameters
    ----------
    to
        What it is rounded to.
    enclosed
        From bits of relative accuracy to a ball, or None if they are not enough.
    of
        What the number is, for the message.

    Raises
    ------
    ComputationError
        If it is too near to a tie.
    """
    for doubling in range(DOUBLINGS):
        bits = (to.bits_needed + SPARE_BITS) << doubling
        with working(bits + 32):
            y = enclosed(bits)
            found = None if y is None else round_exact_or_ball(to, y)
        if found is not None:
            return found
    raise ComputationError(
        f"{of} is too near to the middle between two numbers; take other --digits"
    )


def round_exact_or_ball(to: Target, y: arb) -> Rounded | None:
    """Round a ball; one of no width as the fraction that it is."""
    return round_fraction(to, exact_ball(y)) if y.is_exact() else round_ball(to, y)
