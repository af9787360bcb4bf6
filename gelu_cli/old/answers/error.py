"""How far is a form from GELU, or another form, as real numbers: over a line and over points?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import chain, pairwise, repeat
from typing import TYPE_CHECKING, NamedTuple

from gelu_cli.old.answers import report_of
from gelu_cli.old.answers.table import x_cell
from gelu_cli.old.answers.words import minus
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.calculus.comparison import Comparison, End, ErrorSummary, summarise
from gelu_cli.old.calculus.integrals import check_sigma
from gelu_cli.old.calculus.point_errors import errors_at_points
from gelu_cli.old.calculus.stretches import check_range
from gelu_cli.old.parallel import in_order
from gelu_cli.old.report import Block, Cell, Ending, Labelled, Report, Row, Sentence
from gelu_cli.old.stages import part
from gelu_cli.old.values.evaluate import absolute, evaluate, rounding_to
from gelu_cli.old.values.points import BULK, ManyPoints, Points

if TYPE_CHECKING:
    from gelu_cli.old.calculus.point_summary import Errors, Maxima, Summary
    from gelu_cli.old.calculus.sums_and_percentiles import Sum

DEFAULT_FORMS = ("tanh", "sigmoid")
DEFAULT_TARGET = "exact"
DEFAULT_RANGE = (Fraction(-10), Fraction(10))
POWERS = [Fraction(2) ** k for k in range(7)]
EDGES = [*(-power for power in reversed(POWERS)), Fraction(0), *POWERS]
"""The regions meet at 0, ±1, ±2, ±4, … ±64."""

NAMES = ("form", "quantity", "x", "target", "approx", "abs_error", "rel_error")
SUPREMA = "max_abs_error max_abs_x max_rel_error max_rel_x"
FEW_AT_ONCE, MANY_AT_ONCE = 256, 4096
"""What is exact takes its time, and rows are to appear soon."""

SURE = 15
"""Digits of an average: the errors are rounded to float64s before they are added up."""


def summary(
    comparisons: Sequence[Comparison],
    low: End = DEFAULT_RANGE[0],
    high: End = DEFAULT_RANGE[1],
    sigma: Fraction = Fraction(1),
    mean: Fraction = Fraction(0),
    *,
    digits: int | None = None,
) -> Report:
    """Return a row for each form and metric, and in words where each form is worst."""
    check_range(low, high)
    check_sigma(sigma)
    rounding = rounding_to(digits)

    def stream() -> Iterator[list[Row] | Ending]:
        facts = {"range": _range(low, high), "averages": normal_in_words(mean, sigma)}
        notes, words = [], []
        for comparison in comparisons:
            label = comparison.form.label
            with part(label):
                found = summarise(comparison, low, high, sigma, rounding, mean)
            key = label, comparison.quantity
            yield [
                (*key, "max_abs_error", found.max_abs_error, found.max_abs_error_x),
                (*key, "max_rel_error", found.max_rel_error, found.max_rel_error_x),
                (*key, "mean_abs_error", found.mean_abs_error, None),
                (*key, "rms_error", found.rms_error, None),
            ]
            facts[label] = _in_words(comparison, found)
            words.append(Sentence("worst", f"{label} is {facts[label]}.", found._asdict()))
            average, rms = float(found.mean_abs_error), float(found.rms_error)
            said = f"the error of {label} is {average:.3g} on average, {rms:.3g} RMS."
            figures = {"mean_abs_error": average, "rms_error": rms}
            words.append(Sentence("average", f"For {facts['averages']} {said}", figures))
            if math.isinf(found.max_rel_error):
                notes.append(_unbounded(comparison, found))
        facts["more"] = "--view regions, the suprema by region of x"
        yield Ending(facts, notes, words=words)

    names = "form quantity metric value x"
    return report_of(title_of(comparisons), names, stream(), digits, keys=3, headed=True)


def regions(
    comparisons: Sequence[Comparison],
    low: End = DEFAULT_RANGE[0],
    high: End = DEFAULT_RANGE[1],
    *,
    digits: int | None = None,
) -> Report:
    """Return a row for each form and region of the range, with the suprema in it."""
    check_range(low, high)
    rounding = rounding_to(digits)
    ends = [low, *(edge for edge in EDGES if low < edge < high), high]

    def row(comparison: Comparison, left: End, right: End) -> Row:
        with part(f"{comparison.form.label} from {float(left):g} to {float(right):g}"):
            largest = (
                *comparison.largest_difference(left, right, rounding)[:2],
                *comparison.largest_ratio(left, right, rounding)[:2],
            )
        return comparison.form.label, comparison.quantity, float(left), float(right), *largest

    rows = ([row(each, *pair) for pair in pairwise(ends)] for each in comparisons)
    names, facts = f"form quantity low high {SUPREMA}", {"range": _range(low, high)}
    title = f"{title_of(comparisons)} by region"
    return report_of(title, names, rows, digits, keys=4, facts=facts)


def title_of(comparisons: Sequence[Comparison]) -> str:
    """Return what is compared with what."""
    _, target, quantity = comparisons[0]
    return f"Error of the {quantity} against {target.label}"


def normal_in_words(mean: Fraction, sigma: Fraction) -> str:
    """Return how the inputs are distributed.

    >>> normal_in_words(Fraction(0), Fraction(1, 2))
    'X ~ N(0, 0.5²)'
    """
    return f"X ~ N({float(mean):g}, {float(sigma):g}{'²' * (sigma != 1)})"


def _range(low: End, high: End) -> str:
    return f"{float(low):g} to {float(high):g}, suprema at critical points and ends"


def _in_words(comparison: Comparison, summary: ErrorSummary) -> str:
    """Return where a form is worst, and what its relative error there is relative to."""
    at = minus(f"{float(summary.max_abs_error_x):.4g}")
    words = (
        f"farthest from {comparison.target.label} at x = {at}, "
        f"by {float(summary.max_abs_error):.3g}; "
    )
    x = float(summary.max_rel_error_x)
    at, limit = minus(f"{x:.4g}"), f"as x → {'−' * (x < 0)}∞"
    if math.isinf(summary.max_rel_error):
        near = limit if math.isinf(x) else f"near x = {at}"
        return words + f"its relative error has no bound {near}"
    (target,) = evaluate(comparison.target, [comparison.quantity], x, FLOAT64)
    words += f"its largest relative error is {float(summary.max_rel_error):.3g}, "
    if math.isinf(x):
        return words + limit
    if not target:
        return words + f"next to x = {at}, where {comparison.target.label} is 0"
    return words + f"at x = {at}, where {comparison.target.label} is {minus(f'{target:.3g}')}"


def _unbounded(comparison: Comparison, summary: ErrorSummary) -> str:
    form, target, x = comparison.form.label, comparison.target.label, summary.max_rel_error_x
    if summary.max_rel_error_is_bounded:
        return f"the relative error of {form} is beyond float64 there; --digits 6 prints it"
    if math.isinf(x):
        why = f"{target} goes to 0 faster than {form} as x → {'−' if x < 0 else ''}∞"
    else:
        zero = f"the {comparison.quantity} of {target} is 0"
        why = f"near x = {float(x):.6g} {zero} where {form}'s is not"
    return f"the relative error of {form} has no bound: {why}"


# At points


def at_points(
    blocks: Iterable[Points],
    comparisons: Sequence[Comparison],
    *,
    digits: int | None = None,
    jobs: int = 1,
) -> Report:
    """Return a row for each point and form: both numbers, and the errors between them.

    A relative error is infinite, or NaN, where the target is 0 and the form is not, or is too.
    """
    rounding = rounding_to(digits)
    decimals = Decimals(digits) if digits else None

    def rows(points: Points, comparison: Comparison) -> Iterator[Row]:
        target, approx, *errors = errors_at_points(comparison, points, rounding)
        x = [x_cell(number, decimals) for number in points.numbers()]
        sizes = (list(map(absolute, column)) for column in errors)
        key = repeat(comparison.form.label), repeat(comparison.quantity)
        return zip(*key, x, target, approx, *sizes, strict=False)

    def block(points: Points) -> Block:
        if decimals is None and isinstance(points, ManyPoints):
            return _labelled(points, comparisons)
        by_form = (rows(points, each) for each in comparisons)
        return list(chain.from_iterable(zip(*by_form, strict=True)))

    def parts() -> Iterator[Points]:
        for points in blocks:
            many = MANY_AT_ONCE if decimals else BULK
            size = many if points.many else FEW_AT_ONCE
            for at in range(0, len(points), size):
                yield points[at : at + size]

    made = in_order(block, parts(), jobs, is_large=lambda part: part.many)
    title = f"{title_of(comparisons)} at points"
    return report_of(title, NAMES, made, digits, keys=3, facts={})


def _labelled(points: ManyPoints, comparisons: Sequence[Comparison]) -> Labelled:
    """Return the rows of points whose errors are float64s."""
    import numpy as np

    from gelu_cli.old.calculus.point_errors_arrays import errors_of_array

    by_form = []
    for comparison in comparisons:
        target, approx, *errors = errors_of_array(comparison, points.array)
        by_form.append(np.column_stack([points.array, target, approx, *map(np.abs, errors)]))
    labels = [(each.form.label, each.quantity) for each in comparisons]
    return Labelled(labels, np.stack(by_form, axis=1).reshape(-1, by_form[0].shape[1]))


# Over points


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
            key = comparison.form.label, comparison.quantity
            true = expected[i]._asdict() if expected else {}
            for metric, value, x in self._metrics(errors):
                row = *key, metric, value, x
                rows.append((*row, true.get(metric)) if expected else row)
            words[key[0]] = _at_worst(comparison, errors.maxima)
        if expected:
            words["true value"] = "the supremum over all x, or the average"
        names = "form quantity metric value x" + " true_value" * bool(expected)
        return self._report("", names, rows, words)

    def regions(self) -> Report:
        """Return a row for each form and region that the points span, with the maxima there."""
        rows: list[Row] = []
        for comparison, errors in self._pairs():
            for region in errors.regions:
                cells: list[Cell] = [0, None, None, None, None]
                if maxima := region.maxima:
                    both = maxima.absolute, maxima.relative
                    pairs = [(self._number(each.value), self._x(each.x)) for each in both]
                    cells = [maxima.n, *chain(*pairs)]
                ends = self._x(region.low), self._x(region.high)
                rows.append((comparison.form.label, comparison.quantity, *ends, *cells))
        return self._report(" by region", f"form quantity low high n {SUPREMA}", rows, {}, keys=4)

    def histogram(self) -> Report:
        """Return a row for each form and power of ten: how many errors are between."""
        rows: list[Row] = [
            [comparison.form.label, comparison.quantity, *size]
            for comparison, errors in self._pairs()
            for size in errors.sizes
        ]
        return self._report(" by size", "form quantity low high count", rows, {}, keys=4)

    def _pairs(self) -> Iterator[tuple[Comparison, Errors]]:
        return zip(self.comparisons, self.found.errors, strict=True)

    def _metrics(self, errors: Errors) -> Iterator[tuple[str, Cell, Cell]]:
        from gelu_cli.old.calculus.point_summary import PERCENTS

        absolute, relative = errors.maxima.absolute, errors.maxima.relative
        yield "n", errors.maxima.n, None
        yield "max_abs_error", self._number(absolute.value), self._x(absolute.x)
        yield "mean_abs_error", self._average(errors.mean), None
        yield "rms_error", self._average(errors.rms), None
        for percent, value in zip(PERCENTS, errors.percentiles, strict=True):
            yield f"p{percent}_abs_error", self._number(value), None
        yield "max_rel_error", self._number(relative.value), self._x(relative.x)

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
        self, kind: str, names: str, rows: list[Row], words: Mapping[str, str], keys: int = 3
    ) -> Report:
        span = self.found.span
        kinds = {"NaN": span.nan, "infinite": span.infinite}
        count, said = sum(kinds.values()), [f"{n:,} {name}" for name, n in kinds.items() if n]
        those = "1 point that is" if count == 1 else f"{count:,} points that are"
        left_out = f"{those} not finite: {', '.join(said)}" if said else ""
        ends = f"{span.low:.6g} to {span.high:.6g}" if span.n > 1 else f"x = {span.low:.6g}"
        facts = {"points": f"{span.n:,} from {self.source}, {ends}", **words}
        if left_out:
            facts["left out"] = left_out
        title = f"{title_of(self.comparisons)} at {span.n:,} point{'s' * (span.n != 1)}{kind}"
        notes = [f"left out: {left_out}"] if left_out else []
        return report_of(title, names, [rows], self.digits, keys, facts=facts, notes=notes)


def _at_worst(comparison: Comparison, maxima: Maxima) -> str:
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
