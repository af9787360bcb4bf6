"""What is said on stderr: one line each, in which nothing steers a terminal."""

from __future__ import annotations

import os
import re
import sys

LONGEST, LONGEST_WORD = 900, 300
"""In characters: what is longer lacks its middle, so that a remedy at the end is seen."""


def note(text: str) -> None:
    """Say something that the person who asked should know."""
    say(f"note: {text}")


def complain(message: str, code: int) -> int:
    """Say in one line why there is no answer, and return the exit code."""
    say(message)
    return code


def say(text: str) -> None:
    """Say something in one line; where nobody can be told, the exit code alone has to."""
    try:
        if sys.stderr is not None:
            print(f"gelu: {_line(text)}", file=sys.stderr, flush=True)
    except OSError:  # a full disk
        abandon(2)


def _line(text: str) -> str:
    from gelu_cli.report.text import printable, shortened

    words = re.sub(rf"\S{{{LONGEST_WORD},}}", lambda word: shortened(word[0], LONGEST_WORD), text)
    return shortened(printable(words), LONGEST)


def abandon(descriptor: int) -> None:
    """Give up what could not be written, so that Python does not try again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
