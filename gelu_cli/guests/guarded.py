"""Memory for the arrays of a C function, in which a write beside them is seen or ends the process.

    | 64 MiB that nobody may touch | margin | numbers | margin | 64 MiB that nobody may touch |

Each margin has a page or more, filled with one byte, so that a write into it is seen. A write
beyond it is ended by the system, and the process with it. What nobody may touch takes addresses,
but no memory.
"""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gelu_cli.errors import ComputationError

PAGE = mmap.PAGESIZE
FORBIDDEN = 1 << 26
"""Bytes that nobody may touch, on each side: whole pages."""

NO_ACCESS = 0
"""PROT_NONE of mprotect."""

Bytes = NDArray[np.uint8]


class GuardedMemory:
    """Room for an array of so many bytes; the margins around it are filled with `mark`."""

    def __init__(self, size: int, mark: int) -> None:
        self.pages = pages_of(size)
        self._mark = mark
        memory = _reserved((self.pages + 2) * PAGE + 2 * FORBIDDEN)
        self._inside: Bytes = np.frombuffer(memory, np.uint8)[FORBIDDEN:-FORBIDDEN]
        first = self._inside.ctypes.data
        for side in (first - FORBIDDEN, first + self._inside.size):
            _forbid(side)
        self._used = slice(0)

    def hold(self, bits: NDArray[Any], first: int) -> NDArray[Any]:
        """Return the array that begins so many bytes after the first margin, with these bits."""
        used = slice(PAGE + first, PAGE + first + bits.nbytes)
        if used != self._used:
            self._used = used
            self._inside.fill(self._mark)
        array: NDArray[Any] = self._inside[used].view(bits.dtype)
        array[:] = bits
        return array

    def trespass(self) -> int | None:
        """Return the nearest byte beside the array that was written, after it if there is one.

        It is counted from the first of the array: those before it are negative. The margins are
        filled anew then.
        """
        before, after = self._inside[: self._used.start], self._inside[self._used.stop :]
        if len(places := np.flatnonzero(after != self._mark)):
            written: int = self._used.stop - self._used.start + int(places[0])
        elif len(places := np.flatnonzero(before != self._mark)):
            written = int(places[-1]) - len(before)
        else:
            return None
        self._used = slice(0)
        return written


def pages_of(size: int) -> int:
    """Return how many pages so many bytes take."""
    return max(1, -(-size // PAGE))


def _reserved(size: int) -> mmap.mmap:
    """Return memory of this process alone: a copy that a function makes of it has its own."""
    try:
        return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE)
    except OSError as error:
        raise ComputationError(
            f"there is no room around a function's arrays: {error.strerror}"
        ) from None


def _forbid(first: int) -> None:
    protect = ctypes.CDLL(None).mprotect
    if protect(ctypes.c_void_p(first), ctypes.c_size_t(FORBIDDEN), NO_ACCESS):
        raise ComputationError("the memory around a function's arrays cannot be protected")
