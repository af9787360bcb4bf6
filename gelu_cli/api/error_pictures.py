"""Pictures of the largest errors in each part of the inputs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from gelu_cli.api.verdict_views import Row
from gelu_cli.output.pictures import LARGEST, Axis, Picture

if TYPE_CHECKING:
    from gelu_cli.api.records import Record

FAR, LINEAR, LINEAR_ULP = 100.0, 0.01, 0.01
"""The ends of the axes of inputs, and of their linear parts."""


def picture_of(record: Record, limit: Fraction | None = None) -> Picture:
    """Draw the largest error in each part of x: the rows of the view `plot`.

    Inputs beyond ±100 belong to the outermost parts. Pairs of inputs have a map for each kernel.
    `limit` is a bound in ULP.
    """
    title = f"Largest errors of {record.subject}"
    rows: dict[str, list[Row]] = {row["kernel"]: [] for row in record.kernels}
    for row in record.rows("plot"):
        if None in row.values():
            continue
        rows.setdefault(row["kernel"], []).append(row)
    every = [row for each in rows.values() for row in each]
    x = _edges(every, "low", "high")
    beyond = f"; beyond ±{FAR:g} in the outermost parts"
    names = ("gate", "up") if record.question.get("glu") else ("x", "upstream")
    axes = [Axis(name + beyond, LINEAR) for name in names]
    if record.pairs:
        up = _edges(every, "up_low", "up_high")
        maps = {name: _largest(each, x, up) for name, each in rows.items()}
        return Picture(title, x, maps, axes[0], axes[1], y=up)
    steps = {name: np.repeat(_largest(each, x, np.arange(2))[0], 2) for name, each in rows.items()}
    levels = {"½ ULP": 0.5}
    if limit is not None:
        bound = float(min(limit, Fraction(LARGEST)))
        levels[f"bound: {bound:g} ULP"] = bound
    errors = Axis("largest error in ULP", LINEAR_ULP)
    return Picture(title, np.repeat(x, 2)[1:-1], steps, axes[0], errors, levels)


def _edges(rows: Sequence[Row], low: str, high: str) -> np.ndarray:
    """List the ends of the parts of an axis, up to ±100."""
    ends = np.unique([row.get(name, 0.0) for row in rows for name in (low, high)])
    near = np.unique(np.clip(ends, -FAR, FAR))
    return near if len(near) > 1 else ends


def _largest(rows: Sequence[Any], x: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Find the largest error in each part; NaN without inputs."""
    errors = np.full((len(up) - 1, len(x) - 1), math.nan)
    for row in rows:
        place = _part(up, row.get("up_low", 0)), _part(x, row["low"])
        errors[place] = np.fmax(errors[place], row["max_ulp"])
    return errors


def _part(edges: np.ndarray, low: float) -> int:
    """Find the part that holds the numbers above `low`."""
    return int(np.clip(np.searchsorted(edges, low, "right") - 1, 0, len(edges) - 2))
