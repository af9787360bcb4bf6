"""What is said on stderr: one line each, in which nothing steers a terminal."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from gelu_cli.errors import printable
from gelu_cli.old.writing.pager import settle
from gelu_cli.old.writing.streams import abandon

LONGEST, LONGEST_WORD = 900, 300
"""In characters: what is longer lacks its middle, so that a remedy at the end is seen."""

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
    """Say something that the person who asked should know."""
    say(f"note: {text}")


def complain(message: str, code: int) -> int:
    """Say in one line why there is no answer, and return the exit code."""
    say(message)
    return code


def say(text: str) -> None:
    """Say something in one line, after the answer; a stderr that is closed or full matters not."""
    from gelu_cli.old.report.text import shortened

    settle()
    stream = _kept[-1] if _kept else sys.stderr
    if stream is None:
        return
    words = re.sub(rf"\S{{{LONGEST_WORD},}}", lambda word: shortened(word[0], LONGEST_WORD), text)
    try:
        _write(stream, f"gelu: {shortened(printable(words), LONGEST)}\n")
    except OSError:  # a full disk: the exit code alone has to tell
        abandon(2)


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except ValueError:  # a library has closed it, and left the descriptor open
        os.write(2, text.encode(errors="backslashreplace"))
