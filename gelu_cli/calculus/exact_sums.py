"""Sums of float64s, and of their squares, without any rounding: the order does not matter."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import isqrt, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.arithmetic.format_arrays import Array

PIECE = 18
"""Bits of a piece of a significand: it has three, and 2¹⁵ sums of products fit into a float64."""

MOST = 1 << 15

Sum: TypeAlias = Fraction | float
"""A sum without rounding, infinite where a number is."""

ROOT_BITS = 128


def exact_sums(numbers: Array) -> tuple[Fraction, Fraction]:
    """Return Σy and Σy² of up to `MOST` finite float64s y ≥ 0, as they are.

    >>> total, squares = exact_sums(np.array([2.0**60, 0.5]))
    >>> (total - 2**60, squares - 2**120)
    (Fraction(1, 2), Fraction(1, 4))
    """
    significands, exponents = np.frexp(numbers)
    wholes = np.ldexp(significands, 3 * PIECE).astype(np.int64)
    mask = (1 << PIECE) - 1
    a, b, c = (
        piece.astype(np.float64)
        for piece in (wholes >> 2 * PIECE, wholes >> PIECE & mask, wholes & mask)
    )
    units = exponents.astype(np.int64) - 3 * PIECE
    square = {4: a * a, 3: 2 * a * b, 2: b * b + 2 * a * c, 1: 2 * b * c, 0: c * c}
    return _total({2: a, 1: b, 0: c}, units), _total(square, 2 * units)


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


def _total(pieces: Mapping[int, Array], exponents: NDArray[np.int64]) -> Fraction:
    """Return the sum of pieces·2**(exponent + `PIECE`·key), whose sums in float64 are exact."""
    least = int(exponents.min(initial=0))
    total = 0
    for key, piece in pieces.items():
        sums = np.bincount(exponents - least, weights=piece)
        for place in np.flatnonzero(sums).tolist():
            total += int(sums[place]) << (place + PIECE * key)
    return total * Fraction(2) ** least
