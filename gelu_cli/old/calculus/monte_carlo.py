"""Random points, and an estimate that anyone can follow beside the exact value."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gelu_cli.old.formulas import Form
from gelu_cli.old.stages import tell
from gelu_cli.old.values.points import BULK, Points, points_of

BATCH = 1 << 18


def normal_points(mean: float, sigma: float, count: int, seed: int) -> Iterator[Points]:
    """Yield `count` draws from N(mean, sigma²) in blocks: numpy's, PCG64 seeded with `seed`.

    They are the same however they are read.

    >>> [len(block) for block in normal_points(0.0, 1.0, 40_000, seed=0)]
    [32768, 7232]
    """
    import numpy as np

    draws = np.random.default_rng(seed)
    for start in range(0, count, BULK):
        yield points_of(draws.normal(mean, sigma, min(BULK, count - start)))


def sampled_second_moment(
    form: Form, mean: float, sigma: float, samples: int, seed: int
) -> tuple[float, float]:
    """Return the average of f′(x)² over `samples` draws x from N(mean, sigma²), and its error.

    The error is the standard one: the deviation of the squares over √samples. The draws are
    numpy's (PCG64 seeded with `seed`), the same for every form.

    >>> from gelu_cli.old.formulas import find_form
    >>> estimate, error = sampled_second_moment(find_form("relu"), 0.0, 1.0, 10_000, seed=1)
    >>> abs(estimate - 0.5) < 4 * error
    True
    """
    import numpy as np

    from gelu_cli.old.values.evaluate_arrays import quick_values

    draws = np.random.default_rng(seed)
    total = squares = 0.0
    for start in range(0, samples, BATCH):
        tell(f"{start:,} of {samples:,} samples")
        x = draws.normal(mean, sigma, min(BATCH, samples - start))
        y = quick_values(form, x).gradient ** 2
        total += float(np.sum(y))
        squares += float(np.sum(y * y))
    average = total / samples
    variance = max(0.0, squares / samples - average**2) * samples / (samples - 1)
    return average, math.sqrt(variance / samples)
