"""A worker's side: it makes an object, and calls its methods until nobody asks any more."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

from gelu_cli.errors import OUR_MISTAKE, GeluError, described
from gelu_cli.old.environment import make_standard
from gelu_cli.old.guests.workers.channel import Channel

KEPT = 1 << 24
"""Bytes of freed memory that the process keeps."""

DIE_WITH_PARENT = 1
"""PR_SET_PDEATHSIG of Linux's prctl: hanging code ends as well when gelu is killed."""


def main(memory: int, parent: int) -> None:
    """Serve a parent by the socket that is this process's stdin, and the memory of a descriptor.

    Code finds nothing to read in its place, and stderr for all that is written.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:  # it has ended already
        os._exit(1)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the parent does with it
    keep_freed_memory()
    end = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = sys.stderr
    channel = Channel(end, memory)
    os.close(memory)
    try:
        _serve(channel)
    except (EOFError, OSError):  # nobody is there any more
        pass
    except BaseException:  # what is needed to answer was taken away
        os._exit(OUR_MISTAKE)
    finally:
        end.close()


def without_copies(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that ends a copy of this process, if one comes back from it by a fork.

    >>> without_copies(abs)(-1)
    1
    """
    process = os.getpid()

    def called(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        finally:
            if os.getpid() != process:
                os._exit(0)

    return called


def keep_freed_memory() -> None:
    """Have this process keep memory that is freed, for what asks next.

    Else operations on arrays of a quarter of a megabyte get theirs from the system, page by page.
    Once a block of this size has been taken and freed, glibc keeps as much.
    """
    bytearray(KEPT)


def _serve(channel: Channel) -> None:
    mark, (make, arguments) = channel.receive()
    made = _reply(lambda: without_copies(make)(*arguments))
    failed = isinstance(made, Exception)
    channel.send(mark, made if failed else None)
    while not failed:
        mark, (method, arguments) = channel.receive()
        channel.send(mark, _reply(lambda: getattr(made, method)(*arguments)))  # noqa: B023


def _reply(work: Callable[[], Any]) -> Any:
    """Return what the work returns, or the error that it raises."""
    try:
        reply = work()
    except GeluError as error:
        reply = error
    except BaseException as error:
        reply = RuntimeError(described(error))
    make_standard()
    return reply
