"""Records: measurements of kernels, new or from a file, as rows by view.

A view, such as `summary`, is a table of the measurements; a row maps columns to cells. Sentences,
pictures, results and comparisons with bounds are made from the rows.
"""

from __future__ import annotations

import math
import platform
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import cache, partial
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

from gelu_cli.accuracy import Inputs, Measured, Normal
from gelu_cli.accuracy import Verdict as Found
from gelu_cli.api.questions import Asked
from gelu_cli.api.verdict_views import OF_TWO, VIEWS, Row, cell_of, rows_of, rows_of_two, table_of
from gelu_cli.errors import UsageError, described
from gelu_cli.formulas import canonical
from gelu_cli.inputs.columns import Source, read_source
from gelu_cli.output.tables import json_rows, to_json, to_short_text
from gelu_cli.output.writer import DIGITS_FOR_PEOPLE

BOUNDED = """
max_ulp mean_ulp max_ordinal max_abs_error max_rel_error rms_error noise_ratio over_half_ulp
over_1_ulp misrounded wrong_nan wrong_inf wrong_sign wrong_zero wrong_special non_monotone
"""
COMPARED = tuple(BOUNDED.split())
"""Columns of `summary` that a baseline bounds; a cell is null if the kernel has no such error."""

NEEDED = ("kernel", "form", "exhaustive", "inputs", *COMPARED)
DRAWN = ("kernel", "low", "high", "max_ulp")
"""Columns that `summary` must have; columns that `plot` must have if a record has this view."""

OTHERS = "differ x up low high up_low up_high got want exact ulp"
NUMBERS = {*COMPARED, *OTHERS.split()}
"""Columns of numbers; in JSON some numbers are texts, such as numbers beyond float64."""

WRONG = {"wrong_nan": "wrong NaNs", "wrong_inf": "wrong infinities", "wrong_sign": "wrong signs"}
"""Counts of wrong results, with names in words; one such result breaks every bound."""

FAULTS = {
    **WRONG,
    "wrong_zero": "wrong zeros",
    "wrong_special": "wrong results at ±∞ or NaN",
    "saturated": "results that saturate",
}

NON_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}

LIBRARIES = ("numpy", "scipy", "mpmath", "python-flint", "ml_dtypes")
"""Packages that gelu computes with, and whose versions a record lists."""


def is_record(source: Source) -> bool:
    """Return True if a file is a JSON object with views."""
    return source.data.lstrip().startswith(b"{") and b'"views"' in source.data


@dataclass(frozen=True)
class Record:
    """Rows of measurements, and the question that they answer.

    Attributes
    ----------
    gelu, command
        Version of gelu; the command line or the Python function that measured.
    question, environment
        As `question_of` and `environment_of` make them.
    views
        By the name of a view, the function that makes its rows.
    sentences
        The verdict in sentences, read from a file; None for a new measurement.
    digits
        Significant digits of numbers in tables; None for float64s.
    kernel
        The kernel whose rows `rows` lists; None for all kernels.
    """

    gelu: str
    command: str
    question: Mapping[str, Any]
    environment: Mapping[str, Any]
    views: Mapping[str, Callable[[], Sequence[Row]]]
    sentences: Sequence[str] | None = None
    digits: int | None = None
    kernel: str | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the rows of each view in place of the function that makes them."""
        return {
            **vars(self),
            "views": {name: partial(list, self.rows(name)) for name in self.views},
        }

    def rows(self, view: str) -> Sequence[Row]:
        """List the rows of a view; an unknown view has none."""
        rows = self.views[view]() if view in self.views else ()
        return [row for row in rows if self.kernel in (None, row.get("kernel"))]

    def each(self) -> list[Record]:
        """Split the record into records, each of one kernel and the kernel's form."""
        views = {name: self.views[name] for name in self.views if not (self.two and name in OF_TWO)}
        forms = {row["kernel"]: {"form": canonical(row["form"])} for row in self.kernels}
        return [
            replace(self, kernel=name, question={**self.question, **form}, views=views)
            for name, form in forms.items()
        ]

    @property
    def kernels(self) -> Sequence[Row]:
        """The rows of the summary, one for each kernel."""
        return self.rows("summary")

    @property
    def pairs(self) -> bool:
        """True if kernels have two inputs."""
        return "max_ulp_up" in self.kernels[0]

    @property
    def two(self) -> bool:
        """True if two kernels are compared."""
        return len(self.kernels) == 2 and "differ" in self.kernels[0]

    @property
    def exhaustive(self) -> bool:
        """True if each input was measured."""
        return all(row["exhaustive"] == "yes" for row in self.kernels)

    @property
    def subject(self) -> str:
        """The quantity, the forms and the formats in words."""
        forms = ", ".join(dict.fromkeys(row["form"] for row in self.kernels))
        formats = " → ".join(dict.fromkeys([self.question["dtype"], self.question["result"]]))
        return f"the {self.question['quantity']} of {forms} in {formats}"

    @property
    def normal(self) -> Normal:
        """The distribution N(M, S²) of x."""
        return Normal(self.question["mean"], self.question["sigma"])

    @property
    def verdict(self) -> Sequence[str]:
        """The answer in sentences."""
        return words_on(self) if self.sentences is None else self.sentences

    def text(self, row: Row, column: str) -> str:
        """Write a cell with `digits` significant digits, 6 by default."""
        digits = self.digits or DIGITS_FOR_PEOPLE
        return to_short_text(cell_of(replace(self, digits=digits), column, row[column]))

    def place(self, row: Row, prefix: str = "") -> str:
        """Write " at x = …, up = …", of the cells `prefix`x and `prefix`up."""
        known = [each for each in ("x", "up") if row.get(f"{prefix}{each}") is not None]
        inputs = ", ".join(f"{each} = {self.text(row, f'{prefix}{each}')}" for each in known)
        return inputs and f" at {inputs}"

    def plain(self) -> dict[str, Any]:
        """Make the data of a file; numbers that JSON cannot hold become texts."""
        fields = ("gelu", "command", "question", "environment", "verdict")
        views = {view: json_rows(table_of(self, view)) for view in self.views}
        return {**{name: getattr(self, name) for name in fields}, "views": views}


