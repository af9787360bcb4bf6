"""The lines of a file or of stdin, as they arrive."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from contextlib import suppress
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
    more: str = ""
    """After which it ends as well where nothing else is to come now, or it is `LONG`."""

    def end_in(self, text: str, before: int, *, waits: bool) -> int:
        """Return where the last whole one ends, 0 where none does; `before` has come of it."""
        end = max(map(text.rfind, self.ends)) + 1
        if self.more and (waits or (not end and before + len(text) > LONG)):
            end = max(end, *(text.rfind(sign) + 1 for sign in self.more))
        return end


LONG = 1 << 12

LOOK = 0.5
"""Seconds after which a signal is heeded that came just before a wait."""


LINE = Unit("a line of a CSV", "\n", 1 << 22)
"""100,000 columns of 40 characters each."""

WORD = Unit("a number", " \t\n\r;", LONGEST_WORD, more=",")
"""1,5 stays whole if it comes so: it may be one number, or two."""

CELL = Unit(LINE.name, WORD.ends + WORD.more, LINE.longest)
"""What a table begins with, before it is known where its rows end."""


class ArrivingText(Iterator[tuple[int, str]]):
    """What has arrived in whole units, a text each time, with the number of its first line.

    An empty text says that the next one has yet to come: this is the time to hand on what there is.
    """

    def __init__(self, source: str, name: str, unit: Unit) -> None:
        self._wish = _Wish(unit)
        # It does not know this object: whoever drops this closes the file at once.
        self._texts = _arriving(source, name, self._wish)

    def __next__(self) -> tuple[int, str]:
        return next(self._texts)

    @property
    def unit(self) -> Unit:
        """What is handed on as a whole."""
        return self._wish.unit

    def read_again(self, number: int, text: str, unit: Unit) -> None:
        """Let the end of the last text come again, from a line on, in units of another kind."""
        self._wish.again, self._wish.unit = (number, text), unit


class _Wish:
    """In which units text is to come, and what is to come again."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.again: tuple[int, str] | None = None


def _arriving(source: str, name: str, wish: _Wish) -> Iterator[tuple[int, str]]:
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    begun, length, number = [""], 0, 1  # the parts of a unit that has not ended yet
    with opened(source) as stream:
        left = bytes_left(stream)
        read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
        while chunk := read(CHUNK):
            left = None if left is None else left - len(chunk)
            text = _decoded(decoder, chunk, name)
            waits = not _more_has_come(stream)
            while end := wish.unit.end_in(text, length, waits=waits):
                whole = "".join([*begun, text[:end]])
                yield number, whole
                text, begun, length = text[end:], [], 0
                if wish.again is None:
                    number += whole.count("\n")
                    break
                (number, returned), wish.again = wish.again, None
                text = returned + text
            begun.append(text)
            length += len(text)
            if length > wish.unit.longest:
                raise _too_long(begun, wish.unit, f"line {number} of {name}")
            if waits:
                yield number, ""
            if stream.isatty():
                tell("")  # a person types: nothing is to be written between the lines
            _wait_for_more(stream)
        if left is not None and left > 0:
            raise shrunk(name)
    wish.again = number, "".join(begun) + _decoded(decoder, b"", name)
    while wish.again is not None:
        last, wish.again = wish.again, None
        yield last


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


def _wait_for_more(stream: BinaryIO) -> None:
    """Wait until reading would not wait.

    Python heeds a signal that interrupts a read, but not one that comes just before it.
    """
    with suppress(OSError, ValueError):  # as above
        while not select([stream], [], [], LOOK)[0]:
            pass


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
                f"{name} is an archive (.npz, .pt, .zip); save the numbers alone, by np.save"
            ) from None
        raise NotTextError(f"{name} is not text in UTF-8; if it is text, save it so") from None
