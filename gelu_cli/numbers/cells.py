"""Taylor polynomials on dyadic cells, made on demand, with a proved error.

docs/proofs.md has the lemma on the error of the sum.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from gelu_cli.errors import ComputationError
from gelu_cli.numbers.rounding import sign, working
from gelu_cli.numbers.series import Smooth

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

DEGREE = 18
"""Of the polynomials: with cells of relative width s each term is at most s/k of the one before."""

QUICK, PAIRED = 4, 8
"""Leading terms that are summed in double-double at first, and in the second attempt."""

REMAINDER = 2.0**-71
"""Largest remainder of a cell, relative to the largest term."""

INNERMOST = range(-2, -14, -1)
"""One cell holds all |x| < 2ᵉ for the first of these e for which it is not too wide."""

FINEST = 1 << 12
"""Most cells of a binade."""

PRECISION = 128
U = 2.0**-53
TINY, SCALE = 2.0**-400, 2.0**600
"""Below TINY everything is scaled, so that no product of the sum is subnormal."""

NOTHING = 2.0**-500
"""Stands, scaled, for a rest below 2^−1100: no format has less than 2^−1074."""

MOST_ZEROS = 4
"""Largest order of a zero at 0, plus one."""

MISSING = -1
UNKNOWN = [0.0, 1.0, math.inf, math.inf, 1.0] + [0.0] * (1 + DEGREE + PAIRED)
"""The row of a cell of which nothing is known: it certifies nothing."""

HEAD = np.int64(-1 << 27)
"""The sign, the exponent and 26 bits of a float64."""

MANTISSA = (1 << 52) - 1


def two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """Return RN(a + b) and its exact error (Knuth, TAOCP 2, 4.2.2, theorem B)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def head(a: Floats) -> Floats:
    """Return the first 26 bits: products of two heads are exact."""
    return (a.view(np.int64) & HEAD).view(np.float64)


