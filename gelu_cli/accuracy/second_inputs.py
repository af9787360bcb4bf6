"""Second inputs of kernels: ups of a GLU, or upstream gradients."""

from __future__ import annotations

from fractions import Fraction

from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers import Format, round_fraction

EXPONENTS = (-1, 0, 1, 3)
"""Powers of 2 that are taken with their neighbours."""

SECONDS = 64

GOLDEN = Fraction(618033988749894848, 10**18)
"""The fractional parts of its multiples are spread evenly over 0 … 1."""


def usual_seconds(dtype: Format) -> tuple[float, ...]:
    """Choose 64 second inputs of all sizes, in the order of bit patterns.

    They are, of both signs: 0, the least and the largest subnormal number, the least normal one and
    the next, ½, 1, 2 and 8 with their neighbours, the largest number; and numbers of sizes from 2⁻⁸
    to 2⁷ whose significands are spread evenly.

    >>> from gelu_cli.numbers import find_format
    >>> ups = usual_seconds(find_format("bfloat16"))
    >>> len(ups), ups[:3], ups[-1]
    (64, (0.0, 9.183549615799121e-41, 1.1663108012064884e-38), -3.3895313892515355e+38)
    """
    bits = dtype.bits
    normal = bits(2.0**dtype.emin)
    powers = [bits(2.0**exponent) for exponent in EXPONENTS]
    sizes = {0, 1, normal - 1, normal, normal + 1, dtype.top - 1}
    sizes |= {power + step for power in powers for step in (-1, 0, 1)}
    for i in range(1, SECONDS):
        if len(sizes) == SECONDS // 2:
            break
        number = (1 + i * GOLDEN % 1) * Fraction(2) ** (i % 16 - 8)
        sizes.add(bits(float(round_fraction(dtype, to_fraction(number)))))
    found = [dtype.number(size) for size in sorted(sizes)]
    return *found, *(-each for each in found)
