"""A table: named columns of cells, with headings and explanations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np

Cell: TypeAlias = float | int | Decimal | str | None
"""A float64, a decimal whose digits are all right, a count, a word, or nothing."""

Column: TypeAlias = "Sequence[Cell] | np.ndarray"


@dataclass(frozen=True)
class Table:
    """Columns by name, all of one length.

    Attributes
    ----------
    title
        Heads the table on a terminal.
    columns
        Cells by the name that CSV and JSON have for the column.
    keys
        Number of leading columns that name a row.
    headings
        What people read above a column, if not its name.
    meanings
        Words of the table and what they mean, printed below it.
    """

    title: str
    columns: Mapping[str, Column]
    keys: int = 1
    headings: Mapping[str, str] = field(default_factory=dict)
    meanings: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_rows(
        cls,
        title: str,
        names: str | Iterable[str],
        rows: Iterable[Mapping[str, Cell]],
        keys: int = 1,
        headings: Mapping[str, str] | None = None,
        meanings: Mapping[str, str] | None = None,
    ) -> Table:
        """Make a table of rows; `names` are its columns, in a text or a sequence.

        >>> Table.of_rows("", "x y", [{"x": 1, "y": 2.5, "z": 0}]).columns
        {'x': [1], 'y': [2.5]}
        """
        rows = list(rows)
        listed = names.split() if isinstance(names, str) else list(names)
        columns = {name: [row[name] for row in rows] for name in listed}
        return cls(title, columns, keys, headings or {}, meanings or {})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def heading(self, name: str) -> str:
        """Look up the heading of a column."""
        return self.headings.get(name, name.replace("_", " ").replace("ulp", "ULP"))

    def rows(self) -> Iterator[tuple[Cell, ...]]:
        """Yield rows of Python's numbers and texts."""
        columns = self.columns.values()
        lists = (each.tolist() if hasattr(each, "tolist") else each for each in columns)
        return zip(*lists, strict=True)

    def dicts(self) -> list[dict[str, Cell]]:
        """List the rows, each by the names of columns."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows()]
