"""Annotations for GitHub Actions; the job's summary gets the tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

import gelu_cli
from gelu_cli.old.report import Column, Page, Report, Row, in_words, stream_of
from gelu_cli.old.report.documents import Appendix, Document, Finding, in_short
from gelu_cli.old.report.formats import find_renderer
from gelu_cli.old.report.formats.markdown import as_text

PEOPLE = True

MOST_ROWS = 100
"""Longer tables are left out of the summary: GitHub takes no more than a megabyte."""

IN_MESSAGES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
IN_PROPERTIES = IN_MESSAGES | str.maketrans({":": "%3A", ",": "%2C"})
"""What means something else in a workflow command."""


def render(document: Document) -> Iterator[str]:
    """Yield a workflow command for each limit that does not hold, and for each note."""
    for finding in document.findings:
        if not finding.holds:
            yield _of_finding("error", finding)
    for finding in document.findings:
        if finding.holds and finding.warns:
            yield _of_finding("warning", finding)
    for kernel, said in in_words(document.words).items():
        yield _command("notice", said, title=kernel or "gelu")
    for note in document.remarks:
        yield _command("notice", note, title="gelu")
    yield _command("notice", in_short(document.findings), title="gelu")


def _of_finding(level: str, finding: Finding) -> str:
    line = str(finding.line or "")
    title = f"{finding.kernel}: {finding.limit}"
    return _command(level, finding.said, file=finding.file, line=line, title=title)


def _command(level: str, message: str, **properties: str) -> str:
    """Return a workflow command; a property without a value is left out."""
    given = [f"{name}={said.translate(IN_PROPERTIES)}" for name, said in properties.items() if said]
    return f"::{level} {','.join(given)}::{message.translate(IN_MESSAGES)}\n"


def summary(document: Document) -> Iterator[str]:
    """Yield the answer in Markdown."""
    yield f"## {as_text(document.title)}\n\n**{in_short(document.findings)}**\n\n"
    for kernel, said in in_words(document.words).items():
        yield f"{as_text(kernel)}: {as_text(said)}\n\n" if kernel else f"{as_text(said)}\n\n"
    if findings := sorted(document.findings, key=lambda each: each.holds):
        rows = [(each.word, each.kernel, each.limit, each.said, each.place) for each in findings]
        width = 5 if any(each.file for each in findings) else 4
        headings = ["verdict", "kernel", "limit", "found", "stated in"][:width]
        yield _table(_report(headings, (row[:width] for row in rows))) + "\n"
    if document.remarks:
        yield _table(_report(["note"], ([note] for note in document.remarks))) + "\n"
    for first in list(document.views.values())[:1]:
        shown = first.turned() if first.reads_better_turned else first
        yield f"### {as_text(first.title)}\n\n{_table(shown.report())}\n"
    for table in list(document.views.values())[1:]:
        title = f"{escape(table.title)} ({len(table.rows):,} rows)"
        if len(table.rows) > MOST_ROWS:
            yield f"{title}: too long for this summary.\n\n"
        else:
            yield f"<details><summary>{title}</summary>\n\n{_table(table.report())}\n</details>\n\n"
    yield f"    {document.command}\n\ngelu {document.gelu or gelu_cli.__version__}\n\n"


APPENDIX = Appendix("GITHUB_STEP_SUMMARY", summary)


def _report(headings: Iterable[str], rows: Iterable[Row]) -> Report:
    return Report("", [Column(name, name) for name in headings], stream_of([[*rows]]))


def _table(report: Report) -> str:
    return "".join(find_renderer("markdown").render(report, Page()))
