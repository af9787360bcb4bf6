"""How an answer leaves: the `Report`, a record of data that a renderer turns into text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

Cell: TypeAlias = float | int | Decimal | str | None
Row: TypeAlias = Sequence[Cell]
Block: TypeAlias = "Sequence[Row] | Floats"
"""Some rows; those of an array, rows × columns, are the same as its float64s in tuples."""


class Column(NamedTuple):
    """A column: its name for machines, which never changes, and its heading for people."""

    name: str
    heading: str


class Report(NamedTuple):
    """One table: columns, rows as a stream of blocks, and the facts of the run.

    A float cell is a float64 (or a number of a smaller format); a `Decimal` holds `digits`
    significant digits, each right. The first `keys` columns name a row. `facts` belong to the
    answer, `notes` to the person who asked, and so do `failures`, which say what was judged and
    does not hold; all three are complete when the last block is out.
    """

    title: str
    columns: Sequence[Column]
    blocks: Iterable[Block]
    digits: int | None = None
    keys: int = 1
    facts: Mapping[str, str] = MappingProxyType({})
    notes: Sequence[str] = ()
    failures: Sequence[str] = ()


def some_blocks(report: Report) -> Iterator[Block]:
    """Yield the blocks, or one without rows: a report that found nothing has a header still."""
    blocks = iter(report.blocks)
    yield next(blocks, ())
    yield from blocks


def rows_of(block: Block) -> Sequence[Row]:
    """Return the rows of a block, those of an array with Python's floats in them."""
    return block if isinstance(block, Sequence) else block.tolist()


class Page(NamedTuple):
    """What a renderer may know of the place its text goes to; `width` None is unlimited."""

    width: int | None = None
    colour: bool = False
    header: bool = True
