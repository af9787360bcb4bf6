"""What forms and columns are called: `sigmoid:beta=1.6`, `tanh_gradient`, `tanh′`."""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import repeat
from typing import TYPE_CHECKING, Any, TypeAlias

from gelu_cli.errors import UsageError
from gelu_cli.old.reading.files import ignore

if TYPE_CHECKING:
    from fractions import Fraction

    from gelu_cli.old.formulas import Form

PARAMETER_EXPONENT = 12
"""The scale on which a form changes is then one that the grids of `calculus` look at."""

FINITE_HINT = "numbers look like 2, .5, 1e-3, 1/3"
BITS = "_bits"
MOST_LISTED = 8
"""Names in a note."""

NEAR = 0.75
"""How alike a name must be to the name of a column that it may have been meant for."""

MOST_COMPARED = 100
"""Names: each takes a millisecond."""

NO_FORM = "named after no form"
REMEDY = "name a column after what it should hold, e.g. exact or exact_gradient"

Say: TypeAlias = "Callable[[str], object]"
"""What is told notes."""

Choose: TypeAlias = "Callable[[Sequence[str], str], Iterable[str]]"
"""Which columns are taken beside x, by the names of all that a file has, and its own name."""


# Forms


def parse_form(word: str) -> Form:
    """Return the form that a word like `tanh` or `sigmoid:beta=1.6` names."""
    from gelu_cli.old.formulas import find_form

    name, *settings = word.split(":")
    form = find_form(name)
    if not settings:
        return form
    values = dict(_setting(setting, word) for setting in settings)
    if len(values) < len(settings):
        raise UsageError(f"'{word}' sets a parameter twice")
    return form.with_settings(word, values)


def names_form(word: str) -> bool:
    """Return whether a word begins with the name of a form.

    >>> names_form("quick_gelu"), names_form("sigmoid:beta=2"), names_form("table")
    (True, True, False)
    """
    from gelu_cli.old.formulas import find_form

    try:
        return bool(find_form(word.partition(":")[0]))
    except UsageError:
        return False


def _setting(text: str, word: str) -> tuple[str, Fraction]:
    from fractions import Fraction

    from gelu_cli.old.arithmetic.typed import parse_number

    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"'{word}' sets no parameter; write NAME:PARAM=VALUE, sigmoid:beta=1.6")
    number = parse_number(value, FINITE_HINT)
    if not isinstance(number, float | Fraction):
        raise UsageError(f"'{text}' is no fraction: write its digits, {name}={float(number)!r}")
    check_size(number, f"'{text}'", PARAMETER_EXPONENT)
    return name, Fraction(number)


def check_size(number: Fraction | float, name: str, exponent: int) -> None:
    """Refuse a number so large or small that grids and quadratures would not be sure."""
    if isinstance(number, float) and math.isnan(number):  # a Fraction may be beyond floats
        raise UsageError(
            f"{name} is no number; give one of a size from 1e-{exponent} to 1e{exponent}"
        )
    size: Any = abs(number)
    largest = 10**exponent
    if size != 0 and not 1 <= size * largest <= largest**2:
        raise UsageError(f"{name} is out of bounds: sizes go from 1e-{exponent} to 1e{exponent}")


# Columns


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
            matches = ((each.fullmatch(heading), quantity) for each, quantity in _headings())
            found = next(((match[1], quantity) for match, quantity in matches if match), None)
            names.append("_".join(found) if found else heading)
    if "x" not in names and "X" in names:
        names[names.index("X")] = "x"
    return names


@cache
def _headings() -> list[tuple[re.Pattern[str], str]]:
    """Return what the headings of `gelu table` look like, the longest first."""
    from gelu_cli.old.answers.table import HEADINGS

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


def is_position(wanted: str | None) -> bool:
    """Return whether --column may name a column by its position, from 1 on."""
    return wanted is not None and wanted.isascii() and wanted.isdigit() and 0 < len(wanted) < 9


def named_column(
    wanted: str | None, names: Sequence[str], table_name: str, say: Say = ignore
) -> str:
    """Return the column that --column names, else that at its position; x if None is `wanted`.

    `say` is told where a name is a number that may have been meant as a position. Raises
    `UsageError` where there is no such column.

    >>> named_column("2", ["x", "exact"], "a.csv"), named_column("2", ["2", "x"], "a.csv")
    ('exact', '2')
    """
    name = "x" if wanted is None else wanted
    place = int(name) if is_position(name) else 0
    if name in names:
        if place and (at := [*names].index(name) + 1) != place:
            say(f"--column {name} is the column of that name, which is column {at} of {table_name}")
        return name
    if not 0 < place <= len(names):
        hint = "; pick one with --column NAME" if wanted is None else ""
        raise UsageError(f"{table_name} has no column '{name}'; it has: {', '.join(names)}{hint}")
    return names[place - 1]


