"""Bounds on errors: limits, and records that no number may exceed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import inf, isfinite, nan
from typing import Any, TypeAlias

from gelu_cli.api.questions import option, size
from gelu_cli.api.records import Record, read_record
from gelu_cli.api.results import Shown
from gelu_cli.api.verdict_views import Row, exactly, table_of
from gelu_cli.api.verdict_words import WRONG
from gelu_cli.errors import UsageError, briefly
from gelu_cli.inputs.numbers import to_float
from gelu_cli.inputs.record_file import COMPARED
from gelu_cli.output.renderers import to_short_text

BOUNDS = {"max_ulp": "max_ulp", "max_abs": "max_abs_error", "max_rel": "max_rel_error"}
"""By option: the column of summary; its inputs are in `max_…_x`."""

Limits: TypeAlias = Mapping[str, Fraction]
Base: TypeAlias = tuple[Record, str]
"""A baseline, and its name in messages."""


def to_limits(options: Mapping[str, Any]) -> Limits:
    """Parse the bounds that are given, by the name of the option."""
    given = {name: options.get(name) for name in BOUNDS}
    return {name: size(value, option(name)) for name, value in given.items() if value is not None}


def broken(limits: Limits, record: Record) -> Iterator[str]:
    """Yield a sentence for each limit that errors break.

    Raises
    ------
    UsageError
        If no result has the error that a limit bounds, or the record lacks it.
    """
    for row in record.kernels if limits else ():
        name = row["kernel"]
        if wrong := [f"{words}: {row[each]:,}" for each, words in WRONG.items() if row[each]]:
            worst = [each for each in record.rows("worst") if each.get("kernel") == name]
            failed = [each for each in worst if each["ulp"] is None and _is_finite(each)]
            wrong += [record.text(e, "got") + record.place(e) for e in failed[:1]]
            yield f"{name}: {', '.join(wrong)}; a wrong NaN, infinity or sign breaks each bound"
        for bound, limit in limits.items():
            column, spelt = BOUNDS[bound], option(bound)
            error = exactly(row.get(column))
            if error is None and not wrong:
                fault = f"{spelt} cannot be judged: {name} has no {column}"
                raise UsageError(f"{fault}; remove {spelt}")
            if error is not None and error > limit:
                found = f"{column} {record.text(row, column)}{record.place(row, f'{bound}_')}"
                yield f"{name}: {found} exceeds {spelt} {to_float(limit):g}"


def _is_finite(row: Row) -> bool:
    return all(isfinite(row[name]) for name in ("x", "up") if name in row)


def to_base(baseline: Any, option: str = "--baseline") -> Base:
    """Read a baseline; a result has its record."""
    if isinstance(baseline, Shown) and baseline.answer.record:
        return baseline.answer.record, option
    return read_record(str(baseline)), f"{option} {baseline}"


def no_worse(record: Record, baseline: Base) -> Iterator[str]:
    """Yield a sentence for each number that is worse than in a baseline.

    Kernels are paired by name; if each record has one kernel, names do not matter.

    Raises
    ------
    UsageError
        If the baseline answers another question, or lacks a kernel or a number.
    """
    base, option = baseline
    for row, other in matched(record, base, option):
        if row["inputs"] != other["inputs"]:
            raise UsageError(f"{option} lacks all inputs of {row['kernel']}; sweep the same inputs")
        for name in COMPARED:
            here, there = row[name], other[name]
            if there is None and (name == "max_ulp" or here is not None):
                fault = f"{option} has no {name} of {other['kernel']}"
                raise UsageError(f"{fault}, so that nothing bounds it; take another baseline")
            if there is not None and not _is_at_most(here, there):
                found, least = (to_short_text(each) or "missing" for each in (here, there))
                yield f"{row['kernel']}: {name} is {found}; {option} has {least}"


def _is_at_most(here: Any, there: Any) -> bool:
    """Compare as float64s, beyond them as decimals; None is larger."""
    near = nan if here is None else float(here), float(there)
    return near[0] < near[1] or (near[0] == near[1] and (near[1] < inf or bool(here <= there)))


def matched(record: Record, base: Record, name: str) -> list[tuple[Row, Row]]:
    """Pair kernels of one name, or one kernel with one, of one question."""
    require_same(base.question, record.question, name)
    both = (replace(each, digits=None) for each in (record, base))
    rows, others = (table_of(each, "summary").dicts() for each in both)
    found = {other["kernel"]: other for other in others}
    if len(rows) == len(others) == 1:
        found = {rows[0]["kernel"]: others[0]}
    for row in rows:
        if row["kernel"] not in found:
            raise UsageError(f"{name} lacks a kernel '{row['kernel']}'; sweep the same kernels")
    return [(row, found[row["kernel"]]) for row in rows]


def require_same(a: Mapping[str, Any], b: Mapping[str, Any], name: str) -> None:
    """Raise UsageError with the fields in which two questions differ."""
    different = [field for field in dict.fromkeys([*a, *b]) if a.get(field) != b.get(field)]
    if different:
        fields = [f"{e} is {briefly(a.get(e))}, not {briefly(b.get(e))}" for e in different]
        fault = f"{name} answers another question: {'; '.join(fields)}"
        raise UsageError(f"{fault}; sweep with the same options")
