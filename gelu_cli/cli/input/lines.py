"""The lines of a file or of stdin, as they arrive."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from select import select
from typing import BinaryIO, NamedTuple

from gelu_cli.cli.input.npy import ARCHIVE, MAGIC
from gelu_cli.cli.input.numbers import LONGEST_WORD
from gelu_cli.cli.input.streams import bytes_left, opened, shrunk
from gelu_cli.errors import UsageError
from gelu_cli.stages import tell

CHUNK = 1 << 20
SHOWN = 40
"""Characters of what is too long that a message shows."""


class NotTextError(UsageError):
    """Bytes that are no text in UTF-8."""


class Unit(NamedTuple):
    """What is handed on only as a whole: after which characters it ends, and how long it may be."""

    name: str
    ends: str
    longest: int


LINE = Unit("a line of a CSV", "\n", 1 << 22)
"""100,000 columns of 40 characters each."""

WORD = Unit("a number", " \t\n\r,;", LONGEST_WORD)


def arriving_text(source: str, name: str, unit: Unit) -> Iterator[tuple[int, str]]:
    """Yield what has arrived in whole units, a text each time, with the number of its first line.

    An empty text says that the next one has yet to come: this is the time to hand on what there is.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    begun, length, number = [""], 0, 1  # the parts of a unit that has not ended yet
    with opened(source) as stream:
        left = bytes_left(stream)
        read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
        while chunk := read(CHUNK):
            left = None if left is None else left - len(chunk)
            text = _decoded(decoder, chunk, name)
            if end := max(map(text.rfind, unit.ends)) + 1:
                whole = "".join([*begun, text[:end]])
                yield number, whole
                number += whole.count("\n")
                begun, length = [], 0
            begun.append(text[end:])
            length += len(text) - end
            if length > unit.longest:
                raise _too_long(begun, unit, f"line {number} of {name}")
            if not _more_has_come(stream):
                yield number, ""
            if stream.isatty():
                tell("")  # a person types: nothing is to be written between the lines
        if left is not None and left > 0:
            raise shrunk(name)
    yield number, "".join(begun) + _decoded(decoder, b"", name)


def _too_long(parts: list[str], unit: Unit, place: str) -> UsageError:
    start = "".join(parts)[:SHOWN]
    return UsageError(
        f"{place}: '{start}…' is not {unit.name}: it has more than {unit.longest:,} characters"
    )


def _more_has_come(stream: BinaryIO) -> bool:
    """Return whether reading would not wait, as far as the system tells."""
    try:
        return bool(select([stream], [], [], 0)[0])
    except (OSError, ValueError):  # no file of the system's, or none that it can ask about
        return False


def numbered(number: int, text: str) -> Iterator[tuple[int, str]]:
    r"""Return the lines of a text, numbered from `number` on.

    >>> list(numbered(3, "a\n\nb\n"))
    [(3, 'a'), (4, ''), (5, 'b')]
    """
    return enumerate(text.removesuffix("\n").split("\n"), number)


def _decoded(decoder: codecs.IncrementalDecoder, chunk: bytes, name: str) -> str:
    try:
        return decoder.decode(chunk, final=not chunk)
    except UnicodeDecodeError:
        if chunk.startswith(MAGIC):
            raise UsageError(
                f"{name} is a .npy file: --input reads points from a name that ends in .npy, "
                "gelu check --dtype FORMAT reads results"
            ) from None
        if chunk.startswith(ARCHIVE):
            raise UsageError(
                f"{name} is an archive (.npz, .pt, .zip): save the numbers alone, by np.save"
            ) from None
        raise NotTextError(f"{name} is not text in UTF-8; if it is text, save it so") from None
