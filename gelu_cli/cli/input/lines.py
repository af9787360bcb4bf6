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

LONG = 1 << 12
"""Characters of a unit beyond which it may also end after what is in its `more`."""

LOOK = 0.5
"""Seconds after which a signal is heeded that came just before a wait."""


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
        self.unit = unit
        # It does not know this object: whoever drops this closes the file at once.
        self._texts = _arriving(source, name)
        self._name, self._number = name, 1
        self._begun, self._length = [""], 0  # the parts of a unit that has not ended yet
        self._text, self._waits = "", False  # what has come since, and whether no more has

    def read_again(self, number: int, text: str, unit: Unit) -> None:
        """Let the end of the last text come again, from a line on, in units of another kind."""
        self._number, self.unit = number, unit
        self._text, self._begun, self._length = "".join([text, *self._begun]), [], 0

    def __next__(self) -> tuple[int, str]:
        while True:
            text, self._text = self._text, ""
            if end := self.unit.end_in(text, self._length, waits=self._waits):
                whole = "".join([*self._begun, text[:end]])
                self._begun, self._length = [text[end:]], len(text) - end
                number = self._number
                self._number += whole.count("\n")
                return number, whole
            self._begun.append(text)
            self._length += len(text)
            if self._length > self.unit.longest:
                raise self._too_long()
            if self._waits:
                self._waits = False
                return self._number, ""
            if (arrived := next(self._texts, None)) is None:
                rest, self._begun, self._length = "".join(self._begun), [], 0
                if not rest:
                    raise StopIteration
                return self._number, rest
            self._text, self._waits = arrived

    def _too_long(self) -> UsageError:
        return UsageError(
            f"line {self._number} of {self._name}: '{''.join(self._begun)[:SHOWN]}…' is not "
            f"{self.unit.name}: it has more than {self.unit.longest:,} characters"
        )


def _arriving(source: str, name: str) -> Iterator[tuple[str, bool]]:
    """Yield each text as it arrives, and whether reading more would wait."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    with opened(source) as stream:
        left = bytes_left(stream)
        read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
        while chunk := read(CHUNK):
            left = None if left is None else left - len(chunk)
            yield _decoded(decoder, chunk, name), not _is_readable(stream, 0)
            if stream.isatty():
                tell("")  # a person types: nothing is to be written between the lines
            # Python heeds a signal that interrupts a read, but not one that comes just before it.
            while _is_readable(stream, LOOK) is False:
                pass
        if left is not None and left > 0:
            raise shrunk(name)
    yield _decoded(decoder, b"", name), False


def _is_readable(stream: BinaryIO, seconds: float) -> bool | None:
    """Return whether more comes within some time, or None where the system cannot tell."""
    try:
        return bool(select([stream], [], [], seconds)[0])
    except (OSError, ValueError):  # no file of the system's, or none that it can ask about
        return None


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
