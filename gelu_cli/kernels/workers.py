"""Run a task in worker processes, where user code may crash, hang or exit.

A unit is the argument of one call of the task. A worker has two units, the current and the next,
and replies through a pipe of its own; if the pipe closes early, the error names the current unit.
User code that changes its process (descriptors, threads, signals, exit) affects only the worker.
There is no sandbox: user code has the user's rights.
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

AHEAD = 2  # units sent to a worker at the start, so that it never waits for the next unit
KEPT = 1 << 24  # bytes; freeing such a block raises malloc's mmap threshold, so pages are reused
GRACE = 0.5  # seconds within which a process that has closed its pipe is expected to exit
THREADED = {"torch", "jax"}  # libraries whose threads do not survive a fork
SETTINGS = {  # spinning threads would slow other workers; JAX would reserve most GPU memory
    "OMP_WAIT_POLICY": "passive",
    "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
}
# Shell command that kills the workers' process groups when its stdin closes, as when gelu ends.
WATCH = 'read end; for group; do kill -KILL "-$group"; done'


class Held(NamedTuple):
    """Words for messages on a worker's code, and the code's time limit.

    In `doing` the unit replaces {}; `hint` ends the message; `within` is the limit in seconds.
    """

    subject: str = "a worker"
    doing: str = "was given {}"
    hint: str = ""
    within: float | None = None


_announce: Callable[[Held], None] | None = None  # in a worker: sends a `Held` to the parent


def is_worker() -> bool:
    """Return True if this process is a worker."""
    return _announce is not None


@contextmanager
def holding(held: Held) -> Iterator[None]:
    """Report the code that a block runs, with its time limit, to the parent."""
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
    task: Task,
    units: Iterable[Any],
    *,
    jobs: int = 1,
    isolated: bool = True,
    held: Held | None = None,
) -> Iterator[tuple[int, Any]]:
    """Run a task on each unit; yield (index, result) pairs in any order.

    Close the generator if you leave it early. At most `jobs` workers run.

    Parameters
    ----------
    task
        A function of one unit. For workers the function and its results must be picklable.
    units
        Picklable objects; messages have the `str` of a unit, as "25 inputs, x from 0.0 to 2.5".
    isolated
        True if the task has to run in workers. If False, joblib runs the task if the caller has
        configured joblib; else a single job runs in this process.
    held
        The code that the task runs, unless the task names the code by `holding`.

    Raises
    ------
    ComputationError
        If a worker does not start, or crashes, exits or hangs (the message names the unit).
    GeluError
        If the task raises a GeluError. Other errors of the task become RemoteError in workers.
    """
    units = [*units]
    jobs = min(jobs, len(units))
    if not isolated and (parallel := _callers_parallel()):
        yield from parallel((_numbered, (task, *each), {}) for each in enumerate(units))
    elif isolated or jobs > 1:
        yield from _by_workers(task, units, jobs, held or Held())
    else:
        bytearray(KEPT)  # freed at once
        yield from ((index, task(unit)) for index, unit in enumerate(units))


class _Worker:
    """A worker process, the units sent to it, and the code that it is running."""

    def __init__(self, task: Task, units: Sequence[Any], cores: int, held: Held) -> None:
        self._fork = sys.platform == "linux" and not THREADED & sys.modules.keys()
        context: Any = multiprocessing.get_context("fork" if self._fork else "spawn")
        self.pipe, self._theirs = context.Pipe()
        self.indices: deque[int] = deque()
        self._units, self._held, self._since = units, held, monotonic()
        arguments = self._theirs, self.pipe if self._fork else None, task, units, cores
        self.process = context.Process(target=_serve, args=arguments)

    def start(self) -> None:
        """Start the process."""
        with warnings.catch_warnings(), ExitStack() as stack:
            warnings.simplefilter("ignore")  # fork warns of threads, but the child uses none
            if not self._fork:  # spawn would rerun a script without a main guard
                stack.callback(sys.modules.__setitem__, "__main__", sys.modules["__main__"])
                sys.modules["__main__"] = ModuleType("__main__")
            self.process.start()
        self._theirs.close()

    def give(self, index: int | None) -> None:
        """Send the index of a unit, if there is one."""
        if index is not None:
            self.indices.append(index)
            with suppress(OSError):  # `answer` reports a closed pipe
                self.pipe.send(index)

    @property
    def remaining(self) -> float:
        """The seconds left to the code that is running."""
        return inf if self._held.within is None else self._since + self._held.within - monotonic()

    def answer(self, *, readable: bool) -> tuple[int, Any] | None:
        """Receive a result; return None if the pipe is empty or has a `Held`."""
        if not readable:
            if self.remaining <= 0:
                raise self.failure()
            return None
        try:
            index, reply = self.pipe.recv()
        except Exception:  # the pipe is closed, or user code has written to it
            raise self.failure() from None
        if index is None:
            self._held, self._since = reply, monotonic()
            return None
        self.indices.popleft()
        if isinstance(reply, Exception):
            raise reply
        return index, reply

    def failure(self) -> ComputationError:
        """Return the error of a process that ended or exceeded its time limit."""
        subject, doing, hint, within = self._held
        given = f"{subject} {doing.format(self._units[self.indices[0]])}"
        if self.remaining <= 0:
            return ComputationError(f"{given} and did not return within {within:g} s (--timeout)")
        self.process.join(GRACE)
        return ComputationError(f"{given} when {ending(self.process.exitcode)}{hint}")

    def kill(self) -> None:
        """Kill the process and its children, if it was started."""
        if self.process.pid:
            with suppress(ProcessLookupError, PermissionError):  # all processes have ended
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.kill()
            self.process.join()


def ending(code: int | None) -> str:
    """Describe how a process ended."""
    if code is None:
        return "it broke its connection to gelu"
    if code < 0:
        return f"its process ended: {signal.strsignal(-code) or f'signal {-code}'}"
    return f"it ended its process, with exit code {code}"


def _by_workers(
    task: Task, units: Sequence[Any], jobs: int, held: Held
) -> Iterator[tuple[int, Any]]:
    workers: list[_Worker] = []

    def kill() -> None:
        for each in workers:
            each.kill()

    with ExitStack() as stack:
        stack.callback(_mask_interrupts, signal.SIG_UNBLOCK)
        stack.callback(atexit.unregister, kill)
        stack.callback(kill)
        stack.callback(_mask_interrupts, signal.SIG_BLOCK)
        atexit.register(kill)
        with suppress(ValueError):  # a thread: there Python's own setting ignores the signal
            pipes = signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a worker may be dead
            stack.callback(signal.signal, signal.SIGPIPE, pipes)
        _mask_interrupts(signal.SIG_BLOCK)
        try:
            for _ in range(jobs):
                workers.append(_Worker(task, units, max(1, available_cores() // jobs), held))
                workers[-1].start()
            command = ["/bin/sh", "-c", WATCH, "sh", *(str(each.process.pid) for each in workers)]
            watcher = Popen(command, stdin=PIPE, stderr=DEVNULL, start_new_session=True)
        except OSError as error:
            raise ComputationError(f"no process can be started: {error.strerror}") from None
        stack.callback(watcher.communicate)
        _mask_interrupts(signal.SIG_UNBLOCK)
        indices = iter(range(len(units)))
        for each in [*workers] * AHEAD:
            each.give(next(indices, None))
        first, failure = len(units), None  # the failure of the earliest unit is raised
        while busy := [each for each in workers if each.indices and each.indices[0] < first]:
            limit = min(each.remaining for each in busy)
            ready = wait([each.pipe for each in busy], None if limit == inf else max(0.0, limit))
            for each in busy:
                index = each.indices[0]
                try:
                    found = each.answer(readable=each.pipe in ready)
                except Exception as error:
                    if index < first:
                        first, failure = index, error
                    each.indices.clear()
                    continue
                if found:
                    each.give(None if failure else next(indices, None))
                    yield found
        if failure:
            raise failure


def _mask_interrupts(how: int) -> None:
    """Block or unblock SIGINT (Ctrl-C) in this thread; a blocked one waits."""
    signal.pthread_sigmask(how, {signal.SIGINT})


def _serve(
    pipe: Connection, parents: Connection | None, task: Task, units: Sequence[Any], cores: int
) -> None:
    """Run a worker: do the task for each received index until the pipe closes."""
    global _announce  # noqa: PLW0603 (one for the process)
    if parents:
        parents.close()
    _part_from_parent(cores)
    _announce = lru_cache(1)(lambda held: pipe.send((None, held)))  # repeats would wake the parent
    try:
        for index in iter(pipe.recv, None):
            pipe.send((index, _reply(task, units[index])))
    finally:  # the pipe is closed, or user code broke what a reply needs
        os._exit(0)


def _part_from_parent(cores: int) -> None:
    """Start a session; reset signals, streams (stdout to stderr) and path."""
    os.setsid()
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a program may exit before it reads all inputs
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    with suppress(OSError):  # stderr may be closed
        os.dup2(2, 1)
    sys.stdout = sys.stderr
    sys.path[:] = [*filter(None, sys.path), ""]  # installed modules take precedence
    for name, value in {"OMP_NUM_THREADS": str(cores), **SETTINGS}.items():
        os.environ.setdefault(name, value)
    bytearray(KEPT)


def _reply(task: Task, unit: Any) -> Any:
    """Run the task on a unit; return its result or its error."""
    try:
        return task(unit)
    except GeluError as error:
        return error
    except BaseException as error:
        return RemoteError(f"{described(error)}\n{traceback.format_exc()}")


def _callers_parallel() -> Any:
    """Return joblib's `Parallel` if the caller has configured it, else None."""
    joblib = sys.modules.get("joblib")
    parallel = joblib and joblib.Parallel(return_as="generator_unordered")
    return None if not parallel or parallel.n_jobs == 1 else parallel


def _numbered(task: Task, index: int, unit: Any) -> tuple[int, Any]:
    return index, task(unit)
