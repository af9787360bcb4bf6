"""How far a floating-point number is from the truth: in units of the last place, and in steps.

With y the true value and ŷ the result, the error in ULP is |ŷ − y|/ulp(y), where ulp(y) =
2^(max(⌊log₂|y|⌋, emin) − p + 1); a correctly rounded result has at most ½. The ordinal distance is
how many steps along the numbers of the format lead from ŷ to the correctly rounded y; −0 and +0 are
one place.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gelu_cli.arithmetic.formats import Format

NATIVE = {"float64": "d", "float32": "f", "float16": "e"}
"""The characters of numpy's types for formats; names of types are made anew each time."""


def ulps(number_format: Format, y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the units in the last place at float64s, from the bits of their exponents.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> ulps(FORMATS["bfloat16"], np.array([1.0, -1.75, 0.25])).tolist()
    [0.0078125, 0.0078125, 0.001953125]
    """
    power = (y.view(np.int64) & 0x7FF0_0000_0000_0000).view(np.float64)
    return np.maximum(power, 2.0**number_format.emin) * 2.0 ** (1 - number_format.precision)


def least_exponent(number_format: Format) -> int:
    """Return the n such that the least unit in the last place, that at 0, is 2ⁿ."""
    return number_format.emin - number_format.precision + 1


def ulp_error(number_format: Format, got: float, y: Fraction) -> Fraction:
    """Return |got − y|/ulp(y) for a finite result.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> ulp_error(FORMATS["bfloat16"], 1.0, Fraction(257, 256))
    Fraction(1, 2)
    """
    return abs(Fraction(got) - y) / number_format.ulp(y)


def ordinal(number_format: Format, value: float) -> int:
    """Return the place of a number of the format, counted from 0: the next one is 1 further.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> [ordinal(FORMATS["float16"], x) for x in (-0.0, 2.0**-24, -(2.0**-24))]
    [0, 1, -1]
    """
    place = number_format.bits(abs(value))
    return -place if value < 0 else place


def is_native(number_format: Format, values: NDArray[np.floating]) -> bool:
    """Return whether an array holds numbers of the format in a type of numpy's for that format.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> is_native(FORMATS["float16"], np.zeros(1, np.float16))
    True
    """
    return values.dtype.char == NATIVE.get(number_format.name)


def ordinals(number_format: Format, values: NDArray[np.floating]) -> NDArray[np.int64]:
    """Return the places of numbers of the format; infinity is the place after the largest.

    The numbers are held as float64s, or natively where numpy has the format.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> ordinals(FORMATS["bfloat16"], np.array([1.0, -1.0, -0.0]))
    array([ 16256, -16256,      0])
    """
    if is_native(number_format, values):
        bits = values.view(f"i{number_format.width // 8}").astype(np.int64)
        least = -1 << (number_format.width - 1)
        return np.where(bits < 0, least - bits, bits)
    largest = number_format.largest
    beyond = np.abs(values) > largest
    mantissa, exponent = np.frexp(np.where(beyond, largest, np.abs(values)))
    field = np.maximum(exponent - 1, number_format.emin)
    significand = np.ldexp(mantissa, exponent - field + (number_format.precision - 1))
    steps = (field.astype(np.int64) - number_format.emin) << (number_format.precision - 1)
    place = significand.astype(np.int64) + steps + beyond
    return np.where(values == 0, 0, np.where(values < 0, -place, place))


def ordinal_distances(
    number_format: Format, one: NDArray[np.floating], other: NDArray[np.floating]
) -> NDArray[np.unsignedinteger]:
    """Return how many steps along the numbers of the format lead from one to the other.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> ordinal_distances(FORMATS["bfloat16"], np.array([1.0, 0.0]), np.array([-1.0, 1.0]))
    array([32512, 16256], dtype=uint64)
    """
    if is_native(number_format, one) and is_native(number_format, other):
        kind = f"i{one.dtype.itemsize}"
        ones, others = one.view(kind), other.view(kind)
        if not len(ones) or np.min(ones ^ others) >= 0:  # pairs of one sign
            steps: NDArray[np.signedinteger] = np.abs(ones - others)
            return steps.view(f"u{one.dtype.itemsize}")
    first, second = ordinals(number_format, one), ordinals(number_format, other)
    # Of float64s it may be more than an int64 holds.
    return np.where(first > second, first - second, second - first).view(np.uint64)
