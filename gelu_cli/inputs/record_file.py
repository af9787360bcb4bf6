"""Record files, read and checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from itertools import product
from typing import Any

from gelu_cli.errors import UsageError, described
from gelu_cli.inputs.files import Source, read_source

FIGURES = """
max_ulp mean_ulp max_ordinal max_abs_error max_rel_error rms_error noise_ratio over_half_ulp
over_1_ulp misrounded wrong_nan wrong_inf wrong_sign wrong_zero wrong_special non_monotone
"""
COMPARED = tuple(FIGURES.split())
"""Columns of `summary` that a baseline bounds: numbers, or null if there is no such error."""

NEEDED = ("kernel", "form", "exhaustive", "inputs", *COMPARED)
DRAWN = ("kernel", "low", "high", "max_ulp")
"""Columns that a record must have in `summary` and in `plot`."""

OTHERS = "differ x up low high up_low up_high got want exact ulp"
NUMBERS = {*COMPARED, *OTHERS.split()}
"""Columns of numbers, some of them texts, since they are beyond float64."""

NON_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def is_record(source: Source) -> bool:
    """Return True if a file is an object with views, of any version."""
    return source.data.lstrip().startswith(b"{") and b'"views"' in source.data


def read_plain(source: str | Source) -> dict[str, Any]:
    """Read a record; `-` is stdin. Texts for NaN and infinities become floats.

    Raises
    ------
    UsageError
        If the file is not a record, or lacks a field that gelu reads.
    """
    import orjson

    name, data = read_source(source) if isinstance(source, str) else source
    try:
        record = orjson.loads(data)
        fields = {each: record[each] for each in ("gelu", "command", "environment", "verdict")}
        question = {**record["question"]}
        question |= {each: str(question[each]) for each in ("dtype", "result", "quantity")}
        question |= {each: float(question[each]) for each in ("mean", "sigma")}
        views = {view: [*map(_numbers, rows)] for view, rows in record["views"].items()}
        needed = [*product(views["summary"], NEEDED), *product(views.get("plot", []), DRAWN)]
        lacking = [each for row, each in needed if each not in row]
        if views["summary"] and not lacking:
            return {**fields, "question": question, "views": views}
        fault = f"{', '.join(lacking) or 'summary'} is missing"
    except orjson.JSONDecodeError as error:
        raise UsageError(f"{name} is not JSON: {error}; name a record") from None
    except (AttributeError, LookupError, TypeError, ValueError, InvalidOperation) as error:
        fault = "a table" if isinstance(record, list) else described(error)
    raise UsageError(f"{name} is not a whole record ({fault}); write it with -o FILE.json")


def _numbers(row: Mapping[str, Any]) -> dict[str, Any]:
    """Make numbers of the texts in a row."""
    plain = {name: NON_FINITE.get(str(cell), cell) for name, cell in row.items()}
    for name in NUMBERS & plain.keys():
        cell = plain[name]
        plain[name] = Decimal(cell) if isinstance(cell, str) else cell if cell is None else +cell
    return plain
