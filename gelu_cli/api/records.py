"""Records: answers on kernels as plain data, read back, and compared."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from decimal import Decimal
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from gelu_cli.api.results import Answer, Result, Results, Shown
from gelu_cli.errors import UsageError, briefly
from gelu_cli.inputs.files import Source
from gelu_cli.inputs.record_file import COMPARED, read_record
from gelu_cli.output.renderers import to_json, to_short_text
from gelu_cli.output.tables import Cell, Table

if TYPE_CHECKING:
    from gelu_cli.accuracy.verdict import Verdict
    from gelu_cli.kernels.description import Kernel

Row: TypeAlias = Mapping[str, Any]

OF_CALLS = ("packed", "up_first")
"""Fields of a question that say how a kernel is called, not what it computes."""

LIBRARIES = ("numpy", "scipy", "mpmath", "python-flint", "ml_dtypes")
"""What judging computes with."""

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

    to_dict = Shown.to_dict


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


def environment_of(found: Sequence[Verdict], kernels: Sequence[Kernel]) -> dict[str, Any]:
    """Describe when, where and of what results were computed, for a record."""
    from datetime import datetime

    calls = [_call_of(each) for each in kernels] or [{} for _ in found]
    both = zip(found, calls, strict=True)
    targets = [str(each.target).partition(":")[0].partition(".")[0] for each in kernels]
    return {
        "time": datetime.now().astimezone().isoformat(timespec="seconds"),
        "machine": {"system": platform.platform(), "machine": platform.machine(), "cpu": _cpu()},
        "python": platform.python_version(),
        "versions": _versions([*LIBRARIES, *targets]),
        "kernels": [{"name": each.label, **call, **each.facts} for each, call in both],
    }


def _call_of(kernel: Kernel) -> dict[str, Any]:
    """List how a kernel is called, without the fields of its question."""
    known = {"label", "dtype", "result", "quantity", "upstream", "arguments"}
    given = {each.name: getattr(kernel, each.name) for each in fields(kernel)}
    call = {name: value for name, value in given.items() if value and name not in known}
    return {**call, "target": str(kernel.target), "arguments": dict(kernel.arguments)}


def _cpu() -> str:
    """Name the processor, as Linux does if it is there."""
    with suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if "model name" in line)
    return platform.processor() or platform.machine()


def _versions(packages: Sequence[str]) -> dict[str, str]:
    """List the versions of those packages that are installed."""
    found = {}
    for name in packages:
        with suppress(PackageNotFoundError, ValueError):
            found[name] = version(name)
    return found


def _plain(value: Any) -> Any:
    """Convert to what JSON has; objects to their names."""
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
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
        {name: partial(_table, name, rows, rounded) for name, rows in tables.items()},
        words=plain["verdict"],
        found=f"a record of {plain['command']}",
        record=lambda: {**plain, "views": _plain(tables)},
    )
    name = source if isinstance(source, str) else source.name
    return Record(source=name, **plain, answer=answer)


def _table(name: str, rows: Sequence[Row], rounded: Callable[[str, Cell], Cell]) -> Table:
    names = rows[0] if rows else ()
    columns = {column: [rounded(column, row.get(column)) for row in rows] for column in names}
    return Table(name.capitalize(), columns, keys=1 if name == "summary" else 2)


def _rounding(question: Row, digits: int | None) -> Callable[[str, Cell], Cell]:
    """Make a function that rounds a cell; inputs and results stay distinct."""
    if digits is None:
        return lambda column, cell: cell
    from gelu_cli.api.verdict_cells import Cells
    from gelu_cli.inputs.names import to_format

    return Cells(digits, to_format(question["dtype"]), to_format(question["result"])).again


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
    _require_same(base.question, _plain(question), option)
    failures: list[str] = []
    for row, other in _matched(summary, base.view("summary"), option):
        if row["inputs"] != other.get("inputs"):
            raise UsageError(f"{option} lacks all inputs of {row['kernel']}; sweep the same inputs")
        failures += _worse(row, other, option)
    return failures


def _matched(rows: Sequence[Row], others: Sequence[Row], name: str) -> list[tuple[Row, Row]]:
    """Pair kernels of one name, or one kernel with one, in two summaries."""
    if len(rows) == len(others) == 1:
        return [(rows[0], others[0])]
    found = {other["kernel"]: other for other in others}
    for row in rows:
        if row["kernel"] not in found:
            raise UsageError(f"{name} lacks a kernel '{row['kernel']}'; sweep the same kernels")
    return [(row, found[row["kernel"]]) for row in rows]


def _worse(row: Row, other: Row, option: str) -> Iterator[str]:
    """Yield a sentence for each number that exceeds its baseline."""
    for name in COMPARED:
        here, there = _number(row[name]), _number(other[name])
        if math.isnan(there):
            if name == "max_ulp" or not math.isnan(here):
                raise UsageError(
                    f"{option} has no {name} of {other['kernel']}, so that nothing bounds it; "
                    "take a baseline that has all numbers"
                )
        elif not here <= there:
            found = "missing" if math.isnan(here) else to_short_text(row[name])
            yield f"{row['kernel']}: {name} is {found}; {option} has {to_short_text(other[name])}"


def _number(cell: Cell) -> float | Decimal:
    """Take a cell as a file has it: a float64, or a decimal beyond."""
    near = math.nan if cell is None else float(cell)
    return cell if isinstance(cell, Decimal) and math.isinf(near) else near


def _require_same(a: Row, b: Row, name: str) -> None:
    """Raise UsageError with the fields in which two questions differ."""
    if different := "; ".join(
        f"{field} is {briefly(a.get(field))}, not {briefly(b.get(field))}"
        for field in dict.fromkeys([*a, *b])
        if a.get(field) != b.get(field) and field not in OF_CALLS
    ):
        raise UsageError(
            f"{name} answers another question: {different}; sweep with the same options"
        )


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

    The kernels of the first are compared with those of their names in the second.

    Raises
    ------
    UsageError
        If the records answer different questions, or the second lacks a kernel.
    """
    one, other = read(a), read(b)
    _require_same(one.question, other.question, a)
    pairs = _matched(one.view("summary"), other.view("summary"), b)
    rounded, found, count = _rounding(one.question, digits), [], 0
    for row, match in pairs:
        before, after = _numbers(one, row["kernel"]), _numbers(other, match["kernel"])
        common = [key for key in before if key in after]
        count += len(common)
        changed = [key for key in common if to_json(before[key]) != to_json(after[key])]
        found += [_change(row["kernel"], e, before[e], after[e], rounded) for e in changed]
    words = f"{len(found) or 'None'} of {count} numbers changed"
    ends = ENDS if any(each.up_low is not None for each in found) else ENDS[:2]
    keys = [*["kernel"] * (len(pairs) > 1), *ends, "figure"]

    def table() -> Table:
        names, rows = [*keys, "a", "b", "change"], map(Result.to_dict, found)
        return Table.of_rows("Numbers that have changed", names, rows, len(keys))

    notes = [] if found else [words]
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
    change: Cell = None
    if isinstance(a, int) and isinstance(b, int):
        change = b - a
    elif isinstance(a, float) and isinstance(b, float) and not column.endswith(("_x", "_up")):
        change = rounded("change", float(Decimal(str(b)) - Decimal(str(a))))
    places: Any = {name: rounded(name, end) for name, end in zip(ENDS, ends, strict=True)}
    a, b = rounded(column, a), rounded(column, b)
    return Change(kernel=kernel, figure=column, a=a, b=b, change=change, **places)