class Kept:
    """The columns that --keep names, and their cells from when a point is read to its results."""

    def __init__(self, wanted: Sequence[str] = ()) -> None:
        self.wanted = wanted
        self.names: list[str] = []
        self._places: list[int] = []
        self._waiting: deque[tuple[Iterable[tuple[str, ...]], int]] = deque()

    def find_in(self, header: Mapping[str, int], table_name: str, say: Say) -> None:
        """Find the columns in a table; raises `UsageError` where there is none of a name."""
        found = [named_column(each, [*header], table_name, say) for each in self.wanted]
        self.names = [*dict.fromkeys(found)]
        self._places = [header[name] for name in self.names]

    def cells_of(self, cells: Sequence[str], width: int) -> Iterable[tuple[str, ...]]:
        """Return the cells of each row that are kept, of rows of so many cells."""
        kept = zip(*(cells[place::width] for place in self._places), strict=True)
        return kept if self._places else repeat((), len(cells) // width)

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


def _quantities(glu: bool) -> Sequence[str]:
    """Return the quantities that columns are named after, of a form or of a GLU."""
    from gelu_cli.old.answers.table import QUANTITIES_OF_GLU
    from gelu_cli.old.formulas import QUANTITIES

    return QUANTITIES_OF_GLU if glu else QUANTITIES


def column_of(name: str, table_name: str, *, glu: bool = False) -> tuple[Form, str]:
    """Return the form and the quantity that a column named as in `gelu table` holds."""
    # The longest first: exact_gate_gradient is no gradient of `exact_gate`.
    named = (each for each in sorted(_quantities(glu), key=len, reverse=True) if each != "value")
    quantity = next((each for each in named if name[1:].endswith(f"_{each}")), "")
    try:
        form = parse_form(name.removesuffix(f"_{quantity}") if quantity else name)
        form.require([] if glu else [quantity])
    except UsageError as error:
        why = str(error)
        if name.endswith(BITS):
            why = "it holds bit patterns; add --dtype FORMAT"
        elif "choose from" in why:
            why = (
                f"it is {NO_FORM}; name it after what it should hold, e.g. exact or exact_gradient"
            )
        raise UsageError(f"column '{name}' of {table_name}: {why}") from None
    return form, quantity or "value"


def names_a_form(name: str, *, glu: bool = False) -> bool:
    """Return whether a column is named after a form, though it may be one that is not to be had.

    >>> [names_a_form(name) for name in ("tanh_gradient", "ReLU_gate", "sigmoid:bta=1", "remark")]
    [True, True, True, False]
    """
    label = name.removesuffix(BITS).partition(":")[0]
    endings = (f"_{quantity}" for quantity in _quantities(glu))
    labels = [label, *(label.removesuffix(each) for each in endings if label.endswith(each))]
    return not _form_names().isdisjoint(map(str.lower, labels))


@cache
def _form_names() -> frozenset[str]:
    from gelu_cli.old.formulas import by_any_name
    from gelu_cli.old.formulas.published import published_forms

    return frozenset([*by_any_name(), *published_forms()])


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


def judged_columns(
    names: Sequence[str], table_name: str, wanted: Sequence[str], say: Say, *, glu: bool = False
) -> dict[str, tuple[Form, str]]:
    """Return what the columns hold that are judged, those `wanted` or all that name a form.

    That is a form and a quantity, or one of a GLU. `say` is told which are left alone. Raises
    `UsageError` where no column is left, or one that names a form cannot be judged.
    """
    if wanted:
        taken = [named_column(each, names, table_name, say) for each in wanted]
        return {name: column_of(name, table_name, glu=glu) for name in taken}
    names = [name for name in names if name not in (("x", "up") if glu else ("x",))]
    others = [name for name in names if not names_a_form(name, glu=glu)]
    if names and len(others) == len(names):
        hint = _meant(others) or REMEDY
        if "up" in others:
            hint = "add --glu to judge pairs"
        raise UsageError(f"column '{others[0]}' of {table_name}: it is {NO_FORM}; {hint}")
    found = {each: column_of(each, table_name, glu=glu) for each in names if each not in others}
    if others:
        why = f"{'it is' if len(others) == 1 else 'they are'} {NO_FORM}"
        meant = "add --glu to judge pairs" if "up" in others else _meant(others)
        said = "; ".join(filter(None, [why, meant]))
        say(f"{left_alone(others, table_name)}: {said}")
    return found


def _meant(others: Sequence[str]) -> str:
    """Return the names that columns may have been meant for, as a question."""
    from difflib import get_close_matches

    from gelu_cli.old.formulas import QUANTITIES, all_forms

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
