"""Pictures: forms, their derivatives and errors over a range, and what sweeps have found."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from gelu_cli.answers.sweep import formats_of
from gelu_cli.answers.table import HEADINGS
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.formats import FLOAT64, Format
from gelu_cli.arithmetic.rounding import Array
from gelu_cli.calculus.stretches import check_range
from gelu_cli.errors import UsageError, unknown
from gelu_cli.forms import Form
from gelu_cli.kernels.regions import CELLS, Region, cell_starts, regions
from gelu_cli.kernels.rows import short_text
from gelu_cli.report.numbers import machine_text
from gelu_cli.report.plots import Axis, Level, Mark, Plot, Tick, Trace
from gelu_cli.report.plots.scales import Linear, Logarithmic, Piecewise, Symmetric
from gelu_cli.stages import tell
from gelu_cli.values.evaluate_arrays import evaluate_array

if TYPE_CHECKING:
    from gelu_cli.calculus.comparison import Comparison as FormComparison
    from gelu_cli.kernels.comparing import Comparison
    from gelu_cli.kernels.verdict import Verdict

DEFAULT_FORMS = ("exact",)
DEFAULT_QUANTITIES = ("value", "gradient")
ERRORS = ("absolute", "relative")
POINTS = 401
"""Two for every column of the widest terminal, and the middle one."""

LEAST_EXPONENT = -307
DECADES = 3
"""The smallest of several errors has so many decades on either side of 0."""


def plot_forms(
    forms: Sequence[Form], quantities: Sequence[str], low: Fraction | float, high: Fraction | float
) -> Plot:
    """Return the plot of forms over [low, high], every point correctly rounded.

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
    label = ", ".join(quantities).replace("_", " ")
    return Plot(_title(forms, label), Axis("x", Linear()), Axis(label, Linear()), traces)


