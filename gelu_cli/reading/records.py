"""Records, as `-o FILE.json` writes them, read back: the whole answer of a sweep, a check, …"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from math import copysign, isfinite
from os.path import isfile
from typing import TYPE_CHECKING, Any

from gelu_cli.arithmetic.formats import Format
from gelu_cli.errors import UsageError
from gelu_cli.reading.files import name_of, opened, peek
from gelu_cli.reading.record_shape import (
    ANYTHING,
    FINDING,
    RECORD,
    VERSION,
    no_record,
    read_shape,
    shape_of_views,
    wrong,
)
from gelu_cli.sweeping.gating import Gating
from gelu_cli.sweeping.records import SCHEMA, Record, RecordedChanges, Row
from gelu_cli.sweeping.rows import SQUARE

if TYPE_CHECKING:
    from gelu_cli.sweeping.verdict import Verdict

SUFFIX = ".json"
MOST_BYTES = 1 << 26
"""Larger files are no records: one of every form of every format has less than a hundredth."""

MOST_LEVELS = 32
TELLING = re.compile(rb'"(schema|[xX])"\s*:')
"""A record has its schema before any x; the first row of a table has x."""


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
    from gelu_cli.sweeping.regions import region_between

    for i, row in enumerate(record.views.get("regions", ())):
        ends = row["low"], row["high"]
        if region_between(dtype, *ends) is None:
            raise wrong(record.source, f"views.regions[{i}]", f"a region of {dtype.name}", ends)


def _verdict(place: int, kernel: Row, question: Mapping[str, Any], record: Record) -> Verdict:
    """Return what a record tells of the verdict on a kernel, which is in some place among others.

    That is counts, the worst inputs, results in other surroundings, the steps of the picture.
    """
    from gelu_cli.sweeping.drawn import Normal
    from gelu_cli.sweeping.regions import cell_number
    from gelu_cli.sweeping.truth import Question
    from gelu_cli.sweeping.verdict import Verdict

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
    from gelu_cli.sweeping.tally import Failure, Worst

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

    from gelu_cli.sweeping.checking import check_results
    from gelu_cli.sweeping.verdict import Changed

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
