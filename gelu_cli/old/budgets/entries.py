"""The entries of a budget: bounds on figures, for some kernels and in some region of x.

A budget is TOML. No reader of TOML says on which line a key stands: tomllib has values alone, and
tomlkit, which --tighten writes with, keeps what stands between them, but no lines.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from functools import partial
from math import inf, isclose, isnan
from typing import Any, NamedTuple, TypeAlias

from gelu_cli.errors import UsageError, unknown
from gelu_cli.old.arithmetic.formats import Format, find_format
from gelu_cli.old.arithmetic.typed import parse_number, real_number
from gelu_cli.old.formulas import canonical
from gelu_cli.old.sweeping.gating import OF_PAIRS, gating_named
from gelu_cli.old.sweeping.metrics import METRICS
from gelu_cli.old.sweeping.regions import CLOSE, Region, regions
from gelu_cli.old.sweeping.routines import check_quantity
from gelu_cli.old.sweeping.rows import shown

BOUND = "bound"
"""The name of the array of tables: [[bound]]."""

MAX_ULP, MAX_ORDINAL = "max_ulp", "max_ordinal"
ERRORS = {"max_abs_error": "abs", "max_rel_error": "rel"}
NOISE = "noise_ratio"
FIGURES = (MAX_ULP, MAX_ORDINAL, *(metric.name for metric in METRICS), *ERRORS, NOISE)
"""What may have a bound, in the order of the columns of `gelu sweep`."""

LARGEST_EXPONENT = 5000
"""No error in ULP is beyond 10 to this power."""

LONGEST = 500
"""Characters of a number: Python takes very long to read one of many thousand digits."""

TOO_LONG = re.compile(rf"(?<![\w.+-])[+-]?\d[\w.+-]{{{LONGEST},}}")

AT_INFINITY = Region(0, inf, inf)
"""NaN and the infinities as inputs, which lie in no region."""

Bound: TypeAlias = Fraction | float
"""The most that a figure may be; the only float is inf."""

Lines: TypeAlias = dict[str, int]
"""On which line each key of a table stands, and by the key "" where the table begins."""


class Names(NamedTuple):
    """What tells the figures of one kernel from those of another, as `gelu sweep` prints it."""

    kernel: str
    dtype: str
    result: str
    target: str
    quantity: str
    glu: str = ""
    """`Gating.name` of a kernel of two inputs."""

    def __str__(self) -> str:
        formats = " → ".join(dict.fromkeys((self.dtype, self.result)))
        glu = f", glu {self.glu}" if self.glu else ""
        return f"{self.kernel}, {formats}, {self.target}, {self.quantity}{glu}"


@dataclass(frozen=True)
class Entry:
    """One [[bound]] of a budget; `file` is empty where it stands in none."""

    match: Mapping[str, str]
    """The names of kernels that it is for; what is left out may be anything."""

    range: str
    """Where it holds, A:B as it is written; everywhere if empty."""

    reason: str | None
    """Why a known failure is accepted, empty until somebody says so; None where this is none."""

    bounds: Mapping[str, Bound]
    file: str = ""
    lines: Mapping[str, int] = field(default_factory=dict)

    @property
    def known(self) -> bool:
        """Whether it is a known failure."""
        return self.reason is not None

    def line(self, key: str = "") -> int:
        """Return the line of one of its keys, or of the whole entry."""
        return self.lines.get(key, self.lines.get("", 0))

    def at(self, key: str = "") -> str:
        r"""Return the file and the line, of the whole entry or one of its keys.

        >>> parse_budget("[[bound]]\nmax_ulp = 2", "a.toml")[0].at("max_ulp")
        'a.toml:2'
        """
        return f"{self.file}:{self.line(key)}"

    def matches(self, names: Names) -> bool:
        """Return whether it is for figures of these names."""
        if "result" not in self.match and names.result != names.dtype:
            return False
        return all(getattr(names, key) == name for key, name in self.match.items())

    def is_own(self, names: Names) -> bool:
        """Return whether it is for figures of these names alone, whatever else is swept."""
        telling = {*Names._fields} - {"result"} - ({"glu"} if not names.glu else set())
        return self.matches(names) and {*self.match} >= telling

    def scope(self, number_format: Format) -> frozenset[Region]:
        """Return the regions where it holds; raises `UsageError` if its range ends inside one."""
        known = regions(number_format)
        if not self.range:
            return frozenset([*known, AT_INFINITY])
        ends = {end for region in known for end in region.ends}
        low, high = (self._end(end, ends, number_format) for end in _ends(self.range))
        return frozenset(
            region for region in known if low <= region.ends[0] and region.ends[1] <= high
        )

    def _end(self, end: float, known: Iterable[float], number_format: Format) -> float:
        for each in known:
            if isclose(end, each, rel_tol=CLOSE):
                return each
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


def shown_bound(bound: Bound) -> str:
    """Return a bound as it is written."""
    return shown(bound) if isinstance(bound, Fraction) else "inf"


def largest_error(most: float, names: Names) -> Entry:
    """Return the entry that bounds all errors in ULP of one kernel, which stands in no file.

    >>> names = Names("f", "float16", "float16", "exact", "value")
    >>> largest_error(0.5, names).bounds
    {'max_ulp': Fraction(1, 2)}
    """
    bound = real_number(MAX_ULP, most)
    if not bound >= 0:
        raise UsageError(f"{MAX_ULP} must be a number, 0 or more, not {most!r}")
    return Entry({"result": names.result}, "", None, {MAX_ULP: bound})


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
        said, _, place = str(error).rpartition(" (at ")
        found = re.match(r"line (\d+)", place)  # else it is the end of the text
        line = found[1] if found else max(1, len(text.splitlines()))
        said = said[:1].lower() + said[1:]
        raise UsageError(f"{file}:{line}: this is no TOML: {said}") from None
    top, *places = _lines(text)
    for key in content:
        if key != BOUND:
            raise UsageError(f"{file}:{top[key]}: {unknown('key', key, [BOUND])}")
    tables = content.get(BOUND, [])
    if not isinstance(tables, list) or len(tables) != len(places):
        raise UsageError(
            f"{file}:{top[BOUND]}: each bound is a table of its own; write [[{BOUND}]]"
        )
    entries = [_entry(table, lines, file) for table, lines in zip(tables, places, strict=True)]
    _refuse_twice(entries)
    return entries


def _lines(text: str) -> list[Lines]:
    """Return the lines of what stands in a TOML document itself, then those of each [[bound]]."""
    top: Lines = {"": 1}
    tables = [top]
    current = top
    for line, is_header, (key, value) in _statements(text):
        if not is_header:
            current.setdefault(key, line)
        elif key == BOUND and isinstance(value, list):
            top.setdefault(key, line)
            current = {"": line}
            tables.append(current)
        else:  # a table in the last [[bound]], or another one
            inner = next(iter(value), "") if key == BOUND and len(tables) > 1 else key
            tables[-1 if key == BOUND else 0].setdefault(inner, line)
            current = {}
    return tables


def _statements(text: str) -> Iterator[tuple[int, bool, tuple[str, Any]]]:
    """Yield where each statement begins, whether it is a header, and its key with its value.

    A line that ends inside of a text or an array is no TOML without those that follow.
    """
    statement = ""
    begin = 1
    for line, words in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        statement += f"{words}\n"
        try:
            found = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            continue
        yield from ((begin, statement.lstrip().startswith("["), item) for item in found.items())
        statement, begin = "", line + 1


def _ends(text: str) -> tuple[float, float]:
    """Return the ends of a range A:B; raises ValueError where they are no numbers."""
    low, high = (float(parse_number(word)) + 0.0 for word in text.split(":"))  # 0 has no sign
    if isnan(low) or isnan(high):
        raise ValueError(text)
    return low, high


def _range(text: str) -> str:
    text = text.strip()
    try:
        low, high = _ends(text)
    except (ValueError, OverflowError):
        raise UsageError(f"range '{text}' must be A:B; ends look like -8, 0.25, inf") from None
    if low >= high:
        raise UsageError(f"range '{text}' holds no input: it ends at {end_text(high)}")
    return text


def _quantity(text: str) -> str:
    if text not in OF_PAIRS:
        check_quantity(text)
    return text


TEXTS: Mapping[str, tuple[str, Callable[[str], str]]] = {
    "kernel": ("the name that gelu sweep prints", str),
    "dtype": ("the format of x", lambda text: find_format(text).name),
    "result": ("the format of results", lambda text: find_format(text).name),
    "target": ("a form", canonical),
    "quantity": ("value or gradient", _quantity),
    "glu": (
        "plain, or as in gate_limit=7,intermediate=bfloat16",
        lambda text: gating_named(text).name,
    ),
    "range": ("A:B", _range),
    "reason": ("which says why this is known", str.strip),
}
"""What an entry may say beside its bounds: what that means, and the text as tables have it."""


def _entry(table: Mapping[str, Any], lines: Lines, file: str) -> Entry:
    texts, bounds = dict[str, str](), dict[str, Bound]()
    for key, value in table.items():
        try:
            if key in FIGURES:
                bounds[key] = _bound(key, value)
            elif key in TEXTS:
                texts[key] = _text(key, value)
            else:
                raise unknown("key", key, [*TEXTS, *FIGURES])
        except UsageError as error:
            raise UsageError(f"{file}:{lines[key]}: {error}") from None
    if not bounds:
        names = ", ".join(FIGURES[:3])
        said = f"this bounds nothing; add {names} …, see gelu help budgets"
        raise UsageError(f"{file}:{lines['']}: {said}")
    own = texts.pop("range", ""), texts.pop("reason", None)
    entry = Entry(texts, *own, bounds, file, lines)
    if "dtype" in texts:
        entry.scope(find_format(texts["dtype"]))
    return entry


def _text(key: str, value: Any) -> str:
    meaning, parse = TEXTS[key]
    if not isinstance(value, str) or not (value.strip() or key == "reason"):
        raise UsageError(f"{key} must be a text, {meaning}, not {_said(value)}")
    return parse(value)


def _bound(figure: str, value: Any) -> Bound:
    """Return what a figure may be at most; raises `UsageError` for anything else than a number."""
    whole = figure not in (MAX_ULP, *ERRORS, NOISE)
    if isinstance(value, int if whole else int | Decimal) and not isinstance(value, bool):
        number = Decimal(value)
        if number == Decimal("inf"):
            return inf
        if number.is_finite() and number >= 0 and number.adjusted() < LARGEST_EXPONENT:
            return Fraction(number) if number.adjusted() > -LARGEST_EXPONENT else Fraction(0)
    due = "a whole number, 0 or more" if whole else "a number, 0 or more, or inf"
    raise UsageError(f"{figure} must be {due}, not {_said(value)}")


def _said(value: Any) -> str:
    """Return a value about as TOML has it."""
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "an array"
    text = f"'{value}'" if isinstance(value, str) else str(value)
    return text.lower() if isinstance(value, bool) else text


def _refuse_twice(entries: Sequence[Entry]) -> None:
    """Raise `UsageError` if two entries bound the same figure of the same kernels and range."""
    first: dict[object, Entry] = {}
    for entry in entries:
        ends = _ends(entry.range) if entry.range else None
        same = frozenset(entry.match.items()), ends, entry.known
        for figure in entry.bounds:
            other = first.setdefault((figure, same), entry)
            if other is not entry:
                raise UsageError(
                    f"{entry.at(figure)}: {figure} has a bound for the same in line "
                    f"{other.line(figure)}, {shown_bound(other.bounds[figure])}: keep one of them"
                )
