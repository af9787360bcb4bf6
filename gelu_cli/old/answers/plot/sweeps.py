"""Pictures of what sweeps have found: the largest errors in each part of the inputs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from gelu_cli.old.answers.plot import name_of
from gelu_cli.old.answers.sweep import formats_of
from gelu_cli.old.answers.words import at
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.comparison.differences import summed
from gelu_cli.old.report.numbers import machine_text
from gelu_cli.old.report.plots import Axis, Level, Mark, Plot, Scale, Tick, Trace
from gelu_cli.old.report.plots.scales import MINUS, logarithmic, number, piecewise, power
from gelu_cli.old.sweeping.regions import CELLS, SMALL, cell_starts, regions
from gelu_cli.old.sweeping.rows import short_text, shown

if TYPE_CHECKING:
    from gelu_cli.old.comparison.differences import Comparison
    from gelu_cli.old.sweeping.regions import Ends
    from gelu_cli.old.sweeping.verdict import Verdict

LEAST_ULP = 0.01
"""Smaller errors stand here: they are as good as none."""

APART = 4
"""From so many curves on each has a frame of its own: more than three hide one another."""

MARKS = 3
DIGITS = 6
HALF = Fraction(1, 2)
"""The largest error of a correctly rounded result, in ULP."""

MOST = Fraction(10) ** 300
"""Where an error, or a bound, beyond float64 stands."""

SHADES = {"≤ ½ ULP": 0.5, "≤ 1": 1, "≤ 2": 2, "≤ 4": 4, "≤ 16": 16, "≤ 256": 256}
NO_SQUARES = {(0.0, 1.0, 0.0, 1.0)}
BEYOND = ("more", "failed")
"""The shades of a map, each with the largest error that it is for."""


def plot_sweep(verdicts: Sequence[Verdict], bound: Fraction | None = None) -> Plot:
    """Return the plot of the largest error in each part of the inputs, and of the worst inputs.

    On the axis of x the regions that `gelu sweep --view regions` has are equally wide, so that
    every binade of either sign is seen; within one, so are equal shares of the numbers. `bound` is
    the largest error allowed, a level of its own. Pairs of inputs have a map for each kernel.
    """
    question = verdicts[0].question
    targets = _listed(name_of(verdict.question.form) for verdict in verdicts)
    quantities = _listed(verdict.question.quantity for verdict in verdicts)
    if question.upstream != 1:
        quantities = f"{machine_text(question.upstream)}·{quantities}"
    where = f"in {formats_of(question)}, {_inputs(verdicts)}"
    if question.gating:
        return _maps(f"Largest errors of the {quantities} against {targets} {where}", verdicts)
    alike = _alike(verdicts)
    traces = []
    for group in alike:
        name = ", ".join(verdict.name for verdict in group) + ": the same" * (len(group) > 1)
        traces.append(_staircase(name, question.dtype, group[0].total.peaks))
    marks = [
        mark._replace(trace=place)
        for place, group in enumerate(alike)
        for mark in _marks(group, many=len(alike) > 1)
    ]
    return Plot(
        f"Largest errors {where}",
        Axis("x (regions equally wide)", _scale_of_regions(question.dtype)),
        Axis(f"error of the {quantities} against {targets}, in ULP", logarithmic(LEAST_ULP)),
        traces,
        marks,
        [*_levels(bound)],
        apart=len(alike) >= APART,
    )


def _maps(title: str, verdicts: Sequence[Verdict]) -> Plot:
    """Return the largest errors by the exponents of both inputs, in a frame for each kernel."""
    squares = {square for verdict in verdicts for square in verdict.total.peaks} or NO_SQUARES
    gates, ups = (sorted({(each[i], each[i + 1]) for each in squares}) for i in (0, 2))
    x, y = (np.array([*(low for low, _ in ends), ends[-1][1]]) for ends in (gates, ups))
    traces, marks = [], []
    for place, verdict in enumerate(verdicts):
        grid = np.full((len(ups), len(gates)), -1)
        for square, peak in verdict.total.peaks.items():
            shade = np.searchsorted([*SHADES.values()], peak) + (peak == math.inf)
            grid[ups.index(square[2:]), gates.index(square[:2])] = shade
        traces.append(Trace(verdict.name, x, y, grid))
        marks += [Mark(_middle(gates, mark.x), _middle(ups, mark.y), mark.label, place)
                  for mark in _marks([verdict], many=len(verdicts) > 1)]  # fmt: skip
    across, up = (
        Axis(f"{name}, by sign and exponent", _scale_of_cells(ends))
        for name, ends in zip(verdicts[0].question.names, (gates, ups), strict=True)
    )
    shades, heights = [*SHADES, *BEYOND], (y[0], y[-1])
    return Plot(title, across, up, traces, marks, heights=heights, apart=True, shades=shades)


def _middle(ends: Sequence[Ends], x: float) -> float:
    """Return the middle of the cell of a number, which begins where it is nearest to 0."""
    around = [each for each in ends if each[0] <= x <= each[1]]
    return sum(max(around, key=lambda each: abs(sum(each)), default=(x, x))) / 2


def _scale_of_cells(ends: Sequence[Ends]) -> Scale:
    """Return a scale with cells side by side, those of negative numbers left of 0."""
    first = -sum(low < 0 for low, _ in ends)
    places = np.arange(first, first + len(ends) + 1)
    ticks = [Tick(place + 0.5, MINUS * (low < 0) + _edge(min(abs(low), abs(high))))
             for place, (low, high) in enumerate(ends, first) if high or not low < 0]  # fmt: skip
    values, positions = np.ravel(ends).tolist(), np.repeat(places, 2)[1:-1].tolist()
    return piecewise(values, positions, _by_weight(ticks))


def plot_comparison(found: Comparison, bound: Fraction | None = None) -> Plot:
    """Return the plot of a sweep of both kernels, and of how far apart they are in each part.

    Where no results differ that trace has a gap. Of pairs it has a map of the errors of each.
    """
    plot = plot_sweep(found.verdicts, bound)
    if found.a.question.gating:
        return plot
    cells = summed((cell, count) for (_, cell), count in found.seen.cells.items())
    peaks = {cell: count.largest for cell, count in cells.items() if count.differ}
    apart = _staircase("|a − b|", found.a.question.dtype, peaks)
    return plot._replace(
        title=plot.title.replace("Largest errors", "Errors and differences"),
        traces=[*plot.traces, apart] if peaks else plot.traces,
    )


def _alike(verdicts: Sequence[Verdict]) -> list[list[Verdict]]:
    """Return verdicts in groups whose curves and marks are the same: each is drawn once."""
    groups: dict[object, list[Verdict]] = {}
    for verdict in verdicts:
        places = [mark[:2] for mark in _marks([verdict], many=True)]
        curve = tuple(sorted(verdict.total.peaks.items()))
        groups.setdefault((curve, *places), []).append(verdict)
    return [*groups.values()]


def _levels(bound: Fraction | None) -> Iterator[Level]:
    if bound != HALF:
        yield Level(0.5, "½ ULP")
    if bound is not None:
        label = "½ ULP, the bound" if bound == HALF else f"bound: {shown(bound)} ULP"
        yield Level(float(min(bound, MOST)), label)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _inputs(verdicts: Sequence[Verdict]) -> str:
    if not all(verdict.complete for verdict in verdicts):
        return "part of the inputs"
    return "every input" if all(verdict.exhaustive for verdict in verdicts) else "a sample"


def _scale_of_regions(number_format: Format) -> Scale:
    starts = cell_starts(number_format)
    _, first = np.unique(starts, return_index=True)  # few numbers may leave cells empty
    values, positions = starts[first], first / CELLS
    half = regions(number_format)[: len(regions(number_format)) // 2]
    edges = [Tick(float(place), _edge(region.low)) for place, region in enumerate(half)]
    far = [Tick(-tick.position, f"{MINUS}{tick.label}") for tick in edges[1:]]
    telling = _by_weight([*edges, *far], _edge(half[1].low))
    return piecewise([*-values[:0:-1], *values], [*-positions[:0:-1], *positions], telling)


def _by_weight(ticks: Sequence[Tick], least: str = "") -> list[Tick]:
    """Return ticks with those first that are to be seen where there is no room for all."""
    order = ["0", least, "1", "16", "4", "0.25", _edge(SMALL)]
    rank = {label: place - len(order) for place, label in enumerate(order)}
    return sorted(ticks, key=lambda tick: (rank.get(tick.label.strip(MINUS), 0), -tick.position))


def _edge(low: float) -> str:
    return power(2, round(math.log2(low))) if 0 < low < 0.1 or low > 16 else f"{low:g}"


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


def _marks(group: Sequence[Verdict], *, many: bool) -> list[Mark]:
    """Return first the results that are no numbers, or wrongly finite, then the largest errors.

    Of `many` groups each has one mark, and says whose it is. Those of pairs are at both inputs.
    """
    verdict, count = group[0], 1 if many else MARKS
    name = f"{_listed(verdict.name for verdict in group)}: " if many else ""
    paired, result = verdict.question.gating, verdict.question.result
    marks = [
        Mark(x, up if paired else math.inf,
             f"{name}{number(short_text(got, result))} {at(verdict, x, up, number)}")
        for x, got, up in verdict.failures
        if max(abs(x), abs(up)) < math.inf
    ]  # fmt: skip
    for error in verdict.errors(verdict.total)[:count]:
        ulp = number(f"{Decimals(DIGITS).exactly(error.ulp).normalize():g}")
        label = f"{name}{ulp} ULP {at(verdict, error.x, error.up, number)}"
        marks.append(Mark(error.x, error.up if paired else float(min(error.ulp, MOST)), label))
    return marks[:count]
