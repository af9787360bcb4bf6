"""Random points, in blocks that are the same however they are read."""

from __future__ import annotations

from collections.abc import Iterator

from gelu_cli.values.points import BULK, Points, points_of


def normal_points(mean: float, sigma: float, count: int, seed: int) -> Iterator[Points]:
    """Yield `count` draws from N(mean, sigma²) in blocks: numpy's, PCG64 seeded with `seed`.

    >>> [len(block) for block in normal_points(0.0, 1.0, 40_000, seed=0)]
    [32768, 7232]
    """
    import numpy as np

    draws = np.random.default_rng(seed)
    for start in range(0, count, BULK):
        yield points_of(draws.normal(mean, sigma, min(BULK, count - start)))