def read_record(source: str | Source, digits: int | None = None) -> Record:
    """Read a record; `-` is stdin. Raise UsageError if fields are missing."""
    import orjson

    name, data = read_source(source) if isinstance(source, str) else source
    try:
        record = orjson.loads(data)
        fields = {each: record[each] for each in ("gelu", "command", "environment")}
        sentences, question = record["verdict"], {**record["question"]}
        question |= {each: str(question[each]) for each in ("dtype", "result", "quantity")}
        question |= {each: float(question[each]) for each in ("mean", "sigma")}
        rows = {view: [*map(_numbers, each)] for view, each in record["views"].items()}
        needed = [*product(rows["summary"], NEEDED), *product(rows.get("plot", []), DRAWN)]
        lacking = [each for row, each in needed if each not in row]
        if rows["summary"] and not lacking:
            views: Any = {view: partial(list, rows[view]) for view in rows if view in VIEWS}
            fields |= {"question": question, "views": views, "sentences": sentences}
            return Record(**fields, digits=digits)
        fault = f"{', '.join(lacking) or 'summary'} is missing"
    except orjson.JSONDecodeError as error:
        raise UsageError(f"{name} is not JSON: {error}; name a record") from None
    except (AttributeError, LookupError, TypeError, ValueError, InvalidOperation) as error:
        fault = "it is a table" if isinstance(record, list) else described(error)
    raise UsageError(f"{name} is not a whole record ({fault}); write it with -o FILE.json")


def _numbers(row: Mapping[str, Any]) -> dict[str, Any]:
    """Convert texts in a row that stand for numbers to floats and decimals."""
    plain = {name: NON_FINITE.get(str(cell), cell) for name, cell in row.items()}
    for name in NUMBERS & plain.keys():
        cell = plain[name]
        plain[name] = Decimal(cell) if isinstance(cell, str) else cell if cell is None else +cell
    return plain


def record_on(
    command: str,
    asked: Asked,
    found: Sequence[Found] | Measured,
    *,
    of_files: str | None = None,
    digits: int | None = None,
) -> Record:
    """Make the record of verdicts, or of the measurement of two kernels.

    `command` is `sweep`, `check` or `compare`. `of_files` is a digest of the inputs, if `check`
    read results.
    """
    from gelu_cli import __version__

    verdicts = found.verdicts if isinstance(found, Measured) else found
    rows: Any = rows_of if found is verdicts else rows_of_two
    left_out = {"profile": found is not verdicts, "criteria": not verdicts[0].seen}
    program, *words = sys.argv
    ours = Path(program).name == "gelu" or Path(program).parent.name == "gelu_cli"
    return Record(
        __version__,
        shlex.join(["gelu", *words]) if ours else f"gelu_cli.{command}",
        question_of(asked, verdicts[0].inputs, verdicts, of_files),
        environment_of(verdicts),
        {view: cache(partial(rows, found, view)) for view in VIEWS if not left_out.get(view)},
        digits=digits,
    )


def question_of(
    asked: Asked, inputs: Inputs | None, found: Sequence[Found] = (), of_files: str | None = None
) -> dict[str, Any]:
    """Collect what determines inputs and exact values: forms and options."""
    question, ups = asked.question, asked.inputs
    drawn = inputs if inputs and not inputs.exhaustive else None
    usual = question.glu._field_defaults if question.glu else {}
    glu = {each: getattr(question.glu, each) for each in usual}
    return {
        "dtype": question.dtype.name,
        "result": question.result.name,
        "form": ", ".join(dict.fromkeys(canonical(e.question.form.label) for e in found)),
        "quantity": question.quantity,
        **asked.judging["normal"]._asdict(),
        "range": inputs and [to_json(inputs.low), to_json(inputs.high)],
        "inputs": of_files,
        "samples": drawn and drawn.samples,
        "seed": drawn and drawn.seed,
        "ftz": asked.judging["ftz"],
        **{n: getattr(each, "name", each) for n, each in glu.items() if each != usual[n]},
        "glu": asked.glu,
        "up": "all" if ups.drawn_ups else list(ups.ups) or asked.upstream,
    }


