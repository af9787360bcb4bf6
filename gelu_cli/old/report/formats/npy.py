"""NumPy's file of an array, with a field for each column."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from io import BytesIO

from gelu_cli.old.report import Page, Report
from gelu_cli.old.report.formats._columns import Typed, columns_of

SUFFIXES = (".npy",)
BINARY = True


def render(report: Report, page: Page) -> Iterator[bytes]:
    """Yield the report as a structured array: `np.load(file)["x"]` is the column x.

    Numbers are float64s, or int64s where all are whole by nature, and bit patterns are unsigned
    integers of their width; a cell that is empty is NaN.
    """
    import numpy as np

    columns = columns_of(report)
    fields = [(column.name, _field(column)) for column in columns]
    array = np.empty(sum(map(len, columns[0].parts)), fields)
    for column in columns:
        empty, first = "" if column.holds is str else np.nan, 0
        for part in column.parts:
            few = isinstance(part, Sequence)
            cells = [empty if cell is None else cell for cell in part] if few else part
            array[column.name][first : first + len(part)] = cells
            first += len(part)
    out = BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the version of the file that has names in any script
        np.lib.format.write_array(out, array)
    yield out.getvalue()


def _field(column: Typed) -> str:
    if column.bits:
        return f"<u{column.bits // 8}"
    if column.holds is str:
        return f"<U{max(column.longest, 1)}"
    return "<i8" if column.holds is int else "<f8"
