"""How far is a form from GELU over the points of a user, or over a random sample of them?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from gelu_cli.answers import report_of
from gelu_cli.answers.error.line import title_of
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.calculus.comparison import Comparison, ErrorSummary, summarise
from gelu_cli.calculus.point_summary import PERCENTS, Errors, Maxima, Summary
from gelu_cli.calculus.sums_and_percentiles import Sum
from gelu_cli.report import Cell, Report, Row, stream_of
from gelu_cli.stages import part
from gelu_cli.values.evaluate import evaluate, rounding_to

KEYS = ["form", "quantity"]
SURE = 15
"""Digits of an average: the errors are rounded to float64s before they are added up."""


def expected_of(
    comparisons: Sequence[Comparison],
    sigma: Fraction,
    mean: Fraction,
    *,
    digits: int | None = None,
) -> list[ErrorSummary]:
    """Return the suprema over the whole line and the averages for X ~ N(mean, sigma²)."""
    rounding = rounding_to(digits)
    summaries = []
    for each in comparisons:
        with part(each.form.label):
            summaries.append(summarise(each, -math.inf, math.inf, sigma, rounding, mean))
    return summaries


class OverPoints(NamedTuple):
    """What was found of each comparison over some points, and where these come from."""

    comparisons: Sequence[Comparison]
    found: Summary
    source: str
    expected: Sequence[ErrorSummary] | None = None
    """Of each comparison what holds for all X, whatever points are drawn."""

    digits: int | None = None

    def views(self) -> Mapping[str, Callable[[], Report]]:
        """Return the tables by name."""
        return {"summary": self.summary, "regions": self.regions, "histogram": self.histogram}

    def summary(self) -> Report:
        """Return a row for each form and metric, beside what is expected."""
        rows: list[Row] = []
        words = {}
        expected = self.expected
        for i, (comparison, errors) in enumerate(self._pairs()):
            true = expected[i]._asdict() if expected else {}
            for metric, value, x in self._metrics(errors):
                row = comparison.form.label, comparison.quantity, metric, value, x
                rows.append((*row, true.get(metric)) if expected else row)
            words[comparison.form.label] = _in_words(comparison, errors.maxima)
        names = [*KEYS, "metric", "value", "x", *(["true_value"] if expected else [])]
        if expected:
            words["true value"] = "the supremum over all x, or the average"
        return self._report("", names, rows, words)

    def regions(self) -> Report:
        """Return a row for each form and region that the points span, with the maxima there."""
        rows: list[Row] = [
            [
                *(comparison.form.label, comparison.quantity),
                *map(self._x, (region.low, region.high)),
                *self._maxima(region.maxima),
            ]
            for comparison, errors in self._pairs()
            for region in errors.regions
        ]
        names = [*KEYS, "low", "high", "n"]
        names += ["max_abs_error", "max_abs_x", "max_rel_error", "max_rel_x"]
        return self._report(" by region", names, rows, {})

    def histogram(self) -> Report:
        """Return a row for each form and power of ten: how many errors are between."""
        rows: list[Row] = [
            [comparison.form.label, comparison.quantity, *size]
            for comparison, errors in self._pairs()
            for size in errors.sizes
        ]
        return self._report(" by size", [*KEYS, "low", "high", "count"], rows, {})

    def _pairs(self) -> Iterator[tuple[Comparison, Errors]]:
        return zip(self.comparisons, self.found.errors, strict=True)

    def _metrics(self, errors: Errors) -> Iterator[tuple[str, Cell, Cell]]:
        absolute, relative = errors.maxima.absolute, errors.maxima.relative
        yield "n", errors.maxima.n, None
        yield "max_abs_error", self._number(absolute.value), self._x(absolute.x)
        yield "mean_abs_error", self._average(errors.mean), None
        yield "rms_error", self._average(errors.rms), None
        for percent, value in zip(PERCENTS, errors.percentiles, strict=True):
            yield f"p{percent}_abs_error", self._number(value), None
        yield "max_rel_error", self._number(relative.value), self._x(relative.x)

    def _maxima(self, maxima: Maxima | None) -> list[Cell]:
        if maxima is None:
            return [0, None, None, None, None]
        cells: list[Cell] = [maxima.n]
        for largest in (maxima.absolute, maxima.relative):
            cells += [self._number(largest.value), self._x(largest.x)]
        return cells

    def _number(self, value: Sum) -> Cell:
        if isinstance(value, float) and not math.isfinite(value):
            return value
        return rounding_to(self.digits).exactly(Fraction(value))

    def _average(self, value: Sum) -> Cell:
        """Return a mean of errors that are each rounded, with the digits that are sure."""
        if (self.digits and self.digits < SURE) or not math.isfinite(value):
            return self._number(value)
        return float(Decimals(SURE).exactly(Fraction(value)))

    def _x(self, x: float) -> Cell:
        """Return a point as it is, rounded where it has more digits than are asked for."""
        if (
            self.digits is None
            or len(Decimal(repr(x)).normalize().as_tuple().digits) <= self.digits
        ):
            return x
        return Decimals(self.digits).from_float(x)

    def _report(
        self, kind: str, names: list[str], rows: list[Row], words: dict[str, str]
    ) -> Report:
        span = self.found.span
        left_out = _left_out(span.nan, span.infinite)
        ends = f"{span.low:.6g} to {span.high:.6g}" if span.n > 1 else f"x = {span.low:.6g}"
        facts = {"points": f"{span.n:,} from {self.source}, {ends}", **words}
        if left_out:
            facts["left out"] = left_out
        title = f"{title_of(self.comparisons)} at {span.n:,} point{'s' * (span.n != 1)}{kind}"
        notes = [f"left out: {left_out}"] if left_out else []
        keys = names.index("high") + 1 if "high" in names else 3
        stream = stream_of([rows], facts=facts, notes=notes)
        return report_of(title, names, stream, self.digits, keys)


def _left_out(nan: int, infinite: int) -> str:
    """Return in words which points are no part of the figures.

    >>> _left_out(1, 2), _left_out(0, 0)
    ('3 points that are not finite: 1 NaN, 2 infinite', '')
    """
    kinds = ", ".join(f"{n:,} {name}" for n, name in ((nan, "NaN"), (infinite, "infinite")) if n)
    if not kinds:
        return ""
    those = "1 point that is" if nan + infinite == 1 else f"{nan + infinite:,} points that are"
    return f"{those} not finite: {kinds}"


def _in_words(comparison: Comparison, maxima: Maxima) -> str:
    """Return at which point a form is worst, and what its relative error is relative to."""
    target, absolute, relative = comparison.target, maxima.absolute, maxima.relative
    if absolute.value == 0:
        return f"equal to {target.label} at every point"
    (value,) = evaluate(target, [comparison.quantity], relative.x, FLOAT64)
    return (
        f"farthest from {target.label} at x = {absolute.x:.4g}, by {absolute.value:.3g}; "
        f"relatively by {relative.value:.3g} at x = {relative.x:.4g}, "
        f"where {target.label} is {value:.3g}"
    )
