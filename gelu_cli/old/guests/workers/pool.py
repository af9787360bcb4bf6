"""Several workers that make the same object, and share the calls of its methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from queue import SimpleQueue
from types import MappingProxyType
from typing import Any

from gelu_cli.old.guests.workers import Worker


class Pool:
    """A number of workers, each with an object of its own: `make(*arguments)`.

    A `with` statement starts all of them, waits for the objects, and ends the processes at once
    when it is left. Raises what making an object raises, and `WorkerEndedError`.

    >>> from fractions import Fraction
    >>> with Pool(2, Fraction, 1, 3) as pool:
    ...     list(pool.map("limit_denominator", [1, 2, 3]))
    [Fraction(0, 1), Fraction(1, 2), Fraction(1, 3)]
    """

    def __init__(
        self,
        count: int,
        make: Callable[..., Any],
        *arguments: Any,
        settings: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._count = count
        self._start = partial(Worker, make, *arguments, settings=settings)
        self._workers: list[Worker] = []

    def __enter__(self) -> Pool:
        try:
            for _ in range(self._count):
                self._workers.append(self._start())
            for worker in self._workers:
                worker.answer()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes at once, and wait until they are gone."""
        self.kill()
        for worker in self._workers:
            worker.close()

    def kill(self) -> None:
        """End all processes and their children at once; a handler of signals may call this."""
        for worker in [*self._workers]:
            worker.kill()

    def map(self, method: str, items: Iterable[Any]) -> Iterator[Any]:
        """Yield what a method returns for each item, in their order; who is free takes the next.

        An error is raised in its place, after the results of all items before it.
        """
        from concurrent.futures import ThreadPoolExecutor  # dear to import

        free: SimpleQueue[Worker] = SimpleQueue()
        for worker in self._workers:
            free.put(worker)

        def call(item: Any) -> Any:
            worker = free.get()
            try:
                return worker.call(method, item)
            finally:
                free.put(worker)

        threads = ThreadPoolExecutor(self._count)
        try:
            yield from threads.map(call, items)
        finally:  # a call that is under way ends with its worker
            threads.shutdown(wait=False, cancel_futures=True)

    def each(self, method: str) -> list[Any]:
        """Return what a method returns in each worker, when no other call is under way."""
        for worker in self._workers:
            worker.ask(method)
        return [worker.answer() for worker in self._workers]
