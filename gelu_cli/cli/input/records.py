"""Records, as `-o FILE.json` writes them, read back: the whole answer of a sweep, a check, …"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from math import copysign
from typing import TYPE_CHECKING, Any

from gelu_cli.cli.input.fields import Field, number_in
from gelu_cli.cli.input.streams import bytes_left, first_byte, name_of, opened, read_ahead
from gelu_cli.cli.input.words import parse_dtype, parse_form
from gelu_cli.errors import UsageError
from gelu_cli.kernels.records import SCHEMA, Record, RecordedChanges, kernel_of

if TYPE_CHECKING:
    from gelu_cli.kernels.rows import Cells
    from gelu_cli.kernels.truth import Question
    from gelu_cli.kernels.verdict import Verdict

SUFFIX = ".json"
MOST_BYTES = 1 << 26
"""Larger files are no records: one of every form of every format has less than a hundredth."""

ENOUGH = 1 << 16
"""Bytes that tell a record from a table."""

X_FIELD = re.compile(r'"[xX]"\s*:')
MOST_LEVELS = 32
NAMES = ("routine", "name", "target", "shape")
"""Columns whose texts are words, whatever they look like."""

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

    A record begins with its schema; of a row x is near the beginning.
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
        return False if X_FIELD.search(text) else None
    return "schema" in value or "x" not in value


def read_record(source: str) -> Record:
    """Return the record that a file holds, or stdin for `-`.

    Raises `UsageError` for what is none, was written by a later version, or lacks something.
    """
    name = name_of(source)
    whole = Field(_read(source, name), name, REMEDY)
    if isinstance(whole.value, list):
        raise UsageError(
            f"{name} is a table, as -f json writes it: a record is what -o FILE.json writes "
            "without --format and --view"
        )
    _check_schema(whole)
    question = whole["question"].an_object()
    record = Record(
        source=name,
        gelu=whole["gelu"].a_text(),
        command=whole["command"].a_text(),
        made=_made(whole["made"]),
        question=question.value,
        views={view.key: _table(view) for view in whole["views"].an_object().members()},
        findings=[_finding(each) for each in whole["findings"].items()],
        notes=[each.a_text() for each in whole["notes"].items()],
        caveats=[each.a_text() for each in whole["caveats"].items()],
    )
    question["answer"].a_text()
    return record._replace(verdicts=_verdicts(record, question))


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
    levels, within = 0, [value]
    while within := [part for each in within for part in _parts(each)]:
        levels += 1
        if levels > MOST_LEVELS:
            raise UsageError(
                f"{name} is no record: its objects are nested more than {MOST_LEVELS} deep"
            )
    return value


def _parts(value: Any) -> Sequence[Any]:
    if isinstance(value, dict):
        return [each for each in value.values() if isinstance(each, dict | list)]
    if isinstance(value, list):
        return [each for each in value if isinstance(each, dict | list)]
    return ()


def _check_schema(whole: Field) -> None:
    """Raise `UsageError` for an object that is no record of a version that is read here."""
    if not isinstance(whole.value, dict) or "schema" not in whole.value:
        raise UsageError(
            f"{whole.file} is no record: it has no field 'schema'; -o FILE.json writes one"
        )
    schema, gelu = whole["schema"], whole.value.get("gelu")
    version = schema.a_count()
    if version > SCHEMA:
        by = f"gelu {gelu}" if isinstance(gelu, str) else "a later gelu"
        raise UsageError(
            f"{whole.file} was written by {by}: its schema is {version}, and this one reads "
            f"{SCHEMA}; upgrade gelu"
        )
    if version < 1:
        raise schema.wrong(f"a whole number from 1 to {SCHEMA}")


def _table(view: Field) -> list[Cells]:
    """Return the rows of a view, numbers as numbers."""
    rows: list[Cells] = []
    for row in view.items():
        for cell in row.an_object().members():
            if cell.value is not None and not isinstance(cell.value, str | int | float):
                raise cell.wrong("text, a number or null")
        cells = row.value.items()
        rows.append({name: each if name in NAMES else number_in(each) for name, each in cells})
    return rows


def _made(field: Field) -> Mapping[str, Any]:
    """Return when and where an answer was computed."""
    for kernel in field["kernels"].items():
        kernel["name"].a_text()
        for fact in kernel["provenance"].an_object().members():
            fact.a_text()
    return field.value  # type: ignore[no-any-return]


def _finding(field: Field) -> Mapping[str, Any]:
    """Return something that was judged; what else a later version says of it is left out."""
    return {
        **{name: field[name].a_text() for name in ("kernel", "limit", "said", "file")},
        **{name: field[name].a_flag() for name in ("holds", "warns", "broken")},
        "line": field["line"].a_count(),
    }


# What the views tell of verdicts


def _verdicts(record: Record, question: Field) -> list[Verdict]:
    """Return what a record tells of the verdict on each kernel."""
    from gelu_cli.kernels.verdict import Verdict

    ftz, exhaustive = question["ftz"].a_flag(), question["exhaustive"].a_flag()
    kernels = question["kernels"].items()
    if not kernels:
        raise question["kernels"].wrong("an array with an object for each kernel")
    verdicts = []
    for kernel in kernels:
        verdict = Verdict(kernel["name"].a_text(), _question(kernel, question), exhaustive, ftz)
        _fill(verdict, record)
        verdict.changes = _changes(verdict, record)
        verdicts.append(verdict)
    return verdicts


def _question(kernel: Field, question: Field) -> Question:
    """Return what results of a kernel should be."""
    from gelu_cli.kernels.routines import check_quantity
    from gelu_cli.kernels.truth import Question

    dtype, result = (_parsed(question[name], parse_dtype) for name in ("dtype", "result"))
    quantity = kernel["quantity"].a_text()
    _parsed(kernel["quantity"], check_quantity)
    form = _parsed(kernel["target"], parse_form)
    return Question(form, quantity, dtype, result, question["upstream"].a_number())


def _parsed(field: Field, parse: Any) -> Any:
    word = field.a_text()
    try:
        return parse(word)
    except UsageError as error:
        raise UsageError(f"{field.file}: {field.path}: {error}") from None


def _fill(verdict: Verdict, record: Record) -> None:
    """Give a verdict what the views tell: counts, the worst inputs, the steps of the picture."""
    from gelu_cli.kernels.metrics import METRICS
    from gelu_cli.kernels.regions import cell_number
    from gelu_cli.kernels.tally import Failure, Worst

    total, question = verdict.total, verdict.question
    for row in rows_of(record, "summary", verdict.name):
        verdict.complete = row.value.get("exhaustive") != "partial"
        total.inputs = row["inputs"].a_count()
        for name in (metric.name for metric in METRICS if metric.name in row.value):
            total.counts[name] = row[name].a_count()
    for i, row in enumerate(rows_of(record, "histogram", verdict.name)):
        if i < len(total.histogram):
            total.histogram[i] = row["count"].a_count()
    total.judged = int(total.histogram.sum())
    for row in rows_of(record, "worst", verdict.name):
        if "got_bits" in row.value:
            x = question.dtype.number(row["x_bits"].bits())
            got = question.result.number(row["got_bits"].bits())
            if row["ulp"].value is None:
                total.failures.append(Failure(x, got))
            else:
                total.worst.append(Worst(row["ulp"].a_number(), x, got))
    for row in rows_of(record, "plot", verdict.name):
        low, high = row["low"].a_number(), row["high"].a_number()
        start = low if copysign(1, low) > 0 else high
        total.peaks[cell_number(question.dtype, start)] = row["max_ulp"].a_number()


def _changes(verdict: Verdict, record: Record) -> RecordedChanges | None:
    """Return the results in other surroundings that a record has, judged; None if it has none."""
    import numpy as np

    from gelu_cli.kernels.checking import check_results
    from gelu_cli.kernels.verdict import Changed

    dtype, result = verdict.question.dtype, verdict.question.result
    changed = [
        Changed(
            dtype.number(row["x_bits"].bits()),
            row["shape"].a_text(),
            result.number(row["got_bits"].bits()),
            result.number(row["usual_bits"].bits()),
        )
        for row in rows_of(record, "shapes", verdict.name)
    ]
    if not changed:
        return None
    x, got = np.array([[each.x, each.got] for each in changed]).T
    judged = check_results(
        verdict.name, verdict.question, x, got, exhaustive=False, ftz=verdict.ftz
    )  # fmt: skip
    return RecordedChanges(judged, changed)


def rows_of(record: Record, view: str, kernel: str) -> Iterator[Field]:
    """Yield the rows of a view that are about a kernel."""
    for i, row in enumerate(record.views.get(view, ())):
        if kernel_of(row) == kernel:
            yield Field(row, record.source, REMEDY, f"views.{view}[{i}]")
