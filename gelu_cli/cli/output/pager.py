"""Answers that are longer than the screen: they go through the user's pager, as git's do."""

from __future__ import annotations

import io
import os
import signal
import sys
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, TextIO, cast

from gelu_cli.cli.output.signals import before_the_end
from gelu_cli.cli.output.streams import SPELLED, on_terminal, refusals, terminal_size

if TYPE_CHECKING:
    from subprocess import Popen

DEFAULT = "less"
LESS = "FRX"
"""Options of less where the user has none: quit if one screen is enough, show colours, and leave
the answer on the screen."""

NONE = ("cat", "")
"""Pagers that stand for none."""


def hold() -> None:
    """Hold what is printed from now on until it is longer than the screen, or until `settle`.

    That is where somebody sits at the terminal, who can leave a pager.
    """
    attended = on_terminal(sys.stdin) and on_terminal(sys.stdout) and not os.environ.get("CI")
    if isinstance(sys.stdout, _Held) or not attended:
        return
    command, size = _command(), terminal_size()
    try:
        sys.stdout.fileno()
    except OSError:  # no stream of the system's
        return
    if command and size:
        sys.stdout = _Held(sys.stdout, command, size.lines - 1)


def settle() -> None:
    """Let all that is held be seen: print it, or wait until the user leaves the pager."""
    if isinstance(sys.stdout, _Held):
        held, sys.stdout = sys.stdout, sys.stdout.stream
        held.end()


def paging() -> bool:
    """Return whether a pager has the screen."""
    return isinstance(sys.stdout, _Held) and sys.stdout.pager is not None


def _command() -> list[str] | None:
    """Return the words of the user's pager, None if there is to be none, or none can be had."""
    import shlex
    from shutil import which

    try:
        words = shlex.split(os.environ.get("PAGER", DEFAULT))
    except ValueError:  # a quotation mark without its other
        return None
    if os.environ.get("TERM") == "dumb" or not words or words[0] in NONE or not which(words[0]):
        return None
    return words


class _Held(io.TextIOBase):
    """Stands for stdout: text that is not printed until it is known whether a screen is enough."""

    def __init__(self, stream: TextIO, command: list[str], lines: int) -> None:
        self.stream = stream
        self.pager: Popen[str] | None = None
        self._held = io.StringIO()
        self._to: IO[str] = self._held
        """Where text goes: it is held, or handed to the pager."""
        self._command = command
        self._lines_left = lines
        self._interrupt: Any = None
        self._ending = before_the_end(self._print_at_once)
        self._ending.__enter__()

    encoding = property(lambda self: self.stream.encoding)

    def isatty(self) -> bool:
        """Return true: it is shown on the terminal in the end."""
        return True

    def fileno(self) -> int:
        """Return the descriptor of the terminal."""
        return self.stream.fileno()

    def write(self, text: str) -> int:
        """Hold a text, or hand it to the pager once there is too much for the screen."""
        if not isinstance(text, str):  # a library asks whether this is a stream of bytes
            raise TypeError("text is due")
        with refusals():
            self._to.write(text)
            self._to.flush()
            self._lines_left -= text.count("\n")
            if self.pager is None and self._lines_left < 0:
                self._page()
        return len(text)

    def end(self) -> None:
        """Print what is held, or wait for the pager."""
        self._ending.__exit__(None, None, None)
        if self.pager is None:
            self.stream.write(self._held.getvalue())
            self.stream.flush()
            return
        with suppress(BrokenPipeError):  # the user has left it already
            self._to.close()
        self.pager.wait()
        signal.signal(signal.SIGINT, self._interrupt)

    def _page(self) -> None:
        """Start the pager; until it ends Ctrl-C is its own, as the screen is."""
        from subprocess import PIPE, Popen

        self.stream.flush()
        self.pager = Popen(
            self._command, stdin=PIPE, env={"LESS": LESS} | os.environ,
            encoding=self.encoding, errors=SPELLED,
        )  # fmt: skip
        self._interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._to = cast("IO[str]", self.pager.stdin)
        self._to.write(self._held.getvalue())
        self._to.flush()

    def _print_at_once(self) -> None:
        """Print what is held where a signal ends the program."""
        if self.pager is None:
            os.write(self.fileno(), self._held.getvalue().encode(self.encoding, SPELLED))
