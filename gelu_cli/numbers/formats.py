"""Formats of p bits: rounding, bit patterns, units in the last place.

Every number of a format is held as a float64. ulp(y) = 2^(max(⌊log₂|y|⌋, emin) − p + 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from flint import fmpq

from gelu_cli.errors import unknown

if TYPE_CHECKING:
    import numpy as np

LITTLE = 2.0**-1000  # in ULP: a smaller number, unless 0, becomes ±LITTLE with the same sign


def power_of_two(n: int) -> fmpq:
    """Return 2ⁿ as a fraction."""
    return fmpq(2) ** n


@dataclass(frozen=True)
class Format:
    """A binary format: p bits, least normal exponent emin (IEEE 754).

    If `infinite` is false, the top exponent has finite numbers, too; the last bit pattern of the
    top exponent is NaN (OCP's E4M3).

    >>> half = FORMATS["float16"]
    >>> half.from_float(1 / 3), hex(half.bits(-0.0)), half.number(0x3C01)
    (0.333251953125, '0x8000', 1.0009765625)
    """

    name: str
    precision: int
    emin: int
    width: int
    infinite: bool = True
    aliases: tuple[str, ...] = ()
    base = 2

    def __reduce__(self) -> tuple[Any, ...]:
        return find_format, (self.name,)  # a process has one object per format

    @property
    def bits_needed(self) -> int:
        """Bits of precision that distinguish neighbouring numbers."""
        return self.precision

    @property
    def least_exponent(self) -> int:
        """The n with ulp(0) = 2ⁿ."""
        return self.emin - self.precision + 1

    @cached_property
    def largest(self) -> float:
        """The largest finite number."""
        more = int(not self.infinite)
        return math.ldexp(2**self.precision - 1 - more, 2 + more - self.emin - self.precision)

    @cached_property
    def top(self) -> int:
        """The bit pattern after that of the largest number: ∞, or E4M3's NaN."""
        return self.bits(self.largest) + 1

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of numpy or ml_dtypes."""
        import ml_dtypes  # noqa: F401 (registers the names of its types)
        import numpy as np

        return np.dtype(self.name)

    def ulp(self, y: fmpq) -> fmpq:
        """Return the unit in the last place at a real number.

        >>> FORMATS["bfloat16"].ulp(fmpq(-3, 2)), FORMATS["bfloat16"].ulp(fmpq(1, 3))
        (1/128, 1/512)
        """
        exponent = int(abs(y).p).bit_length() - int(y.q).bit_length()
        exponent -= int(abs(y) < power_of_two(exponent))
        return power_of_two(max(exponent if y else self.emin, self.emin) - self.precision + 1)

    def from_float(self, value: float) -> float:
        """Round a float64; ±∞ becomes NaN if the format has no infinities."""
        if not math.isfinite(value):
            return value if self.infinite else math.nan
        unit = max(math.frexp(value)[1] - 1, self.emin) - self.precision + 1
        return self.compose(round(math.ldexp(abs(value), -unit)), unit, math.copysign(1, value) < 0)

    def bits(self, value: float) -> int:
        """Return the bit pattern of a number of the format, or of a quiet NaN."""
        import numpy as np

        number = np.array(math.nan if math.isnan(value) else value, np.float64)
        return int(number.astype(self.dtype).view(f"u{self.width // 8}"))

    def number(self, bits: int) -> float:
        """Return the number that a bit pattern encodes."""
        import numpy as np

        return float(np.array(bits, f"u{self.width // 8}").view(self.dtype))

    def hexadecimal(self, value: float) -> str:
        """Return the bit pattern of a number as text.

        >>> FORMATS["bfloat16"].hexadecimal(1.0)
        '0x3f80'
        """
        return f"0x{self.bits(value):0{self.width // 4}x}"

    def ordinal(self, value: float) -> int:
        """Return the signed number of steps of the format from 0 to a number."""
        steps = self.bits(abs(value))
        return -steps if value < 0 else steps

    def finite_numbers(self) -> list[float]:
        """Return all finite numbers, ±0 included, in order of bit patterns."""
        import numpy as np

        patterns = np.arange(self.top).astype(f"u{self.width // 8}")
        positive = patterns.view(self.dtype).astype(np.float64)
        return [*positive.tolist(), *(-positive).tolist()]

    def shortest(self, value: float, least: int = 1) -> str:
        """Write a number in the fewest digits ≥ `least` that read back exactly.

        >>> FORMATS["bfloat16"].shortest(1 / 1024), FORMATS["bfloat16"].shortest(1 / 1024, least=5)
        ('0.00098', '0.00097656')
        """
        texts = (f"{value:.{digits}g}" for digits in range(least, 18))
        return next(text for text in texts if self.from_float(float(text)) == value)

    def compose(self, n: int, exponent: int, negative: bool) -> float:
        """Return ±n·2ᵉ; ±∞ (or NaN) beyond the largest number."""
        size = math.ldexp(n, exponent) if n.bit_length() + exponent <= 1024 else math.inf
        if size > self.largest:
            size = math.inf if self.infinite else math.nan
        return -size if negative else size

    def zero(self, negative: bool) -> float:
        """Return a zero with a sign."""
        return -0.0 if negative else 0.0


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
"""Every format by name: IEEE 754-2019, bfloat16, and OCP's 8-bit formats (OFP8, 2023)."""

FLOAT64 = FORMATS["float64"]


@lru_cache
def find_format(name: str) -> Format:
    """Return the format with a name or alias; UsageError if none has it.

    >>> find_format("bf16").name
    'bfloat16'
    """
    for entry in FORMATS.values():
        if name in (entry.name, *entry.aliases):
            return entry
    raise unknown("dtype", name, FORMATS)
