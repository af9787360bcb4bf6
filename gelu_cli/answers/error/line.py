"""How far is a form from GELU, or another form, as real numbers: over a line, and at points?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, pairwise, repeat

from gelu_cli.answers import report_of
from gelu_cli.answers.table import x_cell
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.calculus.comparison import Comparison, End, ErrorSummary, summarise
from gelu_cli.calculus.integrals import check_sigma
from gelu_cli.calculus.point_errors import errors_at_points
from gelu_cli.calculus.stretches import check_range
from gelu_cli.parallel import in_order
from gelu_cli.report import Block, Ending, Labelled, Report, Row, stream_of
from gelu_cli.stages import part
from gelu_cli.values.evaluate import absolute, evaluate, rounding_to
from gelu_cli.values.points import BULK, ManyPoints, Points

DEFAULT_FORMS = ("tanh", "sigmoid")
DEFAULT_TARGET = "exact"
DEFAULT_RANGE = (Fraction(-10), Fraction(10))
POWERS = [Fraction(2) ** k for k in range(7)]
EDGES = [*(-power for power in reversed(POWERS)), Fraction(0), *POWERS]
"""The regions meet at 0, ±1, ±2, ±4, … ±64."""

NAMES = ("form", "quantity", "x", "target", "approx", "abs_error", "rel_error")
FEW_AT_ONCE, MANY_AT_ONCE = 256, 4096
"""What is exact takes its time, and rows are to appear soon."""


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
        facts = {**_facts(low, high), "averages": normal_in_words(mean, sigma)}
        notes = []
        for comparison in comparisons:
            with part(comparison.form.label):
                summary = summarise(comparison, low, high, sigma, rounding, mean)
            yield _summary_rows(comparison, summary)
            facts[comparison.form.label] = _in_words(comparison, summary)
            if math.isinf(summary.max_rel_error):
                notes.append(_unbounded(comparison, summary))
        yield Ending(facts, notes)

    names = ("form", "quantity", "metric", "value", "x")
    return report_of(title_of(comparisons), names, stream(), digits, keys=3)


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
            return (
                comparison.form.label,
                comparison.quantity,
                float(left),
                float(right),
                *comparison.largest_difference(left, right, rounding)[:2],
                *comparison.largest_ratio(left, right, rounding)[:2],
            )

    def rows(comparison: Comparison) -> list[Row]:
        return [row(comparison, left, right) for left, right in pairwise(ends)]

    names = ["form", "quantity", "low", "high"]
    names += ["max_abs_error", "max_abs_x", "max_rel_error", "max_rel_x"]
    stream = stream_of(map(rows, comparisons), facts=_facts(low, high))
    return report_of(f"{title_of(comparisons)} by region", names, stream, digits, keys=4)


def title_of(comparisons: Sequence[Comparison]) -> str:
    """Return what is compared with what."""
    _, target, quantity = comparisons[0]
    return f"Error of the {quantity} against {target.label}"


def normal_in_words(mean: Fraction, sigma: Fraction) -> str:
    """Return how the inputs are distributed.

    >>> normal_in_words(Fraction(0), Fraction(1, 2))
    'X ~ N(0, 0.5²)'
    """
    return f"X ~ N({float(mean):g}, {float(sigma):g}²)"


def _summary_rows(comparison: Comparison, summary: ErrorSummary) -> list[Row]:
    key = comparison.form.label, comparison.quantity
    return [
        (*key, "max_abs_error", summary.max_abs_error, summary.max_abs_error_x),
        (*key, "max_rel_error", summary.max_rel_error, summary.max_rel_error_x),
        (*key, "mean_abs_error", summary.mean_abs_error, None),
        (*key, "rms_error", summary.rms_error, None),
    ]


def _facts(low: End, high: End) -> dict[str, str]:
    return {"range": f"{float(low):g} to {float(high):g}, suprema at critical points and ends"}


def _in_words(comparison: Comparison, summary: ErrorSummary) -> str:
    """Return where a form is worst, and what its relative error there is relative to."""
    words = (
        f"farthest from {comparison.target.label} at x = {float(summary.max_abs_error_x):.4g}, "
        f"by {float(summary.max_abs_error):.3g}; "
    )
    x = float(summary.max_rel_error_x)
    if math.isinf(summary.max_rel_error):
        return words + f"its relative error has no bound (x = {x:.4g})"
    (target,) = evaluate(comparison.target, [comparison.quantity], x, FLOAT64)
    share = float(summary.max_rel_error)
    return words + (
        f"relatively, which is another matter, by {share:.3g} at x = {x:.4g}, "
        f"where {comparison.target.label} is {target:.3g}"
    )


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

    parts = (part for points in blocks for part in _parts(points, decimals))
    stream = stream_of(in_order(block, parts, jobs, is_large=lambda part: part.many))
    return report_of(f"{title_of(comparisons)} at points", NAMES, stream, digits, keys=3)


def _labelled(points: ManyPoints, comparisons: Sequence[Comparison]) -> Labelled:
    """Return the rows of points whose errors are float64s."""
    import numpy as np

    from gelu_cli.calculus.point_errors_arrays import errors_of_array

    by_form = []
    for comparison in comparisons:
        target, approx, *errors = errors_of_array(comparison, points.array)
        by_form.append(np.column_stack([points.array, target, approx, *map(np.abs, errors)]))
    labels = [(each.form.label, each.quantity) for each in comparisons]
    return Labelled(labels, np.stack(by_form, axis=1).reshape(-1, by_form[0].shape[1]))


def _parts(points: Points, decimals: Decimals | None) -> Iterator[Points]:
    """Yield some points at a time."""
    size = MANY_AT_ONCE if points.many else FEW_AT_ONCE
    if decimals is None and points.many:
        size = BULK
    for at in range(0, len(points), size):
        yield points[at : at + size]
