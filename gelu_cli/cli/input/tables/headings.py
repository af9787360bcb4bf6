"""What columns are called, as their headings say it: for people or for programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from gelu_cli.errors import UsageError

BITS = "_bits"
MOST_LISTED = 8
"""Names in a note."""


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
    from gelu_cli.answers.error.line import NAMES

    own = {column, column + BITS, *NAMES}
    return (name for name in names if name not in own and not names_a_form(name))


def names_a_form(name: str) -> bool:
    """Return whether a column is named after a form, though it may be one that is not to be had.

    >>> [names_a_form(name) for name in ("tanh_gradient", "ReLU_gate", "sigmoid:bta=1", "remark")]
    [True, True, True, False]
    """
    from gelu_cli.forms import QUANTITIES

    label = name.removesuffix(BITS).partition(":")[0]
    endings = (f"_{quantity}" for quantity in QUANTITIES)
    labels = [label, *(label.removesuffix(each) for each in endings if label.endswith(each))]
    return not _form_names().isdisjoint(map(str.lower, labels))


@cache
def _form_names() -> frozenset[str]:
    from gelu_cli.forms import all_forms
    from gelu_cli.forms.published import published_forms

    aliases = (alias for form in all_forms().values() for alias in form.aliases)
    return frozenset([*all_forms(), *aliases, *published_forms()])


def left_alone(names: Sequence[str], table_name: str) -> str:
    """Return the note on columns that are not read.

    >>> left_alone(["name", "remark"], "a.csv")
    "columns 'name', 'remark' of a.csv are left alone"
    """
    listed = ", ".join(f"'{name}'" for name in names[:MOST_LISTED])
    if len(names) > MOST_LISTED:
        listed += f" and {len(names) - MOST_LISTED:,} more"
    columns, are = ("column", "is") if len(names) == 1 else ("columns", "are")
    return f"{columns} {listed} of {table_name} {are} left alone"
