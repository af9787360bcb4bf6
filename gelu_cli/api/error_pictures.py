"""Pictures of the largest errors in each part of the inputs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.sweeping.regions import CELLS, SMALL, cell_starts, regions
from gelu_cli.old.sweeping.rows import shown
from gelu_cli.old.sweeping.verdict import Verdict as Found
from gelu_cli.output.pictures import Axis, Picture

Ends = tuple[float, float]

LEAST_ULP = 0.01
"""Smaller errors are drawn on a linear scale."""

MOST = 10.0**300
MINUS = "−"


def picture_of(found: Sequence[Found], limit: Fraction | None = None) -> Picture:
    """Draw the largest error of each part of x, regions equally wide.

    Pairs of inputs have a map for each kernel, by the exponents of both. `limit` is a bound.
    """
    question = found[0].question
    forms = ", ".join(dict.fromkeys(each.question.form.label for each in found))
    formats = " → ".join(dict.fromkeys((question.dtype.name, question.result.name)))
    every = "each input" if all(each.exhaustive for each in found) else "a sample"
    title = f"Largest errors of the {question.quantity} of {forms} in {formats}, {every}"
    if question.gating:
        return _maps(title, found)
    cells, positions = _cells(question.dtype)
    levels = {"½ ULP": 0.5}
    if limit is not None:
        levels[f"bound: {shown(limit)} ULP"] = float(min(limit, Fraction(MOST)))
    curves = {
        each.name: np.array([each.total.peaks.get(cell, math.nan) for cell in cells])
        for each in found
    }
    return Picture(
        title,
        positions,
        curves,
        Axis("x, regions equally wide", ticks=_ticks_of_regions(question.dtype)),
        Axis("largest error in ULP", linear=LEAST_ULP),
        steps=True,
        levels=levels,
    )


def _cells(number_format: Format) -> tuple[list[int], np.ndarray]:
    """List the cells that hold numbers by x, and positions of their edges."""
    starts = cell_starts(number_format)
    half = len(starts) - 1
    positive = [cell for cell in range(half) if starts[cell] < starts[cell + 1]]
    ends = np.array([*positive, half]) / CELLS
    cells = [*(half + cell for cell in reversed(positive)), *positive]
    return cells, np.concatenate([-ends[:0:-1], ends])


def _ticks_of_regions(number_format: Format) -> list[tuple[float, str]]:
    """List the edges of regions, those first that should be seen."""
    half = regions(number_format)[: len(regions(number_format)) // 2]
    edges = [(float(place), _edge(region.low)) for place, region in enumerate(half)]
    return _by_weight([*edges, *((-place, MINUS + label) for place, label in edges[1:])],
                      _edge(half[1].low))  # fmt: skip


def _by_weight(ticks: list[tuple[float, str]], least: str = "") -> list[tuple[float, str]]:
    order = ["0", least, "1", "16", "4", "0.25", _edge(SMALL)]
    rank = {label: place - len(order) for place, label in enumerate(order)}
    return sorted(ticks, key=lambda tick: (rank.get(tick[1].strip(MINUS), 0), -tick[0]))


def _edge(low: float) -> str:
    if 0 < low < 0.1 or low > 16:
        return f"2{str(round(math.log2(low))).translate(RAISED)}"
    return f"{low:g}"


RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _maps(title: str, found: Sequence[Found]) -> Picture:
    """Draw the largest errors by the exponents of both inputs."""
    squares = {square for each in found for square in each.total.peaks}
    gates, ups = (sorted({(each[i], each[i + 1]) for each in squares}) for i in (0, 2))
    maps = {each.name: _matrix(each.total.peaks, gates, ups) for each in found}
    axes = [
        Axis(f"{name}, by sign and exponent", ticks=_ticks_of_cells(ends))
        for name, ends in zip(found[0].question.names, (gates, ups), strict=True)
    ]
    return Picture(title, maps=maps, x_axis=axes[0], y_axis=axes[1])


def _matrix(peaks: Mapping[Any, float], gates: Sequence[Ends], ups: Sequence[Ends]) -> np.ndarray:
    matrix = np.full((len(ups), len(gates)), np.nan)
    for square, peak in peaks.items():
        matrix[ups.index(square[2:]), gates.index(square[:2])] = peak
    return matrix


def _ticks_of_cells(ends: Sequence[Ends]) -> list[tuple[float, str]]:
    ticks = [(place + 0.5, MINUS * (low < 0) + _edge(min(abs(low), abs(high))))
             for place, (low, high) in enumerate(ends) if high or not low < 0]  # fmt: skip
    return _by_weight(ticks)
