"""Errors of forms at points: each, over all of them, by region."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from gelu_cli.api.error import (
    DIGITS_OF_FLOAT64,
    EDGES,
    REGIONS,
    FormError,
    in_a_line,
    in_words,
    names_of,
    normal_in_words,
    summary_table,
)  # fmt: skip
from gelu_cli.api.results import Answer
from gelu_cli.api.table import exact_cell
from gelu_cli.errors import UsageError
from gelu_cli.inputs.numbers import to_float
from gelu_cli.inputs.points import MANY, Points, to_points
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.calculus.comparison import Comparison
from gelu_cli.old.calculus.point_errors import errors_at, errors_at_points
from gelu_cli.old.calculus.point_errors_arrays import errors_of_array
from gelu_cli.old.calculus.sums_and_percentiles import Sum, exact_sums, square_root
from gelu_cli.old.parallel import available_cores, in_order
from gelu_cli.old.values.evaluate import absolute
from gelu_cli.old.values.points import BULK, FewPoints, ManyPoints
from gelu_cli.output.tables import Cell, Column, Table

Real: TypeAlias = float | Decimal

METRICS = (
    "n", "max_abs_error", "mean_abs_error", "rms_error", "p50_abs_error", "p99_abs_error",
    "max_rel_error",
)  # fmt: skip
FEW = 40
"""Points that a terminal lists; of more it shows the summary and the regions."""

LONGEST = 15
"""Most digits of an average: errors are rounded to float64s before they are added up, exactly."""

ABSOLUTE, RELATIVE = 2, 3
"""Index of an error in the results of the numeric rooms: target, approx, difference, ratio."""


@dataclass(frozen=True, kw_only=True)
class PointsError(FormError):
    """The error of a form at points; the finite ones are summarised.

    Attributes
    ----------
    n
        Number of finite points.
    p50_abs_error, p99_abs_error
        The smallest errors that 50 % and 99 % of the points do not exceed.
    """

    n: int
    p50_abs_error: Real
    p99_abs_error: Real


@dataclass(frozen=True)
class AtPoints:
    """The errors of one form at points.

    Attributes
    ----------
    pair
        The form, its target and the quantity.
    x
        The points.
    digits
        Significant digits of results, at most 17; None for float64s.
    """

    pair: Comparison
    x: np.ndarray
    digits: int | None

    @cached_property
    def columns(self) -> list[np.ndarray]:
        """Target, approximation, absolute and relative error, as float64s."""
        blocks = (self.x[start : start + BULK] for start in range(0, len(self.x), BULK))
        work = partial(errors_of_array, self.pair)
        done = in_order(work, blocks, available_cores(), is_large=lambda block: len(block) == BULK)
        target, approx, *errors = map(np.concatenate, zip(*done, strict=True))
        return [target, approx, *map(np.abs, errors)]

    @cached_property
    def finite(self) -> np.ndarray:
        """Indices of the finite points, which alone are summarised."""
        return np.flatnonzero(np.isfinite(self.x))

    def metrics(self) -> dict[str, Any]:
        """Summarise the errors; without a finite point they are NaN."""
        size = len(self.finite)
        if size == 0:
            names = *METRICS, "max_abs_error_x", "max_rel_error_x"
            return {**dict.fromkeys(names, math.nan), "n": 0}
        total, squares = exact_sums(self.columns[ABSOLUTE][self.finite])
        return {
            "n": size,
            **self._largest("max_abs_error", "max_abs_error_x", ABSOLUTE, self.finite),
            "mean_abs_error": self._average(total / size),
            "rms_error": self._average(square_root(squares / size)),
            "p50_abs_error": self._percentile(50),
            "p99_abs_error": self._percentile(99),
            **self._largest("max_rel_error", "max_rel_error_x", RELATIVE, self.finite),
        }

    def regions(self) -> Iterator[dict[str, Cell]]:
        """Yield the largest errors by region; an edge belongs to its right."""
        x = self.x[self.finite]
        low, high = float(x.min()) + 0.0, float(x.max()) + 0.0
        for left, right in pairwise([low, *(float(e) for e in EDGES if low < e < high), high]):
            inside = self.finite[(left <= x) & ((x < right) | (x == high) & (right == high))]
            yield {
                **names_of(self.pair), "low": self._rounded(left), "high": self._rounded(right),
                **self._largest("max_abs_error", "max_abs_x", ABSOLUTE, inside),
                **self._largest("max_rel_error", "max_rel_x", RELATIVE, inside),
            }  # fmt: skip

    def _largest(self, name: str, name_x: str, which: int, inside: np.ndarray) -> dict[str, Cell]:
        """Find the largest error and its first x; None without points."""
        if len(inside) == 0:
            return {name: None, name_x: None}
        sizes = self.columns[which][inside]
        worst = inside[np.argmax(np.where(np.isnan(sizes), 0, sizes))]  # 0/0 counts as 0
        return {name: self._error(which, worst), name_x: self._rounded(self.x[worst])}

    def _percentile(self, percent: int) -> Real:
        """Find the smallest error that `percent` % of the points do not exceed."""
        rank = -(-percent * len(self.finite) // 100) - 1
        sizes = self.columns[ABSOLUTE][self.finite]
        return self._error(ABSOLUTE, self.finite[np.argpartition(sizes, rank)[rank]])

    def _error(self, which: int, index: int) -> Real:
        """Round an error at one of the points, once."""
        error = float(self.columns[which][index])
        if self.digits and not math.isnan(error):
            at_x = errors_at(self.pair, float(self.x[index]), Decimals(self.digits))
            return absolute(at_x[which])
        return 0.0 if math.isnan(error) else error

    def _average(self, value: Sum) -> Real:
        if not math.isfinite(value):
            return math.inf
        rounded = Decimals(min(self.digits or LONGEST, LONGEST)).exactly(Fraction(value))
        return rounded if (self.digits or LONGEST) < LONGEST else float(rounded)

    def _rounded(self, x: float) -> Real:
        """Round a point if it has more digits than asked for."""
        rounded = Decimals(self.digits or DIGITS_OF_FLOAT64).from_float(float(x))
        return float(x) if float(rounded) == x else rounded


def at_points(
    pairs: Sequence[Comparison], x: Any, mean: Fraction, sigma: Fraction, samples: int | None,
    seed: int, digits: int | None,
) -> tuple[list[PointsError], Answer]:  # fmt: skip
    """Measure the errors at points x, or at draws from N(mean, sigma²)."""
    exact, source = (digits or 0) > DIGITS_OF_FLOAT64, ""
    if samples is None:
        points = to_points(x, exact=exact)
        numbers = np.array([to_float(each) for each in points], dtype=np.float64)
    else:
        points = numbers = np.random.default_rng(seed).normal(float(mean), float(sigma), samples)
        source = f" drawn from {normal_in_words(mean, sigma)} by numpy's PCG64 with seed {seed}"
    if len(numbers) == 0:
        raise UsageError("no points; give numbers, for example -3 0.5")
    parts = [AtPoints(pair, numbers, None if exact else digits) for pair in pairs]
    found = [PointsError(**names_of(each.pair), **each.metrics()) for each in parts]
    title = f"Error of the {pairs[0].quantity} against {pairs[0].target.label} at points"
    meanings = {"points": f"{len(numbers):,}{source}"}

    def summary() -> Table:
        _require_summary(parts[0], exact=exact)
        return summary_table(title, found, METRICS, meanings)

    def regions() -> Table:
        _require_summary(parts[0], exact=exact)
        rows = [row for each in parts for row in each.regions()]
        return Table.of_rows(f"{title} by region", REGIONS, rows, 4, meanings=meanings)

    listed = {"points": lambda: _points(title, parts, points if exact else numbers, digits)}
    over = {"summary": summary, "regions": regions}
    views = {**listed, **over} if samples is None else {**over, **listed}
    answer = Answer(views, notes=_left_out(numbers), found=in_a_line(found))
    if samples is None and len(numbers) <= FEW:
        return found, answer
    words = [in_words(*each, "Over the points", digits) for each in zip(found, pairs, strict=True)]
    return found, replace(answer, words=words, screen=lambda: [summary(), regions()])


def _points(title: str, parts: Sequence[AtPoints], x: Points, digits: int | None) -> Table:
    """Make a row for each point and form."""
    columns = [[np.asarray(x), *each.columns] for each in parts]
    if digits is not None:
        columns = [_as_decimals(each.pair, x, Decimals(digits)) for each in parts]
    woven = [np.stack(by_form, axis=1).ravel() for by_form in zip(*columns, strict=True)]
    cells: dict[str, Column] = {
        "form": [each.pair.form.label for each in parts] * len(x),
        "quantity": [parts[0].pair.quantity] * (len(x) * len(parts)),
    }
    for name, column in zip(
        ("x", "target", "approx", "abs_error", "rel_error"), woven, strict=True
    ):
        cells[name] = column if digits is None else column.tolist()
    return Table(title, cells, keys=3)


def _as_decimals(pair: Comparison, x: Points, decimals: Decimals) -> list[np.ndarray]:
    """List points, target, approximation and errors in columns of decimals."""
    many = len(x) >= MANY and not isinstance(x, list)
    points = ManyPoints(np.asarray(x)) if many else FewPoints(list(x))
    target, approx, *errors = errors_at_points(pair, points, decimals)
    cells = [exact_cell(each, decimals) for each in x]
    columns = [cells, target, approx, *(list(map(absolute, each)) for each in errors)]
    return [np.array(each, dtype=object) for each in columns]


def _require_summary(errors: AtPoints, *, exact: bool) -> None:
    """Raise UsageError without finite points, or above 17 digits."""
    if exact:
        raise UsageError("--digits above 17 is for --view points; a summary of points has float64s")
    if len(errors.finite) == 0:
        raise UsageError("no point is finite; a summary needs one that is")


def _left_out(x: np.ndarray) -> list[str]:
    """Count the points that are not finite."""
    counts = {"NaN": int(np.isnan(x).sum()), "infinite": int(np.isinf(x).sum())}
    said = " and ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    return [f"summary and regions leave out points: {said}"] if said else []
