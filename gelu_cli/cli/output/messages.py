"""What is said on stderr: one line each, in which nothing steers a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

LONGEST = 600

_kept: list[TextIO | None] = []


@contextmanager
def kept_stderr() -> Iterator[None]:
    """Say all in the block on the stderr that it begins with, whatever becomes of `sys.stderr`."""
    _kept.append(sys.stderr)
    try:
        yield
    finally:
        _kept.pop()


def note(text: str) -> None:
    """Say something that the person who asked should know; a closed stderr does not matter."""
    say(f"note: {text}")


def complain(message: str, code: int) -> int:
    """Say in one line why there is no answer, and return the exit code."""
    # A word of the user's may hold anything, also what a terminal would obey.
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in " ".join(message.split()))
    if len(line) > LONGEST:
        line = f"{line[: LONGEST // 2]} … {line[-LONGEST // 2 :]}"
    say(line)
    return code


def say(line: str) -> None:
    """Say a line; a stderr that is closed or full does not matter."""
    stream = _kept[-1] if _kept else sys.stderr
    if stream is None:
        return
    try:
        _write(stream, f"gelu: {line}\n")
    except OSError:  # a full disk: the exit code alone has to tell
        abandon(2)


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except ValueError:  # a library has closed it, and left the descriptor open
        os.write(2, text.encode(errors="backslashreplace"))


def abandon(descriptor: int) -> None:
    """Give up what could not be written, so that Python does not try again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
