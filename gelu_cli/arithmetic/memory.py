"""Numbers of a format as memory holds them: unsigned integers of its width."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.arithmetic.formats import Format
from gelu_cli.arithmetic.patterns import numbers, patterns
from gelu_cli.arithmetic.rounding import Array, Floats
from gelu_cli.arithmetic.ulp import NATIVE

Bits: TypeAlias = NDArray[np.unsignedinteger[Any]]


def held(number_format: Format, x: Floats) -> Floats:
    """Return numbers of a format as they are held: float64s of float64, else float32s.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> held(FORMATS["bfloat16"], np.array([1.0, -2.0]))
    array([ 1., -2.], dtype=float32)
    """
    return x.astype(np.float64 if number_format.width == 64 else np.float32)


def to_bits(number_format: Format, x: Floats) -> Bits:
    """Return the bits of numbers of a format, held as float64s or float32s.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> to_bits(FORMATS["bfloat16"], np.array([1.0, -2.0], np.float32))
    array([16256, 49152], dtype=uint16)
    """
    unsigned = f"u{number_format.width // 8}"
    if number_format.name in NATIVE:
        return np.ascontiguousarray(x, number_format.name).view(unsigned)
    if number_format.name == "bfloat16":  # the upper half of a float32
        return (np.ascontiguousarray(x, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    nan = np.isnan(x)
    bits = patterns(number_format, np.where(nan, 0, x) if nan.any() else x).astype(unsigned)
    bits[nan] = number_format.bits(np.nan)
    return bits


def to_floats(number_format: Format, bits: Bits) -> Floats:
    """Return a copy of the numbers that bits stand for: float64s of float64, else float32s.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> to_floats(FORMATS["bfloat16"], np.array([0x3F80, 0xC000], np.uint16))
    array([ 1., -2.], dtype=float32)
    """
    if number_format.name in NATIVE:
        return held(number_format, bits.view(number_format.name))
    if number_format.name == "bfloat16":
        return (bits.astype(np.uint32) << 16).view(np.float32)
    return _of_a_byte(number_format)[bits]


@lru_cache
def _of_a_byte(number_format: Format) -> Array:
    """Return what each byte stands for, as float32s."""
    every: Array = numbers(number_format, np.arange(256)).astype(np.float32)
    return every
