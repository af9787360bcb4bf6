"""How an answer leaves: the `Report`, a record of data that a renderer turns into text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain, cycle
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"
Cell: TypeAlias = float | int | Decimal | str | None
Row: TypeAlias = Sequence[Cell]
Block: TypeAlias = "Sequence[Row] | Floats | Labelled"
"""Some rows; those of an array, rows × columns, are the same as its float64s in tuples."""


class Labelled:
    """Rows of float64s in an array, each behind a label, its first texts; the labels take turns."""

    def __init__(self, labels: Sequence[Sequence[str]], floats: Floats) -> None:
        self.labels = labels
        self.floats = floats

    def __len__(self) -> int:
        return len(self.floats)

    def tolist(self) -> list[Row]:
        """Return the rows, with Python's floats in them."""
        rows = zip(cycle(self.labels), self.floats.tolist(), strict=False)
        return [(*label, *row) for label, row in rows]


class Column(NamedTuple):
    """A column: its name for machines, which never changes, and its heading for people."""

    name: str
    heading: str


class Sentence(NamedTuple):
    """A sentence or two of the answer in words: what it is about, the text, and its figures.

    `kernel` is whose results it is about, if there are several to tell apart.
    """

    about: str
    text: str
    figures: Mapping[str, Cell] = MappingProxyType({})
    kernel: str = ""


def in_words(words: Sequence[Sentence]) -> dict[str, str]:
    """Return the answer in short by the kernels that it is about, "" for what is about all.

    >>> in_words([Sentence("within", "One.", kernel="a"), Sentence("outside", "Two.", kernel="a")])
    {'a': 'One. Two.'}
    """
    said: dict[str, list[str]] = {}
    for each in words:
        said.setdefault(each.kernel, []).append(each.text)
    return {kernel: " ".join(texts) for kernel, texts in said.items()}


class Ending(NamedTuple):
    """What is known only after the last row, the last item of a stream.

    `facts` belong to the answer, `notes` to the person who asked, and so do `failures`, which say
    what was judged and does not hold. `words` are the answer in short, where the report is `headed`
    by it.
    """

    facts: Mapping[str, str] = MappingProxyType({})
    notes: Sequence[str] = ()
    failures: Sequence[str] = ()
    words: Sequence[Sentence] = ()


Stream: TypeAlias = "Iterable[Block | Ending]"
"""Blocks of rows, which may be computed while they are read, and then one `Ending`."""


class Report(NamedTuple):
    """One table: a title, columns, and a stream of rows that ends with what is known by then.

    A float cell is a float64 (or a number of a smaller format); a `Decimal` holds `digits`
    significant digits, each right. The first `keys` columns name a row.
    """

    title: str
    columns: Sequence[Column]
    stream: Stream
    digits: int | None = None
    keys: int = 1
    headed: bool = False
    """Whether people read the answer in words first, which the ending has."""


def stream_of(blocks: Iterable[Block], **ending: Any) -> Stream:
    """Return blocks as the stream of a report whose ending is known before they are computed.

    >>> list(stream_of([[(1.0, 0.5)]], notes=["a note"]))
    [[(1.0, 0.5)], Ending(facts=mappingproxy({}), notes=['a note'], failures=(), words=())]
    """
    return chain(blocks, [Ending(**ending)])


def blocks_of(report: Report) -> Iterator[Block]:
    """Yield the blocks of a report, one without rows if it has none: its header is shown still."""
    blocks = (item for item in report.stream if not isinstance(item, Ending))
    yield next(blocks, ())
    yield from blocks


def rows_of(block: Block) -> Sequence[Row]:
    """Return the rows of a block, those of an array with Python's floats in them."""
    return block if isinstance(block, Sequence) else block.tolist()


def read(report: Report) -> tuple[list[Row], Ending]:
    """Return all rows of a report, and its ending.

    >>> read(Report("", [Column("x", "x")], stream_of([[(1.0,)], [(2.0,)]])))[0]
    [(1.0,), (2.0,)]
    """
    rows: list[Row] = []
    ending = Ending()
    for item in report.stream:
        if isinstance(item, Ending):
            ending = item
        else:
            rows += rows_of(item)
    return rows, ending


class Page(NamedTuple):
    """What a renderer may know of the place its text goes to; `width` None is unlimited."""

    width: int | None = None
    colour: bool = False
    header: bool = True
    live: bool = False
    """Whether somebody watches as it comes."""
