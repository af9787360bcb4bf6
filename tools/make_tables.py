"""Make the tables of gelu_cli/old/arithmetic/extended/tables from mpmath: python tools/make_tables.py

exp.npy: 2^(j/1024) for j = 0 … 1023. erfcx.npy: a row for each centre c, with c and the Taylor
coefficients of erfcx(z) = e^(z²)·erfc(z) at c. Every number is stored as the float64 nearest to it
and, where the table has a low part, the float64 nearest to what that leaves.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from mpmath import mp, mpf

from gelu_cli.old.arithmetic.extended.functions import (
    CENTRES,
    DOUBLE_TERMS,
    EXP_STEPS,
    FOLDER,
    PAIRED_TERMS,
)

BITS = 1200


def pair(value: mpf) -> tuple[float, float]:
    """Return the nearest float64 and the one nearest to the rest."""
    high = float(value)
    return high, float(value - high)


def exp_row(j: int) -> list[float]:
    """Return 2^(j/1024), high and low."""
    with mp.workprec(BITS):
        return list(pair(mpf(2) ** (mpf(j) / EXP_STEPS)))


def erfcx_row(centre: float) -> list[float]:
    """Return the centre, the paired coefficients (high, low …), then the single ones.

    erfcx′ = 2z·erfcx − 2/√π gives the Taylor coefficients a₀, a₁, … at c by
    (k + 1)·aₖ₊₁ = 2c·aₖ + 2aₖ₋₁, which loses digits for large c: hence so many bits.
    """
    with mp.workprec(BITS):
        c = mpf(centre)
        a = [mp.exp(c * c) * mp.erfc(c)]
        a.append(2 * c * a[0] - 2 / mp.sqrt(mp.pi))
        while len(a) < PAIRED_TERMS + DOUBLE_TERMS:
            k = len(a) - 1
            a.append((2 * c * a[k] + 2 * a[k - 1]) / (k + 1))
        paired = [part for value in a[:PAIRED_TERMS] for part in pair(value)]
        return [centre, *paired, *map(float, a[PAIRED_TERMS:])]


def main() -> None:
    """Write both tables."""
    np.save(Path(FOLDER) / "exp.npy", np.array([exp_row(j) for j in range(EXP_STEPS)]).T)
    np.save(Path(FOLDER) / "erfcx.npy", np.array([erfcx_row(c) for c in CENTRES]).T)


if __name__ == "__main__":
    main()
