"""Sums of float64s without rounding, and roots of mean squares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from gelu_cli.calculus.curves import exact_root
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.cells import Floats
from gelu_cli.numbers.rounding import Rounded, Target, round_by_doubling, round_fraction

PIECE = 18
"""Bits of a piece of a significand: it has three, and 2²⁵ sums of products fit into an int64."""


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
    significands, exponents = np.frexp(numbers)
    wholes, units = np.ldexp(significands, 3 * PIECE).astype(np.int64), exponents - 3 * PIECE
    mask = (1 << PIECE) - 1
    a, b, c = wholes >> 2 * PIECE, wholes >> PIECE & mask, wholes & mask
    squares = [c * c, 2 * b * c, b * b + 2 * a * c, 2 * a * b, a * a]
    return _total([c, b, a], units), _total(squares, 2 * units)


def _total(pieces: Sequence[NDArray[np.int64]], exponents: NDArray[np.int32]) -> Fraction:
    """Sum pieces·2**(exponent + PIECE·index) exactly."""
    least, total = int(exponents.min(initial=0)), 0
    for index, piece in enumerate(pieces):
        sums = np.zeros(int(exponents.max(initial=least)) - least + 1, np.int64)
        np.add.at(sums, exponents - least, piece)
        total += sum(n << place + PIECE * index for place, n in enumerate(sums.tolist()))
    return total * Fraction(2) ** least
