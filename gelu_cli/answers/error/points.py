"""What are a form and its target at these points, and how far apart?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat

from gelu_cli.answers import report_of
from gelu_cli.answers.error.line import title_of
from gelu_cli.answers.table import x_cell
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.calculus.comparison import Comparison
from gelu_cli.calculus.point_errors import errors_at_points
from gelu_cli.parallel import in_order
from gelu_cli.report import Block, Labelled, Report, Row, stream_of
from gelu_cli.values.evaluate import absolute, rounding_to
from gelu_cli.values.points import BULK, ManyPoints, Points

NAMES = ("form", "quantity", "x", "target", "approx", "abs_error", "rel_error")
FEW_AT_ONCE, MANY_AT_ONCE = 256, 4096
"""What is exact takes its time, and rows are to appear soon."""


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
