"""Figures measured elsewhere, drawn over the curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.report.plots import Plot, Trace
from gelu_cli.values.evaluate_arrays import evaluate_array

if TYPE_CHECKING:
    from gelu_cli.arithmetic.format_arrays import Array
    from gelu_cli.calculus.comparison import Comparison


class Series(NamedTuple):
    """Figures at some x, and what the legend calls them."""

    name: str
    x: Array
    y: Array


def with_series(plot: Plot, series: Sequence[Series]) -> Plot:
    """Return a plot with figures as points over its curves, those beyond its range left out.

    >>> from gelu_cli.report.plots import Axis
    >>> from gelu_cli.report.plots.scales import Linear
    >>> axis, x = Axis("x", Linear()), np.array([0.0, 1.0])
    >>> plot = Plot("", axis, axis, [Trace("curve", x, x)])
    >>> with_series(plot, [Series("measured", np.array([0.5, 3.0]), x)]).points[0].x.tolist()
    [0.5]
    """
    low = min(float(trace.x.min()) for trace in plot.traces)
    high = max(float(trace.x.max()) for trace in plot.traces)
    points = []
    for name, x, y in series:
        inside = (low <= x) & (x <= high) & np.isfinite(y)
        points.append(Trace(name, x[inside], y[inside]))
    return plot._replace(points=points)


def errors_of_series(series: Sequence[Series], comparison: Comparison, error: str) -> list[Series]:
    """Return the errors of figures, "absolute" or "relative", against the target of a comparison.

    They are differences of float64s: what is drawn, and no digits, comes of them.
    """
    found = []
    for name, x, y in series:
        (target,) = evaluate_array(comparison.target, [comparison.quantity], x, FLOAT64)
        with np.errstate(all="ignore"):  # at infinities, and where the target is 0
            off = y - target
            found.append(Series(name, x, off if error == "absolute" else off / target))
    return found
