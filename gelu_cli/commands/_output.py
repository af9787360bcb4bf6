"""Where the answer goes: stdout, or a file that is replaced whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO

from gelu_cli.commands._options import check_digits
from gelu_cli.errors import OutputError, UsageError
from gelu_cli.report.formats import Renderer, find_renderer, name_for_suffix

if TYPE_CHECKING:
    from gelu_cli.report import Page, Report

PEOPLE_DIGITS = 6
ASCII = str.maketrans({"′": "'", "″": '"', "─": "-", "−": "-", "·": "*", "±": "+-", "…": "..."})


class Output(NamedTuple):
    """How and where to write: what the shared options say, checked."""

    path: str | None
    renderer: Renderer
    digits: int | None
    header: bool

    def write(self, report: Report) -> None:
        """Write the report; raises `OutputError` where the system refuses."""
        # The first block is computed before anything is opened: bad input leaves no trace.
        texts = self.renderer.render(report, self._page())
        first = next(texts, "")
        if self.path is None:
            _write_stdout(first, texts)
            return
        try:
            with _destination(Path(self.path)) as stream:
                _write(stream, first, texts)
        except OSError as error:
            raise OutputError(f"cannot write '{self.path}': {error.strerror}") from None

    def _page(self) -> Page:
        from gelu_cli.report import Page

        if self.path is not None or not _on_terminal():
            return Page(header=self.header)
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        return Page(_terminal_width(), colour=not plain, header=self.header)


def choose_output(
    format_name: str, path: str | None, digits: int | None, no_header: bool
) -> Output:
    """Return the output that the options ask for; raises `UsageError` if they cannot be meant."""
    check_digits(digits)
    path = None if path == "-" else path
    if path is not None and Path(path).is_dir():
        raise UsageError(f"--output '{path}' is a directory; name a file in it")
    if format_name == "auto":
        guess = name_for_suffix(Path(path).suffix) if path else None
        format_name = guess or ("table" if path is None and _on_terminal() else "csv")
    renderer = find_renderer(format_name)
    if digits is None and renderer.PEOPLE:
        digits = PEOPLE_DIGITS
    return Output(path, renderer, digits, not no_header)


def _on_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _terminal_width() -> int:
    from shutil import get_terminal_size

    return get_terminal_size().columns


def _write_stdout(first: str, texts: Iterator[str]) -> None:
    if sys.stdout is None:
        raise OutputError("cannot write the output: stdout is closed")
    _write(sys.stdout, first, texts)


def _write(stream: TextIO, first: str, texts: Iterator[str]) -> None:
    plain = not (stream.encoding or "").lower().startswith("utf")
    text: str | None = first
    while text is not None:
        if plain:
            text = text.translate(ASCII).encode(stream.encoding or "ascii", "replace").decode()
        stream.write(text)
        stream.flush()
        text = next(texts, None)


@contextmanager
def _destination(path: Path) -> Iterator[TextIO]:
    """Open a device or a fifo as it is; replace a file by a finished one beside it."""
    target = path.resolve()
    if target.exists() and not target.is_file():
        with target.open("w", encoding="utf-8", newline="") as stream:
            yield stream
        return
    from tempfile import NamedTemporaryFile

    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
    with NamedTemporaryFile(
        "w", encoding="utf-8", newline="", dir=target.parent, prefix=f".{target.name}.",
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
