"""Record files, read and checked."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import Any

from gelu_cli.errors import UsageError, briefly
from gelu_cli.inputs.files import Source, read_source

ERRORS = ("max_ulp", "mean_ulp", "max_ordinal", "max_abs_error", "max_rel_error")
OF_DRAWS = ("rms_error", "noise_ratio")
COUNTS = ("over_half_ulp", "over_1_ulp", "misrounded", "wrong_nan", "wrong_inf", "wrong_sign")
COMPARED = (*ERRORS, *OF_DRAWS, *COUNTS, "wrong_zero", "wrong_special", "non_monotone")
"""Columns of `summary` that a baseline bounds: numbers, or null if there is no such error."""

NEEDED = {"summary": {*COMPARED, "inputs"}, "plot": {"low", "high", "max_ulp"}}
"""Columns of numbers that a view must have."""

WHOLE = {*COUNTS, "wrong_zero", "inputs", "differ"}
"""Columns of `summary` that count."""

NUMBERS = {*COMPARED, "x", "up", "low", "high", "up_low", "up_high", "got", "want", "exact", "ulp"}
"""Columns whose texts are numbers beyond float64."""

TEXTS = {
    "question": ("dtype", "result", "quantity"),
    "summary": ("kernel", "form", "exhaustive"),
    "plot": ("kernel",),
}
NUMBER = (int, float, str, type(None))
KINDS: dict[Any, str] = {str: "a text", dict: "an object", list: "an array", NUMBER: "a number"}
KINDS |= {int: "a whole number", (int, float): "a number"}
FIELDS = {"gelu": str, "command": str, "question": dict, "environment": dict, "verdict": list}
NON_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def is_record(source: Source) -> bool:
    """Return True if a file is an object with views, of any version."""
    return source.data.lstrip().startswith(b"{") and b'"views"' in source.data


def read_plain(source: str | Source) -> dict[str, Any]:
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
    for name in TEXTS["question"]:
        _field(record["question"], name, str, "question.")
    for name in ("mean", "sigma"):
        _field(record["question"], name, (int, float), "question.")
    record["views"] = _field(value, "views", dict)
    for view in {"summary": [], **record["views"]}:
        for place, row in enumerate(_field(record["views"], view, list, "views.")):
            path = f"views.{view}[{place}]"
            if not isinstance(row, dict):
                raise ValueError(f"{path} is {briefly(row)}, not an object")
            for name in TEXTS.get(view, ()):
                _field(row, name, str, f"{path}.")
            for name in WHOLE & row.keys() if view == "summary" else ():
                _field(row, name, int, f"{path}.")
            _read_numbers(row, f"{path}.", NEEDED.get(view, ()))
    if not record["views"]["summary"]:
        raise ValueError("views.summary is empty")
    return record


def _field(value: Any, name: str, kind: Any, above: str = "") -> Any:
    if not isinstance(value, dict) or name not in value:
        raise ValueError(f"{above}{name} is missing")
    if not isinstance(value[name], kind):
        raise ValueError(f"{above}{name} is {briefly(value[name])}, not {KINDS[kind]}")
    return value[name]


def _read_numbers(row: dict[str, Any], path: str, needed: Iterable[str]) -> None:
    """Make numbers of the texts in a row; check the columns that gelu needs."""
    for name in (*needed, *row):
        _field(row, name, NUMBER, path)
    row |= {name: NON_FINITE.get(str(cell), cell) for name, cell in row.items()}
    for name in NUMBERS & row.keys():
        if isinstance(cell := row[name], str):
            try:
                row[name] = Decimal(cell)
            except InvalidOperation:
                raise ValueError(f"{path}{name} is {briefly(cell)}, not a number") from None
