"""Records: measurements of kernels, as rows of exact numbers by view.

A record comes from a measurement or from a file. Its rows make tables, sentences, pictures and
results, and are compared with bounds.
"""

from __future__ import annotations

import platform
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gelu_cli.accuracy.weights import Normal
from gelu_cli.api.verdict_cells import Cells, Row, exactly, plain
from gelu_cli.api.verdict_rows import ROWS, WRONG, input_names, rows_of, rows_of_two
from gelu_cli.api.verdict_tables import VIEWS, VIEWS_OF_TWO, table_of
from gelu_cli.api.verdict_words import words_on
from gelu_cli.formulas import canonical
from gelu_cli.inputs.record_file import read_plain
from gelu_cli.output.renderers import json_rows, to_json
from gelu_cli.output.writer import DIGITS_FOR_PEOPLE

if TYPE_CHECKING:
    from gelu_cli.accuracy.measure import Measured
    from gelu_cli.accuracy.selection import Inputs
    from gelu_cli.accuracy.verdict import Verdict as Found
    from gelu_cli.api.questions import Asked
    from gelu_cli.inputs.files import Source
    from gelu_cli.kernels import Kernel

LIBRARIES = ("numpy", "scipy", "mpmath", "python-flint", "ml_dtypes")
"""Packages whose versions a record names."""


