"""Pictures of forms, their derivatives and errors over a range."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from gelu_cli.answers.plot.marks import marks_of_errors, marks_of_forms
from gelu_cli.answers.plot.titles import (
    SIGNS,
    label_of_errors,
    title_of_errors,
    title_of_forms,
)
from gelu_cli.answers.table import HEADINGS
from gelu_cli.arithmetic.format_arrays import Array
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.calculus.stretches import check_range
from gelu_cli.errors import UsageError, unknown
from gelu_cli.forms import Form
from gelu_cli.report.plots import Axis, Plot, Trace
from gelu_cli.report.plots.labels import decade
from gelu_cli.report.plots.scales import Linear, Symmetric
from gelu_cli.stages import tell
from gelu_cli.values.evaluate_arrays import evaluate_array

if TYPE_CHECKING:
    from gelu_cli.calculus.comparison import Comparison

DEFAULT_FORMS = ("exact",)
DEFAULT_QUANTITIES = ("value", "gradient")
ERRORS = ("absolute", "relative")
POINTS = 401
"""Two for every column of the widest terminal, and the middle one."""

LEAST_EXPONENT = -307
DECADES = 3
"""The smallest of several errors has so many decades on either side of 0."""


def plot_forms(
    forms: Sequence[Form],
    quantities: Sequence[str],
    low: Fraction | float,
    high: Fraction | float,
    marked: Collection[str] = (),
) -> Plot:
    """Return the plot of forms over [low, high], every point correctly rounded.

    `marked` are the kinds of marks that it has.
    Raises `UsageError` for a range that is empty or infinite, and for a gate of a form without.

    >>> from gelu_cli.forms import find_form
    >>> (trace,) = plot_forms([find_form("relu")], ["value"], -1, 1).traces
    >>> trace.name, trace.x[[0, 200, 400]].tolist(), trace.y[[0, 200, 400]].tolist()
    ('relu', [-1.0, 0.0, 1.0], [0.0, 0.0, 1.0])
    """
    x = points_of(low, high)
    traces = []
    for form in forms:
        form.require(quantities)
        tell(form.label)
        columns = evaluate_array(form, quantities, x, FLOAT64)
        traces += [
            Trace(HEADINGS[quantity].format(form.label), x, column)
            for quantity, column in zip(quantities, columns, strict=True)
        ]
    label = ", ".join(SIGNS[quantity] for quantity in quantities)
    title = title_of_forms(forms, quantities)
    marks = marks_of_forms(forms, quantities, marked, low, high)
    return Plot(title, Axis("x", Linear()), Axis(label, Linear()), traces, marks, through_zero=True)


def plot_errors(
    comparisons: Sequence[Comparison],
    kind: str,
    low: Fraction | float,
    high: Fraction | float,
    marked: Collection[str] = (),
) -> Plot:
    """Return the plot of form − target over [low, high], or of its ratio to the target.

    `kind` is "absolute" or "relative". The numbers are those of `gelu error`, with their signs;
    the scale is logarithmic on both sides of 0. Where the target is 0 a ratio has no value, and the
    trace a gap.
    Raises `UsageError` for any other kind, and for a range that is empty or infinite.
    """
    from gelu_cli.calculus.point_errors_arrays import errors_of_array

    if kind not in ERRORS:
        raise unknown("error", kind, ERRORS)
    x = points_of(low, high)
    traces = []
    for comparison in comparisons:
        tell(f"errors of {comparison.form.label}")
        *_, difference, ratio = errors_of_array(comparison, x)
        y = difference if kind == "absolute" else ratio
        trace = Trace(comparison.form.label, x, y)
        traces.append(_broken_at_zeros(trace, comparison) if kind == "relative" else trace)
    least = _least(traces)
    label = f"{label_of_errors(comparisons, kind)}, logarithmic beyond ±{decade(least)}"
    return Plot(
        title_of_errors(comparisons, kind),
        Axis("x", Linear()),
        Axis(label, Symmetric(float(f"1e{least}"))),
        traces,
        marks_of_errors(comparisons, kind, marked, low, high),
        through_zero=True,
    )


def _broken_at_zeros(trace: Trace, comparison: Comparison) -> Trace:
    """Return a trace of ratios with a NaN where the target goes through 0 and the ratio grows.

    Where the error goes through 0 with the target the ratio is as smooth as anywhere.
    """
    (divisor,) = evaluate_array(comparison.target, [comparison.quantity], trace.x, FLOAT64)
    y = np.where(np.isfinite(trace.y), trace.y, np.nan)
    size = np.abs(y)
    before = size[:-1] > np.append(0.0, size[:-2])
    after = size[1:] > np.append(size[2:], 0.0)
    crossed = np.flatnonzero((divisor[:-1] * divisor[1:] < 0) & (before | after))
    between = (trace.x[crossed] + trace.x[crossed + 1]) / 2
    return Trace(
        trace.name, np.insert(trace.x, crossed + 1, between), np.insert(y, crossed + 1, np.nan)
    )


def points_of(low: Fraction | float, high: Fraction | float) -> Array:
    """Return evenly spaced points from one end of a range to the other, both included."""
    if not (math.isfinite(low) and math.isfinite(high)):
        raise UsageError("a picture needs a finite range, for example --range -4:4")
    check_range(float(low), float(high))
    start, length = Fraction(low), Fraction(high) - Fraction(low)
    return np.array([float(start + length * i / (POINTS - 1)) for i in range(POINTS)])


def _least(traces: Sequence[Trace]) -> int:
    """Return the power of 10 from which on a scale for errors is logarithmic.

    It is DECADES below the largest error of the best form, or, where no error changes its sign,
    below all of them: nothing is to be seen around 0 then.
    """
    errors = [trace.y[np.isfinite(trace.y) & (trace.y != 0)] for trace in traces]
    errors = [y for y in errors if len(y)]
    if not errors:
        return 0
    if all(len(set(np.sign(y).tolist())) == 1 for y in errors):
        least = math.floor(math.log10(min(float(np.abs(y).min()) for y in errors)))
    else:
        least = math.ceil(math.log10(min(float(np.abs(y).max()) for y in errors))) - DECADES
    return max(least, LEAST_EXPONENT)
