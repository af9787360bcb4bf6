"""Draws of inputs from N(M, S²), for shares that no weights give."""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gelu_cli.accuracy.weights import STANDARD, Normal
from gelu_cli.numbers import Format
from gelu_cli.numbers.arrays import round_array

DRAWS = 1 << 20


def draw(
    dtype: Format,
    *,
    both: bool = False,
    normal: Normal = STANDARD,
    count: int = DRAWS,
    seed: int = 0,
) -> list[Any]:
    """Draw inputs, rounded to their format.

    Parameters
    ----------
    dtype
        The format of inputs.
    both
        True for x and the second input, independent of each other.
    normal, count, seed
        The distribution, the number of draws, and what they are drawn by.

    Examples
    --------
    >>> from gelu_cli.numbers import find_format
    >>> x, up = draw(find_format("bfloat16"), both=True, count=3)
    >>> x.tolist(), up.dtype.name
    ([0.1259765625, -0.1318359375, 0.640625], 'bfloat16')
    """
    generator = np.random.default_rng(seed)
    columns = (generator.normal(*normal, count) for _ in range(1 + both))
    return [round_array(each, dtype).astype(dtype.dtype) for each in columns]


class Share(NamedTuple):
    """A share of draws, known from some of them.

    >>> some = Share.of(np.array([True, False])).add(Share.of(np.zeros(8, bool)))
    >>> some.value, round(some.error, 3)
    (0.1, 0.19)
    """

    some: int = 0
    draws: int = 0

    @classmethod
    def of(cls, mask: NDArray[np.bool_]) -> Share:
        """Count draws of which something is true."""
        return cls(int(np.count_nonzero(mask)), len(mask))

    def add(self, other: Share) -> Share:
        """Return the share of both."""
        return Share(self.some + other.some, self.draws + other.draws)

    @property
    def value(self) -> float:
        """The share."""
        return self.some / self.draws

    @property
    def error(self) -> float:
        """Two standard errors, as printed behind ±."""
        return 2 * sqrt(self.value * (1 - self.value) / self.draws)


NO_DRAWS = Share()
