"""Stdout, on which whatever the system refuses to write is an `OutputError`."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from gelu_cli.errors import OutputError


@contextmanager
def refusals(path: str | None = None) -> Iterator[None]:
    """Raise `OutputError` where the system refuses what is written to a file, or to stdout."""
    try:
        yield
    except OSError as error:
        if path is None:
            abandon(1)
        place = "the output" if path is None else f"'{path}'"
        raise OutputError(f"cannot write {place}: {error.strerror or error}") from error


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