def plot_errors(
    comparisons: Sequence[FormComparison], kind: str, low: Fraction | float, high: Fraction | float
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
    _, target, quantity = comparisons[0]
    label = (
        f"form - {target.label}"
        if kind == "absolute"
        else f"(form - {target.label})/{target.label}"
    )
    return Plot(
        f"{kind.capitalize()} error of the {quantity} against {target.label}",
        Axis("x", Linear()),
        Axis(label, Symmetric(_least(traces))),
        traces,
        levels=[Level(0.0, "")],
    )


def _broken_at_zeros(trace: Trace, comparison: FormComparison) -> Trace:
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


def _title(forms: Sequence[Form], label: str) -> str:
    return f"{', '.join(form.label for form in forms)}: {label}"


def _least(traces: Sequence[Trace]) -> float:
    """Return the size from which on a scale for errors is logarithmic, a power of 10.

    It is DECADES below the largest error of the best form, or, where no error changes its sign,
    below all of them: nothing is to be seen around 0 then.
    """
    errors = [trace.y[np.isfinite(trace.y) & (trace.y != 0)] for trace in traces]
    errors = [y for y in errors if len(y)]
    if not errors:
        return 1.0
    if all(len(set(np.sign(y).tolist())) == 1 for y in errors):
        least = math.floor(math.log10(min(float(np.abs(y).min()) for y in errors)))
    else:
        least = math.ceil(math.log10(min(float(np.abs(y).max()) for y in errors))) - DECADES
    return float(f"1e{max(least, LEAST_EXPONENT)}")


# Sweeps

LEAST_ULP = 0.01
"""Smaller errors stand here: they are as good as none."""

MARKS = 3
DIGITS = 6
MOST = Fraction(10) ** 300
"""Where an error beyond float64 stands."""


def plot_sweep(verdicts: Sequence[Verdict]) -> Plot:
    """Return the plot of the largest error in each part of the inputs, and of the worst inputs.

    On the axis of x the regions that `gelu sweep --view regions` has are equally wide, so that
    every binade of either sign is seen; within one, so are equal shares of the numbers.
    """
    question = verdicts[0].question
    targets = _listed(verdict.question.form.label for verdict in verdicts)
    quantities = _listed(verdict.question.quantity for verdict in verdicts)
    if question.upstream != 1:
        quantities = f"{machine_text(question.upstream)}·{quantities}"
    count = MARKS if len(verdicts) == 1 else 1
    return Plot(
        f"Largest errors in {formats_of(question)}, {_inputs(verdicts)}",
        Axis("x (regions equally wide)", _scale_of_regions(question.dtype)),
        Axis(f"ULP of the {quantities} of {targets}", Logarithmic(LEAST_ULP)),
        [_staircase(verdict.name, question.dtype, verdict.total.peaks) for verdict in verdicts],
        [mark for verdict in verdicts for mark in _marks(verdict, count, len(verdicts) > 1)],
        [Level(0.5, "0.5 ULP")],
    )


def plot_comparison(found: Comparison) -> Plot:
    """Return the plot of a sweep of both kernels, and of how far apart they are in each part.

    Where no results differ that trace has a gap.
    """
    plot = plot_sweep(found.verdicts)
    peaks = {cell: count.largest for cell, count in found.seen.cells.items() if count.differ}
    apart = _staircase("|a - b|", found.a.question.dtype, peaks)
    return plot._replace(
        title=plot.title.replace("Largest errors", "Errors and differences"),
        traces=[*plot.traces, apart] if peaks else plot.traces,
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _inputs(verdicts: Sequence[Verdict]) -> str:
    if not all(verdict.complete for verdict in verdicts):
        return "part of the inputs"
    return "every input" if all(verdict.exhaustive for verdict in verdicts) else "a sample"


def _scale_of_regions(number_format: Format) -> Piecewise:
    starts = cell_starts(number_format)
    _, first = np.unique(starts, return_index=True)  # few numbers may leave cells empty
    values, positions = starts[first], first / CELLS
    half = regions(number_format)[: len(regions(number_format)) // 2]
    edges = [Tick(float(place), _edge(region)) for place, region in enumerate(half)]
    far = [Tick(-tick.position, f"-{tick.label}") for tick in edges[1:]]
    telling = sorted([*edges, *far], key=lambda tick: (_rank(tick.label), -tick.position))
    return Piecewise([*-values[:0:-1], *values], [*-positions[:0:-1], *positions], telling)


def _edge(region: Region) -> str:
    if 0 < region.low < 0.1:
        return f"2^{np.log2(region.low):.0f}"
    return f"{region.low:g}"


def _rank(label: str) -> int:
    """Return which labels are to be seen first where there is no room for all."""
    order = ("0", "1", "16", "4", "0.25", "2^-12")
    size = label.removeprefix("-")
    return order.index(size) if size in order else len(order)


def _staircase(name: str, dtype: Format, peaks: Mapping[int, float]) -> Trace:
    """Return a staircase with a step for each cell, and a gap for each that has no inputs."""
    starts = cell_starts(dtype)
    half = len(starts) - 1
    order = [*range(2 * half - 1, half - 1, -1), *range(half)]
    held = [cell for cell in order if starts[cell % half] < starts[cell % half + 1]]
    looked_at = [place for place, cell in enumerate(held) if cell in peaks]
    x, y = [], []
    for cell in held[looked_at[0] : looked_at[-1] + 1] if looked_at else []:
        low, high = starts[cell % half], starts[cell % half + 1]
        x += [low, high] if cell < half else [-high, -low]
        y += [peaks.get(cell, math.nan)] * 2
    return Trace(name, np.array(x), np.array(y))


def _marks(verdict: Verdict, count: int, named: bool) -> list[Mark]:
    """Return first the results that are no numbers, or wrongly finite, then the largest errors."""
    name = f"{verdict.name}: " if named else ""
    dtype, result = verdict.question.dtype, verdict.question.result
    marks = [
        Mark(x, math.inf, f"{name}{short_text(got, result)} at x = {short_text(x, dtype)}")
        for x, got in verdict.failures
        if abs(x) < math.inf
    ]
    for error in verdict.worst[:count]:
        ulp = f"{Decimals(DIGITS).exactly(error.ulp).normalize():g} ULP"
        label = f"{name}{ulp} at x = {short_text(error.x, dtype)}"
        marks.append(Mark(error.x, float(min(error.ulp, MOST)), label))
    return marks[:count]
