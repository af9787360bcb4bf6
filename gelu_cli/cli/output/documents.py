"""Where a document goes: a whole answer on kernels, to stdout or into a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Any, NamedTuple

from gelu_cli.answers.sweep import PICTURE
from gelu_cli.cli.output.files import check_path, write_texts
from gelu_cli.cli.output.reports import PEOPLE_DIGITS
from gelu_cli.report.documents import (
    Document,
    DocumentRenderer,
    Finding,
    document_for_suffix,
    document_names,
    find_document_renderer,
    table_of,
)

if TYPE_CHECKING:
    from gelu_cli.report import Report
    from gelu_cli.report.plots import Plot


class DocumentOutput(NamedTuple):
    """How and where to write a document: what the shared options say, checked."""

    path: str | None
    renderer: DocumentRenderer
    digits: int | None

    def write(
        self,
        title: str,
        question: Mapping[str, Any],
        views: Mapping[str, Callable[[], Report]],
        plots: Sequence[Plot],
        findings: Sequence[Finding],
        notes: Sequence[str],
        origins: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Write a document on what was computed here; raises `OutputError` where that fails.

        `origins` say of each kernel where its results come from.
        """
        command, made = join(["gelu", *sys.argv[1:]]), _made(origins)
        tables = {name: table_of(view()) for name, view in views.items()}
        document = Document(title, command, made, question, tables, plots, findings, notes)
        self.write_whole(document)

    def write_whole(self, document: Document) -> None:
        """Write a document; raises `OutputError` where the system refuses.

        What its picture is drawn from is no table for readers, if it is among the views.
        """
        views = dict(document.views)
        steps = views.pop(PICTURE, None)
        write_texts(self.path, self.renderer.render(document._replace(views=views, steps=steps)))

    def on_stdout(self) -> DocumentOutput:
        """Return the same output, on stdout instead of in a file."""
        return self._replace(path=None)


def _made(origins: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return when and where an answer is computed."""
    from gelu_cli.environment import host

    return {
        "time": datetime.now().astimezone().isoformat(timespec="seconds"),
        "host": host.host(),
        "python": host.python(),
        "versions": host.versions(),
        "variables": host.variables(),
        "kernels": list(origins),
    }


def document_named(format_name: str, path: str | None, view: str | None) -> str | None:
    """Return the format of documents that --format names, or the suffix of --output; or None.

    A file whose suffix a table has as well holds the table if --view names one.
    """
    if format_name in document_names():
        return format_name
    if format_name != "auto" or path is None or view is not None:
        return None
    return document_for_suffix(Path(path).suffix)


def choose_document(name: str, path: str | None, digits: int | None) -> DocumentOutput:
    """Return the document that the options ask for."""
    renderer = find_document_renderer(name)
    if digits is None and renderer.people:
        digits = PEOPLE_DIGITS
    return DocumentOutput(check_path(path), renderer, digits)
