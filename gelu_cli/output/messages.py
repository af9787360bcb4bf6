"""Lines on stderr: errors, notes, and names of written files."""

import sys

from gelu_cli.errors import printable


def say(message: str) -> None:
    """Print a line on stderr, wrapped at words on a terminal."""
    line = f"gelu: {printable(message)}"
    if sys.stderr.isatty():
        from shutil import get_terminal_size
        from textwrap import fill

        width = get_terminal_size().columns
        line = fill(line, width, break_long_words=False, break_on_hyphens=False)
    sys.stderr.write(f"{line}\n")
