"""Work shared by processes, in which code may crash, hang or exit.

A worker has two units: the one in hand and the next. It answers by a pipe of its own; if the pipe
ends early, the unit in hand is at fault. Code that changes its process (descriptors, threads,
signals, exit) changes the worker alone. There is no sandbox: the code has the user's rights.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import sys
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from math import inf
from multiprocessing.connection import Connection, wait
from subprocess import DEVNULL, PIPE, Popen
from time import monotonic
from types import ModuleType
from typing import Any, NamedTuple

from gelu_cli.errors import ComputationError, GeluError, RemoteError, described

Task = Callable[[Any], Any]

AHEAD = 2  # units that a worker has, so that it never waits
KEPT = 1 << 24  # bytes kept when freed: fresh pages take as long as a kernel does
GRACE = 0.5  # seconds in which a process that has closed its pipe is expected to end
THREADED = {"torch", "jax"}  # libraries whose threads do not survive a fork
SETTINGS = {  # threads that spin take others' time; others need the GPU's memory too
    "OMP_WAIT_POLICY": "passive",
    "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
}
# A shell's command: end groups of processes when stdin ends, as it does if gelu is killed.
WATCH = 'read end; for group; do kill -KILL "-$group"; done'


class Held(NamedTuple):
    """A message on the code that a worker runs, and its time limit.

    `doing` has {} for the unit; `hint` ends the sentence; `within` is in seconds.
    """

    subject: str = "a worker"
    doing: str = "was given {}"
    hint: str = ""
    within: float | None = None


_announce: Callable[[Held], None] | None = None  # tells the parent, in a worker


def is_worker() -> bool:
    """Return True if this process is a worker."""
    return _announce is not None


@contextmanager
def holding(held: Held) -> Iterator[None]:
    """Announce the code that runs in a block, and its limit in seconds."""
    if _announce:
        _announce(held)
    try:
        yield
    finally:
        if _announce:
            _announce(held._replace(within=None))


def available_cores() -> int:
    """Count the cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def run(
    task: Task, units: Iterable[Any], *, jobs: int = 1, isolated: bool = True
) -> Iterator[tuple[int, Any]]:
    """Do a task for each unit, in any order.

    Parameters
    ----------
    task
        A function of one unit. For workers it is picklable, and so are its results.
    units
        Anything that `str` describes in messages: "25 inputs, from 0.0 to 2.5,".
    jobs
        The number of processes.
    isolated
        True if the task has to run in workers. If not, one job runs in this process, and the
        backend that the caller has configured joblib to use, if any, gets all units.

    Yields
    ------
    tuple of int and object
        The index of a unit, and its result. Close the generator if you leave it early.

    Raises
    ------
    ComputationError
        If a worker crashes, exits or hangs, with the unit that it had.
    """
    units = [*units]
    jobs = min(jobs, len(units))
    if not isolated and (parallel := _callers_parallel()):
        yield from parallel((_numbered, (task, *each), {}) for each in enumerate(units))
    elif isolated or jobs > 1:
        yield from _by_workers(task, units, jobs)
    else:
        bytearray(KEPT)  # freed at once: from now on malloc keeps as much
        yield from ((index, task(unit)) for index, unit in enumerate(units))


class _Worker:
    """A process, the units that it has, and the code that it holds."""

    def __init__(self, task: Task, units: Sequence[Any], cores: int) -> None:
        self._fork = sys.platform == "linux" and not THREADED & sys.modules.keys()
        context: Any = multiprocessing.get_context("fork" if self._fork else "spawn")
        self.pipe, self._theirs = context.Pipe()
        self.indices: deque[int] = deque()
        self._units, self._held, self._since = units, Held(), monotonic()
        arguments = self._theirs, self.pipe if self._fork else None, task, units, cores
        self.process = context.Process(target=_serve, args=arguments)

    def start(self) -> None:
        """Start the process."""
        with warnings.catch_warnings(), ExitStack() as stack:
            warnings.simplefilter("ignore")  # of forks beside threads, which the child never needs
            if not self._fork:  # else a script without a main guard runs again
                stack.callback(sys.modules.__setitem__, "__main__", sys.modules["__main__"])
                sys.modules["__main__"] = ModuleType("__main__")
            self.process.start()
        self._theirs.close()

    def give(self, index: int | None) -> None:
        """Send the index of a unit, if there is one."""
        if index is not None:
            self.indices.append(index)
            with suppress(OSError):  # `answer` reports a pipe that has ended
                self.pipe.send(index)

    @property
    def left(self) -> float:
        """The seconds that the code in hand may still take."""
        return inf if self._held.within is None else self._since + self._held.within - monotonic()

    def answer(self, *, due: bool) -> tuple[int, Any] | None:
        """Receive a result; None if it is not due, or code is reported."""
        if not due:
            if self.left <= 0:
                raise self.failure()
            return None
        try:
            index, reply = self.pipe.recv()
        except Exception:  # the pipe has ended, or user code has written to it
            raise self.failure() from None
        if index is None:
            self._held, self._since = reply, monotonic()
            return None
        self.indices.popleft()
        if isinstance(reply, Exception):
            raise reply
        return index, reply

    def failure(self) -> ComputationError:
        """Make the error for a process that has ended, or takes too long."""
        subject, doing, hint, within = self._held
        given = f"{subject} {doing.format(self._units[self.indices[0]])}"
        if self.left <= 0:
            return ComputationError(f"{given} and did not return within {within:g} s (--timeout)")
        self.process.join(GRACE)
        return ComputationError(f"{given} when {ending(self.process.exitcode)}{hint}")

    def kill(self) -> None:
        """End the process and its children at once, if it was started."""
        if self.process.pid:
            with suppress(ProcessLookupError, PermissionError):  # nobody is left
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.kill()
            self.process.join()


