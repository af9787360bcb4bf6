"""The shape of a record, as docs/record.schema.json has it: what is not named may be anything."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from typing import Any

from gelu_cli.arithmetic.formats import Format
from gelu_cli.arithmetic.typed import parse_number
from gelu_cli.cli.input.fields import Kind, Shape
from gelu_cli.cli.input.words import parse_dtype, parse_form
from gelu_cli.sweeping.records import MAX_ULP
from gelu_cli.sweeping.routines import QUANTITIES

NUMERIC = re.compile(r"-?(?:inf|nan|\d+(?:\.\d+)?(?:e[+-]\d{1,4})?)", re.ASCII)
"""A number as text: not finite, or longer than a float64."""

LONGEST = 1000
"""Characters of a number."""

MOST = 2**53
"""Up to here all whole numbers are float64s, as some programs read them."""


def number_in(value: Any) -> Any:
    """Return a value, text that is a number as that.

    >>> number_in("-inf"), number_in("0x3f80"), number_in("0.12345678901234567890")
    (-inf, '0x3f80', Decimal('0.12345678901234567890'))
    """
    if not isinstance(value, str) or len(value) > LONGEST or not NUMERIC.fullmatch(value):
        return value
    number = Decimal(value)
    return number if number.is_finite() else float(value)


def _limit(text: str) -> str:
    """Return what should hold; a picture shows the number of --max-ulp."""
    if text.startswith(MAX_ULP):
        parse_number(text.removeprefix(MAX_ULP))
    return text


def _is_number(value: Any) -> bool:
    return type(value) in (int, float, Decimal)


def _is_finite(value: Any) -> bool:
    return _is_number(value) and isfinite(value)


TEXT = Kind("text", lambda value: isinstance(value, str))
FLAG = Kind("true or false", lambda value: isinstance(value, bool))
VERSION = Kind("a whole number from 1 up", lambda value: type(value) is int and value > 0)
COUNT = Kind("a whole number from 0 up", lambda value: type(value) is int and 0 <= value <= MOST)
NUMBER = Kind("a number", _is_number, number_in)
FINITE = Kind("a finite number", _is_finite, number_in)
PEAK = Kind("a number from 0 up", lambda value: _is_number(value) and value >= 0, number_in)
ERROR = PEAK._replace(
    due="a finite number from 0 up", holds=lambda e: _is_finite(e) and e >= 0, null=True
)
CELL = Kind("text, a number", lambda value: _is_number(value) or TEXT.holds(value), number_in, True)
FORMAT = Kind("a number format", read=parse_dtype)
FORM = Kind("a form", read=parse_form)
QUANTITY = Kind(" or ".join(QUANTITIES), lambda value: value in QUANTITIES)

FINDING = {
    "kernel": TEXT, "limit": Kind("text", read=_limit), "said": TEXT, "file": TEXT, "line": COUNT,
    "holds": FLAG, "warns": FLAG, "broken": FLAG,
}  # fmt: skip
RECORD = {
    "gelu": TEXT,
    "command": TEXT,
    "made": {"time?": TEXT, "kernels": [{"name": TEXT, "provenance": {...: TEXT}}]},
    "question": {
        "answer": TEXT, "dtype": FORMAT, "result": FORMAT, "target?": FORM._replace(null=True),
        "upstream": FINITE, "exhaustive": FLAG, "ftz": FLAG,
        "kernels": [{"name": TEXT, "target": FORM, "quantity": QUANTITY}, ...],
    },
    "views": {},
    "findings": [FINDING],
    "notes": [TEXT],
    "caveats": [TEXT],
}  # fmt: skip
ROW: dict[Any, Kind] = {"routine?": TEXT, "name?": TEXT, "target?": TEXT, "shape?": TEXT, ...: CELL}
"""These columns have words, whatever they look like."""


def shape_of_views(question: Mapping[str, Any]) -> Shape:
    """Return the shape of the views where `question` was asked."""
    from gelu_cli.sweeping.metrics import METRICS

    x, got = _bits(question["dtype"]), _bits(question["result"])
    counted = ROW | {f"{metric.name}?": COUNT for metric in METRICS} | {"inputs": COUNT}
    ordinal, at = COUNT._replace(null=True), NUMBER._replace(null=True)
    largest = {"max_ulp": ERROR, "max_ulp_x?": at, "max_ordinal?": ordinal, "max_ordinal_x?": at}
    ends = {"low": NUMBER, "high": NUMBER}
    errors = {"ulp?": ERROR, "a_ulp?": ERROR, "b_ulp?": ERROR}
    bits = {"x_bits": x, "got_bits?": got, "a_bits?": got, "b_bits?": got}
    return {
        "summary": [counted | largest | {"wrong_nan": COUNT, "wrong_inf": COUNT}, ...],
        "regions?": [counted | ends | {"max_ulp?": ERROR, "max_ulp_x?": at}],
        "histogram?": [ROW | {"count": COUNT}],
        "worst?": [ROW | bits | errors],
        "shapes?": [ROW | {"x_bits": x, "shape": TEXT, "got_bits": got, "usual_bits": got}],
        "plot?": [ROW | {"low": FINITE, "high": FINITE, "max_ulp": PEAK}],
        ...: [ROW],
    }


def _bits(number_format: Format) -> Kind:
    digits = number_format.width // 4
    return Kind(
        f"a bit pattern of {number_format.name}, 0x and {digits} hexadecimal digits",
        lambda text: bool(re.fullmatch(rf"0x[0-9a-f]{{{digits}}}", text)),
        lambda text: text.lower(),
    )
