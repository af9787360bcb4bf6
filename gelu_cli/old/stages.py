"""What long work is doing, told to whoever watches: where it is, and how far it has come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_watchers: list[Callable[[str], None]] = []
_names: list[str] = []


def tell(stage: str) -> None:
    """Say what is being done now; "" asks for silence, for as long as anyone watches.

    Nothing happens where nobody does.

    >>> said = []
    >>> with watched_by(said.append), part("tanh"):
    ...     tell("step 1/8")
    >>> tell("step 1/16")
    >>> said
    ['tanh: step 1/8']
    """
    if _watchers:
        _watchers[-1](stage and ": ".join([*_names, stage]))


@contextmanager
def part(name: str) -> Iterator[None]:
    """Put a name before all that is told inside."""
    _names.append(name)
    try:
        yield
    finally:
        _names.pop()


@contextmanager
def watched_by(watcher: Callable[[str], None]) -> Iterator[None]:
    """Have all that is told inside go to `watcher`."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)
