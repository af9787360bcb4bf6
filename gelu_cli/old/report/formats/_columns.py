"""A report as columns of one type each, for formats that must know it before the first row."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from itertools import chain, cycle, islice
from typing import Any, NamedTuple, TypeAlias

from gelu_cli.old.report import Block, Cell, Floats, Labelled, Report, blocks_of
from gelu_cli.old.report.numbers import FLOAT64_DIGITS, machine_text

TYPES = (str, float, int)
"""The types of columns, widest first: each holds every value of those after it."""

Part: TypeAlias = "Sequence[Cell] | Floats"
"""Some cells of a column; in an array they are float64s."""


class Typed(NamedTuple):
    """A column whose last cell is there, in parts, None where a cell is empty."""

    name: str
    holds: type[int | float | str]
    """The narrowest type that holds all cells; one that holds NaN, if some are empty."""

    bits: int
    """The width of the bit patterns that the column holds, 0 if it holds anything else."""

    longest: int
    """Most characters of a cell as text."""

    parts: Sequence[Part]


def columns_of(report: Report) -> list[Typed]:
    """Read a report to its end, and return its columns."""
    long = report.digits is not None and report.digits > FLOAT64_DIGITS
    blocks = [_parts(block) for block in blocks_of(report) if len(block)]
    columns = zip(*blocks, strict=True) if blocks else [()] * len(report.columns)
    pairs = zip(report.columns, columns, strict=True)
    return [_typed(column.name, parts, long) for column, parts in pairs]


def _parts(block: Block) -> list[Part]:
    """Return the columns of a block."""
    if isinstance(block, Labelled):
        labels = islice(cycle(block.labels), len(block))
        return [*zip(*labels, strict=True), *block.floats.T]
    return [*zip(*block, strict=True)] if isinstance(block, Sequence) else [*block.T]


def _typed(name: str, parts: Sequence[Part], long: bool) -> Typed:
    """Return a column; `long` says whether numbers have more digits than float64s."""

    def type_of(cell: Cell) -> type[int | float | str]:
        if isinstance(cell, str | int):
            return type(cell)
        digits = len(cell.as_tuple().digits) if isinstance(cell, Decimal) else 0
        return str if cell is not None and (long or digits > FLOAT64_DIGITS) else float

    known = [part for part in parts if isinstance(part, Sequence)]
    types: set[type[int | float | str]] = {*map(type_of, chain(*known)), int}
    types |= {float} if len(known) < len(parts) else set()
    lengths = {len(machine_text(cell)) for cell in chain(*known)}
    holds, longest = next(each for each in TYPES if each in types), max(lengths, default=0)
    pattern = name.endswith("_bits") and float not in types and len({0, *lengths}) == 2
    as_type: Any = partial(int, base=16) if pattern else machine_text if holds is str else holds
    made = [
        [None if cell is None else as_type(cell) for cell in part]
        if isinstance(part, Sequence)
        else part
        for part in parts
    ]
    return Typed(name, holds, 4 * (longest - len("0x")) * pattern, longest, made)
