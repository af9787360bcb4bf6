"""Records, as `-o FILE.json` writes them, read back: the whole answer of a sweep, a check, …"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from math import copysign, isfinite
from os.path import isfile
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.formats import Format, find_format
from gelu_cli.old.arithmetic.typed import parse_number
from gelu_cli.old.reading.files import name_of, opened, peek
from gelu_cli.old.reading.names import parse_form
from gelu_cli.old.sweeping.gating import OF_PAIRS, Gating
from gelu_cli.old.sweeping.records import MAX_ULP, SCHEMA, Record, RecordedChanges, Row
from gelu_cli.old.sweeping.routines import QUANTITIES
from gelu_cli.old.sweeping.rows import SQUARE

if TYPE_CHECKING:
    from gelu_cli.old.sweeping.verdict import Verdict

SUFFIX = ".json"
MOST_BYTES = 1 << 26
"""Larger files are no records: one of every form of every format has less than a hundredth."""

MOST_LEVELS = 32
TELLING = re.compile(rb'"(schema|[xX])"\s*:')
"""A record has its schema before any x; the first row of a table has x."""

NUMERIC = re.compile(r"-?(?:inf|nan|\d+(?:\.\d+)?(?:e[+-]\d{1,4})?)", re.ASCII)
"""A number as text: not finite, or longer than a float64."""

LONGEST = 1000
"""Characters of a number."""

MOST = 2**53
"""Up to here all whole numbers are float64s, as some programs read them."""

REMEDY = "write it again with -o FILE.json"


def holds_record(source: str, *, in_a_format: bool = False) -> bool:
    """Return whether a file holds a record, or stdin (`-`), and not a table in JSON.

    Raw results `in_a_format` may begin with any byte.
    """
    named, start = source.lower().removesuffix(".gz").endswith(SUFFIX), None
    if in_a_format and not named:
        return False
    if source == "-" or isfile(source):  # a pipe with a name is opened once
        with suppress(UsageError), opened(source, unpacks=source != "-") as stream:
            start = peek(stream).removeprefix(b"\xef\xbb\xbf").lstrip()
    if start is None:
        return named  # whoever reads it says why it cannot be read
    told = TELLING.search(start) if start.startswith(b"{") else None
    return told[1] == b"schema" if told else named and not start.startswith(b"[")


def read_record(source: str) -> Record:
    """Return the record that a file holds, or stdin for `-`.

    Raises `UsageError` for what is none, was written by a later version, or does not fit its shape.
    """
    name = name_of(source)
    value = _read(source, name)
    version, gelu = read_shape({"schema": VERSION}, value, name)["schema"], value.get("gelu")
    if version > SCHEMA:
        by = f"gelu {gelu}" if isinstance(gelu, str) else "a later gelu"
        raise UsageError(
            f"{name} was written by {by}: its schema is {version}, and this one reads {SCHEMA}; "
            "upgrade gelu"
        )
    whole = read_shape(RECORD, value, name)
    question = whole["question"]
    record = Record(
        source=name,
        gelu=whole["gelu"],
        command=whole["command"],
        made=whole["made"],
        question=value["question"],
        views=read_shape(shape_of_views(question), whole["views"], name, "views"),
        findings=[{name: finding[name] for name in FINDING} for finding in whole["findings"]],
        notes=whole["notes"],
        caveats=whole["caveats"],
        verdict=whole.get("verdict", ()),
    )
    _check_regions(record, question["dtype"])
    kernels = enumerate(question["kernels"])
    return replace(record, verdicts=[_verdict(*each, question, record) for each in kernels])


def _read(source: str, name: str) -> dict[str, Any]:
    """Return the object in a file, which has a schema."""
    import orjson

    with opened(source) as stream:
        text = stream.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise UsageError(f"{name} is no record: it has more than {MOST_BYTES >> 20} MiB")
    try:
        value = orjson.loads(text.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        said = "it is empty" if not text.strip() else f"it is no JSON: {error}"
        raise UsageError(f"{name} is no record: {said}") from None
    if _is_deeper(value, MOST_LEVELS):
        raise UsageError(f"{name} is no record: its objects are nested over {MOST_LEVELS} deep")
    if isinstance(value, list):
        raise UsageError(
            f"{name} is a table, as -f json writes it: a record is what -o FILE.json writes "
            "without --format and --view"
        )
    if not isinstance(value, dict) or "schema" not in value:
        remedy = "-o FILE.json writes one, see gelu help record"
        raise UsageError(f"{name} is no record: it has no field 'schema'; {remedy}")
    return value


def _is_deeper(value: Any, levels: int) -> bool:
    """Return whether objects and arrays are nested deeper than a number of levels."""
    if not isinstance(value, dict | list):
        return False
    parts = value.values() if isinstance(value, dict) else value
    return not levels or any(_is_deeper(each, levels - 1) for each in parts)


# What the views tell of verdicts


def _check_regions(record: Record, dtype: Format) -> None:
    """Raise `UsageError` for a row that is about no region."""
    from gelu_cli.old.sweeping.regions import region_between

    for i, row in enumerate(record.views.get("regions", ())):
        ends = row["low"], row["high"]
        if region_between(dtype, *ends) is None:
            raise wrong(record.source, f"views.regions[{i}]", f"a region of {dtype.name}", ends)


def _verdict(place: int, kernel: Row, question: Mapping[str, Any], record: Record) -> Verdict:
    """Return what a record tells of the verdict on a kernel, which is in some place among others.

    That is counts, the worst inputs, results in other surroundings, the steps of the picture.
    """
    from gelu_cli.old.sweeping.drawn import Normal
    from gelu_cli.old.sweeping.regions import cell_number
    from gelu_cli.old.sweeping.truth import Question
    from gelu_cli.old.sweeping.verdict import Verdict

    name, dtype, result = kernel["name"], question["dtype"], question["result"]
    upstream = float(question["upstream"])
    normal = Normal(
        *(float(question.get(name, usual)) for name, usual in (("mean", 0), ("sigma", 1)))
    )
    gating = None
    if (glu := question.get("glu")) is not None:
        gating = Gating(**{name: glu[name] for name in Gating._fields if name in glu})
    asked = Question(
        kernel["target"], kernel["quantity"], dtype, result, upstream, normal=normal, gating=gating
    )
    verdict = Verdict(name, asked, question["exhaustive"], question["ftz"])
    total = verdict.total
    if not record.rows("summary", name):
        raise no_record(record.source, f"views.summary has no row of '{name}'")
    for row in record.rows("summary", name):
        verdict.complete = row.get("exhaustive") != "partial"
        total.inputs = row["inputs"]
        total.counts |= {each: row[each] for each in total.counts if each in row}
    for i, row in enumerate(record.rows("histogram", name)[: len(total.histogram)]):
        total.histogram[i] = row["count"]
    total.judged = int(total.histogram.sum())
    for row in record.rows("plot", name):
        start = row["low"] if copysign(1, row["low"]) > 0 else row["high"]
        square = tuple(float(row[name]) for name in SQUARE) if gating else ()
        total.peaks[square or cell_number(dtype, float(start))] = float(row["max_ulp"])
    _read_worst(verdict, place, record)
    verdict.changes = _changes(verdict, record)
    return verdict


def _read_worst(verdict: Verdict, place: int, record: Record) -> None:
    """Give a verdict its worst inputs; those of two kernels that are compared are in one row."""
    from gelu_cli.old.sweeping.tally import Failure, Worst

    total, question, letter = verdict.total, verdict.question, chr(ord("a") + place)
    failures, worst = dict[Failure, None](), dict[Worst, None]()
    own = record.numbered_rows("worst", verdict.name)
    bits, ulp = ("got_bits", "ulp") if own else (f"{letter}_bits", f"{letter}_ulp")
    for i, row in own or record.numbered_rows("worst", None):
        path = f"views.worst[{i}]"
        read_shape({bits: ANYTHING, ulp: ANYTHING}, row, record.source, path)
        x, got = _number(question.dtype, row["x_bits"]), _number(question.result, row[bits])
        up = _up(question.dtype, row)
        if row[ulp] is None:
            failures[Failure(x, got, up)] = None
        elif isfinite(got) and isfinite(question.at(up).want(x)):
            worst[Worst(float(row[ulp]), x, got, up=up)] = None
        else:
            due = "null, as not both are finite"
            raise wrong(record.source, f"{path}.{ulp}", due, row[ulp])
    total.failures, total.worst = [*failures], [*worst]


def _changes(verdict: Verdict, record: Record) -> RecordedChanges | None:
    """Return the results in other surroundings that a record has, judged; None if it has none."""
    import numpy as np

    from gelu_cli.old.sweeping.checking import check_results
    from gelu_cli.old.sweeping.verdict import Changed

    dtype, result = verdict.question.dtype, verdict.question.result
    changed = [
        Changed(_number(dtype, row["x_bits"]), row["shape"], _number(result, row["got_bits"]),
                _number(result, row["usual_bits"]), _up(dtype, row))
        for row in record.rows("shapes", verdict.name)
    ]  # fmt: skip
    if not changed:
        return None
    x, got, up = np.array([[each.x, each.got, each.up] for each in changed]).T
    ups = [up] if verdict.question.gating else []
    judged = check_results(
        verdict.name, verdict.question, x, got, *ups, exhaustive=False, ftz=verdict.ftz
    )  # fmt: skip
    return RecordedChanges(judged, changed)


def _up(number_format: Format, row: Row) -> float:
    return _number(number_format, row["up_bits"]) if row.get("up_bits") else 1.0


def _number(number_format: Format, bits: str) -> float:
    return number_format.number(int(bits, 16))


# The shape of a record, as docs/record.schema.json has it: what is not named may be anything
#
# A shape is written as the value itself is. An object has the shapes of its members by name, of
# those that may be missing by `name?`, and of all others by `...`. An array has the shape of its
# items, and `...` behind it if there must be some.


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
    from gelu_cli.old.sweeping.metrics import METRICS

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
