"""Records: answers on kernels as plain data, read back, and compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from gelu_cli.api.results import Answer, Result, Results
from gelu_cli.errors import UsageError, briefly
from gelu_cli.inputs.files import Source
from gelu_cli.inputs.record_file import COUNTS, ERRORS, MAY_LACK, read_record
from gelu_cli.output.renderers import to_json, to_short_text
from gelu_cli.output.tables import Cell, Table

Row: TypeAlias = Mapping[str, Any]

BOUNDED = [name for name in (*ERRORS, *COUNTS) if name not in ("inputs", "unrepeatable")]
"""Columns of `summary` that a baseline bounds; `max_ulp` is the first."""

MAY_BE_EMPTY = (*MAY_LACK, "max_rel_error", "rms_error", "noise_ratio")
"""Numbers that may be missing of both kernels: the errors, if no result is normal, or no draw of
N(M, S²) meets an input."""

OF_CALLS = ("packed", "up_first")
"""Fields of a question that say how a kernel is called, not what it computes."""

ENDS = ("low", "high", "up_low", "up_high")
NAMES = ("kernel", "dtype", "result", "form", "quantity", "exhaustive", *ENDS)
"""Columns that name a row or a question: two records are compared by the others."""


@dataclass(frozen=True, kw_only=True)
class Record(Result):
    """A record that was read; its tables are views, as `view("summary")`.

    Attributes
    ----------
    source
        Name of the file.
    gelu
        Version of gelu that wrote the record.
    command
        Command line or Python function that it answers.
    question
        What shapes inputs and exact values: formats, form, range, samples, …
    environment
        Time, machine, versions and kernels.
    verdict
        The answer in sentences.
    """

    source: str
    gelu: str
    command: str
    question: dict[str, Any]
    environment: dict[str, Any]
    verdict: list[str]

    def assert_no_worse(self, baseline: str | Path | Record) -> None:
        """Raise AssertionError if an error or a count is worse than another's.

        Raises
        ------
        AssertionError
            If one does; each has a line.
        UsageError
            If the other record answers another question.
        """
        __tracebackhide__ = True  # from pytest
        if failures := no_worse(self.question, self.view("summary"), baseline, "the baseline"):
            raise AssertionError("\n".join(failures))

    def to_dict(self) -> dict[str, Any]:
        """Return the record as its file has it."""
        return self.answer.record() if self.answer.record else {}


def record_of(
    command: str,
    question: Mapping[str, Any],
    environment: Mapping[str, Any],
    verdict: Sequence[str],
    views: Mapping[str, Table],
) -> dict[str, Any]:
    """Make a record, as JSON has it: numbers that are not finite are texts.

    >>> table = Table("", {"kernel": ["erfc"], "max_ulp": [math.inf]})
    >>> record_of("gelu sweep erfc", {"dtype": "bfloat16"}, {}, [], {"summary": table})["views"]
    {'summary': [{'kernel': 'erfc', 'max_ulp': 'Infinity'}]}
    """
    from gelu_cli import __version__

    return {
        "gelu": __version__,
        "command": command,
        "question": _plain(question),
        "environment": _plain(environment),
        "verdict": list(verdict),
        "views": {name: _plain(table.dicts()) for name, table in views.items()},
    }


def environment_of(kernels: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Describe when and where results were computed, for a record."""
    from datetime import datetime

    from gelu_cli.old.environment import host

    return {
        "time": datetime.now().astimezone().isoformat(timespec="seconds"),
        "machine": host.host(),
        "python": host.python(),
        "versions": host.versions(),
        "variables": host.variables(),
        "kernels": list(kernels),
    }


def _plain(value: Any) -> Any:
    """Convert to what JSON has; objects to their names."""
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Fraction):
        return float(value)
    if value is None or isinstance(value, str | int | float | Decimal):
        return to_json(value)
    return str(getattr(value, "name", value))


def load(path: str | Path) -> Record:
    """Read a record, which `sweep`, `check` and `compare` write.

    Parameters
    ----------
    path
        Name of the file.

    Returns
    -------
    Record
        Prints as its summary; `view(name)` lists the rows of a view.

    Raises
    ------
    UsageError
        If the file is not a record, or a field is missing or wrong.

    Examples
    --------
    >>> load("record.json")
    Traceback (most recent call last):
        ...
    gelu_cli.errors.UsageError: cannot read 'record.json': No such file or directory; name another
    """
    return read(str(path))


