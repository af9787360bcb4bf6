"""Where an answer goes and what it looks like there: tables, a whole document, or a picture.

`choose` makes of the output options one `Destination`, before the work begins.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from shlex import join
from shutil import get_terminal_size
from typing import NamedTuple, TypeAlias

from gelu_cli.errors import UsageError
from gelu_cli.old.report import Ending, Page, Report, Stream, read
from gelu_cli.old.report.documents import (
    PAGE,
    Document,
    DocumentRenderer,
    document_for_suffix,
    document_names,
    find_document_renderer,
    table_of,
)
from gelu_cli.old.report.formats import (
    Renderer,
    find_renderer,
    format_names,
    name_for_suffix,
    suffixes,
)
from gelu_cli.old.report.numbers import FLOAT64_DIGITS
from gelu_cli.old.report.plots import PICTURES, SUFFIXES, TEXT, Plot, file_of
from gelu_cli.old.report.text import with_texts
from gelu_cli.old.stages import tell
from gelu_cli.old.writing.asked import Asked
from gelu_cli.old.writing.files import append_texts, check_path, write_out
from gelu_cli.old.writing.messages import note
from gelu_cli.old.writing.progress import Progress, rows_done
from gelu_cli.old.writing.streams import SPELLED, in_colour, on_terminal, takes_utf8

Views: TypeAlias = Mapping[str, Callable[[], Report]]
Drawn: TypeAlias = Callable[[], Plot]
"""Tables and a picture that are made when they are written."""

PEOPLE_DIGITS = 6
EVERY = "all"
"""The view that is all tables, one after the other."""
PLOT = "plot"
"""The view that is a picture."""

WIDTH = 80
WIDTHS, HEIGHTS = (20, 200), (20, 40)
"""The least and the most that a picture as text is wide and high if nobody says."""
INCHES, CHARACTERS = (2, 40), (12, 1000)
"""The least and the most that --size may ask for, in a file and as text."""


def document_asked(asked: Asked) -> str | None:
    """Return the format of documents that --format names, or the suffix of --output.

    A file whose suffix a table has as well holds the table if --view names one.
    """
    if asked.format_name in document_names():
        return asked.format_name
    if asked.format_name != "auto" or asked.path is None:
        return None
    a_table = asked.view is not None and name_for_suffix(asked.suffix)
    return None if a_table else document_for_suffix(asked.suffix)


def asks_for_page(asked: Asked) -> bool:
    """Return whether --format, or the suffix of --output, names a page."""
    return document_asked(asked) == PAGE


def asks_for_picture(asked: Asked) -> bool:
    """Return whether --format names a picture, or the suffix of --output one that is no text."""
    by_suffix = asked.format_name == "auto" and asked.suffix[1:] in PICTURES
    return by_suffix or asked.format_name in (TEXT, *PICTURES)


def typed_command() -> str:
    """Return the command that was typed."""
    return join(["gelu", *sys.argv[1:]])


class Output(NamedTuple):
    """Tables on stdout or in a file; of a page all of them in one."""

    path: str | None
    renderer: Renderer | DocumentRenderer
    digits: int | None
    header: bool
    quiet: bool
    view: str | None = None

    def write(self, report: Report, picture: Drawn | None = None) -> Ending:
        """Write the report and return its ending; raises `OutputError` where the system refuses.

        A page has the picture as well.
        """
        if isinstance(self.renderer, DocumentRenderer):
            return self._write_page(self.renderer, {"table": lambda: report}, picture)
        if self.view not in (None, EVERY):  # a table was asked for
            report = report._replace(headed=False)
        ending = Ending()

        def watched(stream: Stream) -> Stream:
            nonlocal ending
            rows = 0
            with Progress(self.quiet) as progress:
                for item in stream:
                    if isinstance(item, Ending):
                        ending = item
                    with progress.hidden() if self._on_terminal else nullcontext():
                        yield item
                    rows += 0 if isinstance(item, Ending) else len(item)
                    progress(rows_done(rows))

        report = report._replace(stream=watched(report.stream))
        if self.path is None and not takes_utf8(sys.stdout):
            # before its columns get their widths
            encoding = sys.stdout.encoding
            report = with_texts(
                report, lambda text: text.encode(encoding, SPELLED).decode(encoding)
            )
        colour = self.path is None and in_colour()
        width = get_terminal_size().columns
        page = Page(width, colour=colour, header=self.header, live=self._on_terminal)
        pieces = self.renderer.render(report, page)
        write_out(self.path, pieces, paged=self.renderer.paged)
        for said in (*ending.notes, *ending.failures):
            self.say(said)
        return ending

    def write_views(self, views: Views, picture: Drawn | None = None) -> None:
        """Write the views that are shown, one after the other, or in a page with the picture."""
        shown = {name: views[name] for name in self.shown(list(views))}
        if isinstance(self.renderer, DocumentRenderer):
            self._write_page(self.renderer, shown, picture)
            return
        for number, view in enumerate(shown.values()):
            if number:
                print()
            with Progress(self.quiet):
                report = view()
            self.write(report)

    @property
    def is_screen(self) -> bool:
        """Whether a person gets the answer in short, and is told of the views that have more."""
        return self._on_terminal and self.view is None and self.renderer.name == "table"

    def _write_page(
        self, renderer: DocumentRenderer, views: Views, picture: Drawn | None
    ) -> Ending:
        tables, failures, notes = {}, list[str](), list[str]()
        with Progress(self.quiet):
            for name, view in views.items():
                report = view()
                rows, ending = read(report)
                tables[name] = table_of(report._replace(stream=[rows, ending]))
                failures += ending.failures
                notes += ending.notes
            plots = [picture()] if picture else []
            title, said = next(iter(tables.values())).title, [*failures, *notes]
            document = Document(title, typed_command(), {}, {}, tables, plots, [], said)
            write_out(self.path, renderer.render(document))
        for text in said:
            self.say(text)
        return Ending(failures=failures)

    def shown(self, views: Sequence[str]) -> Sequence[str]:
        """Return the view asked for, or all of them on a terminal, else the first."""
        if self.view not in (None, EVERY):
            return [self.view]
        return views if self.for_people or self.view else views[:1]

    def say(self, text: str) -> None:
        """Say what the person who asked should know, unless nothing is to be said."""
        if not self.quiet:
            note(text)

    @property
    def is_exact(self) -> bool:
        """Whether so many digits are asked for that points count as typed."""
        return self.digits is not None and self.digits > FLOAT64_DIGITS

    @property
    def for_people(self) -> bool:
        """Whether a person looks at the answer as it comes, or at a page."""
        return isinstance(self.renderer, DocumentRenderer) or (
            self._on_terminal and self.renderer.people
        )

    @property
    def _on_terminal(self) -> bool:
        return self.path is None and on_terminal(sys.stdout)


class DocumentOutput(NamedTuple):
    """A whole answer on kernels, on stdout or in a file."""

    path: str | None
    renderer: DocumentRenderer
    digits: int | None
    quiet: bool = False

    def write(self, document: Document) -> None:
        """Write a document; raises `OutputError` where the system refuses.

        What its picture is drawn from is no table for readers, if it is among the views.
        """
        views = dict(document.views)
        document = document._replace(steps=views.pop(PLOT, None), views=views)
        write_out(self.path, self.renderer.render(document))
        appendix = self.renderer.appendix
        if appendix and (path := os.environ.get(appendix.variable)):
            append_texts(path, appendix.render(document))

    def shown(self, views: Sequence[str]) -> Sequence[str]:
        """Return the views that it has: all, or the first."""
        return views[:1] if self.renderer.first else views


class Picture(NamedTuple):
    """A picture, as text or in a file."""

    path: str | None
    kind: str
    asked: Asked = Asked()

    @property
    def quiet(self) -> bool:
        """Whether no progress and no notes are to be seen."""
        return self.asked.quiet

    def write(self, plot: Drawn) -> None:
        """Draw the plot that is computed; raises `OutputError` where the system refuses."""
        asked = self.asked
        with Progress(self.quiet):
            drawn = asked.labelled(plot())
            if asked.y_range:
                from gelu_cli.old.report.plots.geometry import between

                drawn = between(drawn, *asked.y_range)
            content = self._text(drawn) if self.kind in (TEXT, PAGE) else self._image(drawn)
        write_out(self.path, [content])

    def shown(self, views: Sequence[str]) -> Sequence[str]:
        """Return the picture, the one view that there is."""
        return [PLOT]

    def _image(self, plot: Plot) -> bytes:
        from gelu_cli.old.report.plots.look import THEMES, USUAL, Look

        tell(f"drawing {self.kind}")
        theme = THEMES[self.asked.theme] if self.asked.theme else USUAL.theme
        look = Look(theme, self.asked.size, self.asked.dpi or USUAL.dots_per_inch)
        return file_of(plot, self.kind, look)

    def _text(self, plot: Plot) -> str:
        from gelu_cli.old.report.plots.terminal import render

        if self.kind == PAGE:
            document = Document(plot.title, typed_command(), {}, {}, {}, [plot], [])
            return "".join(find_document_renderer(PAGE).render(document))
        if self.asked.size:
            width, height = map(int, self.asked.size)
        else:
            size = get_terminal_size()
            width = WIDTH if self.path else max(WIDTHS[0], min(size.columns, WIDTHS[1]))
            most = size.lines - 1 if on_terminal(sys.stdout) else HEIGHTS[1]
            usual = max(HEIGHTS[0], min(3 * width // 10 - 1, HEIGHTS[1]))
            height = max(HEIGHTS[0], min(usual, most))
        colour = self.path is None and in_colour()
        ascii_only = self.path is None and not takes_utf8(sys.stdout)
        return render(plot, width, height, colour, ascii_only)


Destination: TypeAlias = Output | DocumentOutput | Picture


def choose(asked: Asked) -> Destination:
    """Return the tables, the document or the picture that the options ask for.

    Raises `UsageError` for options that cannot be meant together.
    """
    if document := document_asked(asked):
        asked.refuse_look(purpose="pictures", remedy="add -o FILE.svg")
        return _choose_document(document, asked)
    if asked.view != PLOT and not asks_for_picture(asked):
        return choose_tables(asked)
    if asked.format_name in format_names():
        kinds = " or ".join((TEXT, *PICTURES))
        raise UsageError(
            f"--view plot is a picture, not {asked.format_name}; take --format {kinds}"
        )
    if asked.view not in (PLOT, None):
        raise UsageError(f"--view {asked.view} is a table; leave it out, or take --view plot")
    return choose_picture(asked)


def choose_tables(asked: Asked) -> Output:
    """Return the tables that the options ask for; raises `UsageError` as `choose` does."""
    asked.refuse_look(purpose="pictures", remedy="add -o FILE.svg or --view plot")
    if asks_for_page(asked):
        page = _choose_document(PAGE, asked._replace(view=None))
        return Output(page.path, page.renderer, page.digits, True, asked.quiet, asked.view)
    path = check_path(asked.path)
    name = asked.format_name if asked.format_name != "auto" else _table_format(path)
    renderer = find_renderer(name)
    if renderer.binary and path is None and on_terminal(sys.stdout):
        raise UsageError(f"--format {name} is not for a terminal; add -o FILE")
    if renderer.needs and find_spec(renderer.needs) is None:
        raise UsageError(
            f"{name} is written by {renderer.needs}: python -m pip install {renderer.needs}"
        )
    if asked.no_header and not renderer.header:
        raise _no_header_in(name)
    if asked.view == EVERY and not renderer.people:
        raise UsageError(f"--view all is several tables, and {name} has one: name it with --view")
    digits = PEOPLE_DIGITS if asked.digits is None and renderer.people else asked.digits
    return Output(path, renderer, digits, not asked.no_header, asked.quiet, asked.view)


def _table_format(path: str | None) -> str:
    """Return the format that a file's suffix names, csv for one without; a table on a terminal."""
    if path is None:
        return "table" if on_terminal(sys.stdout) else "csv"
    suffix = Path(path).suffix
    name = name_for_suffix(suffix) if suffix else "csv"
    if name is None and suffix.lower()[1:] in PICTURES:
        raise UsageError(f"--output '{path}': this answer is a table; gelu plot draws")
    if name is None:
        raise UsageError(
            f"--output '{path}': no format has the suffix '{suffix}'; name one with --format, "
            f"or choose from {', '.join(suffixes())}"
        )
    return name


