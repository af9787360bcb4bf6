"""Bit patterns and the numbers they stand for, as whole arrays."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from gelu_cli.arithmetic.formats import Format
from gelu_cli.arithmetic.rounding import Array, Floats
from gelu_cli.arithmetic.ulp import ordinals


def numbers(number_format: Format, bits: NDArray[np.int64]) -> Array:
    """Return what bit patterns of a format stand for, as float64s.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> numbers(FORMATS["bfloat16"], np.array([0x3F80, 0x8000, 0xC000]))
    array([ 1., -0., -2.])
    """
    if number_format.width == 64:
        values: Array = bits.view(np.float64)
        return values
    trailing = number_format.precision - 1
    magnitude = bits & ((1 << (number_format.width - 1)) - 1)
    field = magnitude >> trailing
    significand = (magnitude & ((1 << trailing) - 1)) + ((field > 0).astype(np.int64) << trailing)
    exponent = np.maximum(field, 1) - 1 + number_format.emin - trailing
    size = np.ldexp(significand.astype(np.float64), exponent.astype(np.int32))
    top = number_format.bits(number_format.largest) + 1
    size[magnitude >= top] = np.nan
    if number_format.infinite:
        size[magnitude == top] = np.inf
    signed: Array = np.where(bits >> (number_format.width - 1), -size, size)
    return signed


def patterns(number_format: Format, x: Floats) -> NDArray[np.int64]:
    """Return the bit patterns of numbers of a format, held as float64s or float32s; no NaN.

    The sign of a float64's pattern is that of the integer.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> [hex(bits) for bits in patterns(FORMATS["bfloat16"], np.array([1.0, -0.0, -2.0]))]
    ['0x3f80', '0x8000', '0xc000']
    """
    if number_format.width == 64:
        return x.astype(np.float64).view(np.int64)
    sign = np.signbit(x).astype(np.int64) << (number_format.width - 1)
    bits: NDArray[np.int64] = np.abs(ordinals(number_format, x.astype(np.float64))) | sign
    return bits


def every_number(number_format: Format, low: float = -inf, high: float = inf) -> Array:
    """Return every finite number of a range in the order of its bits: from 0 up, then from −0 down.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> every_number(FORMATS["bfloat16"], -1e-40, 1e-40)
    array([ 0.00000000e+00,  9.18354962e-41, -0.00000000e+00, -9.18354962e-41])
    """
    sign_bits = {1: 0, -1: 1 << (number_format.width - 1)}
    halves = [
        np.arange(*pattern_range(number_format, sign, low, high), dtype=np.uint64) + sign_bit
        for sign, sign_bit in sign_bits.items()
    ]
    return numbers(number_format, np.concatenate(halves).view(np.int64))


def pattern_range(number_format: Format, sign: int, low: float, high: float) -> tuple[int, int]:
    """Return the first pattern, its sign bit left out, of the numbers in [low, high], and its end.

    The numbers are those of one sign, 1 or −1; where there are none, the two are the same.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> [hex(bits) for bits in pattern_range(FORMATS["bfloat16"], -1, -1.0, 5.0)]
    ['0x0', '0x3f81']
    """
    least, most = sorted((sign * low, sign * high))
    if most < 0:
        return 0, 0
    first = _pattern_from(number_format, max(least, 0.0))
    end = _pattern_from(number_format, most)
    largest = number_format.bits(number_format.largest)
    end += end <= largest and number_format.number(end) == most
    return first, max(first, end)


def _pattern_from(number_format: Format, size: float) -> int:
    """Return the pattern of the least number from a size ≥ 0 on, or the one after the largest."""
    largest = number_format.bits(number_format.largest)
    if size > number_format.largest:
        return largest + 1
    pattern = number_format.bits(abs(number_format.from_float(size)))
    return pattern + (number_format.number(pattern) < size)
