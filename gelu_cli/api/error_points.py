"""Errors of forms at points: each, over all of them, by region."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from gelu_cli.api.error import (
    LARGEST,
    FormError,
    Views,
    at_kink,
    confirm_error,
    error_of,
    regions_of,
    views_of,
)
from gelu_cli.api.results import Real
from gelu_cli.api.table import column_of_x, float64s, keeps_typed
from gelu_cli.calculus.curves import Comparison
from gelu_cli.calculus.exact_sums import exact_sums, root
from gelu_cli.calculus.point_errors import errors_at, errors_of_array
from gelu_cli.errors import UsageError
from gelu_cli.inputs.point_lists import Points, to_points
from gelu_cli.numbers import Decimals
from gelu_cli.numbers.arrays import DIGITS_BY_FLOAT64, decimal_by_float64
from gelu_cli.numbers.reference import confirm
from gelu_cli.output.tables import Cell, Column, Table

AT_POINTS = ("x", "target", "approx", "abs_error", "rel_error")
CONFIRMED = 1000
"""Most points whose errors mpmath confirms; of more the first."""

LONGEST = 15
"""Most digits of an average: errors are rounded to float64s before they are added up, exactly."""


def at_points(
    title: str, pairs: Sequence[Comparison], x: Any, digits: int | None
) -> tuple[Sequence[FormError], Views, Sequence[str]]:
    """Measure the errors at points; exact points have no summary."""
    as_typed = keeps_typed(digits)
    points = float64s(to_points(x, as_typed=as_typed), as_typed=as_typed)
    numbers: np.ndarray = np.array(column_of_x(points, None))
    finite = np.isfinite(numbers)
    if not finite.any():
        raise UsageError("no point is finite; give numbers, for example -3 0.5")
    columns, parts = [_sizes(errors_of_array(pair, numbers)) for pair in pairs], []
    for pair, (_, _, difference, ratio) in zip(pairs, columns, strict=True):
        sizes = {"difference": difference[finite], "ratio": ratio[finite]}
        parts.append(FiniteErrors(pair, numbers[finite], sizes, None if as_typed else digits))
    found = [error_of(each.pair, each.metrics()) for each in parts]
    views: Views = {"points": lambda: Table(title, _rows(pairs, points, columns, digits), 3)}
    notes = []
    if len(numbers) > CONFIRMED:
        notes.append(f"mpmath confirms the first {CONFIRMED:,} points, and the largest errors")
    if as_typed:
        return found, views, notes
    views |= views_of(title, found, lambda: chain(*(each.regions() for each in parts)), {})
    if not finite.all():
        out = np.sum(~finite)
        notes.append(f"{out:,} points are not finite; summary and regions leave them out")
    return found, views, notes


def _sizes(numbers: Sequence[Any]) -> list[Any]:
    """Take the sizes of both errors; abs of a Decimal would round it."""
    target, approx, *errors = numbers
    sizes = (each.copy_abs() if isinstance(each, Decimal) else abs(each) for each in errors)
    return [target, approx, *sizes]


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
        to = Decimals(min(self.digits or LONGEST, LONGEST))
        ranks = [math.ceil(percent * n / 100) - 1 for percent in (50, 99)]
        p50, p99 = np.argpartition(errors, ranks)[ranks]
        return {
            **dict(zip(LARGEST, self.largest(np.arange(n)), strict=True)),
            "mean_abs_error": self._average(average(total / n, to)),
            "rms_error": self._average(root(squares / n, to)),
            "n": n,
            "p50_abs_error": self._error("difference", p50),
            "p99_abs_error": self._error("difference", p99),
        }

    def regions(self) -> Iterator[Sequence[Cell]]:
        """Yield the largest errors by region; an edge belongs to its right."""
        x, high = self.x, float(self.x.max())
        for left, right in regions_of(float(x.min()), high):
            inside = np.flatnonzero((left <= x) & ((x < right) | (right == high)))
            if len(inside):
                names = self.pair.form.label, self.pair.quantity
                ends = self._rounded(float(left)), self._rounded(float(right))
                yield *names, *ends, *self.largest(inside)

    def largest(self, rows: np.ndarray) -> list[Real]:
        """Find the largest absolute and relative error, each with its first x."""
        found = []
        for kind, sizes in self.sizes.items():
            row = rows[np.argmax(np.where(np.isnan(sizes[rows]), 0, sizes[rows]))]
            largest, x = self._error(kind, row), float(self.x[row])
            if not math.isnan(sizes[row]):
                confirm_error(self.pair, x, largest, relative=kind == "ratio")
            found += [largest, self._rounded(x)]
        return found

    def _error(self, kind: str, row: int) -> Real:
        """Round an error at a point, once; 0 relative to 0 counts as 0."""
        found: Real = float(self.sizes[kind][row])
        if self.digits and not math.isnan(found):
            at_x = errors_at(self.pair, float(self.x[row]), Decimals(self.digits))
            found = _sizes(at_x)[2 + (kind == "ratio")]
        return 0.0 if math.isnan(found) else found

    def _average(self, rounded: Real) -> Real:
        """Show an average with the digits that are right."""
        return rounded if self.digits else float(rounded)

    def _rounded(self, x: float) -> Real:
        """Round a point that has more digits than asked for."""
        rounded = Decimals(self.digits).from_float(x) if self.digits else x
        return x if float(rounded) == x else rounded


def average(mean: Fraction | float, to: Decimals) -> Real:
    """Round a mean of errors, which may be infinite."""
    return mean if isinstance(mean, float) else to.exactly(mean)


def _rows(
    pairs: Sequence[Comparison], points: Points, columns: Sequence[Any], digits: int | None
) -> dict[str, Column]:
    """Make a row for each point and form."""
    decimals = Decimals(digits) if digits else None
    x = column_of_x(points, decimals)
    typed = points if isinstance(points, list) else points.tolist()
    if decimals:
        columns = [_decimals(*each, typed, decimals) for each in zip(pairs, columns, strict=True)]
    for pair, numbers in zip(pairs, columns, strict=True):
        for at, *row in zip(typed[:CONFIRMED], *numbers, strict=False):
            confirm_errors(pair, at, row)
    cells: dict[str, Column] = {
        "form": [pair.form.label for pair in pairs] * len(x),
        "quantity": [pairs[0].quantity] * (len(x) * len(pairs)),
    }
    by_name = [[x] * len(pairs), *zip(*columns, strict=True)]
    for name, by_form in zip(AT_POINTS, by_name, strict=True):
        woven = np.stack(by_form, axis=1).ravel()  # row by row: each form at a point
        cells[name] = woven.tolist() if decimals else woven
    return cells


def _decimals(
    pair: Comparison, numbers: Sequence[Any], x: Sequence[Any], to: Decimals
) -> list[Sequence[Real]]:
    """Round numbers at points to decimals, by float64s where these decide."""
    rows = []
    for at, *floats in zip(x, *numbers, strict=True):
        few = to.digits <= DIGITS_BY_FLOAT64
        row: list[Any] = [few and decimal_by_float64(float(y), to.digits) for y in floats]
        rows.append(row if all(row) else _sizes(errors_at(pair, at, to)))
    return list(zip(*rows, strict=True))


def confirm_errors(pair: Comparison, x: Any, row: Sequence[Any]) -> None:
    """Let mpmath confirm target, form, absolute and relative error at x."""
    if (isinstance(x, float) and not math.isfinite(x)) or at_kink(pair, x):
        return
    target, approx, *errors = row
    confirm(target, pair.target, pair.quantity, x)
    confirm(approx, pair.form, pair.quantity, x)
    for found, relative in zip(errors, (False, True), strict=True):
        confirm_error(pair, x, found, relative=relative)