def _choose_document(name: str, asked: Asked) -> DocumentOutput:
    path = check_path(asked.path)
    if asked.view not in (None, EVERY):
        raise UsageError(
            f"--view {asked.view} is a part of the answer, and {name} is all of it; leave --view "
            "out, or choose another --format"
        )
    if asked.no_header:
        raise _no_header_in(name)
    suffix = asked.suffix
    picture = suffix[1:] if suffix[1:] in PICTURES else None
    _check_suffix(asked, name, picture, document_for_suffix(suffix), name_for_suffix(suffix))
    renderer = find_document_renderer(name)
    digits = PEOPLE_DIGITS if asked.digits is None and renderer.people else asked.digits
    return DocumentOutput(path, renderer, digits, asked.quiet)


def choose_picture(asked: Asked) -> Picture:
    """Return the picture that the options ask for; raises `UsageError` as `choose` does."""
    path, suffix, kind = check_path(asked.path), asked.suffix, asked.format_name
    if asks_for_page(asked):
        for_files = {"purpose": "pictures in files", "remedy": "add -o FILE.svg"}
        asked.refuse_look("size", "dpi", "theme", **for_files)
        return Picture(_choose_document(PAGE, asked).path, PAGE, asked)
    if kind == "auto":
        kind = SUFFIXES.get(suffix, "") if path else TEXT
        if not kind:
            raise UsageError(f"--output '{path}': a picture ends in {', '.join(SUFFIXES)}")
    else:
        said = SUFFIXES.get(suffix), name_for_suffix(suffix), document_for_suffix(suffix)
        _check_suffix(asked, kind, *said)
    if kind == TEXT:
        asked.refuse_look("dpi", "theme", purpose="pictures in files", remedy="add -o FILE.png")
        asked.check_size(*CHARACTERS, "columns and lines, e.g. 80x24")
        if asked.size and any(length != int(length) for length in asked.size):
            raise UsageError("--size of a text is whole columns and lines, e.g. 80x24")
        return Picture(path, kind, asked)
    if kind != "png":
        asked.refuse_look("dpi", purpose="PNG", remedy="add -o FILE.png")
    asked.check_size(*INCHES, "inches, e.g. 7x4.6")
    if path is None and on_terminal(sys.stdout):
        raise UsageError(f"--format {kind} is not for a terminal; add -o FILE")
    if kind != "svg" and find_spec("matplotlib") is None:
        raise UsageError(f"{kind} is drawn by matplotlib: python -m pip install matplotlib")
    return Picture(path, kind, asked)


def _check_suffix(asked: Asked, name: str, *said: str | None) -> None:
    """Raise `UsageError` where the first that a suffix says is another format than --format."""
    other = next(filter(None, said), name)
    if check_path(asked.path) and other != name:
        raise UsageError(
            f"--format {name} contradicts --output '{asked.path}', whose suffix says {other}; "
            "leave --format out, or choose another suffix"
        )


def _no_header_in(format_name: str) -> UsageError:
    """Return the error for --no-header with a format that has no header to leave out."""
    names = " and ".join(name for name in format_names() if find_renderer(name).header)
    return UsageError(f"--no-header is for {names}, not for {format_name}; add --format csv")
