"""Records, as `-o FILE.json` writes them, read back: the whole answer of a sweep, a check, …"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from math import copysign, isfinite
from typing import TYPE_CHECKING, Any

from gelu_cli.cli.input.fields import ANYTHING, Fields
from gelu_cli.cli.input.record_shape import FINDING, RECORD, VERSION, shape_of_views
from gelu_cli.cli.input.streams import bytes_left, first_byte, name_of, opened, read_ahead
from gelu_cli.errors import UsageError
from gelu_cli.sweeping.records import SCHEMA, Record, RecordedChanges, Row

if TYPE_CHECKING:
    from gelu_cli.arithmetic.formats import Format
    from gelu_cli.sweeping.verdict import Verdict

SUFFIX = ".json"
MOST_BYTES = 1 << 26
"""Larger files are no records: one of every form of every format has less than a hundredth."""

ENOUGH = 1 << 16
"""Bytes that tell a record from a table."""

TELLING = re.compile(r'"(schema|[xX])"\s*:')
MOST_LEVELS = 32
REMEDY = "write it again with -o FILE.json"


def holds_record(source: str, *, in_a_format: bool = False) -> bool:
    """Return whether a file holds a record, or stdin (`-`), and not a table in JSON.

    Raw results `in_a_format` may begin with any byte.
    """
    named = source.lower().endswith(SUFFIX)
    if in_a_format and not named:
        return False
    start = _start_of(source)
    if start is None:
        return named
    verdict = _says_that_it_is_a_record(start)
    text = _text_of(start)
    return named and not text.startswith("[") if verdict is None else verdict


def _start_of(source: str) -> bytes | None:
    """Return how a file or stdin begins, as far as it takes; None for what is read once."""
    with suppress(UsageError), opened(source) as stream:
        if source == "-":
            is_json = first_byte(stream) in (b"{", b" ", b"\n", b"\r", b"\t", b"\xef")
            return read_ahead(_is_enough) if is_json else b""
        return stream.read(ENOUGH) if bytes_left(stream) is not None else None
    return None  # whoever reads it says why it cannot be read


def _is_enough(start: bytes) -> bool:
    text = _text_of(start)
    return (
        len(start) >= ENOUGH
        or _says_that_it_is_a_record(start) is not None
        or (text != "" and not text.startswith("{"))
    )


def _text_of(start: bytes) -> str:
    return start.decode("utf-8", "ignore").removeprefix("\ufeff").lstrip()


def _says_that_it_is_a_record(start: bytes) -> bool | None:
    """Return whether an object is the whole of an answer, or the first row of a table, if it tells.

    A record has its schema before any x, mostly at the beginning; of a row x is near that.
    """
    from json import JSONDecodeError

    from gelu_cli.cli.input.tables.objects import AS_TYPED

    text = _text_of(start)
    if not text.startswith("{"):
        return None
    if text[1:].lstrip().startswith('"schema"'):
        return True
    try:
        value, _ = AS_TYPED.raw_decode(text)
    except (JSONDecodeError, RecursionError):
        first = TELLING.search(text)
        return first[1] == "schema" if first else None
    return "schema" in value or "x" not in value


def read_record(source: str) -> Record:
    """Return the record that a file holds, or stdin for `-`.

    Raises `UsageError` for what is none, was written by a later version, or does not fit its shape.
    """
    name = name_of(source)
    value, fields = _read(source, name), Fields(name, REMEDY)
    if isinstance(value, list):
        raise UsageError(
            f"{name} is a table, as -f json writes it: a record is what -o FILE.json writes "
            "without --format and --view"
        )
    _check_schema(value, fields)
    whole = fields.read(RECORD, value)
    question = whole["question"]
    record = Record(
        source=name,
        gelu=whole["gelu"],
        command=whole["command"],
        made=whole["made"],
        question=value["question"],
        views=fields.read(shape_of_views(question), whole["views"], "views"),
        findings=[{name: finding[name] for name in FINDING} for finding in whole["findings"]],
        notes=whole["notes"],
        caveats=whole["caveats"],
    )
    _check_regions(record, question["dtype"], fields)
    kernels = enumerate(question["kernels"])
    verdicts = [_verdict(*each, question, record, fields) for each in kernels]
    return replace(record, verdicts=verdicts)


def _read(source: str, name: str) -> Any:
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
    return value


def _is_deeper(value: Any, levels: int) -> bool:
    """Return whether objects and arrays are nested deeper than so many levels."""
    if not isinstance(value, dict | list):
        return False
    parts = value.values() if isinstance(value, dict) else value
    return not levels or any(_is_deeper(each, levels - 1) for each in parts)


def _check_schema(whole: Any, fields: Fields) -> None:
    """Raise `UsageError` for an object that is no record of a version that is read here."""
    if not isinstance(whole, dict) or "schema" not in whole:
        raise UsageError(
            f"{fields.file} is no record: it has no field 'schema'; -o FILE.json writes one"
        )
    version, gelu = fields.read({"schema": VERSION}, whole)["schema"], whole.get("gelu")
    if version > SCHEMA:
        by = f"gelu {gelu}" if isinstance(gelu, str) else "a later gelu"
        raise UsageError(
            f"{fields.file} was written by {by}: its schema is {version}, and this one reads "
            f"{SCHEMA}; upgrade gelu"
        )


# What the views tell of verdicts


def _check_regions(record: Record, dtype: Format, fields: Fields) -> None:
    """Raise `UsageError` for a row that is about no region."""
    from gelu_cli.sweeping.regions import region_between

    for i, row in enumerate(record.views.get("regions", ())):
        ends = row["low"], row["high"]
        if region_between(dtype, *ends) is None:
            raise fields.wrong(f"views.regions[{i}]", f"a region of {dtype.name}", ends)


def _verdict(
    place: int, kernel: Row, question: Mapping[str, Any], record: Record, fields: Fields
) -> Verdict:
    """Return what a record tells of the verdict on a kernel, which is in some place among others.

    That is counts, the worst inputs, results in other surroundings, the steps of the picture.
    """
    from gelu_cli.sweeping.regions import cell_number
    from gelu_cli.sweeping.truth import Question
    from gelu_cli.sweeping.verdict import Verdict

    name, dtype, result = kernel["name"], question["dtype"], question["result"]
    upstream = float(question["upstream"])
    asked = Question(kernel["target"], kernel["quantity"], dtype, result, upstream)
    verdict = Verdict(name, asked, question["exhaustive"], question["ftz"])
    total = verdict.total
    if not record.rows("summary", name):
        raise fields.no_record(f"views.summary has no row of '{name}'")
    for row in record.rows("summary", name):
        verdict.complete = row.get("exhaustive") != "partial"
        total.inputs = row["inputs"]
        total.counts |= {each: row[each] for each in total.counts if each in row}
    for i, row in enumerate(record.rows("histogram", name)[: len(total.histogram)]):
        total.histogram[i] = row["count"]
    total.judged = int(total.histogram.sum())
    for row in record.rows("plot", name):
        start = row["low"] if copysign(1, row["low"]) > 0 else row["high"]
        total.peaks[cell_number(dtype, float(start))] = float(row["max_ulp"])
    _read_worst(verdict, place, record, fields)
    verdict.changes = _changes(verdict, record)
    return verdict


def _read_worst(verdict: Verdict, place: int, record: Record, fields: Fields) -> None:
    """Give a verdict its worst inputs; those of two kernels that are compared are in one row."""
    from gelu_cli.sweeping.tally import Failure, Worst

    total, question, letter = verdict.total, verdict.question, chr(ord("a") + place)
    failures, worst = dict[Failure, None](), dict[Worst, None]()
    own = record.numbered_rows("worst", verdict.name)
    bits, ulp = ("got_bits", "ulp") if own else (f"{letter}_bits", f"{letter}_ulp")
    for i, row in own or record.numbered_rows("worst", None):
        path = f"views.worst[{i}]"
        fields.read({bits: ANYTHING, ulp: ANYTHING}, row, path)
        x, got = _number(question.dtype, row["x_bits"]), _number(question.result, row[bits])
        if row[ulp] is None:
            failures[Failure(x, got)] = None
        elif isfinite(got) and isfinite(question.want(x)):
            worst[Worst(float(row[ulp]), x, got)] = None
        else:
            raise fields.wrong(f"{path}.{ulp}", "null, as not both are finite", row[ulp])
    total.failures, total.worst = [*failures], [*worst]


def _changes(verdict: Verdict, record: Record) -> RecordedChanges | None:
    """Return the results in other surroundings that a record has, judged; None if it has none."""
    import numpy as np

    from gelu_cli.sweeping.checking import check_results
    from gelu_cli.sweeping.verdict import Changed

    dtype, result = verdict.question.dtype, verdict.question.result
    changed = [
        Changed(_number(dtype, row["x_bits"]), row["shape"],
                *(_number(result, row[bits]) for bits in ("got_bits", "usual_bits")))
        for row in record.rows("shapes", verdict.name)
    ]  # fmt: skip
    if not changed:
        return None
    x, got = np.array([[each.x, each.got] for each in changed]).T
    judged = check_results(
        verdict.name, verdict.question, x, got, exhaustive=False, ftz=verdict.ftz
    )  # fmt: skip
    return RecordedChanges(judged, changed)


def _number(number_format: Format, bits: str) -> float:
    return number_format.number(int(bits, 16))
