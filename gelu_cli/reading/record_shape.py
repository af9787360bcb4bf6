"""The shape of a record, as docs/record.schema.json has it: what is not named may be anything.

A shape is written as the value itself is. An object has the shapes of its members by name, of those
that may be missing by `name?`, and of all others by `...`. An array has the shape of its items, and
`...` behind it if there must be some.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

from gelu_cli.arithmetic.formats import Format, find_format
from gelu_cli.arithmetic.typed import parse_number
from gelu_cli.errors import UsageError
from gelu_cli.reading.names import parse_form
from gelu_cli.sweeping.gating import OF_PAIRS
from gelu_cli.sweeping.records import MAX_ULP
from gelu_cli.sweeping.routines import QUANTITIES
from gelu_cli.sweeping.rows import SQUARE

NUMERIC = re.compile(r"-?(?:inf|nan|\d+(?:\.\d+)?(?:e[+-]\d{1,4})?)", re.ASCII)
"""A number as text: not finite, or longer than a float64."""

LONGEST = 1000
"""Characters of a number."""

MOST = 2**53
"""Up to here all whole numbers are float64s, as some programs read them."""

REMEDY = "write it again with -o FILE.json"


class Kind(NamedTuple):
    """A single value: what it must be in words, what must hold for it, and what parses it before.

    `read` may raise a `UsageError` that says what is wrong. Some values may be `null`.
    """

    due: str
    holds: Callable[[Any], bool] = lambda value: True
    read: Callable[[Any], Any] = lambda value: value
    null: bool = False


Shape: TypeAlias = "Kind | Mapping[Any, Any] | list[Any]"

ANYTHING = Kind("anything")


def read_shape(shape: Shape, value: Any, file: str, path: str = "") -> Any:
    """Return a value as its shape reads it; raises `UsageError`, which names file and path."""
    if isinstance(shape, list):
        if not isinstance(value, list) or (... in shape and not value):
            raise wrong(file, path, "an array" + " with items" * (... in shape), value)
        return [read_shape(shape[0], each, file, f"{path}[{i}]") for i, each in enumerate(value)]
    if not isinstance(shape, Kind):
        if not isinstance(value, dict):
            raise wrong(file, path, "an object", value)
        before = f"{path}." if path else ""
        for name in shape:
            if name is not ... and not name.endswith("?") and name not in value:
                raise no_record(file, f"{before}{name} is missing")
        others: Shape = shape.get(..., ANYTHING)
        return {
            name: read_shape(
                shape.get(name, shape.get(f"{name}?", others)), each, file, before + name
            )
            for name, each in value.items()
        }
    if shape.null and value is None:
        return None
    due = f"{shape.due} or null" if shape.null else shape.due
    try:
        found = shape.read(value)
    except UsageError as error:
        raise UsageError(f"{file}: {path}: {error}") from None
    except (AttributeError, TypeError):  # what is no text does not have its methods
        raise wrong(file, path, due, value) from None
    if not shape.holds(found):
        raise wrong(file, path, due, value)
    return found


def wrong(file: str, path: str, due: str, value: Any) -> UsageError:
    """Return the error for a value of another kind than is due."""
    words: dict[type, str] = {dict: "an object", list: "an array" if value else "an empty one"}
    shown = words.get(type(value), repr(value)[:40])
    return no_record(file, f"{path} must be {due}, not {shown}")


def no_record(file: str, fault: str) -> UsageError:
    """Return the error for a file in which something is missing or wrong."""
    return UsageError(f"{file} is no whole record: {fault}; {REMEDY}")


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
FORMAT = Kind("a number format", read=find_format)
FORM = Kind("a form", read=parse_form)
QUANTITY = Kind(" or ".join(QUANTITIES), lambda value: value in (*QUANTITIES, *OF_PAIRS))

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
        "mean?": FINITE, "sigma?": FINITE,
        "glu?": {
            "gate_limit?": FINITE, "up_limit?": FINITE, "up_offset?": FINITE,
            "intermediate?": FORMAT, "packed?": TEXT, "upstream?": FLAG,
        },
        "kernels": [{"name": TEXT, "target": FORM, "quantity": QUANTITY}, ...],
    },
    "views": {},
    "verdict?": [{"kernel": TEXT, "about": TEXT, "text": TEXT}],
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
    names = ("max_abs_error", "max_rel_error", "rms_error", "noise_ratio")
    figures = {f"{name}?": PEAK._replace(null=True) for name in names}
    ends = {"low": NUMBER, "high": NUMBER, "up_low?": NUMBER, "up_high?": NUMBER}
    steps = SQUARE if "glu" in question else SQUARE[:2]
    errors = {"ulp?": ERROR, "a_ulp?": ERROR, "b_ulp?": ERROR}
    bits = {"x_bits": x, "up_bits?": x, "got_bits?": got, "a_bits?": got, "b_bits?": got}
    return {
        "summary": [counted | largest | {"wrong_nan": COUNT, "wrong_inf": COUNT} | figures, ...],
        "regions?": [counted | ends | {"max_ulp?": ERROR, "max_ulp_x?": at}],
        "histogram?": [ROW | {"count": COUNT}],
        "worst?": [ROW | bits | errors],
        "shapes?": [ROW | {"x_bits": x, "shape": TEXT, "got_bits": got, "usual_bits": got}],
        "plot?": [ROW | dict.fromkeys(steps, FINITE) | {"max_ulp": PEAK}],
        ...: [ROW],
    }


def _bits(number_format: Format) -> Kind:
    digits = number_format.width // 4
    return Kind(
        f"a bit pattern of {number_format.name}, 0x and {digits} hexadecimal digits",
        lambda text: bool(re.fullmatch(rf"0x[0-9a-f]{{{digits}}}", text)),
        lambda text: text.lower(),
    )
