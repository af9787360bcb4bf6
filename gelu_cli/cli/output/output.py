"""Where the answer goes: stdout, or a file that is replaced whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from gelu_cli.cli.options import MOST_DIGITS, parse_whole
from gelu_cli.cli.output.spelling import SPELLED
from gelu_cli.errors import OutputError, UsageError, unknown
from gelu_cli.report.formats import (
    Renderer,
    find_renderer,
    formats_with_header,
    name_for_suffix,
    suffixes,
)
from gelu_cli.report.plots import PICTURES

if TYPE_CHECKING:
    from gelu_cli.report import Block, Page, Report

PEOPLE_DIGITS = 6
PROGRESS_SECONDS = 0.5


class Output(NamedTuple):
    """How and where to write: what the shared options say, checked."""

    path: str | None
    renderer: Renderer
    digits: int | None
    header: bool
    quiet: bool

    def write(self, report: Report) -> None:
        """Write the report; raises `OutputError` where the system refuses."""
        # The first block is computed before anything is opened: bad input leaves no trace.
        if self._progress:
            report = report._replace(blocks=_counted(report.blocks))
        if self.path is None and not takes_utf8(sys.stdout):
            report = _respelled(report, sys.stdout.encoding)
        texts = self.renderer.render(report, self._page())
        first = next(texts, "")
        if self.path is None:
            _write(sys.stdout, first, texts)
        else:
            _write_file(Path(self.path), first, texts)
        if sys.stderr is not None and not self.quiet:
            for note in (*report.notes, *report.failures):
                print(f"gelu: note: {note}", file=sys.stderr)

    def write_views(self, views: Mapping[str, Callable[[], Report]], chosen: str | None) -> None:
        """Write the view chosen, or all of them on a terminal, else the first."""
        for number, view in enumerate(_choose_views(views, chosen, self)):
            if number:
                print()
            self.write(view())

    def on_stdout(self) -> Output:
        """Return the same output, on stdout instead of in a file."""
        return self._replace(path=None)

    @property
    def _progress(self) -> bool:
        shown = self.path is None and _on_terminal()
        return _on_terminal(sys.stderr) and not (self.quiet or shown)

    @property
    def for_people(self) -> bool:
        """Whether a person looks at the answer as it comes."""
        return self.path is None and self.renderer.PEOPLE and _on_terminal()

    def _page(self) -> Page:
        from gelu_cli.report import Page

        size = terminal_size()
        if self.path is not None or size is None:
            return Page(header=self.header)
        return Page(size.columns, colour=in_colour(), header=self.header)


def choose_output(
    format_name: str, path: str | None, digits_word: str | None, no_header: bool, quiet: bool
) -> Output:
    """Return the output that the options ask for; raises `UsageError` if they cannot be meant."""
    digits = None
    if digits_word is not None:
        digits = parse_whole(digits_word, "--digits", 1, MOST_DIGITS)
    path = check_path(path)
    if format_name == "auto":
        format_name = _format_for(path)
    renderer = find_renderer(format_name)
    if no_header and not renderer.HEADER:
        names = " and ".join(formats_with_header())
        raise UsageError(f"--no-header is for {names}, not for {format_name}; add --format csv")
    if digits is None and renderer.PEOPLE:
        digits = PEOPLE_DIGITS
    return Output(path, renderer, digits, not no_header, quiet)


def _format_for(path: str | None) -> str:
    """Return the format that a file's suffix names, csv for one without; a table on a terminal."""
    if path is None:
        return "table" if _on_terminal() else "csv"
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


def check_path(path: str | None) -> str | None:
    """Return the file that --output names, None for stdout; raises `UsageError` if it names none.

    >>> check_path("-"), check_path("a.csv")
    (None, 'a.csv')
    """
    if path == "":
        raise UsageError("--output needs the name of a file")
    if path is not None and (Path(path).is_dir() or path.endswith(os.sep)):
        raise UsageError(f"--output '{path}' is a directory; name a file in it")
    return None if path == "-" else path