@dataclass(frozen=True)
class Record:
    """Rows on kernels, and the question that they answer.

    Attributes
    ----------
    command
        The command line, or the Python function, that measured.
    question
        The options that choose inputs and exact values: formats, form, range, samples, …
    describe
        A function that makes `environment`.
    views
        A function by view, which makes the rows of the view.
    sentences
        The verdict of a record that was read; None for a measurement.
    gelu
        Version of gelu.
    notes
        Notes on the question, a sentence each.
    digits
        Significant digits of numbers in tables; None for float64s.
    """

    command: str
    question: Mapping[str, Any]
    describe: Callable[[], Mapping[str, Any]]
    views: Mapping[str, Callable[[], Sequence[Row]]]
    gelu: str
    sentences: Sequence[str] | None = None
    notes: Sequence[str] = ()
    digits: int | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Pickle rows and descriptions instead of functions that make them."""
        views: Any = {name: partial(list, self.rows(name)) for name in self.views}
        return {**vars(self), "views": views, "describe": partial(dict, self.describe())}

    def rows(self, view: str) -> Sequence[Row]:
        """List the rows of a view; an unknown view has none."""
        return self.views[view]() if view in self.views else ()

    @property
    def kernels(self) -> Sequence[Row]:
        """The rows of the summary, one for each kernel."""
        return self.rows("summary")

    def each(self) -> Iterator[Record]:
        """Yield a record of each kernel alone, with its form."""
        views = ("summary", "plot") if self.two else self.views
        for row in self.kernels:
            rows = {view: partial(self._rows, view, row["kernel"]) for view in views}
            rows["summary"] = partial(list, [row])
            question = {**self.question, "form": canonical(row["form"])}
            yield replace(self, question=question, views=rows)

    def _rows(self, view: str, kernel: str) -> Sequence[Row]:
        return [row for row in self.rows(view) if row.get("kernel") == kernel]

    @property
    def pairs(self) -> bool:
        """True if kernels have two inputs."""
        return "max_ulp_up" in self.kernels[0]

    @property
    def two(self) -> bool:
        """True if two kernels are compared."""
        return all("differ" in row for row in self.kernels) and len(self.kernels) == 2

    @property
    def exhaustive(self) -> bool:
        """True if each input was measured."""
        return all(row["exhaustive"] == "yes" for row in self.kernels)

    @property
    def complete(self) -> bool:
        """True unless an interrupt ended the measurement."""
        return all(row["exhaustive"] != "partial" for row in self.kernels)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return input_names(self.pairs, self.question["quantity"])

    @property
    def formats(self) -> str:
        """The format of x and of results: one name, or two with an arrow."""
        return " → ".join(dict.fromkeys((self.question["dtype"], self.question["result"])))

    @property
    def normal(self) -> Normal:
        """The distribution of draws."""
        return Normal(self.question["mean"], self.question["sigma"])

    @property
    def cells(self) -> Cells:
        """The functions that round numbers for tables."""
        return Cells(self.question["dtype"], self.question["result"], self.digits)

    @property
    def verdict(self) -> Sequence[str]:
        """The answer in sentences."""
        if self.sentences is not None:
            return self.sentences
        return words_on(replace(self, digits=self.digits or DIGITS_FOR_PEOPLE))

    @property
    def environment(self) -> Mapping[str, Any]:
        """The time, the machine, the versions and the kernels of the results."""
        return self.describe()

    def in_one_line(self) -> str:
        """Summarize the record in one line."""
        if self.two:
            a, b = self.kernels
            differ = f"differ at {a['differ']:,} of {a['inputs']:,} inputs"
            return f"{a['kernel']} and {b['kernel']} {differ}"
        return "; ".join(map(_in_one_line, self.kernels))

    def plain(self) -> dict[str, Any]:
        """Make the data of a file: numbers that JSON lacks become texts."""
        fields = ("gelu", "command", "question", "environment", "verdict")
        views = {view: json_rows(table_of(self, view)) for view in self.views}
        return {**{name: getattr(self, name) for name in fields}, "views": views}


def _in_one_line(row: Row) -> str:
    """Summarize the row of one kernel."""
    error, wrong = exactly(row["max_ulp"]), sum(row[name] for name in WRONG)
    largest = "unknown" if error is None else f"{plain(error, 6)} ULP"
    failed = f", {wrong:,} wrong NaN, infinity or sign" * bool(wrong)
    return f"{row['kernel']}: largest error {largest}{failed}, {row['inputs']:,} results"


def read_record(source: str | Source, digits: int | None = None) -> Record:
    """Read a record; `-` is stdin."""
    file = read_plain(source)
    return Record(
        file["command"],
        file["question"],
        partial(dict, file["environment"]),
        {view: partial(list, rows) for view, rows in file["views"].items() if view in VIEWS},
        file["gelu"],
        file["verdict"],
        digits=digits,
    )


def record_on(
    command: str,
    asked: Asked,
    found: Sequence[Found],
    kernels: Sequence[Kernel] = (),
    *,
    two: Measured | None = None,
    of_files: str | None = None,
    digits: int | None = None,
) -> Record:
    """Make the record of a measurement.

    Parameters
    ----------
    command
        `sweep`, `check` or `compare`.
    asked
        The options.
    found, kernels
        Verdicts, and descriptions of the kernels; none for results in a file.
    two
        The measurement of two compared kernels.
    of_files
        Digest of the inputs, for results in a file.
    digits
        Significant digits of decimals; None for float64s.
    """
    from gelu_cli import __version__

    def rows(view: str) -> Sequence[Row]:
        if two:
            return rows_of_two(view, two)
        return [row for each in found for row in rows_of(view, each)]

    views = VIEWS_OF_TWO if two else [view for view in ROWS if view != "criteria" or found[0].seen]
    return Record(
        _typed(command),
        question_of(asked, found[0].inputs, found, of_files),
        partial(environment_of, found, kernels),
        {view: cache(partial(rows, view)) for view in views},
        __version__,
        notes=asked.notes,
        digits=digits,
    )


def _typed(command: str) -> str:
    """Return the command line, or the name of the Python function."""
    program, *words = sys.argv
    ours = Path(program).name == "gelu" or Path(program).parent.name == "gelu_cli"
    return shlex.join(["gelu", *words]) if ours else f"gelu_cli.{command}"


def question_of(
    asked: Asked, inputs: Inputs | None, found: Sequence[Found] = (), of_files: str | None = None
) -> dict[str, Any]:
    """List the options that choose inputs and exact values; `found` has forms."""
    question, ups = asked.question, asked.inputs
    normal: Normal = asked.judging["normal"]
    drawn = inputs if inputs and not inputs.exhaustive else None
    forms = [canonical(each.question.form.label) for each in found]
    usual = question.glu._field_defaults if question.glu else {}
    glu = {each: getattr(question.glu, each) for each in usual}
    return {
        "dtype": question.dtype.name,
        "result": question.result.name,
        "form": ", ".join(dict.fromkeys(forms)),
        "quantity": question.quantity,
        **normal._asdict(),
        "range": inputs and [to_json(inputs.low), to_json(inputs.high)],
        "inputs": of_files,
        "samples": drawn and drawn.samples,
        "seed": drawn and drawn.seed,
        "ftz": asked.judging["ftz"],
        **{n: getattr(each, "name", each) for n, each in glu.items() if each != usual[n]},
        "glu": asked.glu,
        "up": "all" if ups.drawn_ups else list(ups.ups) or asked.upstream,
    }


def environment_of(found: Sequence[Found], kernels: Sequence[Kernel]) -> dict[str, Any]:
    """Describe the time, the machine, the versions and the kernels."""
    from datetime import datetime

    calls = [_call_of(each) for each in kernels] or [{} for _ in found]
    both = zip(found, calls, strict=True)
    targets = [str(each.target).partition(":")[0].partition(".")[0] for each in kernels]
    return {
        "time": datetime.now().astimezone().isoformat(timespec="seconds"),
        "machine": {"system": platform.platform(), "machine": platform.machine(), "cpu": _cpu()},
        "python": platform.python_version(),
        "versions": _versions([*LIBRARIES, *targets]),
        "kernels": [{"name": each.label, **call, **each.facts} for each, call in both],
    }


def _call_of(kernel: Kernel) -> Mapping[str, Any]:
    """List the fields that say how a kernel is called."""
    known = {"label", "dtype", "result", "quantity", "upstream"}
    call = {name: value for name, value in vars(kernel).items() if value and name not in known}
    arguments = {name: str(value) for name, value in kernel.arguments}
    return {**call, "target": str(kernel.target), "arguments": arguments}


def _cpu() -> str:
    """Name the processor, on Linux as /proc/cpuinfo does."""
    with suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if "model name" in line)
    return platform.processor() or platform.machine()


def _versions(packages: Sequence[str]) -> dict[str, str]:
    """List the versions of packages, without those that are not installed."""
    found = {}
    for name in packages:
        with suppress(PackageNotFoundError, ValueError):
            found[name] = version(name)
    return found
