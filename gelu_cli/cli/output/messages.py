"""What is said on stderr: one line each, in which nothing steers a terminal."""

from __future__ import annotations

import os
import sys

LONGEST = 600


def note(text: str) -> None:
    """Say something that the person who asked should know; a closed stderr does not matter."""
    if sys.stderr is not None:
        print(f"gelu: note: {text}", file=sys.stderr)


def complain(message: str, code: int) -> int:
    """Say in one line why there is no answer, and return the exit code."""
    # A word of the user's may hold anything, also what a terminal would obey.
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in " ".join(message.split()))
    if len(line) > LONGEST:
        line = f"{line[: LONGEST // 2]} … {line[-LONGEST // 2 :]}"
    try:
        if sys.stderr is not None:
            print(f"gelu: {line}", file=sys.stderr, flush=True)
    except OSError:  # a full disk: the exit code alone has to tell
        abandon(2)
    return code


def abandon(descriptor: int) -> None:
    """Give up what could not be written, so that Python does not try again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