def environment_of(found: Sequence[Found]) -> dict[str, Any]:
    """Collect the time, the machine, the versions and facts on the kernels."""
    from datetime import datetime

    time = datetime.now().astimezone().isoformat(timespec="seconds")
    kernels = [{"name": each.label, **each.facts} for each in found]
    return {"time": time, **_machine(), "kernels": kernels}


@cache
def _machine() -> dict[str, Any]:
    """Collect facts on the machine, and versions of Python and packages."""
    cpu = platform.processor() or platform.machine()
    with suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        cpu = next(line.partition(":")[2].strip() for line in lines if "model name" in line)
    return {
        "machine": {"system": platform.platform(), "machine": platform.machine(), "cpu": cpu},
        "python": platform.python_version(),
        "versions": {name: version(name) for name in LIBRARIES},
    }


# The verdict in sentences


def words_on(record: Record) -> list[str]:
    """Describe one kernel or two compared kernels; else list largest errors."""
    if len(record.kernels) > 1 and not record.two:
        return [f"{line}." for line in lines_on(record)]
    found = [*(_on_two(record) if record.two else _on_one(record, record.kernels[0]))]
    if not record.exhaustive:
        count = f"{record.kernels[0]['inputs']:,}"
        found[:0] = [f"{count} inputs were measured, not all: others may have larger errors."]
    return found


def lines_on(record: Record) -> list[str]:
    """State the largest error of each kernel, or the differences of two."""
    if record.two:
        a, b = record.kernels
        both = f"{a['kernel']} and {b['kernel']}"
        return [f"{both} differ at {a['differ']:,} of {a['inputs']:,} inputs"]
    found, least = [], "" if record.exhaustive else "≥ "
    for row in record.kernels:
        largest = record.text(row, "max_ulp") or "unknown"
        failures = {
            "wrong NaN, infinity or sign": sum(row[name] for name in WRONG),
            FAULTS["wrong_special"]: row["wrong_special"],
        }
        failed = [f", {words}: {count:,}" for words, count in failures.items() if count]
        found.append(f"{row['kernel']}: max ULP {least}{largest}{''.join(failed)}")
    return found


def _on_one(record: Record, row: Row) -> Iterator[str]:
    """Describe misrounded results, the largest error, and the RMS error."""
    if row["over_1_ulp"] or any(row[name] for name in WRONG):
        yield from _interval(record, row)
    elif row["mean_ulp"] is not None:
        some = " that do not saturate" * bool(row["saturated"])
        wrong = f"within 1 ULP; not correctly rounded: {row['misrounded']:,}"
        how = wrong if row["misrounded"] else "correctly rounded"
        yield f"All {row['inputs'] - (row['saturated'] or 0):,} results{some} are {how}."
    parts = [f"{words}: {row[name]:,}" for name, words in FAULTS.items() if row[name]]
    if row["over_1_ulp"]:
        largest = ("" if record.exhaustive else "≥ ") + record.text(row, "max_ulp")
        parts[:0] = [f"the largest error is {largest} ULP{record.place(row, 'max_ulp_')}"]
    if text := "; ".join(parts):
        yield f"{text[0].upper()}{text[1:]}."
    if row["rms_error"] is not None:
        about = "" if record.exhaustive else "about "
        lost = " of results that are numbers" * bool(row["lost_share"])
        rms = f"the RMS error{lost} is {about}{record.text(row, 'rms_error')}"
        times = f"{record.text(row, 'noise_ratio')} times that of correct rounding"
        yield f"For inputs from {record.normal} {rms}, {times}."


def _interval(record: Record, row: Row) -> Iterator[str]:
    """State the interval around 0, if any, where errors are at most 1 ULP."""
    rows = [each for each in record.rows("profile") if each["kernel"] == row["kernel"]]
    near = [each for each in rows if each["bound"] <= 1][-1]
    if near["share"]:  # 0 if the interval is one number
        zeros = f", except zeros in place of subnormal numbers ({near['left_out']:,})"
        bound, low, high, share = (record.text(near, n) for n in ("bound", "low", "high", "share"))
        every = f"For {low} ≤ x ≤ {high} every result is within {bound} ULP"
        draws = f"this interval holds an input from {record.normal} with probability {share}"
        yield f"{every}{zeros * bool(near['left_out'])}; {draws}."


def _on_two(record: Record) -> Iterator[str]:
    """Count inputs at which results differ, and at which a kernel is nearer."""
    a, b = record.kernels
    nearer = f"{a['kernel']} is nearer to the exact value at {a['nearer']:,} inputs"
    yield f"{lines_on(record)[0]}; {nearer}, {b['kernel']} at {b['nearer']:,}."
    if a["differ_share"] is not None:
        share = record.text(a, "differ_share")
        yield f"For inputs from {record.normal} a share of {share} of the results differs."
