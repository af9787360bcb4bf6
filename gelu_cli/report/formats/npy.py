"""NumPy's file of an array, with a field for each column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gelu_cli.report import Page, Report
from gelu_cli.report.formats._columns import Kind, Part, columns_of

if TYPE_CHECKING:
    import numpy as np

SUFFIXES = (".npy",)
BINARY = True

ALIGNED = 64
"""A header ends at a multiple of this many bytes (numpy.lib.format, "Format Version 1.0")."""


def render(report: Report, page: Page) -> Iterator[bytes]:
    """Yield the report as a structured array: `np.load(file)["x"]` is the column x.

    Numbers are float64s, or int64s where all are whole by nature, and bit patterns are unsigned
    integers of their width; a cell that is empty is NaN.
    """
    import numpy as np

    with columns_of(report) as columns:
        fields = [(kind.name, _field(kind)) for kind in columns.kinds]
        yield _header(np.dtype(fields), columns.rows)
        for parts in columns.parts():
            block = np.empty(len(parts[0]), fields)
            for kind, part in zip(columns.kinds, parts, strict=True):
                block[kind.name] = _filled(part, "" if kind.holds is str else np.nan)
            yield block.tobytes()


def _field(kind: Kind) -> str:
    if kind.bits:
        return f"<u{kind.bits // 8}"
    if kind.holds is str:
        return f"<U{max(*kind.lengths, 1)}"
    return "<i8" if kind.holds is int else "<f8"


def _filled(part: Part, empty: float | str) -> Part:
    """Return cells with something in the place of each that is empty."""
    if not isinstance(part, Sequence):
        return part
    return [empty if cell is None else cell for cell in part]


def _header(dtype: np.dtype[Any], rows: int) -> bytes:
    """Return what stands before the rows; the third version has names in any script."""
    text = repr({"descr": dtype.descr, "fortran_order": False, "shape": (rows,)})
    version, size = (1, 2) if text.isascii() and len(text) < 1 << 15 else (3, 4)
    before = len(b"\x93NUMPY") + 2 + size
    room = -(before + len(text.encode()) + 1) % ALIGNED
    line = text.encode() + b" " * room + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + len(line).to_bytes(size, "little") + line
