"""Two records compared: which figures have changed, and what cannot be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from gelu_cli.errors import UsageError
from gelu_cli.old.answers import report_of
from gelu_cli.old.answers.sweep import OF_PAIRS
from gelu_cli.old.formulas import canonical
from gelu_cli.old.report import Report, Row
from gelu_cli.old.sweeping.rows import Cell

if TYPE_CHECKING:
    from gelu_cli.old.sweeping.records import Record

ASKED = ("dtype", "result", "target", "quantity", "upstream", "range", "ftz", "glu")
"""What two records have to agree on: else no figure of one has to do with one of the other."""

DRAWN = ("exhaustive", "samples", "seed", "infinities")
"""What decides which inputs were taken."""

VIEWS: Mapping[str, Sequence[str]] = {
    "summary": (), "regions": ("low", "high", "up_low", "up_high"),
}  # fmt: skip
"""The views that are compared, with the columns that name a row of a kernel."""

WORDS = ("routine", "name", "dtype", "result", "target", "quantity", "exhaustive")
"""Columns that are no figures."""

NAMES = ("routine", "low", "high", "up_low", "up_high", "figure", "a", "b", "change")


def compare_records(a: Record, b: Record, digits: int | None) -> Report:
    """Return the figures that differ between two records, those of b less those of a.

    Raises `UsageError` where no figure of one can be compared with one of the other.
    """
    _check(a, b)
    pairs = _pairs(a, b)
    names = NAMES if a.question.get("glu") else [each for each in NAMES if each not in OF_PAIRS]
    rows: list[Row] = []
    compared = 0
    for ours, theirs in pairs:
        for cells, one, other in _figures(a, b, ours, theirs):
            compared += 1
            if one != other:
                name = ours if ours == theirs else f"{ours} → {theirs}"
                place = str(cells["figure"]).endswith(("_x", "_up"))
                change = None if place else _less(other, one)
                row = {"routine": name, **cells, "a": one, "b": other, "change": change}
                rows.append([_rounded(row.get(column), digits) for column in names])
    same = f"{len(rows)} of {compared} figures differ" if rows else "no figure differs"
    origins = {
        name: f"{each.source}, by gelu {each.gelu}, {each.made.get('time', 'at no known time')}"
        for name, each in (("a", a), ("b", b))
    }
    facts = {**origins, "compared": same}
    notes = [*_notes(a, b, pairs), *([same] if not rows else [])]
    title = "Figures that have changed"
    keys = len(names) - 3
    return report_of(title, names, [rows], digits, keys=keys, facts=facts, notes=notes)


def _check(a: Record, b: Record) -> None:
    for name in ASKED:
        one, other = a.question.get(name), b.question.get(name)
        if name == "target" and one and other:
            one, other = canonical(one), canonical(other)
        if name == "glu" and one and other:  # how both are in an array is how a kernel is called
            one, other = ({**each, "packed": ""} for each in (one, other))
        if one != other:
            raise UsageError(
                f"these records have nothing to compare: {name} is {_shown(one)} in {a.source} and "
                f"{_shown(other)} in {b.source}"
            )


def _pairs(a: Record, b: Record) -> list[tuple[str, str]]:
    """Return the kernels of both, by name; where each has one, those two."""
    if len(a.names) == len(b.names) == 1:
        return [(a.names[0], b.names[0])]
    common = [(name, name) for name in a.names if name in b.names]
    if not common:
        raise UsageError(
            f"these records have nothing to compare: {a.source} is of {', '.join(a.names)}, "
            f"{b.source} of {', '.join(b.names)}"
        )
    return common


def _figures(
    a: Record, b: Record, ours: str, theirs: str
) -> Iterator[tuple[dict[str, Cell], Cell, Cell]]:
    """Yield the figures that both have of a kernel: which it is, and both values."""
    for view, keys in VIEWS.items():
        others = {tuple(map(row.get, keys)): row for row in b.rows(view, theirs)}
        for row in a.rows(view, ours):
            other = others.get(tuple(map(row.get, keys)), {})
            for column in row:
                if column in other and column not in (*WORDS, *keys):
                    named = {key: row.get(key) for key in keys}
                    yield {**named, "figure": column}, row[column], other[column]


def _less(one: Cell, other: Cell) -> Cell:
    """Return the difference of two numbers; that of float64s as printed, which is short."""
    if not (isinstance(one, int | float) and isinstance(other, int | float)):
        return None
    if isinstance(one, int) and isinstance(other, int):
        return one - other
    return float(Decimal(repr(one)) - Decimal(repr(other)))


def _rounded(cell: Cell, digits: int | None) -> Cell:
    if digits is None or not isinstance(cell, float) or cell - cell != 0:
        return cell
    from gelu_cli.old.arithmetic.decimals import Decimals

    return Decimals(digits).exactly(Fraction(cell)).normalize()


def _notes(a: Record, b: Record, pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield what cannot be compared, or not quite, a sentence each."""
    if a.gelu != b.gelu:
        yield (
            f"gelu {a.gelu} wrote {a.source}, gelu {b.gelu} {b.source}: figures may differ as the "
            "versions do"
        )
    for name in DRAWN:
        one, other = a.question.get(name), b.question.get(name)
        if one != other:
            yield (
                f"{name} is {_shown(one)} in {a.source} and {_shown(other)} in {b.source}: other "
                "inputs were taken, and figures may differ as these do"
            )
            break
    for record, other, place in ((a, b, 0), (b, a, 1)):
        alone = [name for name in record.names if name not in [pair[place] for pair in pairs]]
        if alone:
            yield f"{', '.join(alone)}: in {record.source} alone, not in {other.source}"


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ":".join(map(str, value)) if len(value) <= 2 else f"{len(value)} numbers"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(each)}" for name, each in value.items() if each)
    return "not said" if value is None else str(value)
