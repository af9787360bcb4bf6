"""Work on blocks by several threads, in order: numpy lets go of the interpreter's lock."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from gelu_cli.old.environment import make_standard

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

T = TypeVar("T")
U = TypeVar("U")


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(
    work: Callable[[T], U], blocks: Iterable[T], jobs: int, is_large: Callable[[T], bool]
) -> Iterator[U]:
    """Yield work(block) for each block, in order, the large ones computed by `jobs` threads.

    At most 2·jobs blocks are under way. A block that is not large is done at once, when those
    before it are out: an empty one hands on what there is while the next has yet to come. The
    threads compute in the standard floating-point environment.

    >>> list(in_order(abs, [-1, -2, 3], jobs=2, is_large=lambda n: n < 0))
    [1, 2, 3]
    """
    pending: deque[Future[U]] = deque()
    pool: ThreadPoolExecutor | None = None
    try:
        for block in blocks:
            large = jobs > 1 and is_large(block)
            if large:
                if pool is None:
                    from concurrent.futures import ThreadPoolExecutor

                    pool = ThreadPoolExecutor(jobs, initializer=make_standard)
                pending.append(pool.submit(work, block))
            while pending and (len(pending) > 2 * jobs or not large):
                yield pending.popleft().result()
            if not large:
                yield work(block)
        while pending:
            yield pending.popleft().result()
    finally:
        if pool:  # what is under way ends by itself
            pool.shutdown(wait=False, cancel_futures=True)
