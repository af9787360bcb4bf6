"""The floating-point environment: flushing of subnormals, rounding mode.

A library built with -ffast-math, or `torch.set_flush_denormal(True)`, changes the environment of
the thread. Three tests, which take a microsecond, show if the environment is the standard one. If
not, functions of the C library (fenv.h) are called.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

FENV_BYTES = 512  # an fenv_t has 32 bytes on x86-64, 8 on 64-bit Arm
DEFAULT = ctypes.c_void_p(-1)  # FE_DFL_ENV of glibc and musl

# From bits: Python computes 2.0**-1074 when it compiles this file, and might flush it to 0.
LEAST, LEAST_NORMAL = struct.unpack("<2d", struct.pack("<2Q", 1, 1 << 52))
TINY, HALF, ONE, HUGE = 2.0**-60, 0.5, 1.0, 2.0**600


def effects() -> str:
    """Describe the deviations of this thread from the standard environment."""
    words = []
    # Compare bits: if inputs are flushed, == 0 is true of every subnormal number.
    if struct.pack("<d", LEAST_NORMAL * HALF) == bytes(8):
        words.append("subnormal results are flushed to 0")
    if LEAST * HUGE == 0:
        words.append("subnormal inputs are taken as 0")
    if ONE + TINY != ONE - TINY:
        words.append("results are not rounded to nearest")
    return " and ".join(words)


def _saved() -> Any:
    """Return the environment of this thread; None for the standard one."""
    if not effects():
        return None
    saved = ctypes.create_string_buffer(FENV_BYTES)
    ctypes.CDLL(None).fegetenv(saved)
    return saved


def _enter(saved: Any) -> None:
    if saved is not None or effects():
        ctypes.CDLL(None).fesetenv(DEFAULT if saved is None else saved)


@contextmanager
def standard_environment() -> Iterator[None]:
    """Run a block or a function in the standard environment.

    >>> with standard_environment():
    ...     effects()
    ''
    """
    found = _saved()
    _enter(None)
    try:
        yield
    finally:
        _enter(found)


class Environment:
    """The environment that a kernel sets, kept from one call to the next."""

    def __init__(self) -> None:
        self._saved: Any = None
        self.seen: dict[str, None] = {}  # results of `effects`, as an ordered set

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run a block in this environment, then return to the standard one.

        If the block forks, the child process exits at the end of the block.
        """
        process = os.getpid()
        _enter(self._saved)
        try:
            yield
        finally:
            if os.getpid() != process:
                os._exit(0)
            self._saved = _saved()
            if self._saved is not None:
                self.seen[effects()] = None
                _enter(None)
