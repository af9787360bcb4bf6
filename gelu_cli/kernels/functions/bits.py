"""Numbers of a format as the bits that a kernel of another language gets and returns."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gelu_cli.arithmetic.formats import Format
from gelu_cli.arithmetic.patterns import numbers, patterns
from gelu_cli.arithmetic.rounding import Array, Floats

Bits = NDArray[np.unsignedinteger[Any]]


def bits_of(number_format: Format, x: Floats) -> Bits:
    """Return the bit patterns of numbers of a format, as unsigned integers of its width.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> [hex(bits) for bits in bits_of(FORMATS["bfloat16"], np.array([1.0, -0.0], np.float32))]
    ['0x3f80', '0x8000']
    """
    if number_format.width == 64:
        return x.astype(np.float64, copy=False).view(np.uint64)
    if number_format.width == 32:
        return x.astype(np.float32, copy=False).view(np.uint32)
    if number_format.name == "float16":
        return x.astype(np.float16).view(np.uint16)
    return patterns(number_format, x).astype(f"u{number_format.width // 8}")


def numbers_of(number_format: Format, bits: Bits) -> Floats:
    """Return what bit patterns stand for, as float64s if that is the format, else as float32s.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> numbers_of(FORMATS["float8_e4m3fn"], np.array([0x38, 0x7F], np.uint8))
    array([ 1., nan], dtype=float32)
    """
    if number_format.width == 64:
        return bits.view(np.float64)
    if number_format.width == 32:
        return bits.view(np.float32)
    found: Floats = _every_number(number_format)[bits]
    return found


@cache
def _every_number(number_format: Format) -> Array:
    every = np.arange(1 << number_format.width)
    return numbers(number_format, every).astype(np.float32)