class Cells:
    """The rest of a curve on one side of 0.

    A row of a cell is: centre, 1/radius, error bounds (quick, paired), scale, a₀ … a_N, and what
    a₀ … a₇ lack; aₖ is the Taylor coefficient times radiusᵏ. Where the rest has a zero of order m
    at 0, the bounds of the cell around 0 are relative to tᵐ, t = x/radius.
    """

    def __init__(self, curve: Smooth, right: bool) -> None:
        self.curve, self.right = curve, right
        with working(PRECISION):
            self.vanishes = self.order_at_zero() if curve.meets_zero(right) else 0
            fits = (e for e in INNERMOST if self.row(0.0, 2.0**e))
            self.least = next(fits, INNERMOST[-1])
        self.columns = np.zeros((6 + DEGREE + PAIRED, 0))
        self.row_of = np.full(1, MISSING)
        self.first = np.zeros(2048, np.int64)
        """Where the cells of a binade begin in `row_of`; 0 if it has none."""
        self.drop = np.full(2048, 52, np.int64)
        """How many bits of a mantissa do not say in which cell it is."""

    def order_at_zero(self) -> int:
        """Count the leading Taylor coefficients at 0 that are 0, to MOST_ZEROS."""
        try:
            series = self.curve.expand(arb(0), MOST_ZEROS)
        except (ValueError, ZeroDivisionError):
            return 0
        return next((k for k in range(MOST_ZEROS) if not series[k].is_zero()), 0)

    def row(self, centre: float, radius: float) -> list[float] | None:
        """Return the row of a cell; None if it is too wide."""
        try:
            ball = arb(centre, radius)
            value = self.curve.expand(ball, 1)[0]
            if abs(value) < arb((1, -1100)):
                return self.nothing(centre, radius, value)
            whole = self.curve.expand(ball, DEGREE + 2)
            series = self.curve.expand(arb(centre), DEGREE + 1)
        except (ValueError, ZeroDivisionError):
            return None
        scale = arb((1, 600)) if abs(whole[0]) < arb((1, -400)) else arb(1)
        powers = [scale * arb(radius) ** k for k in range(DEGREE + 2)]
        exact = [series[k] * powers[k] for k in range(DEGREE + 1)]
        high = [float(c) for c in exact]
        low = [float(c - c_high) for c, c_high in zip(exact, high[:PAIRED], strict=False)]
        remainder = float((abs(whole[DEGREE + 1]) * powers[-1]).upper())
        m = 0 if centre else self.vanishes
        terms = list(map(abs, high[m:]))
        if not (all(map(math.isfinite, high)) and remainder <= REMAINDER * max(terms)):
            return None
        if max(terms) < NOTHING:
            return None
        errors = [1.01 * (remainder + error_of_sum(terms, pairs - m)) for pairs in (QUICK, PAIRED)]
        return [centre, 1 / radius, *errors, float(scale), *high, *low]

    def nothing(self, centre: float, radius: float, rest: arb) -> list[float] | None:
        """Return the row of a cell whose rest is below 2⁻¹¹⁰⁰, with its sign."""
        side = sign(rest)
        if not side:
            try:
                far = self.curve.far(self.right)
            except ComputationError:
                far = None
            if far is not None and math.frexp(centre)[1] > far.start + 1:
                side = far.sign
        row = [centre, 1 / radius, NOTHING / 2, NOTHING / 2, SCALE, side * NOTHING]
        return row + [0.0] * (DEGREE + PAIRED) if side else None

    def find(self, x: Floats) -> Ints:
        """Return the row of each x; rows that are missing are made."""
        bits = x.view(np.int64)
        binade = np.maximum((bits >> 52) & 2047, self.least + 1022)
        mantissa = bits & MANTISSA
        while True:
            cell = mantissa >> self.drop.take(binade)
            rows: Ints = self.row_of.take(self.first.take(binade) + cell)
            if rows.min() >= 0:
                return rows
            missing = rows < 0
            with working(PRECISION):
                for each in np.unique(binade[missing]).tolist():
                    self.fill(each, np.unique(cell[missing & (binade == each)]).tolist())

    def fill(self, binade: int, cells: list[int]) -> None:
        """Make the rows of cells of a binade.

        At a cell that is too wide, stop and cut the binade finer.
        """
        innermost = binade == self.least + 1022
        parts = 1 << 52 - int(self.drop[binade])
        start = int(self.first[binade]) or self.allocate(binade, np.full(1, MISSING))
        low = math.ldexp(1.0, binade - 1023)
        rows: list[list[float]] = []
        for j in cells:
            centre = (low + (j + 0.5) * (low / parts)) * (1 if self.right else -1)
            row = self.row(0.0, 2 * low) if innermost else self.row(centre, low / parts / 2)
            if row is None and parts < FINEST and not innermost:
                self.allocate(binade, np.repeat(self.row_of[start : start + parts], 2))
                self.drop[binade] -= 1
                break
            self.row_of[start + j] = self.columns.shape[1] + len(rows)
            rows.append(row or UNKNOWN)
        if rows:
            self.columns = np.concatenate([self.columns, np.array(rows).T], axis=1)

    def allocate(self, binade: int, rows: Ints) -> int:
        """Append the row numbers of a binade, and return their first index."""
        self.first[binade] = start = len(self.row_of)
        self.row_of = np.append(self.row_of, rows)
        return start

    def evaluate(self, x: Floats, pairs: int) -> tuple[Floats, Floats, Floats, Floats]:
        """Return p, q, error and scale: |p + q − scale·rest| ≤ error."""
        cell = self.find(x)
        row, cell_at_zero = self.columns, self.row_of[self.first[self.least + 1022]]
        coefficients, lacking = row[5:], row[6 + DEGREE :]
        t = (x - row[0].take(cell)) * row[1].take(cell)
        error, scale = row[2 if pairs == QUICK else 3].take(cell), row[4].take(cell)
        p = coefficients[DEGREE].take(cell)
        for k in range(DEGREE - 1, pairs - 1, -1):
            p = p * t + coefficients[k].take(cell)
        q, t1 = np.zeros_like(t), head(t)
        t2 = t - t1
        for k in range(pairs - 1, -1, -1):
            if k < self.vanishes:
                size = np.abs(t)
                if k == 0 and size.min() < TINY:
                    stretch = np.where(np.abs(x) < TINY, SCALE, 1.0)
                    scale, size, t, t1, t2 = (a * stretch for a in (scale, size, t, t1, t2))
                    if self.vanishes > 1:  # powers of t may underflow
                        error = np.where(np.abs(x) < TINY, math.inf, error)
                error = np.where(cell == cell_at_zero, error * size, error)
            p1 = head(p)
            q = p1 * t2 + (p - p1) * t + q * t
            p, e = two_sum(coefficients[k].take(cell), p1 * t1)
            q = q + (lacking[k].take(cell) + e)
        return p, q, error, scale


def error_of_sum(terms: list[float], pairs: int) -> float:
    """Return the bound of the lemma for |aₖ|, the first ones in double-double."""
    plain = sum((2 * (k - pairs) + 3) * t for k, t in enumerate(terms) if k >= pairs)
    double = sum(min(k + 1, pairs) * t for k, t in enumerate(terms))
    return U * plain + 2.0**-70 * double


@lru_cache(256)
def cells_of(curve: Smooth, right: bool) -> Cells:
    """Return the cells of a curve on a side, the same ones each time."""
    return Cells(curve, right)


def rest_of(curve: Smooth, x: Floats, pairs: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Evaluate a rest as `Cells.evaluate`; mirror images share their cells."""
    right = bool(x[0] > 0)
    image = curve.image(right)
    if image is None:
        return cells_of(curve, right).evaluate(x, pairs)
    original, way = image
    p, q, error, scale = cells_of(original, not right).evaluate(-x, pairs)
    return way * p, way * q, error, scale
