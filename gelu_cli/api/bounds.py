"""Bounds on errors: limits, and records that no number may exceed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import isfinite, isinf, isnan, nan
from typing import Any, TypeAlias

from gelu_cli.api.questions import option, size
from gelu_cli.api.records import Record, read_record
from gelu_cli.api.results import Shown
from gelu_cli.api.verdict_cells import Row, above, exactly, plain
from gelu_cli.api.verdict_rows import WRONG, place_of
from gelu_cli.api.verdict_tables import table_of
from gelu_cli.errors import UsageError, briefly
from gelu_cli.inputs.record_file import COMPARED
from gelu_cli.output.renderers import to_short_text

BOUNDS = {
    "max_ulp": ("max_ulp", "max_ulp_", "ULP"),
    "max_abs": ("max_abs_error", "max_abs_", "absolute error"),
    "max_rel": ("max_rel_error", "_max_rel_", "relative error"),
}
"""By option: the column of summary, the prefix of its inputs, the unit."""

Limits: TypeAlias = Mapping[str, Fraction]
Base: TypeAlias = tuple[Record, str]
"""A baseline, and its name in messages."""


def to_limits(options: Mapping[str, Any]) -> Limits:
    """Parse the bounds that are given, by the name of the option."""
    given = {name: options.get(name) for name in BOUNDS}
    return {name: size(value, option(name)) for name, value in given.items() if value is not None}


def broken(limits: Limits, record: Record) -> list[str]:
    """List the limits that errors break, a sentence each.

    Raises
    ------
    UsageError
        If no result has the error that a limit bounds, or the record lacks it.
    """
    found = []
    for row in record.kernels if limits else ():
        name = row["kernel"]
        if wrong := [f"{words}: {row[each]:,}" for each, words in WRONG.items() if row[each]]:
            said = "; ".join([f"{name}: {', '.join(wrong)}", *_first_wrong(record, name)])
            found.append(f"{said}; a wrong NaN, infinity or sign breaks each bound")
        for bound, limit in limits.items():
            column, prefix, unit = BOUNDS[bound]
            error = exactly(row.get(column))
            if error is None and not wrong:
                fault = f"{option(bound)} cannot be judged: {name} has no {column}"
                raise UsageError(f"{fault}; remove {option(bound)}")
            if error is not None and error > limit:
                much = f"{above(limit, error)} {unit} at {place_of(record.names, row, prefix)}"
                found.append(f"{name}: {much} exceeds {option(bound)} {plain(limit)}")
    return found


def _first_wrong(record: Record, kernel: str) -> Iterator[str]:
    """Yield the first wrong NaN, infinity or sign in words, if it is known."""
    for row in record.rows("worst"):
        inputs = [row[name] for name in ("x", "up") if name in row]
        mine = row.get("kernel") == kernel and all(map(isfinite, inputs))
        if mine and (row["ulp"] is None or row["got"] * row["want"] < 0):
            yield f"{row['got']} at {place_of(record.names, row)}, where {row['want']} is right"
            return


def to_base(baseline: Any, option: str = "--baseline") -> Base:
    """Read a baseline; a result has its record."""
    if isinstance(baseline, Shown) and baseline.answer.record:
        return baseline.answer.record, option
    return read_record(str(baseline)), f"{option} {baseline}"


def no_worse(record: Record, baseline: Base) -> list[str]:
    """List the numbers that are worse than in a baseline, a sentence each.

    Kernels are paired by name; if each record has one kernel, names do not matter.

    Raises
    ------
    UsageError
        If the baseline answers another question, or lacks a kernel or a number.
    """
    failures: list[str] = []
    base, option = baseline
    for row, other in matched(record, base, option):
        if row["inputs"] != other["inputs"]:
            raise UsageError(f"{option} lacks all inputs of {row['kernel']}; sweep the same inputs")
        failures += _worse(row, other, option)
    return failures


def matched(record: Record, base: Record, name: str) -> list[tuple[Row, Row]]:
    """Pair kernels of one name, or one kernel with one, of one question."""
    require_same(base.question, record.question, name)
    rows, others = (
        table_of(replace(each, digits=None), "summary").dicts() for each in (record, base)
    )
    if len(rows) == len(others) == 1:
        return [(rows[0], others[0])]
    found = {other["kernel"]: other for other in others}
    for row in rows:
        if row["kernel"] not in found:
            raise UsageError(f"{name} lacks a kernel '{row['kernel']}'; sweep the same kernels")
    return [(row, found[row["kernel"]]) for row in rows]


def require_same(a: Mapping[str, Any], b: Mapping[str, Any], name: str) -> None:
    """Raise UsageError with the fields in which two questions differ."""
    if different := "; ".join(
        f"{field} is {briefly(a.get(field))}, not {briefly(b.get(field))}"
        for field in dict.fromkeys([*a, *b])
        if a.get(field) != b.get(field)
    ):
        raise UsageError(
            f"{name} answers another question: {different}; sweep with the same options"
        )


def _worse(row: Row, other: Row, option: str) -> Iterator[str]:
    """Yield a sentence for each number that exceeds its baseline."""
    for name in COMPARED:
        here, there = _number(row[name]), _number(other[name])
        if isnan(there):
            if name == "max_ulp" or not isnan(here):
                raise UsageError(
                    f"{option} has no {name} of {other['kernel']}, so that nothing bounds it; "
                    "take a baseline that has all numbers"
                )
        elif not here <= there:
            found = "missing" if isnan(here) else to_short_text(row[name])
            yield f"{row['kernel']}: {name} is {found}; {option} has {to_short_text(other[name])}"


def _number(cell: Any) -> float | Decimal:
    """Convert a cell to a float64, or to a decimal if it exceeds float64."""
    near = nan if cell is None else float(cell)
    return cell if isinstance(cell, Decimal) and isinf(near) else near