def read(source: str | Source, digits: int | None = None) -> Record:
    """Read a record, its numbers rounded to `digits`; `-` is stdin."""
    plain = read_record(source)
    tables = plain.pop("views")
    rounded = _rounding(plain["question"], digits)
    answer = Answer(
        {name: partial(_table, name, tables[name], rounded) for name in {"summary": 0, **tables}},
        words=plain["verdict"],
        found=f"a record of {plain['command']}",
        record=lambda: {**plain, "views": _plain(tables)},
    )
    name = source if isinstance(source, str) else source.name
    return Record(source=name, **plain, answer=answer)


def _table(name: str, rows: Sequence[Row], rounded: Callable[[str, Cell], Cell]) -> Table:
    names = rows[0] if rows else ()
    columns = {column: [rounded(column, row[column]) for row in rows] for column in names}
    return Table(name.capitalize(), columns, keys=1 if name == "summary" else 2)


def _rounding(question: Row, digits: int | None) -> Callable[[str, Cell], Cell]:
    """Make a function that rounds a cell; inputs and results stay distinct."""
    if digits is None:
        return lambda column, cell: cell
    from gelu_cli.inputs.old_names import to_old_format
    from gelu_cli.old.sweeping.rows import Numbers

    return Numbers(
        digits, to_old_format(question["dtype"]), to_old_format(question["result"])
    ).again


# Comparing


def no_worse(
    question: Row,
    summary: Sequence[Row],
    baseline: str | Path | Record,
    option: str = "--baseline",
) -> list[str]:
    """Compare a summary with a baseline; a worse number is a sentence.

    Kernels of one name are compared, and of one kernel each whatever their names. `summary` has
    float64s, not numbers of fewer digits.

    Raises
    ------
    UsageError
        If the baseline answers another question, or lacks a kernel or a number.
    """
    base = baseline if isinstance(baseline, Record) else read(str(baseline))
    option = f"{option} {base.source}"
    if different := _differences(base.question, _plain(question)):
        raise UsageError(
            f"{option} answers another question: {different}; sweep with the same options"
        )
    failures: list[str] = []
    others = base.view("summary")
    for row in summary:
        other = _counterpart(row, summary, others)
        if other is None or row["inputs"] != other["inputs"]:
            lacks = f"all inputs of {row['kernel']}" if other else f"a kernel '{row['kernel']}'"
            raise UsageError(f"{option} lacks {lacks}; sweep the same kernels and inputs")
        failures += _worse(row, other, option)
    return failures


def _counterpart(row: Row, rows: Sequence[Row], others: Sequence[Row]) -> Row | None:
    """Find the row of a kernel: by its name, or the only one."""
    if len(rows) == len(others) == 1:
        return others[0]
    return next((other for other in others if other["kernel"] == row["kernel"]), None)


def _worse(row: Row, other: Row, option: str) -> Iterator[str]:
    """Yield a sentence for each number that exceeds its baseline."""
    for name in BOUNDED:
        here, there = (_number(each.get(name)) for each in (row, other))
        if math.isnan(here) and math.isnan(there) and name in MAY_BE_EMPTY:
            continue  # there are results: max_ulp was compared before
        if math.isnan(there):
            raise UsageError(
                f"{option} has no {name} of {other['kernel']}, so that nothing bounds it; "
                "take a baseline that has all numbers"
            )
        if not here <= there:
            found = "missing" if math.isnan(here) else to_short_text(row[name])
            yield f"{row['kernel']}: {name} is {found}; {option} has {to_short_text(other[name])}"


def _number(cell: Cell) -> float | Decimal:
    """Take a cell as a file has it: a float64, or a decimal beyond."""
    near = math.nan if cell is None else float(cell)
    return cell if isinstance(cell, Decimal) and math.isinf(near) else near


