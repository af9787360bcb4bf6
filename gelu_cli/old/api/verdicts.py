"""What is found of kernels, from Python: verdicts, comparisons of two, and records of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from gelu_cli.old.answers.plot.sweeps import plot_sweep
from gelu_cli.old.answers.sweep import TITLE, recorded, report_of_plot, sweep_views
from gelu_cli.old.api.messages import asked_in_python
from gelu_cli.old.api.results import SHOWN_DIGITS, Answer, Tabular
from gelu_cli.old.budgets import BoundedVerdict, Budget
from gelu_cli.old.comparison.differences import Comparison as Found
from gelu_cli.old.reading.records import read_record
from gelu_cli.old.report import Report, documents
from gelu_cli.old.report.plots import PICTURES
from gelu_cli.old.sweeping.records import Record as Content
from gelu_cli.old.sweeping.records import made_of, question_of

WORST = 10
"""How many of the worst inputs tables list, as on the command line."""


class Verdict(Tabular, BoundedVerdict):
    """What `sweep` or `check` has found of a kernel, exact wherever a single input is named.

    `max_ulp` is the largest error of a number, `worst` has the worst inputs, `failures` the
    results that are wrongly NaN or infinite, `total` and `regions` all counts; `exhaustive` says
    whether every input was taken, else figures are lower bounds.
    """

    digits: int | None = None

    @property
    def tables(self) -> Mapping[str, Callable[..., Report]]:  # type: ignore[override]
        """The tables of `gelu sweep`, computed when they are asked for."""
        asked = {"--criteria": self.criteria, "--shapes": self.changes is not None}
        return sweep_views([self], None, WORST, [name for name, given in asked.items() if given])

    def assert_within(
        self,
        budget: Budget | str | os.PathLike[str] | None = None,
        *,
        max_ulp: float | None = None,
    ) -> None:
        """Raise AssertionError, which names the worst x, unless `within` says yes.

        Raises ValueError as `within` does, where there is no bound at all among others.

        >>> import numpy as np
        >>> from gelu_cli import sweep
        >>> sweep(np.abs, dtype="float16", form="relu").assert_within(max_ulp=2)
        Traceback (most recent call last):
            ...
        AssertionError: absolute: max_ulp 1.09897e+12 at x = -65504.0 exceeds 2
        """
        __tracebackhide__ = True  # from pytest
        judgement = self.within(budget, max_ulp=max_ulp)
        if not judgement:
            raise AssertionError(str(judgement))

    @asked_in_python
    def save(self, path: str | Path, view: str | None = None) -> None:
        """Write all of it to a file: .json is a record, .html a page, .svg a picture.

        A `view`, or another suffix of a table, is written as `Answer.save` does. `load` reads a
        record.
        """
        from gelu_cli.old.api.pictures import Picture  # which knows verdicts

        suffix = Path(path).suffix.lower()
        if view is None and suffix[1:] in PICTURES:
            Picture(plot_sweep([self])).save(path)
        elif view is None and (name := documents.document_for_suffix(suffix)):
            renderer = documents.find_document_renderer(name)
            document = _document(self, SHOWN_DIGITS if renderer.people else None)
            Path(path).write_text("".join(renderer.render(document)), encoding="utf-8")
        else:
            super().save(path, view)

    def __repr__(self) -> str:
        """Return the largest error, where it is, and what of how many inputs it is the largest."""
        worst, total = next(iter(self.worst), None), self.total
        ulp = f"{self.max_ulp:.6g} ULP" if total.worst else "no errors"
        where = f" at x = {worst.x!r}{self.question.second_of(worst.up)}" if worst else ""
        inputs = f"{total.inputs:,} inputs" if self.exhaustive else f"a sample of {total.inputs:,}"
        wrong = total.wrong_nan + total.wrong_inf
        failed = f", {wrong:,} wrong NaN or infinity" if wrong else ""
        return f"<Verdict {self.name}, {self.question.dtype.name}: {ulp}{where}, {inputs}{failed}>"


def _document(verdict: Verdict, digits: int | None) -> documents.Document:
    """Return all that a record or a page has of a verdict."""
    answer = "sweep" if verdict.inputs else "check"
    return documents.Document(
        TITLE,
        f"gelu_cli.{answer}",
        made_of([verdict]),
        question_of(answer, [verdict], worst=WORST, criteria=bool(verdict.criteria)),
        {name: documents.table_of(make(digits=digits)) for name, make in verdict.tables.items()},
        [plot_sweep([verdict])],
        findings=[],
        notes=verdict.notes,
        steps=documents.table_of(report_of_plot([verdict])),
    )


@dataclass(frozen=True, repr=False)
class Comparison(Answer):
    """What `compare` has found of two kernels: a verdict on each, and where they differ."""

    a: Verdict
    b: Verdict
    inputs: int
    differ: int
    """At so many inputs the bits of the results differ."""

    nearer_a: int
    """At so many of these the result of a is nearer the true value."""

    nearer_b: int
    max_difference: float
    """The largest |a − b| in ULP; infinite where one of the two is no number."""

    found: Found = field(compare=False)

    def __repr__(self) -> str:
        names = f"{self.a.name}, {self.b.name}"
        return f"<Comparison {names}: {self.differ:,} of {self.inputs:,} results differ>"


@dataclass(frozen=True, repr=False)
class Record(Answer):
    """What a file has of a sweep, a check or a comparison: `tables` as they were written."""

    content: Content

    @property
    def question(self) -> Mapping[str, Any]:
        """What was asked, by the names that records have."""
        return self.content.question

    @property
    def made(self) -> Mapping[str, Any]:
        """When and where it was made."""
        return self.content.made

    def __repr__(self) -> str:
        return f"<Record {self.content.source}: {', '.join(self.content.names)}>"


@asked_in_python
def load(path: str | os.PathLike[str]) -> Record:
    """Return the record in a file, as `Verdict.save` or `gelu sweep -o FILE.json` has written it.

    Two records are compared by `compare`; `plot` draws the picture of one.

    Raises ValueError for a file that holds none.

    >>> load("missing.json")
    Traceback (most recent call last):
        ...
    gelu_cli.errors.UsageError: cannot read 'missing.json': No such file or directory
    """
    content = read_record(os.fspath(path))
    tables = {name: partial(recorded, content, name) for name in content.tables}
    return Record(content, tables=tables, notes=[*content.notes, *content.caveats])