def _choose_views(
    views: Mapping[str, Callable[[], Report]], chosen: str | None, output: Output
) -> list[Callable[[], Report]]:
    """Return the views to write: the one chosen, all on a terminal, else the first."""
    if chosen is None:
        return list(views.values())[: None if output.for_people else 1]
    if chosen == "points" and chosen not in views:
        raise UsageError("--view points needs points: give numbers, '-' or --input FILE")
    if chosen not in views:
        raise unknown("view", chosen, dict.fromkeys([*views, "points"]))
    return [views[chosen]]


def _on_terminal(stream: TextIO | None = None) -> bool:
    stream = stream or sys.stdout
    return stream is not None and stream.isatty()


def _respelled(report: Report, encoding: str) -> Report:
    """Return the report in the signs that an encoding has, before columns get their widths."""
    from gelu_cli.report import rows_of

    facts: dict[str, str] = {}

    def text(cell: Any) -> Any:
        return cell.encode(encoding, SPELLED).decode(encoding) if isinstance(cell, str) else cell

    def blocks() -> Iterator[Block]:
        for rows in report.blocks:
            yield [tuple(map(text, row)) for row in rows_of(rows)]
        facts.update((text(name), text(fact)) for name, fact in report.facts.items())

    columns = [column._replace(heading=text(column.heading)) for column in report.columns]
    return report._replace(title=text(report.title), columns=columns, blocks=blocks(), facts=facts)


def _counted(blocks: Iterable[Block]) -> Iterator[Block]:
    """Pass the rows on and count them on the terminal, until the last one wipes the line."""
    rows, start, shown = 0, monotonic(), 0.0
    try:
        for block in blocks:
            yield block
            rows += len(block)
            elapsed = monotonic() - start
            if elapsed - shown > PROGRESS_SECONDS:
                shown = elapsed
                print(f"\r{rows:,} rows, {rows / elapsed:,.0f} a second", end="", file=sys.stderr)
                sys.stderr.flush()
    finally:
        if shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def in_colour() -> bool:
    """Return whether stdout is a terminal whose user has nothing against colours."""
    return _on_terminal() and not (os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb")


def terminal_size() -> os.terminal_size | None:
    """Return the size of the terminal that stdout is, None if it is none."""
    from shutil import get_terminal_size

    return get_terminal_size() if _on_terminal() else None


def write_text(path: str | None, text: str) -> None:
    """Write text to stdout or a file; raises `OutputError` where the system refuses."""
    if path is None:
        _write(sys.stdout, text, iter(()))
    else:
        _write_file(Path(path), text, iter(()))


def write_bytes(path: str | None, content: bytes) -> None:
    """Write what is no text to stdout or a file; raises `OutputError` as `write_text` does."""
    if path is None:
        sys.stdout.buffer.write(content)
    else:
        with _refusals(path), _destination(Path(path)) as stream:
            stream.buffer.write(content)


def _write_file(path: Path, first: str, texts: Iterator[str]) -> None:
    with _refusals(path), _destination(path) as stream:
        _write(stream, first, texts)


@contextmanager
def _refusals(path: Path | str) -> Iterator[None]:
    """Turn what the system says into an `OutputError` that names the file."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"cannot write '{path}': {error.strerror}") from None


def _write(stream: TextIO, first: str, texts: Iterator[str]) -> None:
    text: str | None = first
    while text is not None:
        stream.write(text)
        stream.flush()
        text = next(texts, None)


def takes_utf8(stream: TextIO) -> bool:
    """Return whether a stream takes every character; one that is closed will not mind."""
    return (stream.encoding or "utf").lower().startswith("utf")


@contextmanager
def _destination(path: Path) -> Iterator[TextIO]:
    """Open a device or a fifo as it is; replace a file by a finished one beside it."""
    if path.parts[:2] == ("/", "dev") or (path.exists() and not path.is_file()):
        with path.open("w", encoding="utf-8", newline="") as stream:
            yield stream
        return
    target = Path(os.path.realpath(path))
    if target.is_symlink():  # links in a circle; Path.resolve() raises there before Python 3.13
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    from tempfile import NamedTemporaryFile

    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
    with NamedTemporaryFile(
        "w", encoding="utf-8", newline="", dir=target.parent, prefix=".gelu.",
        delete=False,
    ) as stream:  # fmt: skip
        try:
            yield stream  # type: ignore[misc]
            stream.flush()
            os.fchmod(stream.fileno(), mode)
            os.replace(stream.name, target)
        except BaseException:
            os.unlink(stream.name)
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
