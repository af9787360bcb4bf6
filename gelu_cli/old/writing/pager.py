"""Answers and help go through the user's pager, as git's do: `less` ends where a screen is enough.

That is where somebody sits at the terminal, who can leave a pager.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TextIO, cast

from gelu_cli.old.writing.streams import SPELLED, on_terminal, refusals

if TYPE_CHECKING:
    from subprocess import Popen

DEFAULT = "less"
LESS = "FRX"
"""Options of less where the user has none: quit if one screen is enough, show colours, and leave
the answer on the screen."""

MOST_IN_PIPE = 1 << 16
"""Bytes that a pipe takes before anybody reads them, on Linux."""

NONE = ("cat", "")
"""Pagers that stand for none."""


def page() -> None:
    """Hand what is printed from now on, until `settle`, to the pager if there is to be one.

    Ctrl-C is the pager's own until it ends, as the screen is.
    """
    attended = on_terminal(sys.stdin) and on_terminal(sys.stdout) and not os.environ.get("CI")
    if paging() or not attended:
        return
    command = _command()
    try:
        sys.stdout.fileno()
    except OSError:  # no stream of the system's
        return
    if command:
        from subprocess import PIPE, Popen

        sys.stdout.flush()
        pager = Popen(
            command, stdin=PIPE, env={"LESS": LESS} | os.environ,
            encoding=sys.stdout.encoding, errors=SPELLED,
        )  # fmt: skip
        interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.stdout = cast("TextIO", _Paged(sys.stdout, pager, interrupt))


def settle() -> None:
    """Wait until the user leaves the pager, if there is one."""
    if isinstance(sys.stdout, _Paged):
        paged, sys.stdout = sys.stdout, sys.stdout.stream
        with suppress(BrokenPipeError):  # the user has left it already
            cast("TextIO", paged.pager.stdin).close()
        paged.has_failed()
        signal.signal(signal.SIGINT, paged.interrupt)


def paging() -> bool:
    """Return whether a pager has the screen."""
    return isinstance(sys.stdout, _Paged)


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


class _Paged:
    """Stands for stdout while a pager has the screen: still the terminal, which takes colours.

    What a pager may have left unread, as it failed at once, is printed without it.
    """

    def __init__(self, stream: TextIO, pager: Popen[str], interrupt: Any) -> None:
        self.stream, self.pager, self.interrupt = stream, pager, interrupt
        self.to = cast("TextIO", pager.stdin)
        self.encoding = stream.encoding
        self.isatty, self.fileno = stream.isatty, stream.fileno
        self.unread = [""]
        """All that was written, until it is more than a pipe holds."""

    def write(self, text: str) -> int:
        """Hand a text to the pager."""
        if not isinstance(text, str):  # a library asks whether this is a stream of bytes
            raise TypeError("text is due")
        if self.unread:
            self.unread.append(text)
        with refusals():
            try:
                self.to.write(text)
                self.to.flush()
            except BrokenPipeError:
                if not self.has_failed():
                    raise
                self.to = self.stream
        if sum(map(len, self.unread)) > MOST_IN_PIPE:
            self.unread.clear()
        return len(text)

    def has_failed(self) -> bool:
        """Wait for the end of the pager; where it failed, print what it may have left unread."""
        failed = self.pager.wait() > 0 and bool(self.unread)
        if failed:
            self.stream.write("".join(self.unread))
            self.unread.clear()
        return failed

    def flush(self) -> None:
        """Return at once: all that was written is with the pager."""
