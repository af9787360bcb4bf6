"""What is counted of judged results: one entry in `METRICS` for each metric.

An entry says how a metric is counted on a block of results, how two blocks are added up, and how
it is headed. Tallies and the columns of `gelu sweep` derive from the entries.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gelu_cli.old.arithmetic.format_arrays import Floats


class Run(NamedTuple):
    """What pairs of inputs stand for: others of the same x, whose results differ by powers of 2."""

    pairs: NDArray[Any]
    """How many they are, itself among them."""

    ulps: NDArray[Any]
    """The sum of their errors in ULP, over that of the pair."""

    weights: NDArray[Any]
    """Their probability."""

    squares: NDArray[Any]
    """The sum of their squared absolute errors times probabilities, over its own squared error."""

    starts: NDArray[Any]
    """The second inputs of the first of them: the smallest."""


class Judged(NamedTuple):
    """Results beside the truth: inputs, results, true values, what they round to, errors in ULP."""

    x: Floats
    got: Floats
    y: Floats
    """0 only where the truth is; what is too small for a float64 is the least one."""

    want: Floats
    errors: Floats
    rests: Floats
    """What float64s leave out of the errors."""

    trends: Floats | int = 0
    """Which way the truth goes from each input to the next, or all the way: 1, −1 or 0."""

    units: Floats | float = 1.0
    """The units in the last place at the true values."""

    ups: Floats | float = 1.0
    """The second inputs, where kernels have two."""

    run: Run | None = None
    """Of pairs of inputs: which others each of them stands for."""

    def only(self, where: NDArray[np.bool_]) -> Judged:
        """Return some of the results."""
        alone = self._replace(trends=0)
        columns: dict[str, Any] = {name: part[where] for name, part in alone._asdict().items()
                                   if isinstance(part, np.ndarray)}  # fmt: skip
        run = self.run and Run(*(part[where] for part in self.run))
        return alone._replace(**columns, run=run)

    @property
    def total(self) -> int:
        """How many results these are, with those that they stand for."""
        return self.count(np.ones(self.x.shape, bool)) if self.run else len(self.x)

    def count(self, mask: NDArray[np.bool_]) -> int:
        """Return of how many results something is true."""
        return int(np.sum(self.run.pairs[mask])) if self.run else count(mask)

    def up(self, i: int) -> float:
        """Return the second input of one result."""
        return float(self.ups[i] if isinstance(self.ups, np.ndarray) else self.ups)


class Among(Enum):
    """Which results of a block a metric looks at."""

    NUMBERS = "finite results where a finite one is due"
    FAILURES = "NaN or an infinity where a number is due, or the other way round"
    SATURATED = "the largest number, of the right sign, where the truth is beyond it"
    NEIGHBOURS = "all results, in the order of their inputs"


CLOSE = 2.0**-44
"""True values of two blocks that differ by less than this share may be the other way round."""


class End(NamedTuple):
    """The first or the last input of a block: x, the result, the true value, its slope's sign."""

    x: float
    got: float
    y: float
    slope: int

    def trend(self, following: End) -> int:
        """Return which way the truth goes to the first input of the next block, if it is one."""
        rise = following.y - self.y
        close = abs(rise) <= CLOSE * max(abs(self.y), abs(following.y))
        onward = int(np.sign(following.x - self.x))
        if close and self.slope == following.slope:
            return self.slope * onward
        return int(np.sign(rise)) or (self.slope or following.slope) * onward


def nothing(last: End, following: End) -> int:
    """Return 0: most metrics count nothing between two blocks."""
    return 0


class Metric(NamedTuple):
    """A count of results: `count` on a block, and `between` one block and the next.

    The count of two blocks is the sum of theirs and of what is between them. No result counts
    whose error in ULP is less than `least`: blocks without a larger one are passed over.

    >>> over_2 = Metric("over_2", "over 2", lambda block: block.count(block.errors > 2), least=2)
    >>> two = np.array([1.0, 1.0])
    >>> over_2.count(Judged(two, two, two, two, np.array([1.5, 2.5]), 0 * two))
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
    """Count the steps from one input to the next that the truth does not go, in either direction.

    Where the truth is constant these are all steps.
    """
    before, after, trends = block.got[:-1], block.got[1:], block.trends
    if isinstance(trends, int):
        rising, falling = trends > 0, trends < 0
        wrong = 0 if rising else count(after > before)
        return wrong + (0 if falling else count(after < before))
    return count(((after < before) & (trends >= 0)) | ((after > before) & (trends <= 0)))


def step_against(last: End, following: End) -> int:
    """Return 1 if the step from one block to the next is one that the truth does not go, else 0.

    From the largest number to −0, and from −0 to 0, there is no step.
    """
    if last.x == following.x or np.signbit(last.x) != np.signbit(following.x):
        return 0
    trend = last.trend(following)
    down, up = following.got < last.got, following.got > last.got
    return int((down and trend >= 0) or (up and trend <= 0))


def wrong_signs(block: Judged) -> int:
    """Count the results of the other sign than the truth's, zeros left out."""
    other = np.signbit(block.got) != np.signbit(block.y)
    return block.count(other & (block.got != 0) & (block.y != 0)) if other.any() else 0


METRICS = (
    Metric("over_half_ulp", "over ½ ULP", lambda block: block.count(block.errors > 0.5), least=0.5),
    Metric(
        "over_1_ulp",
        "over 1 ULP",
        lambda block: block.count(block.errors > 1),
        least=1,
        in_regions=True,
    ),
    Metric(
        "misrounded", "misrounded", lambda block: block.count(block.got != block.want), least=0.5
    ),
    Metric(
        "wrong_nan",
        "wrong NaN",
        lambda block: block.count(np.isnan(block.got) != np.isnan(block.want)),
        among=Among.FAILURES,
    ),
    Metric(
        "wrong_inf",
        "wrong inf",
        lambda block: block.count(np.isnan(block.got) == np.isnan(block.want)),
        among=Among.FAILURES,
    ),
    Metric(
        "wrong_sign",
        "wrong sign",
        wrong_signs,
        least=1,
    ),
    Metric(
        "wrong_zero",
        "wrong zero",
        lambda block: block.count((block.got == 0) != (block.want == 0)),
        least=0.5,
    ),
    Metric(
        "non_monotone",
        "non-monotone",
        steps_against,
        among=Among.NEIGHBOURS,
        between=step_against,
    ),
    Metric("saturated", "saturated", lambda block: block.total, among=Among.SATURATED),
)
"""In the order of the columns."""
