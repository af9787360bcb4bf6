"""Input that arrives piece by piece."""

import io
import sys
from unittest import mock


class Trickle(io.RawIOBase):
    """A pipe through which the chunks arrive one by one, and what then happens at the end."""

    def __init__(self, chunks, at_end=None):
        self.chunks = list(chunks)
        self.at_end = at_end

    def readable(self):
        return True

    def readinto(self, buffer):
        if not self.chunks:
            if self.at_end:
                raise self.at_end
            return 0
        chunk, rest = self.chunks[0][: len(buffer)], self.chunks[0][len(buffer) :]
        self.chunks[:1] = [rest] if rest else []
        buffer[: len(chunk)] = chunk
        return len(chunk)


def stdin_of(*chunks, at_end=None):
    """Have chunks, or a raw stream, be what arrives on stdin."""
    raw = chunks[0] if isinstance(chunks[0], io.RawIOBase) else Trickle(chunks, at_end)
    return mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BufferedReader(raw)))


ASKED_TOO_SOON = AssertionError("asked for more input before giving what had come")
