"""What the code of a worker writes: on our stderr, each line behind the name of whose it is."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from threading import Thread
from typing import IO

from gelu_cli.errors import printable

CHUNK = 1 << 16
LONGEST = 1 << 12
"""Bytes after which a line is broken."""

ENDS = re.compile(rb"[\r\n]+")
"""A carriage return is one as well: progress bars end their lines so."""


class Relay(Thread):
    """Reads a pipe until nobody has its other end any more, so that no writer waits for long.

    Nothing in a line steers a terminal or looks like a message of ours.
    """

    def __init__(self, pipe: IO[bytes], name: str) -> None:
        super().__init__(daemon=True)
        self._pipe, self._name = pipe, name
        self.start()

    def run(self) -> None:
        """Write lines as they come."""
        rest = b""
        with self._pipe:
            while chunk := os.read(self._pipe.fileno(), CHUNK):
                *lines, rest = ENDS.split(rest + chunk)
                for line in lines:
                    self._write(line)
                while len(rest) > LONGEST:
                    self._write(rest[:LONGEST])
                    rest = rest[LONGEST:]
            self._write(rest)

    def _write(self, line: bytes) -> None:
        if not line:
            return
        text = printable(f"{self._name}: {line.decode(errors='backslashreplace')}")
        with suppress(OSError):  # a stderr that is closed or full matters not
            os.write(2, f"{text}\n".encode(errors="backslashreplace"))
