"""Sums of float64s without rounding, and roots of mean squares."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from gelu_cli.calculus.curves import exact_root
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.cells import Floats
from gelu_cli.numbers.rounding import Rounded, Target, round_by_doubling, round_fraction

PIECE = 18
"""Bits of a piece of a significand: it has three, and 2¹⁵ sums of products fit into a float64."""

MOST = 1 << 15
"""Numbers that are added up at a time."""


def root(square: Fraction | float, to: Target) -> Rounded:
    """Return the square root of a mean square, correctly rounded."""
    if isinstance(square, float):
        return math.sqrt(square)
    fraction = to_fraction(square)
    if (exact := exact_root(fraction)) is not None:
        return round_fraction(to, exact)
    return round_by_doubling(to, lambda bits: arb(fraction).sqrt(), "a root mean square")


def exact_sums(numbers: Floats) -> tuple[Fraction | float, Fraction | float]:
    """Return Σy and Σy² of float64s y ≥ 0 exactly.

    Infinite if a number is not finite.

    >>> total, squares = exact_sums(np.array([2.0**60, 0.5]))
    >>> (total - 2**60, squares - 2**120)
    (Fraction(1, 2), Fraction(1, 4))
    """
    if not np.isfinite(numbers).all():
        return math.inf, math.inf
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


def _total(pieces: Mapping[int, Floats], exponents: NDArray[np.int64]) -> Fraction:
    """Sum pieces·2**(exponent + PIECE·key), each sum exact in float64."""
    least, total = int(exponents.min(initial=0)), 0
    for key, piece in pieces.items():
        sums = np.bincount(exponents - least, weights=piece)
        for place in np.flatnonzero(sums).tolist():
            total += int(sums[place]) << (place + PIECE * key)
    return total * Fraction(2) ** least
