"""The entries of a budget: bounds on figures, for some kernels and in some region of x."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import partial
from math import inf, isclose, isnan
from typing import Any, NamedTuple, TypeAlias

from gelu_cli.arithmetic.formats import Format, find_format
from gelu_cli.arithmetic.typed import parse_number, real_number
from gelu_cli.budgets.lines import Place, places
from gelu_cli.errors import UsageError, unknown
from gelu_cli.forms import canonical
from gelu_cli.sweeping.metrics import METRICS
from gelu_cli.sweeping.regions import CLOSE, Region, regions
from gelu_cli.sweeping.routines import check_quantity
from gelu_cli.sweeping.rows import shown

BOUND = "bound"
"""The name of the array of tables: [[bound]]."""

MAX_ULP, MAX_ORDINAL = "max_ulp", "max_ordinal"
FIGURES = (MAX_ULP, MAX_ORDINAL, *(metric.name for metric in METRICS))
"""What may have a bound, in the order of the columns of `gelu sweep`."""

LARGEST_EXPONENT = 5000
"""No error in ULP is beyond 10 to this power."""

LONGEST = 500
"""Characters of a number: Python takes very long to read one of many thousand digits."""

TOO_LONG = re.compile(rf"(?<![\w.+-])[+-]?\d[\w.+-]{{{LONGEST},}}")

Bound: TypeAlias = Fraction | float
"""The most that a figure may be; the only float is inf."""


class Names(NamedTuple):
    """What tells the figures of one kernel from those of another, as `gelu sweep` prints it."""

    kernel: str
    dtype: str
    result: str
    target: str
    quantity: str

    def __str__(self) -> str:
        formats = " → ".join(dict.fromkeys((self.dtype, self.result)))
        return f"{self.kernel}, {formats}, {self.target}, {self.quantity}"


AT_INFINITY = Region(0, inf, inf)
"""NaN and the infinities as inputs, which lie in no region."""


@dataclass(frozen=True)
class Entry:
    """One [[bound]] of a budget."""

    file: str
    place: Place
    match: Mapping[str, str]
    """The names of kernels that it is for; what is left out may be anything."""

    range: str
    """Where it holds, A:B as it is written; everywhere if empty."""

    reason: str | None
    """Why a known failure is accepted, empty until somebody says so; None where this is none."""

    bounds: Mapping[str, Bound]

    @property
    def known(self) -> bool:
        """Whether it is a known failure."""
        return self.reason is not None

    def at(self, key: str = "") -> str:
        r"""Return the file and the line, of the whole entry or one of its keys.

        >>> parse_budget("[[bound]]\nmax_ulp = 2", "a.toml")[0].at("max_ulp")
        'a.toml:2'
        """
        return f"{self.file}:{self.place.of(key)}"

    def matches(self, names: Names) -> bool:
        """Return whether it is for figures of these names."""
        if "result" not in self.match and names.result != names.dtype:
            return False
        return all(getattr(names, key) == name for key, name in self.match.items())

    def is_for_one(self) -> bool:
        """Return whether it is for figures of one kernel alone, whatever else is swept."""
        return {*self.match} >= {*Names._fields} - {"result"}

    def scope(self, number_format: Format) -> frozenset[Region]:
        """Return the regions where it holds; raises `UsageError` if its range ends inside one."""
        known = regions(number_format)
        if not self.range:
            return frozenset([*known, AT_INFINITY])
        ends = sorted({end for region in known for end in region.ends})
        low, high = (self._end(end, ends, number_format) for end in _ends(self.range))
        return frozenset(
            region for region in known if low <= region.ends[0] and region.ends[1] <= high
        )

    def _end(self, end: float, known: Sequence[float], number_format: Format) -> float:
        # inf − inf is NaN
        nearest = min(known, key=lambda each: 0.0 if end == each else abs(end - each))
        if isclose(end, nearest, rel_tol=CLOSE):
            return nearest
        below = max(each for each in known if each < end)
        above = min(each for each in known if each > end)
        raise UsageError(
            f"{self.at('range')}: range '{self.range}': no region of {number_format.name} ends at "
            f"{end_text(end)}; the nearest ends are {end_text(below)} and {end_text(above)}"
        )


def end_text(end: float) -> str:
    """Return an end of a range as people write it.

    >>> end_text(-8.0), end_text(0.25), end_text(inf)
    ('-8', '0.25', 'inf')
    """
    return repr(end or 0.0).removesuffix(".0")


def parse_budget(text: str, file: str) -> list[Entry]:
    """Return the entries of a budget in TOML; raises `UsageError`, which names file and line."""
    if long := TOO_LONG.search(text):
        where = f"{file}:{text.count(chr(10), 0, long.start()) + 1}"
        raise UsageError(f"{where}: '{long[0][:20]}…' is too long: no bound has {LONGEST} digits")
    try:
        content = tomllib.loads(text, parse_float=partial(Decimal, context=Context(traps=[])))
    except RecursionError:
        raise UsageError(f"{file}: this is no TOML: it is nested too deep") from None
    except ValueError as error:
        raise _no_toml(error, text, file) from None
    top, found = places(text, BOUND)
    for key in content:
        if key != BOUND:
            raise _unknown(f"{file}:{top.of(key)}", key, [BOUND])
    tables = content.get(BOUND, [])
    if not isinstance(tables, list) or len(tables) != len(found):
        where = f"{file}:{top.of(BOUND)}"
        raise UsageError(f"{where}: each bound is a table of its own; write [[{BOUND}]]")
    entries = [_entry(*pair, file) for pair in zip(tables, found, strict=True)]
    _refuse_twice(entries)
    return entries


def largest_error(most: float, names: Names) -> Entry:
    """Return the entry that bounds all errors in ULP of one kernel, which stands in no file.

    >>> names = Names("f", "float16", "float16", "exact", "value")
    >>> largest_error(0.5, names).bounds
    {'max_ulp': Fraction(1, 2)}
    """
    bound = real_number(MAX_ULP, most)
    if not bound >= 0:
        raise UsageError(f"{MAX_ULP} must be a number, 0 or more, not {most!r}")
    return Entry("", Place(0, {}), {"result": names.result}, "", None, {MAX_ULP: bound})


def _no_toml(error: ValueError, text: str, file: str) -> UsageError:
    """Return the error for what is no TOML, with the line where its end is not meant."""
    said, _, where = str(error).rpartition(" (at ")
    place = re.match(r"line (\d+)", where)
    line = place[1] if place else max(1, len(text.splitlines()))
    return UsageError(f"{file}:{line}: this is no TOML: {said[:1].lower()}{said[1:]}")


def _unknown(where: str, key: str, known: Sequence[str]) -> UsageError:
    return UsageError(f"{where}: {unknown('key', key, known)}")


TEXTS: Mapping[str, str] = {
    "kernel": "the name that gelu sweep prints",
    "dtype": "the format of x",
    "result": "the format of results",
    "target": "a form",
    "quantity": "value or gradient",
    "range": "A:B",
    "reason": "which says why this is known",
}
"""What else an entry may say, and how that is meant: the names of a kernel, and two of its own."""


def _entry(table: Mapping[str, Any], place: Place, file: str) -> Entry:
    texts, bounds = dict[str, str](), dict[str, Bound]()
    for key, value in table.items():
        where = f"{file}:{place.of(key)}"
        if key in FIGURES:
            bounds[key] = _bound(where, key, value)
        elif key not in TEXTS:
            raise _unknown(where, key, [*TEXTS, *FIGURES])
        elif not isinstance(value, str) or not (value.strip() or key == "reason"):
            raise UsageError(f"{where}: {key} must be a text, {TEXTS[key]}, not {_said(value)}")
        else:
            texts[key] = _text(where, key, value)
    if not bounds:
        raise UsageError(
            f"{file}:{place.line}: this bounds nothing; add {', '.join(FIGURES[:3])} …"
        )
    own = texts.pop("range", ""), texts.pop("reason", None)
    entry = Entry(file, place, texts, *own, bounds)
    if entry.range:
        _check_range(entry)
    return entry


def _text(where: str, key: str, text: str) -> str:
    """Return a text as tables have it; raises `UsageError` for a name that is not known."""
    try:
        if key in ("dtype", "result"):
            return find_format(text).name
        if key == "target":
            return canonical(text)
        if key == "quantity":
            check_quantity(text)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None
    return text.strip() if key in ("range", "reason") else text


def _bound(where: str, figure: str, value: Any) -> Bound:
    """Return what a figure may be at most; raises `UsageError` for anything else than a number."""
    whole = figure != MAX_ULP
    if isinstance(value, int if whole else int | Decimal) and not isinstance(value, bool):
        number = Decimal(value)
        if number == Decimal("inf"):
            return inf
        if number.is_finite() and number >= 0 and number.adjusted() < LARGEST_EXPONENT:
            return Fraction(number) if number.adjusted() > -LARGEST_EXPONENT else Fraction(0)
    due = "a whole number, 0 or more" if whole else "a number, 0 or more, or inf"
    raise UsageError(f"{where}: {figure} must be {due}, not {_said(value)}")


def _said(value: Any) -> str:
    """Return a value about as TOML has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, dict):
        return "a table"
    return "an array" if isinstance(value, list) else str(value)


