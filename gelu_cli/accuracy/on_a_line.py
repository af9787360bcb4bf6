"""Results on a line to which all exact values round.

Half of all float32s are next to 0 or far out, where GELUs are x/2, x or 0 to within ¼ ULP.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gelu_cli.accuracy.monotony import End, Ends
from gelu_cli.accuracy.question import Question
from gelu_cli.accuracy.regions import Region, cells_of
from gelu_cli.accuracy.runs import BINADE, FLOAT32, Run
from gelu_cli.accuracy.tally import ROW, Rows, Tally
from gelu_cli.numbers.cells import Floats
from gelu_cli.numbers.formats import LITTLE
from gelu_cli.numbers.patterns import ulps


def line_at(question: Question, run: Run, x: Any) -> Any:
    """Return the line at float32s if all exact values round to it, else None."""
    if question.result is not FLOAT32 or not (run.side or not run.a.any()):
        return None
    if run.slope:
        exact = abs(run.slope) == 1 or (abs(run.slope) == 0.5 and run.first >= 2 * BINADE)
        return np.float32(run.slope) * x if exact else None
    level = np.float32(run.level)
    return np.full(len(x), level) if level == run.level else None


def add_on_line(
    run: Run, region: Region, x: Any, first: int, tally: Tally, keep: int, weight: Floats
) -> Ends:
    """Add results on a line at float32s of one binade."""
    count, at = len(x), first - run.first
    y = run.line(x[[0, -1]])
    far = np.abs(run.sum_at(np.array([at, at + count - 1]))) * run.unit
    if x[0] == 0:
        far[0] = 0.0
    below = (np.abs(np.frexp(y)[0]) == 0.5) & (run.side * y < 0) & (np.abs(y) > 2.0**FLOAT32.emin)
    unit = ulps(FLOAT32, y) / np.where(below, 2.0, 1.0)
    errors = far / unit
    if run.side:
        errors = np.where((errors == 0) & (x[[0, -1]] != 0), LITTLE, errors)
    tally.count(inputs=count, judged=count, **_sums(run, at, count, weight, unit, errors))
    cells = np.searchsorted(cells_of(FLOAT32, region), np.abs(x[[0, -1]]), "right") - 1
    np.maximum.at(tally.peaks, cells, errors)
    if errors.max() >= tally.bar("ulp", keep):
        tally.keep("ulp", _rows(run, x, at, unit, errors, keep), keep)
    for i in (0, -1):
        row = float(x[i]), 1.0, float(y[i])
        tally.keep("abs", np.array([(far[i], *row)], ROW))
        if abs(y[i]) >= 2.0**FLOAT32.emin:
            tally.keep("rel", np.array([(far[i] / abs(y[i]), *row)], ROW))
    first_end, last_end = (End(float(x[i]), float(y[i]), float(y[i])) for i in (0, -1))
    return first_end, last_end


def _sums(run: Run, at: int, count: int, weight: Floats, unit: Floats, errors: Floats) -> Any:
    """Sum the errors as a tally does."""
    ulp = abs(run.total(at, at + count)) * run.unit / unit[1]
    if unit[0] != unit[1]:
        ulp += errors[0] / 2
    if not len(weight):
        return {"ulp": ulp}
    each = count // len(weight)
    middles = run.sum_at(at + (np.arange(len(weight)) + 0.5) * each) * run.unit
    squares = each * float(weight @ middles**2)
    total = each * float(weight.sum())
    return {"ulp": ulp, "weight": total, "squares": squares, "least": squares}


def _rows(run: Run, x: Any, at: int, unit: Floats, errors: Floats, keep: int) -> Rows:
    """Return results at the end with the larger errors."""
    count = len(x)
    ahead = errors[0] >= errors[1]
    some = np.arange(min(keep, count)) if ahead else np.arange(max(0, count - keep), count)
    rows = np.zeros(len(some), ROW)
    rows["x"], rows["got"], rows["up"] = x[some], run.line(x[some]), 1.0
    rows["size"] = np.abs(run.sum_at(at + some)) * run.unit / unit[1]
    rows["size"][0 if ahead else -1] = errors.max()
    return rows
