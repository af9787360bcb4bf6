"""Tables of constants for the extended arithmetic, made from mpmath by tools/make_tables.py."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FOLDER = Path(__file__).parent

EXP_STEPS = 1024
STEPS_PER_OCTAVE = 64
OCTAVES = 6
LAST_CENTRE = 2.0**OCTAVES - 1
PAIRED_TERMS, DOUBLE_TERMS = 8, 8

CENTRES = [
    2.0**octave * (1 + step / STEPS_PER_OCTAVE) - 1
    for octave in range(OCTAVES)
    for step in range(STEPS_PER_OCTAVE)
] + [LAST_CENTRE]
"""Where erfcx is expanded: 1 + c goes from 1 to 64 in 64 even steps to the octave."""


@lru_cache(maxsize=1)
def exp_table() -> NDArray[np.float64]:
    """Return 2^(j/1024), j = 0 … 1023: a row of high and one of low parts."""
    return _load("exp.npy")


@lru_cache(maxsize=1)
def erfcx_table() -> NDArray[np.float64]:
    """Return a column for each of `CENTRES`: the centre, then the Taylor coefficients of erfcx.

    First `PAIRED_TERMS` coefficients as high and low parts, then `DOUBLE_TERMS` float64s.
    """
    return _load("erfcx.npy")


def _load(name: str) -> NDArray[np.float64]:
    table: NDArray[np.float64] = np.load(FOLDER / name)
    table.setflags(write=False)
    return table
