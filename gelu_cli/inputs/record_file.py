"""Record files, read and checked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from gelu_cli.errors import UsageError, briefly
from gelu_cli.inputs.files import Source, read_source

COMPARED = (
    "max_ulp", "mean_ulp", "max_ordinal", "max_abs_error", "max_rel_error", "rms_error",
    "noise_ratio", "over_half_ulp", "over_1_ulp", "misrounded", "wrong_nan", "wrong_inf",
    "wrong_sign", "wrong_zero", "wrong_special", "non_monotone",
)  # fmt: skip
"""Columns of `summary` that a baseline bounds: numbers, or null if there is no such error."""

FIELDS: dict[str, type] = {
    "gelu": str, "command": str, "question": dict, "environment": dict, "verdict": list,
    "views": dict,
}  # fmt: skip
"""The fields of a record in their order."""

NUMBER = (int, float, str, type(None))
KINDS: dict[Any, str] = {str: "a text", dict: "an object", list: "an array", NUMBER: "a number"}
NON_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def is_record(source: Source) -> bool:
    """Return True if a file is an object with views, of any version."""
    return source.data.lstrip().startswith(b"{") and b'"views"' in source.data


def read_record(source: str | Source) -> dict[str, Any]:
    """Read a record; `-` is stdin. Texts for NaN and infinities become floats.

    Raises
    ------
    UsageError
        If the file is not a record, or a field that gelu reads is missing or wrong.
    """
    import orjson

    name, data = read_source(source) if isinstance(source, str) else source
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise UsageError(f"{name} is not JSON: {error}; name a record") from None
    if isinstance(value, list):
        raise UsageError(f"{name} is a table; -o FILE.json without --view writes a record")
    try:
        return _checked(value)
    except ValueError as error:
        raise UsageError(
            f"{name} is not a whole record: {error}; write the record again with -o FILE.json"
        ) from None


def _checked(value: Any) -> dict[str, Any]:
    """Check what gelu reads; ValueError names the field that is wrong."""
    record = {name: _field(value, name, kind) for name, kind in FIELDS.items()}
    for name in ("dtype", "result"):
        _field(value["question"], name, str, "question.")
    for view in {"summary": [], **value["views"]}:
        for place, row in enumerate(_field(value["views"], view, list, "views.")):
            _read_row(row, f"views.{view}[{place}]", COMPARED if view == "summary" else ())
    for place, row in enumerate(value["views"]["summary"]):
        _field(row, "kernel", str, f"views.summary[{place}].")
    return record


def _field(value: Any, name: str, kind: Any, above: str = "") -> Any:
    if not isinstance(value, dict) or name not in value:
        raise ValueError(f"{above}{name} is missing")
    if not isinstance(value[name], kind):
        raise ValueError(f"{above}{name} is {briefly(value[name])}, not {KINDS[kind]}")
    return value[name]


def _read_row(row: Any, path: str, compared: Sequence[str]) -> None:
    """Make numbers of the texts in a row, and check those that are compared."""
    if not isinstance(row, dict):
        raise ValueError(f"{path} is {briefly(row)}, not an object")
    row |= {name: NON_FINITE.get(str(cell), cell) for name, cell in row.items()}
    for name in compared:
        cell = _field(row, name, NUMBER, f"{path}.")
        if isinstance(cell, str):
            row[name] = _beyond_float64(cell, f"{path}.{name}")


def _beyond_float64(cell: str, path: str) -> Decimal:
    try:
        return Decimal(cell)
    except InvalidOperation:
        raise ValueError(f"{path} is {briefly(cell)}, not a number") from None
