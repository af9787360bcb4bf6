"""Where the units of a sweep are judged: in this process, in several, or on a cluster."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from gelu_cli.errors import ComputationError, GeluError, described
from gelu_cli.old.guests.array_functions import FunctionImplementation
from gelu_cli.old.guests.hosted import GuestImplementation
from gelu_cli.old.guests.workers import WorkerEndedError
from gelu_cli.old.guests.workers.pool import Pool
from gelu_cli.old.guests.workers.process import keep_freed_memory
from gelu_cli.old.parallel import available_cores
from gelu_cli.old.stages import tell
from gelu_cli.old.sweeping.implementations import Kernel, RoutineImplementation
from gelu_cli.old.sweeping.inputs import Stretch, Unit, unit_size
from gelu_cli.old.sweeping.unit_judge import Answer, Asked, Found, Task, UnitJudge

WORTH = 1 << 25
"""Float32s in stretches that are judged while a worker starts."""

DEARER = 32
"""A number that is judged by itself takes DEARER times as long as a float32 in a stretch."""

THREAD_SETTINGS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
"""What libraries read when they start threads of their own."""


class Executor(Protocol):
    """Has units judged, from when it is entered until it is left."""

    def __enter__(self) -> Executor:
        """Start what is needed, and load functions."""
        return self

    def __exit__(self, *error: object) -> None:
        """End what was started."""
        return None

    def kill(self) -> None:
        """End it at once; a handler of signals may call this."""

    def judge(self, tasks: Iterable[Task]) -> Iterator[Found]:
        """Yield what is found at the units of tasks, in their order."""

    def ask(self, asked: Asked, *, everywhere: bool = False) -> list[Answer]:
        """Ask something of a function, in one process, or in all that have it."""


def executor_for(judge: UnitJudge, units: Sequence[Unit], jobs: int) -> Executor:
    """Return what has units judged best; nothing is started yet."""
    kernels = judge.kernels
    if all(isinstance(kernel.implementation, FunctionImplementation) for kernel in kernels):
        parallel = _callers_parallel()
        if parallel:
            return Cluster(parallel, judge)
    work = sum(unit_size(unit) * (1 if isinstance(unit, Stretch) else DEARER) for unit in units)
    workers = min(jobs, len(units), work * len(kernels) // WORTH)
    if workers > 1 and _can_be_shared(kernels):
        return Workers(workers, judge)
    return Here(judge)


def _can_be_shared(kernels: Sequence[Kernel]) -> bool:
    """Return whether several processes may have the same implementations at once.

    Routines, and functions that each process loads for itself, can be. An object of the caller's
    stays where it is: it may not be picklable, and is called by the thread that gave it.
    """
    return all(
        isinstance(kernel.implementation, RoutineImplementation | GuestImplementation)
        for kernel in kernels
    )


class Here(Executor):
    """Judges units in this process, in the thread that asks for them."""

    def __init__(self, judge: UnitJudge) -> None:
        self._judge = judge

    def __enter__(self) -> Here:
        keep_freed_memory()
        self._judge.load()
        return self

    def kill(self) -> None:
        """End the processes of functions at once."""
        for function in self._judge.functions:
            function.kill()

    def judge(self, tasks: Iterable[Task]) -> Iterator[Found]:
        """Yield what is found at the units of tasks, in their order."""
        tasks = [*tasks]
        with self._judge.streams(tasks):
            yield from map(self._judge.judge, tasks)

    def ask(self, asked: Asked, *, everywhere: bool = False) -> list[Answer]:
        """Ask something of a function."""
        return [self._judge.ask(asked)]


class Workers(Executor):
    """Has units judged by workers; each has a process of its own for a function of the user's."""

    def __init__(self, count: int, judge: UnitJudge) -> None:
        share = max(1, available_cores() // count)
        kernels, *others = judge.made_of
        kernels = [
            kernel._replace(
                implementation=kernel.implementation.of_a_worker(thread_settings(share))
            )
            if isinstance(kernel.implementation, GuestImplementation)
            else kernel
            for kernel in kernels
        ]
        judge = UnitJudge(kernels, *others)
        self._functions = judge.functions
        self._count = count
        self._killed = False
        self._pool = Pool(count, _loaded, judge, settings=thread_settings(1))

    def __enter__(self) -> Workers:
        for function in self._functions:
            tell(f"{function.name}: loading")
        self._pool.__enter__()
        return self

    def __exit__(self, kind: object = None, *error: object) -> None:
        try:
            if not kind and not self._killed:
                self._pool.each("close")
        finally:
            self._pool.close()

    def kill(self) -> None:
        """End all processes at once."""
        self._killed = True
        self._pool.kill()

    def judge(self, tasks: Iterable[Task]) -> Iterator[Found]:
        """Yield what is found at the units of tasks, in their order."""
        return self._shared("judge", tasks)

    def ask(self, asked: Asked, *, everywhere: bool = False) -> list[Answer]:
        """Ask something of a function, in one worker or once in each."""
        return [*self._shared("ask", [asked] * (self._count if everywhere else 1))]

    def _shared(self, method: str, items: Iterable[Any]) -> Iterator[Any]:
        try:
            yield from self._pool.map(method, items)
        except WorkerEndedError as error:
            raise ComputationError(f"a worker that judges results is gone: {error}") from None


def _loaded(judge: UnitJudge) -> UnitJudge:
    """Load functions in a worker, which leaves interrupts to the program that ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return judge.load()


def thread_settings(count: int) -> Mapping[str, str]:
    """Return variables that limit the threads of libraries, but for those that the user has set."""
    return {name: str(count) for name in THREAD_SETTINGS if name not in os.environ}


class Cluster(Executor):
    """Has units judged by what the caller has configured joblib to use: a Dask cluster, say.

    Raises `ComputationError` for what goes wrong there.
    """

    def __init__(self, parallel: Any, judge: UnitJudge) -> None:
        self._parallel = parallel
        self._made_of = judge.made_of

    def kill(self) -> None:
        """Leave it as it is: it is the caller's, and ends by itself what nobody waits for."""

    def judge(self, tasks: Iterable[Task]) -> Iterator[Found]:
        """Yield what is found at the units of tasks, in their order."""
        return self._results("judge", tasks)

    def ask(self, asked: Asked, *, everywhere: bool = False) -> list[Answer]:
        """Ask something of a function, somewhere."""
        return [*self._results("ask", [asked])]

    def _results(self, method: str, items: Iterable[Task | Asked]) -> Iterator[Any]:
        try:
            yield from self._parallel((_done, (self._made_of, method, item), {}) for item in items)
        except (GeluError, KeyboardInterrupt):
            raise
        except Exception as error:  # of the backend's: its workers are gone, cannot read what came
            raise ComputationError(f"joblib's backend raised {described(error)}") from error


def _done(made_of: tuple[Any, ...], method: str, item: Task | Asked) -> Any:
    """Judge a task, or ask something, by a judge of its own: threads may be what joblib uses."""
    return getattr(UnitJudge(*made_of), method)(item)


def _callers_parallel() -> Any:
    """Return joblib's `Parallel` where the caller has configured one, without importing joblib.

    >>> _callers_parallel()
    """
    joblib = sys.modules.get("joblib")
    if not joblib:
        return None
    parallel = joblib.Parallel(return_as="generator")
    return None if parallel.n_jobs == 1 else parallel
