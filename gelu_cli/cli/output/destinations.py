"""Where an answer on kernels goes: tables, a whole document, or a picture, as the options ask."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from gelu_cli.cli.output.files import (
    append_texts,
    check_path,
    check_suffix,
    write_bytes,
    write_texts,
)
from gelu_cli.cli.output.looks import USUAL, LookWords
from gelu_cli.cli.output.progress import Progress
from gelu_cli.cli.output.reports import PEOPLE_DIGITS, Output, choose_output, no_header_in
from gelu_cli.cli.output.streams import in_colour, page_width, takes_utf8, terminal_size
from gelu_cli.errors import UsageError
from gelu_cli.report.documents import (
    Document,
    DocumentRenderer,
    document_for_suffix,
    document_names,
    find_document_renderer,
)
from gelu_cli.report.formats import format_names, name_for_suffix
from gelu_cli.report.plots import PICTURES, SUFFIXES, TEXT
from gelu_cli.stages import tell
from gelu_cli.sweeping.rows import PICTURE

if TYPE_CHECKING:
    from gelu_cli.report.plots import Plot

KINDS = (TEXT, *PICTURES)

WIDTH = 80
WIDTHS, HEIGHTS = (20, 200), (20, 40)
"""The least and the most that a picture is wide and high, in characters."""


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


class Picture(NamedTuple):
    """How and where to draw: what the shared options say, checked."""

    path: str | None
    kind: str
    look: LookWords = USUAL

    def write(self, plot: Callable[[], Plot], quiet: bool) -> None:
        """Draw the plot that is computed; raises `OutputError` where the system refuses."""
        with Progress(quiet):
            drawn = self.look.of_plot(plot())
            content = self._text(drawn) if self.kind == TEXT else self._image(drawn)
        if isinstance(content, str):
            write_texts(self.path, [content])
        else:
            write_bytes(self.path, [content])

    def on_stdout(self) -> Picture:
        """Return the same picture, as text on stdout instead of in a file."""
        look = LookWords(title=self.look.title, y_range=self.look.y_range)
        return Picture(None, TEXT, look)

    def _image(self, plot: Plot) -> bytes:
        from gelu_cli.report.plots.image import render

        tell(f"drawing {self.kind}")
        return render(plot, self.kind, self.look.of_image())

    def _text(self, plot: Plot) -> str:
        from gelu_cli.report.plots.terminal import render

        colour = self.path is None and in_colour()
        ascii_only = self.path is None and not takes_utf8(sys.stdout)
        return render(plot, *self._characters(), colour, ascii_only)

    def _characters(self) -> tuple[int, int]:
        """Return how wide and how high a picture is as text."""
        if self.look.size:
            return int(self.look.size[0]), int(self.look.size[1])
        size = terminal_size()
        width = WIDTH if self.path else max(WIDTHS[0], min(page_width(), WIDTHS[1]))
        most = HEIGHTS[1] if size is None else size.lines - 1
        usual = max(HEIGHTS[0], min(3 * width // 10 - 1, HEIGHTS[1]))
        return width, max(HEIGHTS[0], min(usual, most))


def choose_picture(format_name: str, path: str | None, look: LookWords = USUAL) -> Picture:
    """Return the picture that the options ask for; raises `UsageError` if they cannot be meant."""
    path = check_path(path)
    if format_name == "auto":
        suffix = Path(path).suffix.lower() if path else ".txt"
        if suffix not in SUFFIXES:
            raise UsageError(f"--output '{path}': a picture ends in {', '.join(SUFFIXES)}")
        format_name = SUFFIXES[suffix]
    elif path is not None:
        suffix = Path(path).suffix.lower()
        check_suffix(path, format_name, SUFFIXES.get(suffix) or name_for_suffix(suffix))
    if format_name == TEXT:
        look.check_text()
    else:
        look.check_file(format_name)
        if path is None and terminal_size():
            raise UsageError(f"--format {format_name} is not for a terminal; add -o FILE")
        try:
            import matplotlib  # noqa: F401 (before the work begins)
        except ImportError:
            raise UsageError(
                f"{format_name} is drawn by matplotlib: python -m pip install matplotlib"
            ) from None
    return Picture(path, format_name, look)


def names_picture(format_name: str, path: str | None) -> bool:
    """Return whether --format names a picture, or the suffix of --output one that is no text."""
    return format_name in KINDS or (
        format_name == "auto" and Path(path or "").suffix.lower()[1:] in PICTURES
    )


Destination: TypeAlias = Output | Picture | DocumentOutput


def choose_destination(
    view: str | None,
    format_name: str,
    path: str | None,
    no_header: bool,
    digits: int | None,
    quiet: bool,
    look: LookWords = USUAL,
) -> Destination:
    """Return the tables, the document or the picture that the options ask for.

    That is before the work begins.
    """
    if document := document_named(format_name, path, view):
        look.refuse(purpose="pictures", remedy="add -o FILE.svg")
        return choose_document(document, path, no_header, digits, view)
    if view != PICTURE and not names_picture(format_name, path):
        return choose_output(format_name, path, no_header, digits, quiet, look)
    if format_name in format_names():
        kinds = " or ".join(KINDS)
        raise UsageError(f"--view plot is a picture, not {format_name}; take --format {kinds}")
    if view not in (PICTURE, None):
        raise UsageError(f"--view {view} is a table; leave it out, or take --view plot")
    return choose_picture(format_name, path, look)
