"""The floating-point environment of a thread.

Whether subnormal numbers count, and which way results are rounded. A library that was built with
-ffast-math, or `torch.set_flush_denormal(True)`, changes it. The state is found by what arithmetic
does, which takes a microsecond; the C library (fenv.h) is asked only if that is not the standard.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from gelu_cli.errors import ComputationError

FENV_BYTES = 512
"""Room for an fenv_t, which has 32 bytes on x86-64 and 8 on 64-bit Arm."""


def _number(bits: int) -> float:
    # Python folds constants like 2.0**-1074 as it compiles, in whatever environment that is.
    number: float = struct.unpack("<d", struct.pack("<Q", bits))[0]
    return number


LEAST, LEAST_NORMAL = _number(1), _number(1 << 52)
TINY, HALF, ONE, HUGE = (_number(1023 + power << 52) for power in (-60, -1, 0, 600))


class State(NamedTuple):
    """Effects of an environment, by default those of the standard one.

    >>> State(flushes_results=True, direction="upward").effects
    'subnormal results are flushed to 0 and results are rounded upward'
    """

    flushes_results: bool = False
    """Whether a subnormal result becomes 0 (FTZ)."""
    flushes_inputs: bool = False
    """Whether a subnormal operand counts as 0 (DAZ)."""
    direction: str = "to nearest"
    """The direction of rounding: also upward, downward, toward 0."""

    @property
    def effects(self) -> str:
        """The differences from the standard, in words."""
        words = ["subnormal results are flushed to 0"] * self.flushes_results
        words += ["subnormal inputs are taken as 0"] * self.flushes_inputs
        if self.direction != "to nearest":
            words.append(f"results are rounded {self.direction}")
        return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


STANDARD = State()


def current_state() -> State:
    """Find the state of this thread by what arithmetic does.

    >>> current_state() == STANDARD
    True
    """
    # By its bits: if inputs are flushed, every subnormal number equals 0.
    flushes_results = struct.pack("<d", LEAST_NORMAL * HALF) == bytes(8)
    flushes_inputs = LEAST * HUGE == 0
    if ONE + TINY == ONE - TINY:
        direction = "to nearest"
    elif ONE + TINY > ONE:
        direction = "upward"
    else:
        direction = "downward" if -ONE - TINY < -ONE else "toward 0"
    return State(flushes_results, flushes_inputs, direction)


def _saved() -> Any:
    """Save this thread's registers as the C library does; None in the standard state."""
    if current_state() == STANDARD:
        return None
    saved = ctypes.create_string_buffer(FENV_BYTES)
    ctypes.CDLL(None).fegetenv(saved)
    return saved


def _enter(registers: Any) -> None:
    """Load saved registers, or make the environment the standard one."""
    if registers is not None:
        ctypes.CDLL(None).fesetenv(registers)
    elif (state := current_state()) != STANDARD:
        library = ctypes.CDLL(None)
        if sys.platform == "darwin":
            library.fesetenv(ctypes.byref(ctypes.c_char.in_dll(library, "_FE_DFL_ENV")))
        else:  # FE_DFL_ENV of glibc and musl
            library.fesetenv(ctypes.c_void_p(-1))
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
    """The environment of a kernel's code, which may change it and finds it as it left it."""

    def __init__(self) -> None:
        self._registers: Any = None
        self.seen: dict[State, str] = {}
        """The states other than the standard one, each with since when."""

    @contextmanager
    def running(self, since: str) -> Iterator[None]:
        """Run a block in this environment, then return to the standard one.

        A copy of the process that the block makes by a fork ends with the block.
        """
        process = os.getpid()
        _enter(self._registers)
        try:
            yield
        finally:
            if os.getpid() != process:
                os._exit(0)
            self._registers = _saved()
            if self._registers is not None:
                self.seen.setdefault(current_state(), since)
                _enter(None)