def _differences(a: Row, b: Row) -> str:
    """Name the fields in which two questions differ, with both values."""
    named = []
    for name in dict.fromkeys([*a, *b]):
        one, other = a.get(name), b.get(name)
        if name == "form" and one != other:
            one, other = _canonical(one), _canonical(other)
        if one != other and name not in OF_CALLS:
            named.append(f"{name} is {briefly(one)}, not {briefly(other)}")
    return "; ".join(named)


def _canonical(form: Any) -> Any:
    """Spell a form by its name, not an alias; several are a list."""
    from gelu_cli.formulas import canonical

    return canonical(form) if isinstance(form, str) and ", " not in form else form


@dataclass(frozen=True, kw_only=True)
class Change(Result):
    """A number that differs between two records of one question.

    Attributes
    ----------
    kernel
        The kernel in the first record.
    low, high, up_low, up_high
        Ends of the region of the inputs; None for the summary.
    figure
        Name of the column.
    a, b
        The number in the first and in the second record.
    change
        b − a; None for an input.
    """

    kernel: str
    low: Cell
    high: Cell
    up_low: Cell
    up_high: Cell
    figure: str
    a: Cell
    b: Cell
    change: Cell


def compare_records(a: str, b: str, digits: int | None = None) -> Results[Change]:
    """List the numbers that differ between two records of one question.

    Raises
    ------
    UsageError
        If the records answer different questions, or have no kernel in common.
    """
    one, other = read(a), read(b)
    if different := _differences(one.question, other.question):
        raise UsageError(
            f"{a} and {b} answer different questions: {different}; take the same options"
        )
    rows, others = one.view("summary"), other.view("summary")
    matches = {row["kernel"]: _counterpart(row, rows, others) for row in rows}
    pairs = {name: match["kernel"] for name, match in matches.items() if match}
    if not pairs:
        raise UsageError(f"{a} and {b} have no kernel in common; name records of the same kernels")
    rounded, found, count = _rounding(one.question, digits), [], 0
    for name, match in pairs.items():
        before, after = _numbers(one, name), _numbers(other, match)
        for key in [key for key in before if key in after]:
            count += 1
            if to_json(before[key]) != to_json(after[key]):  # NaN is NaN
                found.append(_change(name, key, before[key], after[key], rounded))
    words = f"{len(found) or 'None'} of {count} numbers changed"
    left = {*matches, *(row["kernel"] for row in others)} - {*pairs, *pairs.values()}
    notes = [f"{name} is in one of the records alone" for name in sorted(left)]
    notes += [] if found else [words]
    ends = ENDS if any(each.up_low is not None for each in found) else ENDS[:2]
    shown = [*["kernel"] * (len(pairs) > 1), *ends, "figure", "a", "b", "change"]

    def table() -> Table:
        title, meanings = "Numbers that have changed", {"change": "b − a"}
        keys = len(shown) - 3
        return Table.of_rows(title, shown, map(Result.to_dict, found), keys, meanings=meanings)

    return Results(found, Answer({"changes": table}, [f"{words}."], notes=notes, found=words))


def _numbers(record: Record, kernel: str) -> dict[tuple[Any, ...], Cell]:
    """Index the numbers of a kernel by column and ends of the region."""
    return {
        (column, *map(row.get, ENDS)): cell
        for view in ("summary", "regions")
        for row in (record.view(view) if view in record.answer.views else ())
        if row.get("kernel", kernel) == kernel
        for column, cell in row.items()
        if column not in NAMES
    }


def _change(
    kernel: str, key: Sequence[Any], a: Cell, b: Cell, rounded: Callable[[str, Cell], Cell]
) -> Change:
    """Subtract numbers, float64s as they are printed."""
    column, *ends = key
    less, kinds = None, {type(a), type(b)}
    if kinds <= {int, float, Decimal} and not column.endswith(("_x", "_up")):
        difference = Decimal(str(b)) - Decimal(str(a))
        less = int(difference) if kinds == {int} else rounded("change", _number(difference))
    cells: Any = {"a": rounded(column, a), "b": rounded(column, b), "change": less}
    named: Any = {name: rounded(name, end) for name, end in zip(ENDS, ends, strict=True)}
    return Change(kernel=kernel, figure=column, **named, **cells)
