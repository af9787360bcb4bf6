"""Taylor polynomials on cells, made on demand, with a proved error.

A quantity of a form on one piece is a curve k₀ + k₁·x + rest (see `Smooth`). On a cell one
polynomial gives the rest; cells are |x| < 2ᵉ, binades and parts of binades. Proof: docs/proofs.md,
Arrays.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from gelu_cli.numbers.rounding import sign, working
from gelu_cli.numbers.series import Smooth

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

DEGREE = 18  # degree of the Taylor polynomials
QUICK, PAIRED = 4, 8  # number of low-order terms in double-double, in a first and a second attempt
REMAINDER = 2.0**-71  # largest Taylor remainder of a cell, relative to the cell's largest term
INNERMOST = range(-2, -14, -1)  # e of the cell |x| < 2ᵉ around 0: tried in this order
FINEST = 1 << 12  # largest number of cells in a binade
PRECISION, U = 128, 2.0**-53  # bits of Taylor coefficients; unit roundoff of float64
TINY = 2.0**-400  # smaller |rest| are scaled; if rest(0) = 0, no value at |x| ≤ TINY is certified
SCALE = 2.0**600  # factor of a scaled rest
NOTHING = 2.0**-500  # replaces SCALE·|rest| if |rest| < 2⁻¹¹⁰⁰, which is below all formats' numbers
UNKNOWN = [0.0, 1.0, math.inf, math.inf, 1.0] + [0.0] * (1 + DEGREE + PAIRED)  # of a cell too wide
HEAD = np.int64(-1 << 27)  # mask of the sign, the exponent and 26 bits of the significand
TOP_BITS, MANTISSA = 0x7FF0_0000_0000_0000, (1 << 52) - 1  # masks of exponent and fraction


def two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """Return RN(a + b) and its exact error (Knuth, TAOCP 2, 4.2.2, theorem B)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def head(a: Floats) -> Floats:
    """Truncate to 26 significant bits: the product of two heads is exact."""
    return (a.view(np.int64) & HEAD).view(np.float64)


def binade(y: Floats) -> Floats:
    """Return 2^⌊log₂|y|⌋ for normal float64s, 0 for 0 and for subnormals."""
    return (y.view(np.int64) & TOP_BITS).view(np.float64)


class Cells:
    """Taylor cells of the rest of a curve on one side of 0.

    The row of a cell is: centre, 1/radius, error bounds for QUICK and PAIRED, scale, a₀ … a_N (N =
    DEGREE), and the rounding errors of a₀ … a₇. aₖ is the Taylor coefficient times scale·radiusᵏ.
    If the rest is 0 at 0, `evaluate` multiplies the bounds of the cell around 0 by |x|/radius.
    """

    def __init__(self, curve: Smooth, right: bool) -> None:
        self.curve, self.right = curve, right
        self.vanishes = False
        with working(PRECISION):
            fits = (e for e in INNERMOST if self.row(0.0, 2.0**e))
            self.least = next(fits, INNERMOST[-1])
        self.columns = np.zeros((6 + DEGREE + PAIRED, 0))
        self.row_of = np.full(1, -1)
        self.first = np.zeros(2048, np.int64)  # index in `row_of` of a binade's first cell; 0: none
        self.drop = np.full(2048, 52, np.int64)  # low bits of x that do not matter for its cell

    def row(self, centre: float, radius: float) -> list[float] | None:
        """Return the row of a cell; None if the cell is too wide."""
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
        m = int(centre == 0 and series[0].is_zero())
        self.vanishes |= m > 0
        terms = list(map(abs, high[m:]))
        small = max(terms) < NOTHING or not remainder <= REMAINDER * max(terms)
        if small or not all(map(math.isfinite, high)):
            return None
        errors = [1.01 * (remainder + error_of_sum(terms, pairs - m)) for pairs in (QUICK, PAIRED)]
        return [centre, 1 / radius, *errors, float(scale), *high, *low]

    def nothing(self, centre: float, radius: float, rest: arb) -> list[float] | None:
        """Return the row for |rest| < 2⁻¹¹⁰⁰; None if the rest's sign is unknown."""
        side, far = sign(rest), self.curve.far(self.right)
        if not side and far and math.frexp(centre)[1] > far.start + 1:
            side = far.sign
        row = [centre, 1 / radius, NOTHING / 2, NOTHING / 2, SCALE, side * NOTHING]
        return row + [0.0] * (DEGREE + PAIRED) if side else None

    def find(self, x: Floats) -> Ints:
        """Return the row number of each x; compute missing rows."""
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
        """Compute the rows of cells of a binade.

        If a cell is too wide, halve all cells of the binade and stop; `find` calls again.
        """
        innermost = binade == self.least + 1022
        parts = 1 << 52 - int(self.drop[binade])
        start = int(self.first[binade]) or self.allocate(binade, np.full(1, -1))
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
        """Append a binade's row numbers to `row_of`; return the first index."""
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
            if k == 0 and self.vanishes:
                around = np.where(np.abs(x) > TINY, error * np.abs(t), math.inf)
                error = np.where(cell == cell_at_zero, around, error)
            p1 = head(p)
            q = p1 * t2 + (p - p1) * t + q * t
            p, e = two_sum(coefficients[k].take(cell), p1 * t1)
            q = q + (lacking[k].take(cell) + e)
        return p, q, error, scale


def error_of_sum(terms: list[float], pairs: int) -> float:
    """Bound the rounding error of a Taylor sum (docs/proofs.md, Arrays, 6)."""
    plain = sum((2 * (k - pairs) + 3) * t for k, t in enumerate(terms) if k >= pairs)
    double = sum(min(k + 1, pairs) * t for k, t in enumerate(terms))
    return U * plain + 2.0**-70 * double


cells_of = lru_cache(256)(Cells)


def rest_of(curve: Smooth, x: Floats, pairs: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Return `Cells.evaluate` for a curve; mirrored pieces share cells."""
    if not curve.has_rest:
        return np.zeros_like(x), np.zeros_like(x), np.zeros_like(x), np.ones_like(x)
    right = bool(x[0] > 0)
    if (image := curve.image()) is None:
        return cells_of(curve, right).evaluate(x, pairs)
    p, q, error, scale = cells_of(image[0], not right).evaluate(-x, pairs)
    return image[1] * p, image[1] * q, error, scale
