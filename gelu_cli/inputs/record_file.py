"""Record files, read and checked field by field."""

from __future__ import annotations

import math
from decimal import Decimal, InvalidOperation
from typing import Any

from gelu_cli.errors import UsageError, briefly
from gelu_cli.inputs.files import Source, read_source
from gelu_cli.numbers import FORMATS

MOST_BYTES = 1 << 26
"""A record of every form in every format has less than a hundredth of this."""

ERRORS = (
    "max_ulp", "mean_ulp", "max_ordinal", "max_abs_error", "max_rel_error", "rms_error",
    "noise_ratio",
)  # fmt: skip
COUNTS = (
    "inputs", "over_half_ulp", "over_1_ulp", "misrounded", "wrong_nan", "wrong_inf", "wrong_sign",
    "wrong_zero", "wrong_special", "non_monotone", "unrepeatable",
)  # fmt: skip
MAY_LACK = ("wrong_special", "non_monotone", "unrepeatable")
"""Counts that are null if they were not measured, as steps of pairs."""

TYPES: dict[Any, str] = {str: "a text", dict: "an object", list: "an array"}
FIELDS: dict[str, type] = {
    "gelu": str, "command": str, "question": dict, "environment": dict, "verdict": list,
    "views": dict,
}  # fmt: skip
"""The fields of a record in their order."""

NON_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def is_record(source: Source) -> bool:
    """Return True if a file has the fields of a record, of any version."""
    if source.data.lstrip()[:1] != b"{" or b'"views"' not in source.data:
        return False
    try:
        value = _parsed(source)
    except UsageError:
        return False
    return isinstance(value, dict) and "gelu" in value and "views" in value


def read_record(source: str | Source) -> dict[str, Any]:
    """Read a record; `-` is stdin. Texts for NaN and infinities become floats.

    Raises
    ------
    UsageError
        If the file is not a record, or a field is missing or wrong.
    """
    file = read_source(source) if isinstance(source, str) else source
    value = _parsed(file)
    if isinstance(value, list):
        raise UsageError(f"{file.name} is a table; -o FILE.json without --view writes a record")
    if isinstance(value, dict) and "schema" in value:
        raise UsageError(
            f"{file.name} is a record of an older gelu, which this version does not read; "
            "write the record again with -o FILE.json"
        )
    try:
        return _checked(value)
    except ValueError as error:
        raise UsageError(
            f"{file.name} is not a whole record: {error}; write the record again with -o FILE.json"
        ) from None


def _parsed(file: Source) -> Any:
    import orjson

    name, data = file
    if len(data) > MOST_BYTES:
        raise UsageError(f"{name} exceeds {MOST_BYTES >> 20} MiB; name a record")
    try:
        return orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        raise UsageError(f"{name} is not JSON: {error}; name a record") from None


def _checked(value: Any) -> dict[str, Any]:
    """Check the fields; ValueError names the one that is wrong."""
    _check(dict, value, "the file")
    for field, kind in FIELDS.items():
        _check(kind, _present(field, value), field)
    for field in ("dtype", "result"):
        if (name := _present(field, value["question"], "question.")) not in [*FORMATS]:
            raise ValueError(f"question.{field} is {briefly(name)}, not a format")
    for place, each in enumerate(value["verdict"]):
        _check(str, each, f"verdict[{place}]")
    views = {name: _rows(rows, f"views.{name}") for name, rows in value["views"].items()}
    for place, row in enumerate(_present("summary", views, "views.") or [{}]):
        _check_summary(row, f"views.summary[{place}].")
    return {**{field: value[field] for field in FIELDS}, "views": views}


def _check(kind: type, value: Any, path: str) -> None:
    if not isinstance(value, kind):
        raise ValueError(f"{path} is {briefly(value)}, not {TYPES[kind]}")


def _present(field: str, value: dict[str, Any], path: str = "") -> Any:
    if field not in value:
        raise ValueError(f"{path}{field} is missing")
    return value[field]


def _rows(rows: Any, path: str) -> list[dict[str, Any]]:
    """Check that rows are objects of the same columns; make floats."""
    _check(list, rows, path)
    for place, row in enumerate(rows):
        _check(dict, row, f"{path}[{place}]")
        for column in {**rows[0], **row}:
            cell = _present(column, row, f"{path}[{place}].")
            if isinstance(cell, bool | list | dict):
                where = f"{path}[{place}].{column}"
                raise ValueError(f"{where} is {briefly(cell)}, not a number or a text")
            row[column] = cell if column == "kernel" else NON_FINITE.get(cell, cell)
            if column in (*ERRORS, "ulp") and isinstance(row[column], str):
                row[column] = _decimal(cell, f"{path}[{place}].{column}")
    return list(rows)


def _decimal(cell: str, where: str) -> Decimal:
    """Read an error beyond float64."""
    try:
        found = Decimal(cell)
    except InvalidOperation:
        found = Decimal("NaN")
    if not found.is_finite():
        raise ValueError(f"{where} is {briefly(cell)}, not a number from 0")
    return found


def _check_summary(row: dict[str, Any], path: str) -> None:
    """Check the errors and counts that bounds are on."""
    _check(str, _present("kernel", row, path), f"{path}kernel")
    for column in (*COUNTS, *ERRORS):
        cell, whole = _present(column, row, path), column in COUNTS
        if cell is None and column in (*MAY_LACK, *ERRORS):
            continue
        if isinstance(cell, str) or (whole and not isinstance(cell, int)) or cell < 0:
            kind = "whole number" if whole else "number"
            raise ValueError(f"{path}{column} is {briefly(cell)}, not a {kind} from 0")
