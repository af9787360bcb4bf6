"""Exact sums and percentiles of more numbers than memory holds, in whatever order they come."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import inf, isqrt, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.old.arithmetic.format_arrays import Array

PIECE = 18
"""Bits of a piece of a significand: it has three, and 2¹⁵ sums of products fit into a float64."""

MOST = 1 << 15
"""Numbers that are added up at a time."""

Sum: TypeAlias = Fraction | float
"""A sum without rounding, infinite where a number is."""

ROOT_BITS = 128

IN_MEMORY = 1 << 22
"""Bytes that are held before there is a file."""

AT_ONCE = 1 << 15
"""Numbers that are read back at a time."""

DIGIT_BITS = 16
SHIFTS = (48, 32, 16, 0)
"""The bit pattern of a float64 is four digits, the first of them the most significant."""


def exact_sums(numbers: Array) -> tuple[Sum, Sum]:
    """Return Σy and Σy² of float64s y ≥ 0, as they are; infinite where a number is not finite.

    >>> total, squares = exact_sums(np.array([2.0**60, 0.5]))
    >>> (total - 2**60, squares - 2**120)
    (Fraction(1, 2), Fraction(1, 4))
    """
    if not np.isfinite(numbers).all():
        return inf, inf
    total = squares = Fraction(0)
    for at in range(0, len(numbers), MOST):
        significands, exponents = np.frexp(numbers[at : at + MOST])
        wholes = np.ldexp(significands, 3 * PIECE).astype(np.int64)
        mask = (1 << PIECE) - 1
        thirds = (wholes >> 2 * PIECE, wholes >> PIECE & mask, wholes & mask)
        a, b, c = (third.astype(np.float64) for third in thirds)
        units = exponents.astype(np.int64) - 3 * PIECE
        square = {4: a * a, 3: 2 * a * b, 2: b * b + 2 * a * c, 1: 2 * b * c, 0: c * c}
        total += _total({2: a, 1: b, 0: c}, units)
        squares += _total(square, 2 * units)
    return total, squares


def _total(pieces: Mapping[int, Array], exponents: NDArray[np.int64]) -> Fraction:
    """Return the sum of pieces·2**(exponent + `PIECE`·key), whose sums in float64 are exact."""
    least = int(exponents.min(initial=0))
    total = 0
    for key, piece in pieces.items():
        sums = np.bincount(exponents - least, weights=piece)
        for place in np.flatnonzero(sums).tolist():
            total += int(sums[place]) << (place + PIECE * key)
    return total * Fraction(2) ** least


def square_root(y: Sum) -> Sum:
    """Return √y to `ROOT_BITS` bits, exactly where it is a short binary fraction.

    >>> square_root(Fraction(9, 4))
    Fraction(3, 2)
    """
    if isinstance(y, float):
        return sqrt(y)
    excess = 2 * ROOT_BITS - y.numerator.bit_length() + y.denominator.bit_length()
    places = max(0, excess // 2 + 1)
    return Fraction(isqrt((y.numerator << 2 * places) // y.denominator), 1 << places)
