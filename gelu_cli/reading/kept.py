"""Columns of a table that are kept: they come out beside the results, with the texts they had."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gelu_cli.reading.layouts import Rows
    from gelu_cli.reading.names import Say
    from gelu_cli.reading.tables import Table


class Kept:
    """The columns that --keep names, and their cells from when a point is read to its results."""

    def __init__(self, wanted: Sequence[str] = ()) -> None:
        self.wanted = wanted
        self.names: list[str] = []
        self._places: list[int] = []
        self._waiting: deque[tuple[Iterable[tuple[str, ...]], int]] = deque()

    def find_in(self, table: Table, say: Say) -> None:
        """Find the columns in a table; raises `UsageError` where there is none of a name."""
        from gelu_cli.reading.names import named_column

        found = [named_column(each, [*table.header], table.name, say) for each in self.wanted]
        self.names = [*dict.fromkeys(found)]
        self._places = [table.header[name] for name in self.names]

    def cells_of(self, rows: Rows) -> Iterable[tuple[str, ...]]:
        """Return the cells of each row that are kept."""
        cells = zip(*(rows.cells[place :: rows.width] for place in self._places), strict=True)
        return cells if self._places else repeat((), len(rows.numbers))

    def add(self, cells: Iterable[tuple[str, ...]], points: int = 1) -> None:
        """Keep the cells of rows, of so many points each, until the results are there."""
        if self._places:
            self._waiting.append((cells, points))

    def waiting(self) -> Iterator[tuple[str, ...]]:
        """Yield the cells that are kept of one point after the other."""
        while True:
            rows, points = self._waiting.popleft()
            for cells in rows:
                yield from repeat(cells, points)
