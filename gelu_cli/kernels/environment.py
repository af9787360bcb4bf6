"""The floating-point environment: whether subnormal numbers count, which way results are rounded.

A library that was built with -ffast-math, or `torch.set_flush_denormal(True)`, changes it for the
thread. The state is found by what arithmetic does, which takes a microsecond; the C library
(fenv.h) is asked only if that is not the standard.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from gelu_cli.errors import ComputationError

FENV_BYTES = 512  # an fenv_t has 32 bytes on x86-64, 8 on 64-bit Arm
DEFAULT = ctypes.c_void_p(-1)  # FE_DFL_ENV of glibc and musl


def _number(bits: int) -> float:
    # Python folds constants like 2.0**-1074 as it compiles, in whatever environment that is.
    number: float = struct.unpack("<d", struct.pack("<Q", bits))[0]
    return number


LEAST, LEAST_NORMAL = _number(1), _number(1 << 52)
TINY, HALF, ONE, HUGE = (_number(1023 + power << 52) for power in (-60, -1, 0, 600))


class State(NamedTuple):
    """What arithmetic does in an environment: by default as in the standard one.

    >>> State(flushes_results=True, direction="upward").effects
    'subnormal results are flushed to 0 and results are rounded upward'
    """

    flushes_results: bool = False
    flushes_inputs: bool = False
    direction: str = "to nearest"

    @property
    def effects(self) -> str:
        """The differences from the standard, in words."""
        words = ["subnormal results are flushed to 0"] * self.flushes_results
        words += ["subnormal inputs are taken as 0"] * self.flushes_inputs
        words += [f"results are rounded {self.direction}"] * (self.direction != "to nearest")
        return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


STANDARD = State()


def current_state() -> State:
    """Find the state of this thread.

    >>> current_state() == STANDARD
    True
    """
    # By its bits: if inputs are flushed, every subnormal number equals 0.
    flushes_results = struct.pack("<d", LEAST_NORMAL * HALF) == bytes(8)
    if ONE + TINY == ONE - TINY:
        direction = "to nearest"
    elif ONE + TINY > ONE:
        direction = "upward"
    else:
        direction = "downward" if -ONE - TINY < -ONE else "toward 0"
    return State(flushes_results, LEAST * HUGE == 0, direction)


def _saved() -> Any:
    """Save the environment of this thread; None is the standard one."""
    if current_state() == STANDARD:
        return None
    saved = ctypes.create_string_buffer(FENV_BYTES)
    ctypes.CDLL(None).fegetenv(saved)
    return saved


def _enter(saved: Any) -> None:
    if saved is not None:
        ctypes.CDLL(None).fesetenv(saved)
    elif (state := current_state()) != STANDARD:
        ctypes.CDLL(None).fesetenv(DEFAULT)
        if current_state() != STANDARD:
            raise ComputationError(
                f"{state.effects} in this process, and that cannot be turned off; "
                "find the library that does it, and start without it"
            )


@contextmanager
def standard_environment() -> Iterator[None]:
    """Run a block or a function in the standard environment, and restore the caller's.

    >>> with standard_environment():
    ...     current_state() == STANDARD
    True
    """
    found = _saved()
    _enter(None)
    try:
        yield
    finally:
        _enter(found)


class Environment:
    """The environment of somebody's code, which may change it and finds it as it left it."""

    def __init__(self) -> None:
        self._saved: Any = None
        self.seen: dict[State, str] = {}  # states but the standard one, each with since when

    @contextmanager
    def running(self, since: str) -> Iterator[None]:
        """Run a block in this environment, then return to the standard one.

        A copy of the process that the block makes by a fork ends with the block.
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
                self.seen.setdefault(current_state(), since)
                _enter(None)
