"""How an answer on kernels leaves in full, in one piece: one file each, whose name is the format's.

A `Document` has all tables of an answer, its pictures, what was asked, where it was computed, and
what was judged. A file has `render(document)`, which yields text and prints nothing, and a
docstring whose first line help shows. In the texts of the document that it gets, what is not seen
is an escape already. It may have `SUFFIXES`, the endings of files that mean the format, `PEOPLE`,
whether people read it (numbers then have 6 digits unless asked otherwise), `FIRST`, whether it has
the first table alone, and an `APPENDIX`, what else is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

from gelu_cli.errors import printable, unknown
from gelu_cli.old.registry import module_names, module_settings
from gelu_cli.old.report import Column, Report, Row, Sentence, read, stream_of
from gelu_cli.old.report.numbers import human_text
from gelu_cli.old.report.plots import Plot
from gelu_cli.old.report.text import changed

PAGE = "html"
"""The format that other answers, and pictures, have as well."""

SIDE_BY_SIDE = 6
"""So few rows of a table may be columns, where its columns are more than its rows."""


class Table(NamedTuple):
    """A report that is whole: it can be read more than once."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    facts: Mapping[str, str]
    digits: int | None = None
    keys: int = 1
    words: Sequence[Sentence] = ()
    """The answer in short, if it is the first table of one."""

    def report(self) -> Report:
        """Return it as a report."""
        stream = stream_of([self.rows], facts=self.facts)
        return Report(self.title, self.columns, stream, self.digits, self.keys)

    @property
    def reads_better_turned(self) -> bool:
        """Whether people read it better on its side: of few rows, with many columns."""
        return self.keys == 1 and 0 < len(self.rows) <= SIDE_BY_SIDE < len(self.columns)

    def turned(self) -> Table:
        """Return a table of texts, a column for each row, and a row for each column but the first.

        >>> columns = [Column("routine", "routine"), Column("max_ulp", "max ULP")]
        >>> sides = Table("", columns, [("erfc", 1.5), ("logistic", 2.0)], {}).turned()
        >>> [column.heading for column in sides.columns], sides.rows
        (['routine', 'erfc', 'logistic'], [['max ULP', '1.5', '2']])
        """
        first, *others = zip(*self.rows, strict=True)
        heads = [self.columns[0].heading, *map(human_text, first)]
        rows = [
            [column.heading, *map(human_text, cells)]
            for column, cells in zip(self.columns[1:], others, strict=True)
        ]
        return self._replace(columns=[Column(head, head) for head in heads], rows=rows)


def table_of(report: Report) -> Table:
    """Return what a report has, its stream read to the end.

    >>> table_of(Report("squares", [Column("x", "x")], stream_of([[(1.0,)], [(4.0,)]]))).rows
    [(1.0,), (4.0,)]
    """
    rows, ending = read(report)
    return Table(*report[:2], rows, ending.facts, report.digits, report.keys, ending.words)


class Finding(NamedTuple):
    """One thing that was judged: what should hold, whether it does, and what was found."""

    kernel: str
    limit: str
    """What should hold, in a few words: max_ulp ≤ 2."""

    holds: bool
    said: str
    """What was found, a sentence."""

    file: str = ""
    """The file that says so, if one does."""

    line: int = 0

    warns: bool = False
    """Whether there is something to do though it holds: a known failure that has vanished."""

    broken: bool = False
    """Whether there is no complete answer to judge: a kernel fails, or an interrupt."""

    @property
    def word(self) -> str:
        """The word for it, behind a sign that says the same."""
        return "! vanished" if self.warns else "✓ holds" if self.holds else "✗ fails"

    @property
    def place(self) -> str:
        """The file and the line that it is about, if there are any."""
        return f"{self.file}, line {self.line}" if self.line else self.file


def in_short(findings: Sequence[Finding]) -> str:
    """Return in a sentence how many of the limits hold.

    >>> in_short([])
    'No limit was given, so nothing is judged.'
    >>> in_short([Finding("a", "max_ulp ≤ 1", False, ""), Finding("b", "max_ulp ≤ 1", True, "")])
    '1 of 2 limits does not hold.'
    """
    if any(finding.broken for finding in findings):
        return "The answer is not complete."
    limits = [finding for finding in findings if not finding.warns]
    failing, of = sum(not finding.holds for finding in limits), len(limits)
    if not of:
        return "No limit was given, so nothing is judged."
    if of == 1:
        return "The limit does not hold." if failing else "The limit holds."
    if not failing:
        return f"All {of} limits hold."
    return f"{failing} of {of} limits {'does' if failing == 1 else 'do'} not hold."


class Document(NamedTuple):
    """An answer on kernels in full."""

    title: str
    command: str
    made: Mapping[str, Any]
    """When and where it was computed: names and values that JSON has."""

    question: Mapping[str, Any]
    """What was asked: names and values that JSON has."""

    views: Mapping[str, Table]
    plots: Sequence[Plot]
    findings: Sequence[Finding]
    notes: Sequence[str] = ()
    gelu: str = ""
    """The version of gelu that has computed it, if that is not this one."""

    steps: Table | None = None
    """What the first of the plots is drawn from, for who wants to draw it again."""

    caveats: Sequence[str] = ()
    """What should be known of the findings: that a limit holds for a sample alone."""

    @property
    def words(self) -> list[Sentence]:
        """The answer in short."""
        return [sentence for table in self.views.values() for sentence in table.words]

    @property
    def remarks(self) -> list[str]:
        """All that should be known of the answer: its notes, then its caveats."""
        return [*self.notes, *self.caveats]


Render: TypeAlias = Callable[[Document], Iterator[str]]


class Appendix(NamedTuple):
    """What is appended to a file that somebody else has made, whose name a variable holds."""

    variable: str
    """The environment variable; where there is none, nothing is appended."""

    render: Render


class DocumentRenderer(NamedTuple):
    """What turns a document into text of one format."""

    name: str
    render: Render
    suffixes: tuple[str, ...] = ()
    people: bool = False
    first: bool = False
    appendix: Appendix | None = None


def document_names() -> list[str]:
    """Return the names of the formats of documents."""
    return module_names(__path__)


def find_document_renderer(name: str) -> DocumentRenderer:
    """Return the renderer of that name; raises `UsageError` where there is none.

    Whatever the format, what is not seen in a text leaves as an escape.
    """
    if name not in document_names():
        raise unknown("format", name, document_names())
    module = import_module(f"{__name__}.{name}")

    def of_legible(render: Render) -> Render:
        return lambda document: render(changed(document, printable))

    optional = module_settings(module, DocumentRenderer._field_defaults)
    if appendix := optional.get("appendix"):
        optional["appendix"] = appendix._replace(render=of_legible(appendix.render))
    return DocumentRenderer(name, of_legible(module.render), **optional)


def document_for_suffix(suffix: str) -> str | None:
    """Return the format of documents that files with this ending have, if any.

    >>> document_for_suffix(".json"), document_for_suffix(".csv")
    ('record', None)
    """
    names = document_names()
    return next(
        (name for name in names if suffix.lower() in find_document_renderer(name).suffixes), None
    )
