"""The floating-point environment of a thread: whether subnormal numbers count, which way it rounds.

A library that was built with -ffast-math, or `torch.set_flush_denormal(True)`, changes it for the
thread that loads or calls it and for the threads which that one starts. Digits are computed and
judged in the standard environment (`standard_environment`); code of somebody else's runs in an
environment of its own (`Guest`).

The state is found out by what arithmetic does, which costs a microsecond. The registers themselves
are touched, by way of the C library (fenv.h), only where that is not the standard.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from struct import Struct
from typing import Any, NamedTuple

from gelu_cli.errors import ComputationError

_FLOAT64, _BITS = Struct("<d"), Struct("<Q")


def _number(bits: int) -> float:
    # Python folds constants like 2.0**-1074 as it compiles, in whatever environment that is.
    number: float = _FLOAT64.unpack(_BITS.pack(bits))[0]
    return number


LEAST, LEAST_NORMAL = _number(1), _number(1 << 52)
TINY, HALF, ONE, HUGE = (_number(1023 + power << 52) for power in (-60, -1, 0, 600))
ZERO = bytes(8)


FENV_BYTES = 512
"""Room for an fenv_t, which has 32 bytes on x86-64 and 8 on 64-bit Arm."""


class State(NamedTuple):
    """What arithmetic does in an environment, by default in the standard one.

    >>> State(flushes_results=True, direction="upward").effects
    'subnormal results are flushed to 0 and results are rounded upward'
    """

    flushes_results: bool = False
    """Whether a subnormal result becomes 0 (FTZ)."""

    flushes_inputs: bool = False
    """Whether a subnormal operand counts as 0 (DAZ)."""

    direction: str = "to nearest"
    """Which number a result between two numbers is rounded to: also upward, downward, toward 0."""

    @property
    def effects(self) -> str:
        """What differs from the standard, in words."""
        words = []
        if self.flushes_results:
            words.append("subnormal results are flushed to 0")
        if self.flushes_inputs:
            words.append("subnormal inputs are taken as 0")
        if self.direction != "to nearest":
            words.append(f"results are rounded {self.direction}")
        *others, last = words or [""]
        return f"{', '.join(others)} and {last}" if others else last


STANDARD = State()


def current_state() -> State:
    """Return the state of this thread, seen from what arithmetic does.

    >>> current_state() == STANDARD
    True
    """
    # By its bits: where inputs are flushed, every subnormal number equals 0.
    flushes_results = _FLOAT64.pack(LEAST_NORMAL * HALF) == ZERO
    flushes_inputs = LEAST * HUGE == 0
    direction = "toward 0"
    if ONE + TINY == ONE - TINY:
        direction = "to nearest"
    elif ONE + TINY > ONE:
        direction = "upward"
    elif -ONE - TINY < -ONE:
        direction = "downward"
    return State(flushes_results, flushes_inputs, direction)


class Environment(NamedTuple):
    """The environment of a thread at some time, to return to."""

    state: State = STANDARD
    registers: Any = None
    """As the C library saves them; None in the standard state."""

    def enter(self) -> None:
        """Make it this thread's; raises `ComputationError` where the standard one cannot be had."""
        if self.registers is None:
            make_standard()
        else:
            _c_library().fesetenv(self.registers)


def current_environment() -> Environment:
    """Return the environment of this thread; raises `ComputationError` where it cannot be saved."""
    state = current_state()
    if state == STANDARD:
        return Environment()
    library = _c_library()
    from ctypes import create_string_buffer

    saved = create_string_buffer(FENV_BYTES)
    library.fegetenv(saved)
    return Environment(state, saved)


def make_standard() -> None:
    """Give this thread the standard environment, for good.

    Raises `ComputationError` where that fails.
    """
    if current_state() == STANDARD:
        return
    library = _c_library()
    from ctypes import byref, c_char, c_void_p

    if sys.platform == "darwin":
        library.fesetenv(byref(c_char.in_dll(library, "_FE_DFL_ENV")))
    else:  # FE_DFL_ENV of glibc and musl
        library.fesetenv(c_void_p(-1))
    if current_state() != STANDARD:
        raise _beyond_us()


def _c_library() -> Any:
    try:
        import ctypes

        library = ctypes.CDLL(None)
        _ = library.fegetenv, library.fesetenv
        return library
    except (ImportError, OSError, AttributeError):  # no ctypes, or no such library or function
        raise _beyond_us() from None


def _beyond_us() -> ComputationError:
    return ComputationError(
        f"{current_state().effects} in this process, and that cannot be turned off: "
        "find the library that does it, and start without it"
    )


class _Thread(threading.local):
    caller: Environment | None = None


_thread = _Thread()


@contextmanager
def standard_environment() -> Iterator[None]:
    """Run a block or a function in the standard environment, and give the caller's back.

    Raises `ComputationError` where the standard environment cannot be had.

    >>> with standard_environment():
    ...     current_state() == STANDARD
    True
    """
    found, outer = current_environment(), _thread.caller
    _thread.caller = outer or found
    try:
        make_standard()
        yield
    finally:
        _thread.caller = outer
        found.enter()


def callers_environment() -> Environment:
    """Return what the outermost `standard_environment` of this thread found.

    >>> callers_environment().state == STANDARD
    True
    """
    return _thread.caller or current_environment()


FROM_THE_START = "from the start"
SINCE_ITS_IMPORT = "since its import"
SINCE_A_CALL = "since a call"


class Guest:
    """Code of somebody else's, and the environment it runs in: at first the caller's.

    It may change the environment, and finds it as it left it, whichever thread it runs in.
    """

    def __init__(self) -> None:
        self._environment = callers_environment()
        self.seen = {self._environment.state: FROM_THE_START}
        """The states it was seen in, before and after it ran, each with since when."""

    @contextmanager
    def running(self, since: str) -> Iterator[None]:
        """Run a block in the guest's environment, and return to the standard one.

        `since` says when a change was made that is seen at the end. Not thread-safe.
        """
        outer, _thread.caller = _thread.caller, None
        self._environment.enter()
        try:
            yield
        finally:
            self._environment = current_environment()
            make_standard()
            _thread.caller = outer
            self.seen.setdefault(self._environment.state, since)
