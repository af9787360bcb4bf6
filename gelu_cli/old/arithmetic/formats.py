"""Floating-point formats: rounding into them, and their bit patterns.

A number of any of these formats is a float64 too, so it is held as a Python float. Pure integer
arithmetic: numpy and ml_dtypes are what the tests compare this with.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gelu_cli.errors import unknown

if TYPE_CHECKING:
    from gelu_cli.old.arithmetic.mpf import Mpf


@dataclass(frozen=True)
class Format:
    """A binary format of `precision` bits p and least normal exponent emin, as IEEE 754 has it.

    The exponent field has the bias 1 − emin. Where `infinite` is false the format spends the
    top exponent on numbers too, all but the last pattern, which is its NaN (OCP's E4M3).

    >>> half = FORMATS["float16"]
    >>> half.exactly(Fraction(1, 3)), hex(half.bits(-0.0)), half.number(0x3C01)
    (0.333251953125, '0x8000', 1.0009765625)
    """

    name: str
    precision: int
    emin: int
    width: int
    infinite: bool = True
    aliases: tuple[str, ...] = ()
    """What else it is called."""

    def __reduce__(self) -> tuple[Any, ...]:
        # A format is one object, in every process.
        return find_format, (self.name,)

    @property
    def _sign_bit(self) -> int:
        return 1 << (self.width - 1)

    @cached_property
    def top(self) -> int:
        """The first positive pattern that is no finite number: infinity, or E4M3's NaN."""
        ones = self._sign_bit - 1
        return ones - ((1 << (self.precision - 1)) - 1) if self.infinite else ones

    @cached_property
    def largest(self) -> float:
        """The largest finite number."""
        return self.number(self.top - 1)

    def exactly(self, value: Fraction) -> float:
        """Return `value` rounded to nearest, ties to even.

        Beyond the largest number by half a unit or more: infinity, or NaN where there is none.
        """
        shift = self.precision + 3 + value.denominator.bit_length()
        man, rest = divmod(abs(value.numerator) << shift, value.denominator)
        rounded = self._round(man << 1 | (rest != 0), -shift - 1)  # a last bit for what is left
        return -rounded if value < 0 else rounded

    def from_float(self, value: float) -> float:
        """Return any float64 rounded to the format; infinities and NaN stay where they can."""
        if math.isnan(value) or value == 0:
            return value
        if math.isinf(value):
            return value if self.infinite else math.nan
        return self.exactly(Fraction(value))

    def ulp(self, y: Fraction) -> Fraction:
        """Return the unit in the last place at a real number, 2^(max(⌊log₂|y|⌋, emin) − p + 1).

        >>> FORMATS["bfloat16"].ulp(Fraction(-3, 2)), FORMATS["bfloat16"].ulp(Fraction(1, 3))
        (Fraction(1, 128), Fraction(1, 512))
        """
        exponent = abs(y.numerator).bit_length() - y.denominator.bit_length()
        exponent -= abs(y) < Fraction(2) ** exponent
        return Fraction(2) ** (max(exponent if y else self.emin, self.emin) - self.precision + 1)

    def tie(self, value: Fraction) -> Fraction:
        """Return the number half way between the two numbers of the format around `value`."""
        unit = self.ulp(value)
        return (value // unit + Fraction(1, 2)) * unit

    def settle(self, low: Mpf, high: Mpf) -> float | None:
        """Return what every real number in [low, high] rounds to, or None if they differ."""
        from gelu_cli.old.arithmetic import mpf  # formats are known without mpmath

        if not (mpf.is_finite(low) and mpf.is_finite(high)):
            return None
        # A zero end belongs to the side that the rest of the interval is on.
        sign = mpf.sign(low) or mpf.sign(high)
        if sign * mpf.sign(high) < 0:
            return None
        first, second = (self._round(*mpf.significand(end)) for end in (low, high))
        if math.isnan(first) and math.isnan(second):
            return math.nan
        if first != second:
            return None
        return -first if sign < 0 else first

    def _round(self, man: int, exp: int) -> float:
        """Round man·2**exp, man ≥ 0."""
        exponent = max(exp + man.bit_length() - 1, self.emin)
        overflow = math.inf if self.infinite else math.nan
        if self._pattern(0, exponent) >= self.top:
            return overflow
        quantum = exponent - self.precision + 1
        drop = quantum - exp
        if drop <= 0:
            significand = man << -drop
        elif drop > man.bit_length() + 1:
            significand = 0
        else:
            kept, rest = man >> drop, man & ((1 << drop) - 1)
            half = 1 << (drop - 1)
            significand = kept + (rest > half or (rest == half and kept & 1))
        fits = self._pattern(significand, exponent) < self.top
        return math.ldexp(significand, quantum) if fits else overflow

    def _pattern(self, significand: int, exponent: int) -> int:
        """Return the bits of significand·2**(exponent − p + 1); a carry runs into the exponent."""
        return significand + ((exponent - self.emin) << (self.precision - 1))

    def bits(self, value: float) -> int:
        """Return the bit pattern of a number of the format; NaN gives the quiet NaN's.

        Raises ValueError for a float that the format does not have.
        """
        sign = self._sign_bit if math.copysign(1, value) < 0 else 0
        if math.isnan(value):
            return self.top | 1 << (self.precision - 2) if self.infinite else self.top
        if math.isinf(value) and self.infinite:
            return sign | self.top
        if value != self.from_float(value):
            raise ValueError(f"{value!r} is not a {self.name}")
        if value == 0:
            return sign
        exponent = max(math.frexp(value)[1] - 1, self.emin)
        significand = int(math.ldexp(abs(value), self.precision - 1 - exponent))
        return sign | self._pattern(significand, exponent)

    def number(self, bits: int) -> float:
        """Return the number that a bit pattern stands for."""
        sign, magnitude = divmod(bits, self._sign_bit)
        if magnitude > self.top or (magnitude == self.top and not self.infinite):
            return math.nan
        if magnitude == self.top:
            value = math.inf
        else:
            field, trailing = divmod(magnitude, 1 << (self.precision - 1))
            significand = trailing + (1 << (self.precision - 1) if field else 0)
            value = math.ldexp(significand, max(field, 1) - 1 + self.emin - self.precision + 1)
        return -value if sign else value

    def hexadecimal(self, value: float) -> str:
        """Return the bit pattern of `value` as text.

        >>> FORMATS["bfloat16"].hexadecimal(1.0)
        '0x3f80'
        """
        return f"0x{self.bits(value):0{self.width // 4}x}"

    def shortest(self, value: float, least: int = 1) -> str:
        """Return a finite number of the format in the fewest digits, `least` or more, that tell it.

        They read back as the number in this format and through float64 alike.

        >>> FORMATS["bfloat16"].shortest(1 / 1024), FORMATS["bfloat16"].shortest(1 / 1024, least=5)
        ('0.00098', '0.00097656')
        """
        for digits in range(least, 18):
            text = f"{value:.{digits}g}"
            if all(self.exactly(Fraction(read)) == value for read in (text, float(text))):
                return text
        return repr(value)

    def finite_numbers(self) -> Iterator[float]:
        """Return every finite number in the order of the bit patterns, both zeros included."""
        for sign in (0, self._sign_bit):
            for magnitude in range(self.top):
                yield self.number(sign | magnitude)


FORMATS: dict[str, Format] = {
    entry.name: entry
    for entry in (
        Format("float64", 53, -1022, 64, aliases=("double", "fp64", "f64")),
        Format("float32", 24, -126, 32, aliases=("float", "single", "fp32", "f32")),
        Format("float16", 11, -14, 16, aliases=("half", "fp16", "f16")),
        Format("bfloat16", 8, -126, 16, aliases=("bf16",)),
        Format("float8_e4m3fn", 4, -6, 8, infinite=False, aliases=("e4m3", "fp8_e4m3")),
        Format("float8_e5m2", 3, -14, 8, aliases=("e5m2", "fp8_e5m2")),
    )
}
"""Every format by name. Widths: IEEE 754-2019, bfloat16, and OCP's 8-bit formats (OFP8, 2023)."""

FLOAT64 = FORMATS["float64"]


def find_format(name: str) -> Format:
    """Return the format of that name or alias; raises `UsageError` where there is none.

    >>> find_format("bf16").name
    'bfloat16'
    """
    for entry in FORMATS.values():
        if name in (entry.name, *entry.aliases):
            return entry
    raise unknown("dtype", name, FORMATS)