def _ends(text: str) -> tuple[float, float]:
    """Return the ends of a range A:B; raises ValueError where they are no numbers."""
    low, high = (float(parse_number(word)) + 0.0 for word in text.split(":"))  # 0 has no sign
    if isnan(low) or isnan(high):
        raise ValueError(text)
    return low, high


def _check_range(entry: Entry) -> None:
    """Raise `UsageError` for a range that is none, or that holds no input."""
    where = f"{entry.at('range')}: range '{entry.range}'"
    try:
        low, high = _ends(entry.range)
    except (ValueError, OverflowError):
        raise UsageError(f"{where} must be A:B; ends look like -8, 0.25, inf") from None
    if low >= high:
        raise UsageError(f"{where} holds no input: it ends at {end_text(high)}")
    if "dtype" in entry.match:
        entry.scope(find_format(entry.match["dtype"]))


def _refuse_twice(entries: Iterable[Entry]) -> None:
    """Raise `UsageError` if two entries say something of the same figures."""
    first: dict[object, Entry] = {}
    for entry in entries:
        ends = _ends(entry.range) if entry.range else None
        same = frozenset(entry.match.items()), ends, entry.known
        for figure in entry.bounds:
            other = first.setdefault((figure, same), entry)
            if other is not entry:
                raise UsageError(
                    f"{entry.at(figure)}: {figure} has a bound for the same in line "
                    f"{other.place.of(figure)}, {shown_bound(other.bounds[figure])}: keep one of "
                    "them"
                )


def shown_bound(bound: Bound) -> str:
    """Return a bound as it is written."""
    return shown(bound) if isinstance(bound, Fraction) else "inf"
