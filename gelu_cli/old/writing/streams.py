r"""The streams of the process: whose descriptors they are, what they can show, how stdout fails.

What the system refuses to write to stdout is an `OutputError`. Signs of the field are spelled in
ASCII for places that have no UTF-8: importing this registers `SPELLED`, an error handler for the
encodings of Python. What an encoding has is kept, what it lacks is spelled, and a sign without a
spelling is escaped, so nothing is lost.

>>> "x·Φ(x), f″ ≥ ½".encode("ascii", SPELLED)
b"x*Phi(x), f'' >= (1/2)"
>>> "Φ, ½, ы".encode("latin-1", SPELLED).decode("latin-1")
'Phi, ½, \\u044b'
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from gelu_cli.errors import OutputError

SPELLED = "gelu.spelled"

SIGNS = {
    **{sign: f"^{plain}" for sign, plain in zip("⁰¹²³⁴⁵⁶⁷⁸⁹ˣⁿ⁻", "0123456789xn-", strict=True)},
    **dict(zip("₀₁₂₃₄₅₆₇₈₉ₖ", "0123456789k", strict=True)),
    "Φ": "Phi", "φ": "phi", "σ": "sigma", "α": "alpha", "β": "beta", "ε": "eps", "μ": "mu",
    "π": "pi", "√": "sqrt", "½": "(1/2)", "∞": "inf", "′": "'", "″": "''", "·": "*", "×": "x",
    "−": "-", "±": "+-", "≤": "<=", "≥": ">=", "≈": "~", "→": "->", "∈": "in", "…": "...",
    "⌊": "floor(", "⌋": ")", "─": "-", "ŷ": "y^",
}  # fmt: skip
"""What stands for each; powers of one digit only, as 2ⁿ."""


# What a stream can show


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


def takes_utf8(stream: TextIO) -> bool:
    """Return whether a stream takes every character; one that is closed will not mind."""
    return (stream.encoding or "utf").lower().startswith("utf")


def _replacement(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    escaped = (SIGNS.get(s) or s.encode("ascii", "backslashreplace").decode() for s in lacking)
    return "".join(escaped), error.end


codecs.register_error(SPELLED, _replacement)


# How stdout fails


@contextmanager
def refusals(path: str | None = None) -> Iterator[None]:
    """Raise `OutputError` where the system refuses what is written to a file, or to stdout."""
    try:
        yield
    except OSError as error:
        if path is None:
            abandon(1)
        place = "the output" if path is None else f"'{path}'"
        folder = os.path.dirname(path or "")
        missing = folder and error.errno == errno.ENOENT and not os.path.exists(folder)
        remedy = f"; make its folder, mkdir -p {folder}" if missing else ""
        raise OutputError(f"cannot write {place}: {error.strerror or error}{remedy}") from error


def abandon(descriptor: int) -> None:
    """Give up what could not be written, so that Python does not try again when it ends."""
    with suppress(OSError):  # it may be closed
        os.close(descriptor)  # first, as there may be no other left
    nothing = os.open(os.devnull, os.O_WRONLY)
    if nothing != descriptor:
        os.dup2(nothing, descriptor)
        os.close(nothing)


class Stdout:
    """Stands for stdout, or for its bytes: what the system refuses to write is an `OutputError`.

    So it is whoever writes, and what the system refuses elsewhere, a read, is none.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        """Return what the stream itself has."""
        return getattr(self._stream, name)

    @property
    def buffer(self) -> Stdout:
        """The same for bytes."""
        return Stdout(self._stream.buffer)

    def write(self, text: str | bytes) -> int:
        """Write a text, or bytes."""
        with refusals():
            return int(self._stream.write(text))

    def flush(self) -> None:
        """Write what has been kept back."""
        with refusals():
            self._stream.flush()


class ClosedStream(io.TextIOBase):
    """Stands for a stdout that was closed before the program began."""

    @property
    def buffer(self) -> ClosedStream:
        """The same for bytes."""
        return self

    def write(self, text: str | bytes) -> int:
        """Refuse, as the system would."""
        raise OSError(errno.EBADF, "stdout is closed")


def take_descriptors() -> None:
    """Take the descriptors of streams that are closed, so that no file gets one of them.

    What is written to stderr would land in it. As these are, 0 cannot be read nor 1 and 2 written.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:  # the lowest that is free is the one that is opened
            os.open(os.devnull, os.O_RDONLY if descriptor else os.O_WRONLY)


def close_stdout(code: int) -> int:
    """Close stdout and return the exit code; a disk with a quota may refuse only now."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
        os.close(1)
    except OSError as error:
        if error.errno != errno.EBADF:
            from gelu_cli.old.writing.messages import complain

            return complain(f"cannot write the output: {error.strerror}", OutputError.exit_code)
    return code
