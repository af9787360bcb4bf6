"""Errors of forms at points: at each point, in a summary, by region."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from typing import Any

import numpy as np

from gelu_cli.api.error import (
    FormError,
    Views,
    confirm_error,
    error_of,
    regions_of,
    views_of,
)
from gelu_cli.api.results import Real
from gelu_cli.api.table import column_of_x
from gelu_cli.calculus.curves import Comparison, float_of
from gelu_cli.calculus.landmarks import kinks
from gelu_cli.calculus.point_errors import errors_at, errors_of_array, exact_sums, root
from gelu_cli.errors import UsageError
from gelu_cli.inputs.point_lists import Points, float64s, keeps_typed, to_points
from gelu_cli.numbers import Decimals
from gelu_cli.numbers.arrays import decimal_by_float64
from gelu_cli.numbers.reference import confirm
from gelu_cli.output.tables import Cell, Column, Table

CONFIRMED = 1000
"""In view `points` mpmath confirms the numbers at the first points, at most this many."""

LONGEST = 15
"""Most digits of an average: errors are rounded to float64s, which are added exactly."""


@dataclass(frozen=True)
class FiniteErrors:
    """Errors of a form at finite points, as float64s; 0/0 counts as 0.

    `digits` is the number of significant digits in the answer; None for float64s.
    """

    pair: Comparison
    x: np.ndarray
    absolute: np.ndarray
    relative: np.ndarray
    digits: int | None

    def result(self) -> FormError:
        """Summarise the errors."""
        n = len(self.x)
        total, squares = exact_sums(self.absolute)
        to = Decimals(min(self.digits or LONGEST, LONGEST))
        mean: Real = total / n if isinstance(total, float) else to.exactly(total / n)
        rms: Real = root(squares / n, to)
        if not self.digits:
            mean, rms = float(mean), float(rms)
        ranks = [math.ceil(percent * n / 100) - 1 for percent in (50, 99)]
        p50, p99 = (self._rounded(at)[0] for at in np.argpartition(self.absolute, ranks)[ranks])
        return error_of(
            self.pair,
            self.largest(np.arange(n)),
            mean_abs_error=mean,
            rms_error=rms,
            n=n,
            p50_abs_error=p50,
            p99_abs_error=p99,
        )

    def regions(self) -> Iterator[Sequence[Cell]]:
        """Yield the largest errors by region, which includes its left end."""
        high = float(self.x.max())
        for left, right in regions_of(float(self.x.min()), high):
            inside = (left <= self.x) & ((self.x < right) | (right == high))
            if inside.any():
                names = self.pair.form.label, self.pair.quantity
                ends = self._x(float(left)), self._x(float(right))
                yield *names, *ends, *self.largest(np.flatnonzero(inside))

    def largest(self, rows: np.ndarray) -> list[Real]:
        """Find the largest absolute and relative error, and the first x of each."""
        found: list[Real] = []
        for relative, errors in enumerate((self.absolute, self.relative)):
            row = rows[np.argmax(errors[rows])]
            size, x = self._rounded(row)[relative], float(self.x[row])
            confirm_error(self.pair, x, size, relative=bool(relative))
            found += [size, self._x(x)]
        return found

    def _x(self, x: float) -> Real:
        """Round x to `digits`; if that reads back as x, return x."""
        rounded = Decimals(self.digits).from_float(x) if self.digits else x
        return x if float(rounded) == x else rounded

    def _rounded(self, row: int) -> tuple[Real, Real]:
        """Round the exact absolute and relative errors at a point, once."""
        if not self.digits:
            return float(self.absolute[row]), float(self.relative[row])
        at_x = errors_at(self.pair, float(self.x[row]), Decimals(self.digits))
        *_, absolute, relative = unsigned(at_x)
        return absolute, 0.0 if relative != relative else relative


def at_points(
    title: str, pairs: Sequence[Comparison], x: Any, digits: int | None
) -> tuple[Sequence[FormError], Views, Sequence[str]]:
    """Measure errors at points; if x stays as typed, make only view `points`."""
    as_typed = keeps_typed(digits)
    points = to_points(x, as_typed=as_typed)
    points = points if as_typed else float64s(points)
    numbers: np.ndarray = np.array(column_of_x(points, None))
    finite = np.isfinite(numbers)
    if not finite.any():
        raise UsageError("no point is finite; give numbers, for example -3 0.5")
    columns, parts = [unsigned(errors_of_array(pair, numbers)) for pair in pairs], []
    for pair, (_, _, absolute, relative) in zip(pairs, columns, strict=True):
        ratios = np.nan_to_num(relative[finite], nan=0.0, posinf=math.inf)
        shown = None if as_typed else digits
        parts.append(FiniteErrors(pair, numbers[finite], absolute[finite], ratios, shown))
    found = [each.result() for each in parts]
    views: Views = {"points": lambda: Table(title, _rows(pairs, points, columns, digits), 3)}
    notes = []
    if len(numbers) > CONFIRMED:
        notes.append(f"mpmath confirms the largest errors, and {CONFIRMED:,} rows of view points")
    if not as_typed:
        views |= views_of(title, found, lambda: chain(*(each.regions() for each in parts)), {})
        if not finite.all():
            out = np.sum(~finite)
            notes.append(f"points that are not finite: {out:,}; summary and regions leave them out")
    return found, views, notes


def unsigned(numbers: Sequence[Any]) -> list[Any]:
    """Remove the signs of the errors; abs() would round a Decimal."""
    target, approx, *errors = numbers
    found = (each.copy_abs() if isinstance(each, Decimal) else abs(each) for each in errors)
    return [target, approx, *found]


def _rows(
    pairs: Sequence[Comparison], points: Points, columns: Sequence[Any], digits: int | None
) -> dict[str, Column]:
    """Make columns with a row for each point and form."""
    decimals = Decimals(digits) if digits else None
    typed = points if isinstance(points, list) else points.tolist()
    x, by_form = column_of_x(points, decimals), []
    for pair, numbers in zip(pairs, columns, strict=True):
        rounded = numbers
        if decimals:
            rows = zip(typed, *numbers, strict=True)
            rounded = [*zip(*(_decimals(pair, decimals, *row) for row in rows), strict=True)]
        for at, *row in zip(typed[:CONFIRMED], *rounded, strict=False):
            _confirm(pair, at, *row)
        by_form.append(rounded)
    cells: dict[str, Column] = {
        "form": [pair.form.label for pair in pairs] * len(x),
        "quantity": [pairs[0].quantity] * (len(x) * len(pairs)),
    }
    names = ("x", "target", "approx", "abs_error", "rel_error")
    for name, several in zip(names, [[x] * len(pairs), *zip(*by_form, strict=True)], strict=True):
        woven = np.stack(several, axis=1).ravel()  # point by point, form by form
        cells[name] = woven.tolist() if decimals else woven
    return cells


def _decimals(pair: Comparison, to: Decimals, x: Any, *numbers: float) -> Sequence[Any]:
    """Round the numbers at a point, from float64s if these decide all digits."""
    found = [decimal_by_float64(float(y), to.precision) for y in numbers]
    return found if all(found) else unsigned(errors_at(pair, x, to))


def _confirm(pair: Comparison, x: Any, target: Real, approx: Real, *errors: Real) -> None:
    """Confirm the values and the errors at a finite x by mpmath."""
    if isinstance(x, float) and not math.isfinite(x):
        return
    for form, value in ((pair.target, target), (pair.form, approx)):
        if float_of(x) not in kinks(form):
            confirm(value, form, pair.quantity, x)
    for relative, size in enumerate(errors):
        confirm_error(pair, x, size, relative=bool(relative))
