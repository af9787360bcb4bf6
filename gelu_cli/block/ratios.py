"""Roots of ratios of summed squares: what one signal is relative to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gelu_cli.arithmetic.format_arrays import Array

LEAST = 1e-280
"""Sums of squares below it count as 0: they are near the end of float64, and lose their digits."""


def root_ratio(part: Array, whole: Array) -> Array:
    """Return √(part/whole) of sums of squares: 0 where there is no part, ∞ where no whole.

    >>> root_ratio(np.array([2.0, 0.0, 1.0]), np.array([8.0, 0.0, 0.0]))
    array([0.5, 0. , inf])
    """
    part, whole = (np.where(sums < LEAST, 0.0, sums) for sums in (part, whole))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: Array = np.sqrt(np.where(part > 0, part / whole, 0.0))
    return ratio
