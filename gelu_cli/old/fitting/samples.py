"""The errors of a member on grids, in float64, with their slopes in the parameters."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gelu_cli.old.arithmetic.arrays import ARRAYS
from gelu_cli.old.arithmetic.dual import Dual, DualArithmetic
from gelu_cli.old.arithmetic.format_arrays import Array
from gelu_cli.old.calculus.comparison import End
from gelu_cli.old.calculus.stretches import FARTHEST, Stretch, grid
from gelu_cli.old.fitting.families import Family, Pieces

NOISE = 2.0**-46
"""Of float64 errors, relative to what is approximated."""

FLAT = 1e-6
"""Errors that differ by this share of the largest are one to a linear program."""


class Samples(NamedTuple):
    """The error of a member on grids over stretches, with its slopes in the parameters (n × N)."""

    stretches: Sequence[Stretch]
    pieces: Sequence[Pieces]
    part: NDArray[np.int64]
    """Which stretch a point lies on."""

    x: Array
    error: Array
    slopes: Array
    size: float
    kinks: Sequence[Fraction]
    """The kinks of the member, by their squares."""

    @property
    def largest(self) -> float:
        """The largest error."""
        return float(np.max(np.abs(self.error), initial=0.0))

    @property
    def flat(self) -> float:
        """The difference of two errors up to which a linear program takes one for another."""
        return max(FLAT * self.largest, NOISE * self.size)


@np.errstate(all="ignore")
def sampled(family: Family, values: Sequence[float], low: End, high: End) -> Samples:
    """Return the errors of a member on a range, the ends of its stretches included.

    Points between ends that move with the parameters keep their places between them.
    """
    comparison = family.comparison([Fraction(value) for value in values])
    stretches = comparison.stretches(low, high)
    pieces = [family.pieces(comparison.form, stretch) for stretch in stretches]
    kinks = [kink.square for kink in comparison.form.kinks]
    moves = np.zeros((len(values), len(kinks)))
    given = list(map(Dual, values, np.eye(len(values))))
    for i in range(len(kinks)):
        moves[:, i] = family.kink_at(i, DualArithmetic(ARRAYS), given).derivative
    grids, columns = [], []
    for stretch, held in zip(stretches, pieces, strict=True):
        first, last = (min(max(float(end), -FARTHEST), FARTHEST) for end in stretch)
        x = np.array([first, *grid(stretch), last])
        error, slopes, size = errors_on(family, values, held, x)
        if moves.any():
            left, right = (moves[:, kinks.index(end.square)] if end.square in kinks
                           else np.zeros(len(values)) for end in stretch)  # fmt: skip
            share = (x - first) / ((last - first) or 1.0)
            shifts = np.multiply.outer(left, 1 - share) + np.multiply.outer(right, share)
            dual = DualArithmetic(ARRAYS)
            still = [Dual(np.float64(value), np.float64(0)) for value in values]
            along = family.error_at(held, dual, dual.variable(x), still).derivative
            slopes = slopes + np.broadcast_to(along, x.shape) * shifts
        grids.append(x)
        columns.append((error, slopes, size))
    error, slopes, size = (np.concatenate(each, axis=-1) for each in zip(*columns, strict=True))
    x, part = np.concatenate(grids), np.repeat(np.arange(len(grids)), list(map(len, grids)))
    known = ~np.isnan(error)
    return Samples(stretches, pieces, part[known], x[known], error[known], slopes[:, known],
                   float(np.max(size[known], initial=0.0)), kinks)  # fmt: skip


@np.errstate(all="ignore")  # far out a gate may be a ratio to 0
def errors_on(
    family: Family, values: Sequence[float], pieces: Pieces, x: Array
) -> tuple[Array, Array, Array]:
    """Return at points of a stretch the error, its slopes, and how large what is measured is."""
    dual = DualArithmetic(ARRAYS)
    unit = np.eye(len(values))[:, :, None]
    given = [Dual(np.float64(value), unit[i]) for i, value in enumerate(values)]
    form = family.form_at(pieces, dual, Dual(x, np.float64(0)), given)
    target = family.target_at(pieces, ARRAYS, x)
    divisor = target if family.relative else 1.0
    error = np.broadcast_to((form.value - target) / divisor, x.shape)
    slopes = np.broadcast_to(form.derivative / divisor, (len(values), len(x)))
    size = np.broadcast_to(np.abs(form.value / divisor) * (np.abs(error) > 0), x.shape)
    return error, slopes, size
