"""Several workers that make the same object, and share the calls of its methods."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from selectors import EVENT_READ, DefaultSelector
from types import MappingProxyType
from typing import Any

from gelu_cli.guests.workers import AHEAD, PATIENCE, Worker


class Pool:
    """So many workers, each with an object of its own: `make(*arguments)`.

    A `with` statement starts all of them, waits for the first object, and ends the processes at
    once when it is left. Raises what making an object raises, and `WorkerEndedError`.

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
        self._calls: dict[Worker, deque[int | None]] = {}
        """The numbers of the calls that a worker has yet to answer; None is making its object."""

    def __enter__(self) -> Pool:
        try:
            for _ in range(self._count):
                self._calls[self._start()] = deque([None])
            with self._selector() as selector:
                for worker in _ready(selector):
                    self._calls[worker].popleft()
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
        for worker in self._calls:
            worker.close()

    def kill(self) -> None:
        """End all processes and their children at once; a handler of signals may call this."""
        for worker in [*self._calls]:
            worker.kill()

    def map(self, method: str, items: Iterable[Any]) -> Iterator[Any]:
        """Yield what a method returns for each item, in their order; who is free takes the next.

        An error is raised in its place, after the results of all items before it.
        """
        left = enumerate(items)
        free = deque([*self._calls] * AHEAD)  # everybody has one call before anybody has two
        answers: dict[int, Any] = {}
        given = done = 0
        with self._selector() as selector:
            while True:
                while free and (call := next(left, None)):
                    number, item = call
                    self._calls[free[0]].append(number)
                    free.popleft().ask(method, item)
                    given += 1
                if done == given:
                    return
                for worker in _ready(selector):
                    answered = self._answer(worker)
                    answers |= answered
                    free += [worker] * len(answered)
                    if any(isinstance(answer, Exception) for answer in answered.values()):
                        left = enumerate(())
                        selector.unregister(worker)
                while done in answers:
                    answer = answers.pop(done)
                    if isinstance(answer, Exception):
                        raise answer
                    done += 1
                    yield answer

    def each(self, method: str) -> list[Any]:
        """Return what a method returns in each worker, when no other call is under way."""
        for worker in self._calls:
            worker.ask(method)
        for worker, calls in self._calls.items():
            while calls:
                worker.answer()
                calls.popleft()
        return [worker.answer(own=True) for worker in self._calls]

    def _answer(self, worker: Worker) -> dict[int, Any]:
        """Return the next answer of a worker, or the error instead, by the number of its call.

        That is none where an object was made.
        """
        calls = self._calls[worker]
        number = calls.popleft()
        try:
            answer = worker.answer(own=True)
        except Exception as error:
            answer = error
            number = calls.popleft() if number is None and calls else number
        return {} if number is None else {number: answer}

    def _selector(self) -> DefaultSelector:
        selector = DefaultSelector()
        for worker in self._calls:
            selector.register(worker, EVENT_READ)
        return selector


def _ready(selector: DefaultSelector) -> list[Worker]:
    """Return the workers that have an answer, or whose processes are gone."""
    while True:
        ready: list[Any] = [key.fileobj for key, _ in selector.select(PATIENCE)]
        everybody: list[Any] = [key.fileobj for key in selector.get_map().values()]
        if ready := ready or [worker for worker in everybody if worker.has_ended]:
            return ready
