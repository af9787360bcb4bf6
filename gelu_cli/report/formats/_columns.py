"""A report as columns of one type each, for formats that must know it before the first row.

Whether all cells of a column are numbers, how long its texts are and how many rows there are is
known after the last row. Until then the blocks wait in a temporary file.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from itertools import cycle, islice
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeAlias

from gelu_cli.report import Block, Cell, Labelled, Report, blocks_of
from gelu_cli.report.numbers import FLOAT64_DIGITS, machine_text

if TYPE_CHECKING:
    from gelu_cli.report import Floats

IN_MEMORY = 1 << 24
"""Bytes; longer reports wait on the disk."""

TYPES = (str, float, int)
"""The types of columns, widest first: each holds every value of those after it."""

Part: TypeAlias = "Sequence[Cell] | Floats"
"""Some cells of a column; in an array they are float64s."""


class Kind:
    """The type of a column, widened by every cell that is seen."""

    def __init__(self, name: str, long: bool) -> None:
        self.name = name
        self.long = long
        """Whether numbers have more digits than a float64, which would lose some."""
        self.types: set[type[int | float | str]] = {int}
        self.lengths = {0}
        """Characters that cells have as text."""

    def see(self, part: Part) -> None:
        """Widen the type so that it holds these cells."""
        if not isinstance(part, Sequence):
            self.types.add(float)
            return
        self.types |= {self._type_of(cell) for cell in part}
        self.lengths |= {len(machine_text(cell)) for cell in part}

    @property
    def holds(self) -> type[int | float | str]:
        """The narrowest type that holds all cells; one that holds NaN, if some are empty."""
        return next(each for each in TYPES if each in self.types)

    @property
    def bits(self) -> int:
        """The width of the bit patterns that the column holds, 0 if it holds anything else."""
        if not self.name.endswith("_bits") or float in self.types or len(self.lengths) != 2:
            return 0
        return 4 * (max(self.lengths) - len("0x"))

    def values(self, part: Part) -> Part:
        """Return cells as values of that type, None where they are empty."""
        if not isinstance(part, Sequence):
            return part
        if self.bits:
            return [int(str(cell), 16) for cell in part]
        as_type: Any = machine_text if self.holds is str else self.holds
        return [None if cell is None else as_type(cell) for cell in part]

    def _type_of(self, cell: Cell) -> type[int | float | str]:
        if isinstance(cell, str | int):
            return type(cell)
        digits = len(cell.as_tuple().digits) if isinstance(cell, Decimal) else 0
        is_long = cell is not None and (self.long or digits > FLOAT64_DIGITS)
        return str if is_long else float


class Columns(NamedTuple):
    """A report whose last row is there, so that its columns have types."""

    kinds: Sequence[Kind]
    rows: int
    kept: IO[bytes]

    def parts(self) -> Iterator[list[Part]]:
        """Yield the columns of one block after the other, of their types."""
        end = self.kept.tell()
        self.kept.seek(0)
        while self.kept.tell() < end:
            parts = _parts(pickle.load(self.kept))
            yield [kind.values(part) for kind, part in zip(self.kinds, parts, strict=True)]


@contextmanager
def columns_of(report: Report) -> Iterator[Columns]:
    """Read a report; what is kept of it is gone when the context ends."""
    long = report.digits is not None and report.digits > FLOAT64_DIGITS
    kinds = [Kind(column.name, long) for column in report.columns]
    rows = 0
    with SpooledTemporaryFile(IN_MEMORY) as kept:
        for block in filter(len, blocks_of(report)):
            rows += len(block)
            for kind, part in zip(kinds, _parts(block), strict=True):
                kind.see(part)
            pickle.dump(block, kept, pickle.HIGHEST_PROTOCOL)
        yield Columns(kinds, rows, kept)


def _parts(block: Block) -> list[Part]:
    """Return the columns of a block."""
    if isinstance(block, Labelled):
        labels = islice(cycle(block.labels), len(block))
        return [*zip(*labels, strict=True), *block.floats.T]
    return [*zip(*block, strict=True)] if isinstance(block, Sequence) else [*block.T]
