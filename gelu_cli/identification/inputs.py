"""The inputs at which a kernel is called to see which form it computes."""

from __future__ import annotations

import numpy as np

from gelu_cli.arithmetic.format_arrays import Array, nearest, numbers
from gelu_cli.arithmetic.formats import Format

STEP, END = 2.0**-6, 16.0
"""Round inputs, between which forms differ, and beyond which they hardly do."""

AT_RANDOM = 2048
"""Others, from −8 to 8, whose significands are long: there roundings differ."""


def well_chosen(number_format: Format) -> Array:
    """Return every number of a 16- or 8-bit format but NaN, or a few thousand of a larger one.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> len(well_chosen(FORMATS["bfloat16"])), len(well_chosen(FORMATS["float32"]))
    (65282, 4097)
    """
    if number_format.width <= 16:
        every = numbers(number_format, np.arange(1 << number_format.width))
        return every[~np.isnan(every)]
    even = np.arange(-END, END + STEP, STEP)
    drawn = np.random.default_rng(0).uniform(-END / 2, END / 2, AT_RANDOM)
    return np.concatenate([even, nearest(number_format, drawn)[0]])
