"""The lines of a file or of stdin, as they arrive."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from select import select
from typing import BinaryIO

from gelu_cli.errors import UsageError
from gelu_cli.stages import tell

CHUNK = 1 << 20
NPY = b"\x93NUMPY"


def arriving(source: str, name: str, ends: str) -> Iterator[list[tuple[int, str]]]:
    """Yield the numbered lines of what has arrived, up to the last of the characters `ends`."""
    texts = arriving_text(source, name, ends)
    return (numbered(number, text) for number, text in texts if text)


def arriving_text(source: str, name: str, ends: str) -> Iterator[tuple[int, str]]:
    """Yield what `arriving` does, a text each time, with the number of its first line.

    An empty text says that the next one has yet to come: this is the time to hand on what there is.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    rest, number = "", 1
    with _opened(source) as stream:
        read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
        while chunk := read(CHUNK):
            text = rest + _decoded(decoder, chunk, name)
            end = max(map(text.rfind, ends)) + 1
            yield number, text[:end]
            number += text.count("\n", 0, end)
            rest = text[end:]
            if not _more_has_come(stream):
                yield number, ""
            if stream.isatty():
                tell("")  # a person types: nothing is to be written between the lines
    yield number, rest + _decoded(decoder, b"", name)


def _more_has_come(stream: BinaryIO) -> bool:
    """Return whether reading would not wait, as far as the system tells."""
    try:
        return bool(select([stream], [], [], 0)[0])
    except (OSError, ValueError):  # no file of the system's, or none that it can ask about
        return False


def numbered(number: int, text: str) -> list[tuple[int, str]]:
    r"""Return the lines of a text, numbered from `number` on.

    >>> numbered(3, "a\n\nb\n")
    [(3, 'a'), (4, ''), (5, 'b')]
    """
    return list(enumerate(text.removesuffix("\n").split("\n"), number))


@contextmanager
def _opened(source: str) -> Iterator[BinaryIO]:
    """Open a file, or stdin; what goes wrong while reading is the file's fault, and says so."""
    try:
        if source != "-":
            with Path(source).open("rb") as stream:
                yield stream
        elif sys.stdin is None:
            raise UsageError("stdin is closed; name a file to read")
        else:
            yield sys.stdin.buffer
    except OSError as error:
        raise UsageError(f"cannot read '{source}': {error.strerror}") from None


def _decoded(decoder: codecs.IncrementalDecoder, chunk: bytes, name: str) -> str:
    try:
        return decoder.decode(chunk, final=not chunk)
    except UnicodeDecodeError:
        if chunk.startswith(NPY):
            raise UsageError(
                f"{name} is a .npy file: --input reads points from a name that ends in .npy, "
                "gelu check --all --dtype FORMAT reads results"
            ) from None
        raise UsageError(f"{name} is not text in UTF-8; if it is text, save it so") from None
