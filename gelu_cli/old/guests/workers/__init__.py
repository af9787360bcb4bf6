"""Workers: processes of their own, for code that must not be able to harm this one.

What a worker's code does to its process (its descriptors, threads, signals, floating-point
environment, its exit or its crash) happens there alone. It is no prison: the code has the rights
of whoever runs it.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from io import TextIOWrapper
from math import inf
from select import select
from threading import Lock, Thread
from time import monotonic
from types import MappingProxyType
from typing import IO, Any

from gelu_cli.errors import ComputationError, printable
from gelu_cli.old.guests.workers.channel import Channel, shared_memory

START = (
    "import sys; sys.path[:] = {path!r}; "
    "from gelu_cli.old.guests.workers.process import main; main({memory}, {parent})"
)
"""What a worker's Python runs: nothing of the current folder is imported before it is asked for."""

PATIENCE = 0.5
"""Seconds between two looks whether a silent worker has ended: its children may hold the socket."""

GRACE = 0.5
"""Seconds that an idle worker has to end by itself, with what its libraries do at their exit."""

LONGEST = 1 << 12
"""Characters after which a line is broken."""

EXITED = "it ended its process, with exit code {}"


class WorkerEndedError(ComputationError):
    """The process of a worker is gone; the text says how it ended."""


class WorkerLateError(ComputationError):
    """A worker has not answered within the time that it had."""


class Worker:
    """An object in a process of its own: `make(*arguments)`, which a module has by that name.

    Everything that goes there and back must be picklable. Errors of ours (`GeluError`) come back
    as they are. `settings` are variables of its environment. With `own_session` it is no member of
    our session; otherwise whoever kills ours kills it too. What it writes goes to our stderr, each
    line behind its `name` if it has one.

    >>> from fractions import Fraction
    >>> with Worker(Fraction, 1, 3) as third:
    ...     third.call("limit_denominator", 2)
    Fraction(1, 2)
    """

    def __init__(
        self,
        make: Callable[..., Any],
        *arguments: Any,
        settings: Mapping[str, str] = MappingProxyType({}),
        own_session: bool = True,
        name: str = "",
    ) -> None:
        # The current folder comes last, after what is installed; what the user has put before it,
        # by PYTHONPATH for example, stays there.
        path = [*filter(None, sys.path), ""]
        try:
            ours, theirs = socket.socketpair()
            with theirs, shared_memory() as file:
                memory = file.fileno()
                self._channel = Channel(ours, memory)
                start = START.format(path=path, memory=memory, parent=os.getpid())
                self._process = subprocess.Popen(
                    [sys.executable, "-c", start],
                    stdin=theirs.fileno(),
                    stdout=subprocess.PIPE if name else _messages(),
                    stderr=subprocess.STDOUT,
                    pass_fds=[memory],
                    env={**os.environ, **settings},
                    start_new_session=own_session,  # an interrupt from the terminal is for us alone
                )
        except OSError as error:
            raise ComputationError(f"no process can be started: {error.strerror}") from None
        self._leads = own_session
        self._lock = Lock()
        self._awaited: deque[bytes] = deque()
        """The marks of calls that have no reply yet."""
        self._relay: Relay | None = None
        if pipe := self._process.stdout:
            try:
                self._relay = Relay(pipe, name)
            except RuntimeError as error:  # there is no memory for it
                pipe.close()
                self.close()
                raise ComputationError(f"no thread can be started: {error}") from None
        self.ask(make, *arguments)

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def call(self, method: str, *arguments: Any, within: float | None = None) -> Any:
        """Return what a method returns; one call at a time, the others wait for their turn.

        Raises what the method raises, or what making the object raised, `WorkerEndedError` where
        the process ends meanwhile, and `WorkerLateError` where the method takes longer than
        `within` seconds.
        """
        with self._lock:
            while self._awaited:  # until the object is made
                self.answer()
            self.ask(method, *arguments)
            return self.answer(within=within)

    def ask(self, method: str | Callable[..., Any], *arguments: Any) -> None:
        """Call a method without waiting for its answer; every call before it must have its own."""
        mark = os.urandom(8)  # only a worker that has received the call can repeat it
        self._awaited.append(mark)
        with suppress(OSError):  # the reply that does not come tells why
            self._channel.send(mark, (method, arguments))

    def answer(self, *, within: float | None = None) -> Any:
        """Return the next reply: that of making the object is None, then those of the calls.

        Raises what `call` raises.
        """
        late = inf if within is None else monotonic() + within

        def wait() -> None:
            end = self._channel.socket
            while not select([end], [], [], min(PATIENCE, max(0, late - monotonic())))[0]:
                if self._process.poll() is not None:  # which may not be seen in the socket
                    raise EOFError
                if monotonic() >= late:
                    raise WorkerLateError(f"it did not answer within {within} s")

        try:
            _, reply = self._channel.receive(self._awaited[0], wait)
        except (EOFError, OSError):
            raise WorkerEndedError(self._how_it_ended()) from None
        self._awaited.popleft()
        if isinstance(reply, Exception):
            raise reply
        return reply

    def close(self) -> None:
        """End the process and its children: at once if it is at work, else with some grace."""
        if not self._awaited:
            self._channel.socket.close()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE)
        self.kill()
        self._process.wait()
        if self._relay:  # all is written that it has said; others may hold on
            self._relay.join(GRACE)
        self._channel.socket.close()

    def kill(self) -> None:
        """End the process and its children at once; a handler of signals may call this.

        Children of one in our session end with ours.
        """
        with suppress(ProcessLookupError, PermissionError):  # nobody is left
            if self._leads:
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self.kill()
            return "it broke its connection to gelu"
        if self._relay:
            self._relay.join(GRACE)
        return how_a_signal_ends(code) if code < 0 else EXITED.format(code)


class Relay(Thread):
    """Writes what a pipe has to our stderr, each line behind a name, until its other end is closed.

    No writer waits for long, and nothing in a line steers a terminal or looks like our message.
    """

    def __init__(self, pipe: IO[bytes], name: str) -> None:
        super().__init__(daemon=True)
        self._pipe, self._name = pipe, name
        self.start()

    def run(self) -> None:
        """Write lines as they come; progress bars end theirs by a carriage return."""
        with TextIOWrapper(self._pipe, "utf-8", "backslashreplace") as stream:
            while line := stream.readline(LONGEST):
                if said := line.rstrip("\n"):
                    text = printable(f"{self._name}: {said}")
                    with suppress(OSError):  # a stderr that is closed or full matters not
                        os.write(2, f"{text}\n".encode(errors="backslashreplace"))


def how_a_signal_ends(code: int) -> str:
    """Return how a process ended that has this negative exit code.

    >>> how_a_signal_ends(-11)
    'its process ended: Segmentation fault'
    """
    return f"its process ended: {signal.strsignal(-code) or f'signal {-code}'}"


def _messages() -> int:
    """Return the descriptor of stderr, or that of nothing where it is closed."""
    try:
        os.fstat(2)
    except OSError:
        return subprocess.DEVNULL
    return 2
