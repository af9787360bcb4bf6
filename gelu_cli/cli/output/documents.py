"""Where a document goes: a whole answer on kernels, to stdout or into a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gelu_cli.cli.output.files import append_texts, check_path, check_suffix, write_texts
from gelu_cli.cli.output.reports import PEOPLE_DIGITS, no_header_in
from gelu_cli.errors import UsageError
from gelu_cli.report.documents import (
    Document,
    DocumentRenderer,
    document_for_suffix,
    document_names,
    find_document_renderer,
)
from gelu_cli.report.formats import name_for_suffix
from gelu_cli.report.plots import PICTURES
from gelu_cli.sweeping.rows import PICTURE

if TYPE_CHECKING:
    pass


class DocumentOutput(NamedTuple):
    """How and where to write a document: what the shared options say, checked."""

    path: str | None
    renderer: DocumentRenderer
    digits: int | None

    def write(self, document: Document) -> None:
        """Write a document; raises `OutputError` where the system refuses.

        What its picture is drawn from is no table for readers, if it is among the views.
        """
        views = dict(document.views)
        steps = views.pop(PICTURE, None)
        document = document._replace(views=views, steps=steps)
        write_texts(self.path, self.renderer.render(document))
        appendix = self.renderer.appendix
        if appendix and (path := os.environ.get(appendix.variable)):
            append_texts(path, appendix.render(document))

    def on_stdout(self) -> DocumentOutput:
        """Return the same output, on stdout instead of in a file."""
        return self._replace(path=None)


def document_named(format_name: str, path: str | None, view: str | None) -> str | None:
    """Return the format of documents that --format names, or the suffix of --output; or None.

    A file whose suffix a table has as well holds the table if --view names one.
    """
    if format_name in document_names():
        return format_name
    if format_name != "auto" or path is None:
        return None
    suffix = Path(path).suffix
    return None if view is not None and name_for_suffix(suffix) else document_for_suffix(suffix)


def choose_document(
    name: str, path: str | None, no_header: bool, digits: int | None, view: str | None
) -> DocumentOutput:
    """Return the document that the options ask for; raises `UsageError` if they cannot be meant."""
    path = check_path(path)
    if view is not None:
        raise UsageError(
            f"--view {view} is a part of the answer, and {name} is all of it; leave --view out, or "
            "choose another --format"
        )
    if no_header:
        raise no_header_in(name)
    if path is not None:
        suffix = Path(path).suffix.lower()
        said = suffix[1:] if suffix[1:] in PICTURES else document_for_suffix(suffix)
        check_suffix(path, name, said or name_for_suffix(suffix))
    renderer = find_document_renderer(name)
    if digits is None and renderer.people:
        digits = PEOPLE_DIGITS
    return DocumentOutput(path, renderer, digits)
