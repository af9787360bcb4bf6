"""Which columns of a table are judged, and which are left alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from gelu_cli.cli.input.streams import ignore
from gelu_cli.cli.input.tables.headings import left_alone, names_a_form
from gelu_cli.cli.input.words import parse_column
from gelu_cli.errors import UsageError, unknown

if TYPE_CHECKING:
    from gelu_cli.forms import Form

NEAR = 0.75
"""How alike a name and the name of a column are that it may have been meant for."""

MOST_COMPARED = 100
"""Names: each takes a millisecond."""

NO_FORM = "named after no form"
REMEDY = "name a column after what it should hold, e.g. exact or exact_gradient"


class Columns:
    """The columns that are to be judged, if any are named; what is left alone is told."""

    def __init__(self, wanted: Sequence[str] = (), say: Callable[[str], object] = ignore) -> None:
        self._wanted, self._say = list(dict.fromkeys(wanted)), say

    def judged(self, names: Sequence[str], table_name: str) -> dict[str, tuple[Form, str]]:
        """Return what the columns hold that are judged: a form and a quantity.

        Raises `UsageError` where no column is left, or one that names a form cannot be judged.
        """
        for name in self._wanted:
            if name not in names:
                raise unknown("column", name, names, where=f" of {table_name}")
        found = {name: column_of(name, table_name) for name in self._wanted}
        if found:
            return found
        others = [name for name in names if not names_a_form(name)]
        if names and len(others) == len(names):
            hint = _meant(others) or REMEDY
            raise UsageError(f"column '{others[0]}' of {table_name}: it is {NO_FORM}; {hint}")
        found = {name: column_of(name, table_name) for name in names if name not in others}
        if others:
            why = f"{'it is' if len(others) == 1 else 'they are'} {NO_FORM}"
            said = "; ".join(filter(None, [why, _meant(others)]))
            self._say(f"{left_alone(others, table_name)}: {said}")
        return found


def column_of(name: str, table_name: str) -> tuple[Form, str]:
    """Return the form and the quantity that a column of a table holds."""
    try:
        return parse_column(name)
    except UsageError as error:
        raise UsageError(f"column '{name}' of {table_name}: {error}") from None


def _meant(others: Sequence[str]) -> str:
    """Return the names that columns may have been meant for, as a question."""
    from gelu_cli.forms import QUANTITIES, all_forms

    known = [
        form if quantity == "value" else f"{form}_{quantity}"
        for form in all_forms()
        for quantity in QUANTITIES
    ]
    near = {
        name: get_close_matches(name.lower(), known, 1, NEAR) for name in others[:MOST_COMPARED]
    }
    meant = [f"'{match[0]}' for '{name}'" for name, match in near.items() if match]
    return f"did you mean {', '.join(meant)}?" if meant else ""
