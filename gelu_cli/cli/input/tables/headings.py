"""What columns are called, as their headings say it: for people or for programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from gelu_cli.errors import UsageError

BITS = "_bits"


def column_names(headings: Iterable[str]) -> list[str]:
    """Return the names that columns have, whatever people call them.

    >>> column_names(["", "X", "exact", "bits", "exact\u2032", "x - tanh", "remark"])
    ['column 1', 'x', 'exact', 'exact_bits', 'exact_gradient', 'tanh_complement', 'remark']
    """
    names: list[str] = []
    for place, heading in enumerate(headings, 1):
        if not heading:
            names.append(f"column {place}")
        elif heading == "bits" and names:
            names.append(names[-1] + BITS)
        else:
            names.append(_name(heading))
    if "x" not in names and "X" in names:
        names[names.index("X")] = "x"
    return names


def _name(heading: str) -> str:
    for pattern, quantity in _patterns():
        if found := pattern.fullmatch(heading):
            return f"{found[1]}_{quantity}"
    return heading


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """Return what the headings of `gelu table` look like, the longest first."""
    from gelu_cli.answers.table import HEADINGS

    longest = sorted(HEADINGS.items(), key=lambda each: -len(each[1]))
    return [
        (re.compile(re.escape(heading).replace(r"\{\}", "(.+)")), quantity)
        for quantity, heading in longest
        if heading != "{}"
    ]


def places_of(headings: Iterable[str], table_name: str) -> dict[str, int]:
    """Return the names of columns in their order, and which column each is of."""
    places: dict[str, int] = {}
    for place, name in enumerate(column_names(headings)):
        if name in places:
            raise UsageError(f"{table_name} has the column '{name}' twice")
        places[name] = place
    return places


def others(names: Iterable[str], column: str) -> Iterator[str]:
    """Yield the columns beside the one that has points, other than those of gelu's own tables."""
    from gelu_cli.answers.error.points import NAMES
    from gelu_cli.cli.input.words import parse_column

    for name in names:
        plain = name.removesuffix(BITS)
        if column in (name, plain) or name in NAMES:
            continue
        try:
            parse_column(plain)
        except UsageError:
            yield name


def left_alone(names: Sequence[str], table_name: str, why: str = "") -> str:
    """Return the note on columns that are not read.

    >>> left_alone(["name", "remark"], "a.csv")
    "columns 'name', 'remark' of a.csv are left alone"
    """
    listed = ", ".join(f"'{name}'" for name in names)
    columns, are = ("column", "is") if len(names) == 1 else ("columns", "are")
    return f"{columns} {listed} of {table_name} {are} left alone{why}"
