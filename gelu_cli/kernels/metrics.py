"""What is counted of judged results: one entry in `METRICS` for each metric.

An entry says how a metric is counted on a block of results, how two blocks are added up, and how
it is headed. Tallies and the columns of `gelu sweep` derive from the entries.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.arithmetic.rounding import Floats


class Judged(NamedTuple):
    """Results beside the truth: inputs, results, true values, what they round to, errors in ULP."""

    x: Floats
    got: Floats
    y: Floats
    want: Floats
    errors: Floats
    rising: int = 0
    """1 or −1 where the truth is known to go one way from input to input."""

    def only(self, where: NDArray[np.bool_]) -> Judged:
        """Return some of the results."""
        x, got, y, want, errors = (part[where] for part in self[:5])
        return Judged(x, got, y, want, errors)


class Among(Enum):
    """Which results of a block a metric looks at."""

    NUMBERS = "finite results where a finite one is due"
    FAILURES = "NaN or an infinity where a number is due, or the other way round"
    NEIGHBOURS = "all results, in the order of their inputs"


End: TypeAlias = tuple[float, float]
"""(result, true value) at the first or the last input of a block."""


def nothing(last: End, following: End) -> int:
    """Return 0: most metrics count nothing between two blocks."""
    return 0


class Metric(NamedTuple):
    """A count of results: `count` on a block, and `between` one block and the next.

    The count of two blocks is the sum of theirs and of what is between them. No result counts
    whose error in ULP is less than `least`: blocks without a larger one are passed over.

    >>> over_2 = Metric("over_2_ulp", "over 2 ULP", lambda block: count(block.errors > 2), least=2)
    >>> two = np.array([1.0, 1.0])
    >>> over_2.count(Judged(two, two, two, two, np.array([1.5, 2.5])))
    1
    """

    name: str
    heading: str
    count: Callable[[Judged], int]
    among: Among = Among.NUMBERS
    least: float = 0.0
    between: Callable[[End, End], int] = nothing
    in_regions: bool = False
    """Whether it is also a column of `gelu sweep --view regions`."""


def count(mask: NDArray[np.bool_]) -> int:
    """Return how many entries of a mask are true."""
    return int(np.count_nonzero(mask))


def steps_against(block: Judged) -> int:
    """Count the steps from one input to the next that go one way where the truth goes the other."""
    got, y = block.got, block.y
    if block.rising > 0:
        return count(got[1:] < got[:-1])
    if block.rising < 0:
        return count(got[1:] > got[:-1])
    down = (got[1:] < got[:-1]) & (y[1:] > y[:-1])
    up = (got[1:] > got[:-1]) & (y[1:] < y[:-1])
    return count(down | up)


def step_against(last: End, following: End) -> int:
    """Return 1 if the step from one block to the next goes against the truth, else 0."""
    (got, true), (next_got, next_true) = last, following
    down = next_got < got and next_true > true
    up = next_got > got and next_true < true
    return int(down or up)


METRICS = (
    Metric("over_half_ulp", "over ½ ULP", lambda block: count(block.errors > 0.5), least=0.5),
    Metric(
        "over_1_ulp", "over 1 ULP", lambda block: count(block.errors > 1), least=1, in_regions=True
    ),
    Metric("misrounded", "misrounded", lambda block: count(block.got != block.want), least=0.5),
    Metric(
        "wrong_nan",
        "wrong NaN",
        lambda block: count(np.isnan(block.got) != np.isnan(block.want)),
        among=Among.FAILURES,
    ),
    Metric(
        "wrong_inf",
        "wrong inf",
        lambda block: count(np.isnan(block.got) == np.isnan(block.want)),
        among=Among.FAILURES,
    ),
    Metric(
        "wrong_sign",
        "wrong sign",
        lambda block: count(
            (np.signbit(block.got) != np.signbit(block.want)) & (block.got != 0) & (block.want != 0)
        ),
        least=1,
    ),
    Metric(
        "wrong_zero",
        "wrong zero",
        lambda block: count((block.got == 0) != (block.want == 0)),
        least=0.5,
    ),
    Metric(
        "non_monotone",
        "non-monotone",
        steps_against,
        among=Among.NEIGHBOURS,
        between=step_against,
    ),
)
"""In the order of the columns."""
