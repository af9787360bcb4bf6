"""What a signal does: it ends the program at once, and nothing half-done stays behind.

An exception is not safe everywhere: raised amid the import of an extension module it can be lost,
and leave a process that neither works nor ends. So an interrupt ends the program where it stands,
and becomes `KeyboardInterrupt` only where somebody waits for it (`interruptible`).
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from gelu_cli.errors import INTERRUPTED

TYPE_CHECKING = False  # typing would be an import before interrupts are heeded
if TYPE_CHECKING:
    from sys import UnraisableHookArgs
    from types import FrameType

FATAL = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE")
    if hasattr(signal, name)
]
IMPORTING = "<frozen importlib"

_actions: list[Callable[[], None]] = []


def end_at_interrupts() -> None:
    """Have an interrupt end the program from now on, unless it is to ignore interrupts."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
        sys.unraisablehook = _end_where_lost


@contextmanager
def interruptible() -> Iterator[None]:
    """Have an interrupt raise `KeyboardInterrupt` in the block, for work that has parts to show.

    Amid an import it ends the program all the same.
    """
    heeded = signal.getsignal(signal.SIGINT) is _end
    if heeded:
        signal.signal(signal.SIGINT, _raise)
    try:
        yield
    finally:
        if heeded:
            signal.signal(signal.SIGINT, _end)


@contextmanager
def before_the_end(action: Callable[[], None]) -> Iterator[None]:
    """Have a signal that ends the program in the block do this first, without raising anything."""
    replaced = []
    _actions.append(action)
    try:
        with suppress(ValueError):  # signals are the main thread's
            for number in FATAL:
                if signal.getsignal(number) is signal.SIG_DFL:
                    signal.signal(number, _end)
                    replaced.append(number)
        yield
    finally:
        for number in replaced:
            signal.signal(number, signal.SIG_DFL)
        _actions.remove(action)


def _end(number: int, frame: FrameType | None) -> None:
    for action in _actions:
        action()
    if number == signal.SIGINT:
        if os.isatty(2):  # what is said next begins a line
            os.write(2, b"\n")
        os._exit(INTERRUPTED)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _raise(number: int, frame: FrameType | None) -> None:
    while frame:
        if frame.f_code.co_filename.startswith(IMPORTING):
            _end(number, frame)
        frame = frame.f_back
    raise KeyboardInterrupt


def _end_where_lost(lost: UnraisableHookArgs) -> None:
    """End the program where Python would ignore an interrupt: in a destructor or a callback."""
    if lost.exc_type is KeyboardInterrupt:
        _end(signal.SIGINT, None)
    sys.__unraisablehook__(lost)
