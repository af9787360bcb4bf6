"""What the streams of the process are: a terminal or not, how wide, in colour, in UTF-8."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def on_terminal(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal; one that is closed (None) is none."""
    return stream is not None and stream.isatty()


def in_colour() -> bool:
    """Return whether stdout is a terminal whose user has nothing against colours."""
    refused = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return on_terminal(sys.stdout) and not refused


def terminal_size() -> os.terminal_size | None:
    """Return the size of the terminal that stdout is, None if it is none."""
    from shutil import get_terminal_size

    return get_terminal_size() if on_terminal(sys.stdout) else None


def takes_utf8(stream: TextIO) -> bool:
    """Return whether a stream takes every character; one that is closed will not mind."""
    return (stream.encoding or "utf").lower().startswith("utf")
