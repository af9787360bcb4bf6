"""What the streams of the process are: a terminal or not, how wide, in colour, in UTF-8."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def on_terminal(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal; one that is closed (None) is none."""
    return stream is not None and stream.isatty()


def in_colour() -> bool:
    """Return whether stdout takes colours: a terminal does, if its user has nothing against them.

    NO_COLOR is against them, FORCE_COLOR and CLICOLOR_FORCE want them in a pipe as well. The first
    one prevails, as it does in Python and in rich (no-color.org, force-color.org, bixense.com).
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return on_terminal(sys.stdout) and os.environ.get("TERM") != "dumb"


def page_width() -> int:
    """Return how wide a table for people is: as the terminal, elsewhere 80 columns or COLUMNS."""
    from shutil import get_terminal_size

    return get_terminal_size().columns


def terminal_size() -> os.terminal_size | None:
    """Return the size of the terminal that stdout is, None if it is none."""
    from shutil import get_terminal_size

    return get_terminal_size() if on_terminal(sys.stdout) else None


def takes_utf8(stream: TextIO) -> bool:
    """Return whether a stream takes every character; one that is closed will not mind."""
    return (stream.encoding or "utf").lower().startswith("utf")