def ending(code: int | None) -> str:
    """Describe how a process ended.

    >>> ending(-11)
    'its process ended: Segmentation fault'
    """
    if code is None:
        return "it broke its connection to gelu"
    if code < 0:
        return f"its process ended: {signal.strsignal(-code) or f'signal {-code}'}"
    return f"it ended its process, with exit code {code}"


def _by_workers(task: Task, units: Sequence[Any], jobs: int) -> Iterator[tuple[int, Any]]:
    workers: list[_Worker] = []

    def kill() -> None:
        for each in workers:
            each.kill()

    with ExitStack() as stack:
        stack.callback(_hear, signal.SIG_UNBLOCK)
        stack.callback(atexit.unregister, kill)
        stack.callback(kill)
        stack.callback(_hear, signal.SIG_BLOCK)
        atexit.register(kill)
        _hear(signal.SIG_BLOCK)
        try:
            for _ in range(jobs):
                workers.append(_Worker(task, units, max(1, available_cores() // jobs)))
                workers[-1].start()
            command = ["/bin/sh", "-c", WATCH, "sh", *(str(each.process.pid) for each in workers)]
            watcher = Popen(command, stdin=PIPE, stderr=DEVNULL, start_new_session=True)
        except OSError as error:
            raise ComputationError(f"no process can be started: {error.strerror}") from None
        stack.callback(watcher.communicate)
        _hear(signal.SIG_UNBLOCK)
        left = iter(range(len(units)))
        for each in [*workers] * AHEAD:
            each.give(next(left, None))
        first, failure = len(units), None  # the failure of the earliest unit is raised
        while busy := [each for each in workers if each.indices and each.indices[0] < first]:
            limit = min(each.left for each in busy)
            ready = wait([each.pipe for each in busy], None if limit == inf else max(0.0, limit))
            for each in busy:
                index = each.indices[0]
                try:
                    found = each.answer(due=each.pipe in ready)
                except Exception as error:
                    if index < first:
                        first, failure = index, error
                    each.indices.clear()
                    continue
                if found:
                    each.give(None if failure else next(left, None))
                    yield found
        if failure:
            raise failure


def _hear(how: int) -> None:
    """Unblock Ctrl-C in this thread, or block it: it then waits."""
    signal.pthread_sigmask(how, {signal.SIGINT})


def _serve(
    pipe: Connection, parents: Connection | None, task: Task, units: Sequence[Any], cores: int
) -> None:
    """Run a worker: do the task for each index received, until the pipe ends."""
    global _announce  # noqa: PLW0603 (one for the process)
    if parents:
        parents.close()
    _part_from_parent(cores)
    _announce = lru_cache(1)(lambda held: pipe.send((None, held)))  # not twice: it wakes the parent
    try:
        for index in iter(pipe.recv, None):
            pipe.send((index, _reply(task, units[index])))
    finally:  # the pipe has ended, or what is needed to answer was taken away
        os._exit(0)


def _part_from_parent(cores: int) -> None:
    """Leave the parent's session and streams: stdout is stderr."""
    os.setsid()
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a program may end before it has read all
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    with suppress(OSError):  # stderr is closed
        os.dup2(2, 1)
    sys.stdout = sys.stderr
    sys.path[:] = [*filter(None, sys.path), ""]  # what is installed comes first
    for name, value in {"OMP_NUM_THREADS": str(cores), **SETTINGS}.items():
        os.environ.setdefault(name, value)
    bytearray(KEPT)


def _reply(task: Task, unit: Any) -> Any:
    """Do the task, and return its result or its error as the reply."""
    try:
        return task(unit)
    except GeluError as error:
        return error
    except BaseException as error:
        return RemoteError(f"{described(error)}\n{traceback.format_exc()}")


def _callers_parallel() -> Any:
    """Make joblib's `Parallel` if the caller has configured one.

    >>> _callers_parallel()
    """
    joblib = sys.modules.get("joblib")
    parallel = joblib and joblib.Parallel(return_as="generator_unordered")
    return None if not parallel or parallel.n_jobs == 1 else parallel


def _numbered(task: Task, index: int, unit: Any) -> tuple[int, Any]:
    return index, task(unit)
