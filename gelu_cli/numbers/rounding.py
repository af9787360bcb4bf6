"""Correct rounding, ties to even, of a fraction plus a rest.

The rest is known as a ball: a midpoint and a radius. Let y be the sum in units of its last place, a
power of 2 or 10. The sign of y − (n + ½) decides if y rounds to n or to n + 1. The tie n + ½ is
subtracted from the fraction, exactly, before the rest is added; so even the smallest rest decides.
If the ball of the difference contains 0, more bits are needed (`refine`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

from flint import arb, ctx, fmpq, fmpz

from gelu_cli.errors import ComputationError
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.formats import FLOAT64, Format, power_of_two

Rounded = float | Decimal
HALF = fmpq(1, 2)
NORMAL = 2.0**-1000  # from this size on Arb converts ends of balls to float64 with one rounding
DOUBLINGS, SPARE_BITS = 10, 40  # most rounds of Ziv's loop; extra bits in the first round
LOG_2 = 5553023288523357132  # ⌊2⁶⁴·log₁₀ 2⌋, to turn exponents of 2 into exponents of 10
FAINT = -1 << 20  # a rest of radius 0 is added to the fraction if |rest| ≥ 2^(FAINT + 1)
HUGE, TINY = arb((1, 1 << 58)), arb((1, -1 << 58))
"""Sizes above HUGE round to ∞, sizes below TINY to 0, before the exponents of `decimal` end."""

working = ctx.workprec  # context manager, by which alone Arb's precision is set
ctx.cap = 40  # most terms of a power series (default 10); Arb drops further terms silently


def sign(y: Any) -> int:
    """Return the sign of a number or ball; 0 if a ball contains 0."""
    return 1 if y > 0 else -1 if y < 0 else 0


def less(a: Any, b: Any) -> bool:
    """Return True if a < b; both are fractions or infinities."""
    if isinstance(a, float):
        return a < 0 and a != b
    return b > 0 if isinstance(b, float) else bool(a < b)


def exact_ball(y: arb) -> fmpq:
    """Return the midpoint of a ball as a fraction."""
    mantissa, exponent = map(int, y.mid().man_exp())
    return fmpq(mantissa) * power_of_two(exponent)


@dataclass(frozen=True)
class Decimals:
    """Rounding to `precision` digits, none of them below 10^least_exponent.

    >>> round_fraction(Decimals(3), fmpq(2, 3)), round_fraction(Decimals(30, -2), fmpq(2, 3))
    (Decimal('0.667'), Decimal('0.67'))
    """

    precision: int
    least_exponent: float = -math.inf
    base = 10

    @property
    def bits_needed(self) -> int:
        """Bits that distinguish neighbouring numbers: log₂ 10 < 10/3."""
        return self.precision * 10 // 3 + 1

    def compose(self, n: int, exponent: int, negative: bool) -> Decimal:
        """Return ±n·10ᵉ."""
        if n == fmpz(10) ** self.precision:
            n, exponent = n // 10, exponent + 1
        return Decimal(f"{'-' * (negative and n > 0)}{fmpz(n)}E{exponent}")

    def zero(self, negative: bool) -> Decimal:
        """Return a zero, without a sign if there is a least exponent."""
        if math.isfinite(self.least_exponent):
            return Decimal((0, (0,), int(self.least_exponent)))
        return Decimal("-0" if negative else "0")

    def from_float(self, value: float) -> Rounded:
        """Round a float64; keep infinities, NaN and the sign of zero."""
        if not math.isfinite(value):
            return value
        return Decimal(self.exactly(to_fraction(value))).copy_sign(Decimal(value))

    def exactly(self, value: Fraction | fmpq) -> Rounded:
        """Round a fraction."""
        return round_fraction(self, to_fraction(value))


Target: TypeAlias = Format | Decimals
"""A format or decimals to round to: `precision` digits in base 2 or 10, and a least exponent."""


def rounding_to(digits: int | None) -> Target:
    """Return the rounding to `digits` decimal digits; to float64 if None.

    >>> round_fraction(rounding_to(2), fmpq(1, 3)), round_fraction(rounding_to(None), fmpq(1, 4))
    (Decimal('0.33'), 0.25)
    """
    return FLOAT64 if digits is None else Decimals(digits)


def leading_bit(y: arb) -> int:
    """Return ⌊log₂|y|⌋ for the midpoint y of a ball."""
    mantissa, exponent = y.mid().man_exp()
    return int(exponent) + int(abs(mantissa)).bit_length() - 1


def round_sum(to: Target, exact: fmpq, rest: arb | None = None) -> Rounded | None:
    """Round exact + rest; None if the ball of the rest does not decide.

    >>> round_sum(FORMATS["float32"], 1 + power_of_two(-24), arb((-1, -5000)))  # near a tie
    1.0
    """
    if rest is not None and rest.is_exact() and leading_bit(rest) > FAINT:
        exact, rest = exact + exact_ball(rest), None
    total = arb(exact) if rest is None else rest + arb(exact)
    if to is FLOAT64:
        low = float(total.lower())
        if low == float(total.upper()) and NORMAL < abs(low) < math.inf:
            return low
    total_sign = sign(total)
    if (not total_sign and (rest is not None or exact)) or not total.is_finite():
        return None
    if abs(total) < TINY:
        return to.zero(total_sign < 0)
    if not abs(total) < HUGE:
        return to.from_float(total_sign * math.inf)
    leading = leading_bit(total.abs_lower())
    if to.base == 10:
        leading = leading * (LOG_2 + (leading < 0)) >> 64  # ⌊log₁₀|y|⌋, or one less
    exponent = int(max(leading - to.precision + 1, to.least_exponent))
    exact, rest = exact * total_sign, None if rest is None else rest * total_sign
    most = fmpz(to.base) ** to.precision
    while (n := nearest_multiple(exact, rest, to.base, exponent)) is not None:
        if n <= most:
            break
        exponent += 1
    return None if n is None else to.compose(int(n), exponent, total_sign < 0)


def nearest_multiple(exact: fmpq, rest: arb | None, base: int, exponent: int) -> fmpz | None:
    """Round exact + rest > 0 to n·baseᵉ; return n, or None if undecided."""
    units = exact / fmpq(base) ** exponent if exact else exact
    if rest is None:
        n = units.floor()
        beyond = units - n - HALF
        return n + int(beyond > 0 or (beyond == 0 and int(n) % 2))
    per_unit = arb(base) ** -exponent
    n = fmpz((rest * per_unit + arb(units)).mid().floor().unique_fmpz() or 0)
    over = rest * per_unit + arb(units - n - HALF)
    return n + int(over > 0) if sign(over) and abs(over) < 1 else None


def round_fraction(to: Target, value: fmpq) -> Rounded:
    """Round a fraction.

    >>> round_fraction(Decimals(2), fmpq(1, 8)), round_fraction(FORMATS["float16"], fmpq(1, 3))
    (Decimal('0.12'), 0.333251953125)
    """
    found = round_sum(to, value)
    assert found is not None
    return found


def round_ball(to: Target, y: arb) -> Rounded | None:
    """Round a ball; None unless all its numbers round alike."""
    return round_sum(to, fmpq(0), y)


def refine(bits: int, attempt: Callable[[int], Any], of: str) -> Any:
    """Call `attempt(bits)` with doubled bits until the answer is not None.

    Raises ComputationError if no precision decides: the number, named `of`, is too near to a tie.
    """
    for doubling in range(DOUBLINGS):
        with working(bits << doubling):
            found = attempt(bits << doubling)
        if found is not None:
            return found
    raise ComputationError(
        f"{of} is too near to the middle between two numbers to be rounded; take other --digits"
    )


def round_by_doubling(to: Target, enclosed: Callable[[int], arb], of: str) -> Rounded:
    """Round the number in the ball `enclosed(bits)`, by Ziv's loop."""
    bits, attempt = to.bits_needed + SPARE_BITS, lambda bits: round_ball(to, enclosed(bits))
    found: Rounded = refine(bits, attempt, of)
    return found
