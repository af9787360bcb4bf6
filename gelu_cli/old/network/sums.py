"""Sums over parts of a stream, in which nothing cancels, and how those of two parts are merged.

Means and spreads are merged by the formulas of Chan, Golub and LeVeque (1979) and of Pébay (2008).
Each array has an entry for every hidden unit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelu_cli.old.arithmetic.format_arrays import Array

LEAST = 1e-280
"""Sums of squares below it count as 0: they are near the end of float64, and lose their digits."""


def root_ratio(part: Array, whole: Array) -> Array:
    """Return √(part/whole) of sums of squares: 0 where there is no part, ∞ where no whole.

    >>> root_ratio(np.array([2.0, 0.0, 1.0]), np.array([8.0, 0.0, 0.0]))
    array([0.5, 0. , inf])
    """
    part, whole = (np.where(sums < LEAST, 0.0, sums) for sums in (part, whole))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: Array = np.sqrt(np.where(part > 0, part / whole, 0.0))
    return ratio


def _divided(part: Array, whole: Array) -> Array:
    return np.divide(part, whole, out=np.zeros_like(whole), where=whole >= LEAST)


class Projection(NamedTuple):
    """What is left of numbers d beside numbers f: d = slope·f + e with Σf·e = 0.

    With f = 1 the slope is the mean of d, and the rest its squared deviations.
    """

    square: Array
    """Σf²."""

    slope: Array
    """Σf·d/Σf², 0 where f is 0, or almost: its square is lost in float64."""

    rest: Array
    """Σe²."""

    @classmethod
    def of(cls, d: Array, f: Array) -> Projection:
        """Return that of each row of d on the row of f.

        >>> Projection.of(np.array([[1.0, 3.0]]), np.array([[1.0, 1.0]]))
        Projection(square=array([2.]), slope=array([2.]), rest=array([2.]))
        """
        square = np.sum(f * f, axis=1)
        slope = _divided(np.sum(f * d, axis=1), square)
        return cls(square, slope, np.sum((d - slope[:, None] * f) ** 2, axis=1))

    @property
    def whole(self) -> Array:
        """Σd²."""
        return self.slope**2 * self.square + self.rest

    def merged(self, other: Projection) -> Projection:
        """Return the projection of the numbers of both parts."""
        square = self.square + other.square
        mine, others = _divided(self.square, square), _divided(other.square, square)
        apart = other.slope - self.slope
        rest = self.rest + other.rest + apart**2 * self.square * others
        # Not the one slope and a part of the difference: where f is tiny, the slope is huge.
        return Projection(square, mine * self.slope + others * other.slope, rest)

    def pooled(self) -> Projection:
        """Return the projection of the numbers of all units together, with one entry."""
        square = self.square.sum(keepdims=True)
        slope = _divided((self.square * self.slope).sum(keepdims=True), square)
        rest = self.rest + self.square * (self.slope - slope) ** 2
        return Projection(square, slope, rest.sum(keepdims=True))


class Powers(NamedTuple):
    """How many numbers y there are in each unit, their mean m, and Σ(y − m)ᵏ for k = 2, 3, 4."""

    length: int
    mean: Array
    second: Array
    third: Array
    fourth: Array

    @classmethod
    def of(cls, y: Array) -> Powers:
        """Return those of each row.

        >>> Powers.of(np.array([[0.0, 0.0, 3.0]]))[2:]
        (array([6.]), array([6.]), array([18.]))
        """
        mean = np.mean(y, axis=1)
        apart = y - mean[:, None]
        squares = apart * apart
        sums = (np.sum(each, axis=1) for each in (squares, squares * apart, squares * squares))
        return cls(y.shape[1], mean, *sums)

    def merged(self, other: Powers) -> Powers:
        """Return those of the numbers of both parts."""
        n = self.length + other.length
        step = (other.mean - self.mean) / n
        mine, others = self._about(-other.length * step), other._about(self.length * step)
        return Powers(n, self.mean + other.length * step, *map(np.add, mine, others))

    def _about(self, apart: Array) -> tuple[Array, Array, Array]:
        """Return Σ(y − m + apart)ᵏ for k = 2, 3, 4."""
        n, second, third, fourth = self.length, self.second, self.third, self.fourth
        return (
            second + n * apart**2,
            third + 3 * apart * second + n * apart**3,
            fourth + 4 * apart * third + 6 * apart**2 * second + n * apart**4,
        )

    def pooled(self, origin: Array) -> Powers:
        """Return those of y + origin of all units together, with one entry."""
        start = origin[:1]
        means = origin - start + self.mean
        mean = means.sum(keepdims=True) / len(means)
        sums = (each.sum(keepdims=True) for each in self._about(means - mean))
        return Powers(self.length * len(means), start + mean, *sums)
