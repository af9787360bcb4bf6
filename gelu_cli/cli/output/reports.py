"""How and where a report is written: what the output options say, checked."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gelu_cli.cli.output.files import check_path, write_bytes, write_texts
from gelu_cli.cli.output.looks import USUAL, LookWords
from gelu_cli.cli.output.messages import note
from gelu_cli.cli.output.pager import hold
from gelu_cli.cli.output.progress import Progress, rows_done
from gelu_cli.cli.output.streams import in_colour, on_terminal, page_width, spelled, takes_utf8
from gelu_cli.errors import UsageError
from gelu_cli.report.formats import (
    Renderer,
    find_renderer,
    formats_with_header,
    name_for_suffix,
    suffixes,
)
from gelu_cli.report.numbers import FLOAT64_DIGITS
from gelu_cli.report.plots import PICTURES

if TYPE_CHECKING:
    from gelu_cli.report import Ending, Page, Report, Stream

PEOPLE_DIGITS = 6


class Output(NamedTuple):
    """How and where to write: what the shared options say, checked."""

    path: str | None
    renderer: Renderer
    digits: int | None
    header: bool
    quiet: bool

    def write(self, report: Report) -> Ending:
        """Write the report and return its ending; raises `OutputError` where the system refuses."""
        from gelu_cli.report import Ending

        ending = Ending()

        def watched(stream: Stream) -> Stream:
            nonlocal ending
            rows = 0
            with Progress(self.quiet) as progress:
                for item in stream:
                    if isinstance(item, Ending):
                        ending = item
                    with progress.hidden() if self._shown_as_it_comes else nullcontext():
                        yield item
                    rows += 0 if isinstance(item, Ending) else len(item)
                    progress(rows_done(rows))

        report = report._replace(stream=watched(report.stream))
        if self.path is None and not takes_utf8(sys.stdout):
            report = spelled(report, sys.stdout.encoding)
        if self.path is None and self.renderer.paged:
            hold()
        write = write_bytes if self.renderer.binary else write_texts
        write(self.path, self.renderer.render(report, self._page()))
        for said in (*ending.notes, *ending.failures):
            self.say(said)
        return ending

    def write_views(self, views: Mapping[str, Callable[[], Report]], chosen: str | None) -> None:
        """Write the views that are shown, one after the other."""
        for number, name in enumerate(self.shown(list(views), chosen)):
            if number:
                print()
            with Progress(self.quiet):
                report = views[name]()
            self.write(report)

    def shown(self, views: Sequence[str], chosen: str | None) -> Sequence[str]:
        """Return the view chosen, or all of them on a terminal, else the first."""
        if chosen is not None:
            return [chosen]
        return views if self.for_people else views[:1]

    def say(self, text: str) -> None:
        """Say what the person who asked should know, unless nothing is to be said."""
        if not self.quiet:
            note(text)

    def on_stdout(self) -> Output:
        """Return the same output, on stdout instead of in a file."""
        return self._replace(path=None)

    @property
    def is_exact(self) -> bool:
        """Whether so many digits are asked for that points count as typed."""
        return self.digits is not None and self.digits > FLOAT64_DIGITS

    @property
    def _shown_as_it_comes(self) -> bool:
        return self.path is None and on_terminal(sys.stdout)

    @property
    def for_people(self) -> bool:
        """Whether a person looks at the answer as it comes."""
        return self._shown_as_it_comes and self.renderer.people

    def _page(self) -> Page:
        from gelu_cli.report import Page

        colour = self.path is None and in_colour()
        return Page(page_width(), colour=colour, header=self.header)


def choose_output(
    format_name: str,
    path: str | None,
    no_header: bool,
    digits: int | None,
    quiet: bool,
    look: LookWords = USUAL,
) -> Output:
    """Return the output that the options ask for; raises `UsageError` if they cannot be meant."""
    look.refuse(purpose="pictures", remedy="add -o FILE.svg or --view plot")
    path = check_path(path)
    if format_name == "auto":
        format_name = _format_for(path)
    renderer = find_renderer(format_name)
    _check_binary(renderer, path)
    if no_header and not renderer.header:
        raise no_header_in(format_name)
    if digits is None and renderer.people:
        digits = PEOPLE_DIGITS
    return Output(path, renderer, digits, not no_header, quiet)


def no_header_in(format_name: str) -> UsageError:
    """Return the error for --no-header with a format that has no header to leave out."""
    names = " and ".join(formats_with_header())
    return UsageError(f"--no-header is for {names}, not for {format_name}; add --format csv")


def _check_binary(renderer: Renderer, path: str | None) -> None:
    """Refuse bytes for a terminal, and a format whose library is not there."""
    if renderer.binary and path is None and on_terminal(sys.stdout):
        raise UsageError(f"--format {renderer.name} is not for a terminal; add -o FILE")
    if renderer.needs and find_spec(renderer.needs) is None:
        raise UsageError(
            f"{renderer.name} is written by {renderer.needs}: "
            f"python -m pip install {renderer.needs}"
        )


def _format_for(path: str | None) -> str:
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
