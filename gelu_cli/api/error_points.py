"""Errors of forms at points: each, over all of them, by region."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from gelu_cli.api.error import FormError, Views, error_of, regions_of, views_of
from gelu_cli.api.results import Real
from gelu_cli.api.table import column_of_x, is_exact, wrapped
from gelu_cli.errors import UsageError
from gelu_cli.inputs.points import to_points
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.calculus.comparison import Comparison
from gelu_cli.old.calculus.point_errors import errors_at, errors_at_points
from gelu_cli.old.calculus.point_errors_arrays import errors_of_array
from gelu_cli.old.calculus.sums_and_percentiles import Sum, exact_sums, square_root
from gelu_cli.old.parallel import available_cores, in_order
from gelu_cli.old.values.evaluate import absolute
from gelu_cli.old.values.points import BULK
from gelu_cli.old.values.points import Points as Wrapped
from gelu_cli.output.tables import Cell, Column, Table

AT_POINTS = ("x", "target", "approx", "abs_error", "rel_error")
LARGEST = ("max_abs_error", "max_abs_error_x", "max_rel_error", "max_rel_error_x")
LONGEST = 15
"""Most digits of an average: errors are rounded to float64s before they are added up, exactly."""


def at_points(
    title: str, pairs: Sequence[Comparison], x: Any, digits: int | None
) -> tuple[Sequence[FormError], Views, Sequence[str]]:
    """Measure the errors at points; those of exact points have no summary."""
    exact = is_exact(digits)
    points = wrapped(to_points(x, exact=exact), exact=exact)
    numbers: np.ndarray = np.array(column_of_x(points, None))
    finite = np.isfinite(numbers)
    if not finite.any():
        raise UsageError("no point is finite; give numbers, for example -3 0.5")
    columns, parts = [_errors_of(pair, numbers) for pair in pairs], []
    for pair, (_, _, difference, ratio) in zip(pairs, columns, strict=True):
        sizes = {"difference": difference[finite], "ratio": ratio[finite]}
        parts.append(FiniteErrors(pair, numbers[finite], sizes, None if exact else digits))
    found = [error_of(each.pair, each.metrics()) for each in parts]
    views: Views = {"points": lambda: Table(title, _rows(pairs, points, columns, digits), 3)}
    if exact:
        return found, views, []
    views |= views_of(title, found, lambda: chain(*(each.regions() for each in parts)), {})
    left_out = f"{np.sum(~finite):,} points are not finite; summary and regions leave them out"
    return found, views, [] if finite.all() else [left_out]


def _errors_of(pair: Comparison, x: np.ndarray) -> list[np.ndarray]:
    """Compute target, approximation, absolute and relative error, by several threads."""
    blocks = (x[start : start + BULK] for start in range(0, len(x), BULK))
    work = partial(errors_of_array, pair)
    done = in_order(work, blocks, available_cores(), is_large=lambda block: len(block) == BULK)
    target, approx, *errors = map(np.concatenate, zip(*done, strict=True))
    return [target, approx, *map(np.abs, errors)]


class FiniteErrors(NamedTuple):
    """The errors of a form at finite points, to be summarised."""

    pair: Comparison
    x: np.ndarray
    sizes: Mapping[str, np.ndarray]
    """Absolute errors as `difference`, relative ones as `ratio`, NaN if both numbers are 0."""

    digits: int | None

    def metrics(self) -> dict[str, Any]:
        """Summarise the errors."""
        n, errors = len(self.x), self.sizes["difference"]
        total, squares = exact_sums(errors)
        ranks = [math.ceil(percent * n / 100) - 1 for percent in (50, 99)]
        p50, p99 = np.argpartition(errors, ranks)[ranks]
        return {
            **dict(zip(LARGEST, self.largest(np.arange(n)), strict=True)),
            "mean_abs_error": self._average(total / n),
            "rms_error": self._average(square_root(squares / n)),
            "n": n,
            "p50_abs_error": self._error("difference", p50),
            "p99_abs_error": self._error("difference", p99),
        }

    def regions(self) -> Iterator[Sequence[Cell]]:
        """Yield the largest errors in regions with points; an edge belongs to its right."""
        x, high = self.x, float(self.x.max())
        for left, right in regions_of(float(x.min()), high):
            inside = np.flatnonzero((left <= x) & ((x < right) | (right == high)))
            if len(inside):
                names = self.pair.form.label, self.pair.quantity
                ends = self._rounded(float(left)), self._rounded(float(right))
                yield *names, *ends, *self.largest(inside)

    def largest(self, rows: np.ndarray) -> list[Real]:
        """Find the largest absolute error and its first x, the largest relative one and its x."""
        found = []
        for kind, sizes in self.sizes.items():
            row = rows[np.argmax(np.where(np.isnan(sizes[rows]), 0, sizes[rows]))]
            found += [self._error(kind, row), self._rounded(float(self.x[row]))]
        return found

    def _error(self, kind: str, row: int) -> Real:
        """Round an error at a point, once; 0 relative to 0 counts as 0."""
        found: Real = float(self.sizes[kind][row])
        if self.digits and not math.isnan(found):
            at_x = errors_at(self.pair, float(self.x[row]), Decimals(self.digits))
            found = absolute(getattr(at_x, kind))
        return 0.0 if math.isnan(found) else found

    def _average(self, value: Sum) -> Real:
        """Round an average, to the digits that are right."""
        if math.isinf(value):
            return math.inf
        rounded = Decimals(min(self.digits or LONGEST, LONGEST)).exactly(Fraction(value))
        return rounded if self.digits else float(rounded)

    def _rounded(self, x: float) -> Real:
        """Round a point that has more digits than asked for."""
        rounded = Decimals(self.digits).from_float(x) if self.digits else x
        return x if float(rounded) == x else rounded


def _rows(
    pairs: Sequence[Comparison], points: Wrapped, columns: Sequence[Any], digits: int | None
) -> dict[str, Column]:
    """Make a row for each point and form."""
    decimals = Decimals(digits) if digits else None
    x = column_of_x(points, decimals)
    if decimals:
        columns = []
        for pair in pairs:
            target, approx, *errors = errors_at_points(pair, points, decimals)
            columns.append([target, approx, *(list(map(absolute, each)) for each in errors)])
    cells: dict[str, Column] = {
        "form": [pair.form.label for pair in pairs] * len(x),
        "quantity": [pairs[0].quantity] * (len(x) * len(pairs)),
    }
    by_name = [[x] * len(pairs), *zip(*columns, strict=True)]
    for name, by_form in zip(AT_POINTS, by_name, strict=True):
        woven = np.stack(by_form, axis=1).ravel()  # row by row: each form at a point
        cells[name] = woven.tolist() if decimals else woven
    return cells
