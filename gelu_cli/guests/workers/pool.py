"""Several workers that make the same object, and share the calls of its methods."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from select import select
from types import MappingProxyType
from typing import Any

from gelu_cli.guests.workers import PATIENCE, Worker


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
            making = {*self._workers}
            while making:
                for worker in _ready(making):
                    making.remove(worker)
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
        left = enumerate(items)
        free = [*self._workers]
        at_work: dict[Worker, int] = {}
        answers: dict[int, Any] = {}
        done = 0
        while True:
            while free and (call := next(left, None)):
                number, item = call
                worker = free.pop()
                worker.ask(method, item)
                at_work[worker] = number
            if not at_work:
                return
            for worker in _ready(at_work):
                number = at_work.pop(worker)
                try:
                    answers[number] = worker.answer()
                    free.append(worker)
                except Exception as error:
                    answers[number] = error
                    left = enumerate(())
            while done in answers:
                answer = answers.pop(done)
                if isinstance(answer, Exception):
                    raise answer
                done += 1
                yield answer

    def each(self, method: str) -> list[Any]:
        """Return what a method returns in each worker, when no other call is under way."""
        for worker in self._workers:
            worker.ask(method)
        return [worker.answer() for worker in self._workers]


def _ready(workers: Collection[Worker]) -> list[Worker]:
    """Return the workers that have an answer, or whose processes are gone."""
    while True:
        ready = select(workers, [], [], PATIENCE)[0] or [each for each in workers if each.has_ended]
        if ready:
            return ready
