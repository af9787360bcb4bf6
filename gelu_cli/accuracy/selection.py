"""Inputs of a measurement: bit patterns, divided into units of work.

The weight of an input is the probability that a random x from N(M, S²) rounds to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import erfc, inf, nan, pi, sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.accuracy.regions import alike, region_indices
from gelu_cli.errors import UsageError
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers import Format, round_fraction
from gelu_cli.numbers.arrays import bits_of, numbers_of, pattern_range
from gelu_cli.numbers.cells import Floats

NARROW = 2.0**-10
"""If an interval, in units of σ, has width·max(|middle|, 1) ≤ NARROW, its probability is
width·density(middle)·(1 + width²·(middle² − 1)/24), to a relative error of NARROW⁴/640 < 2⁻⁴⁹."""

FAR = 40
"""Farther than FAR standard deviations from the mean, probabilities are taken as 0."""

Patterns: TypeAlias = NDArray[Any]

SMALL = 16
"""Formats of at most this many bits are always swept exhaustively."""

AT_ONCE, PAIRS, STEP = 1 << 16, 1 << 19, 1 << 22
"""A unit has at most AT_ONCE listed x, about PAIRS pairs or STEP consecutive numbers; a call has at
most AT_ONCE pairs."""

MIDDLE, LEAST_SIZE = (-16.0, 8.0), 2.0**-4
"""Half of a sample is drawn from the range MIDDLE with |x| ≥ LEAST_SIZE, where GELU is curved."""

EXPONENTS = (-1, 0, 1, 3)
"""Exponents of the powers of 2 that `usual_ups` contains with their neighbours."""

SECONDS = 64  # number of `usual_ups`

GOLDEN = Fraction(618033988749894848, 10**18)
"""1/φ, φ the golden ratio: fractional parts of multiples of 1/φ are spread evenly over 0 … 1."""


class Normal(NamedTuple):
    """The normal distribution N(mean, sigma²) of inputs.

    >>> str(Normal()), str(Normal(1.0, 2.0))
    ('N(0, 1)', 'N(1, 2²)')
    """

    mean: float = 0.0
    sigma: float = 1.0

    def __str__(self) -> str:
        return f"N({self.mean:g}, {self.sigma:g}{'²' * (self.sigma != 1)})"

    def density(self, x: Floats) -> Floats:
        """Return the density at x."""
        z = (x - self.mean) / self.sigma
        return np.asarray(np.exp(-z * z / 2) / (self.sigma * sqrt(2 * pi)))


STANDARD = Normal()


def weights_of(of: Format, x: Floats, normal: Normal = STANDARD) -> Floats:
    """Return the probability of each input, to 11 digits if above 10⁻³⁰⁰.

    `x` has finite inputs of the format `of` in the order of bit patterns, each once. A random
    number rounds to the nearest input of its own sign (negative inputs include −0), or to none if
    it is nearer to 0, or farther out, than the rounding intervals of all inputs of its sign.

    >>> weights_of(find_format("e5m2"), np.array([1.0, 1.25, -1.0])).round(6).tolist()
    [0.043956, 0.045729, 0.043956]
    """
    weights = np.zeros(len(x))
    for sign, some in ((1, ~np.signbit(x)), (-1, np.signbit(x))):
        if not some.any():
            continue
        sizes = np.abs(x[some])
        first, last = (of.bits(float(each)) for each in sizes[[0, -1]])
        before = of.number(first - 1) if first else 0.0
        after = inf if last == of.top - 1 else of.number(last + 1)
        with np.errstate(over="ignore", invalid="ignore"):  # gaps of the largest float64s
            gaps = np.diff(sizes, prepend=before, append=after)
            left, right = (gaps[:-1], gaps[1:])[::sign]
            weights[some] = _of_cells(sign * sizes - normal.mean, left, right, normal.sigma)
    return weights


def _of_cells(x: Floats, left: Floats, right: Floats, sigma: float) -> Floats:
    """Return P(x − left/2 < X < x + right/2) for X ~ N(0, sigma²)."""
    width, middle = (left + right) / (2 * sigma), (x + (right - left) / 4) / sigma
    square = middle * middle
    weights = np.exp(-square / 2) / sqrt(2 * pi) * width * (1 + width * width * (square - 1) / 24)
    wide = ~(width * np.maximum(np.abs(middle), 1) <= NARROW)
    low, high = (x - left / 2) / sigma, (x + right / 2) / sigma
    weights[wide] = 0.0
    near = np.flatnonzero(wide & (low < FAR) & (high > -FAR))
    ends = zip(low[near].tolist(), high[near].tolist(), strict=True)
    weights[near] = [_between(*each) for each in ends]
    return np.asarray(weights)


def _between(low: float, high: float) -> float:
    """Return Φ(high) − Φ(low), from the tail in which less cancels."""
    side = sqrt(0.5) if low + high > 0 else -sqrt(0.5)
    return abs(erfc(side * low) - erfc(side * high)) / 2


def probability(low: float, high: float, normal: Normal = STANDARD) -> float:
    """Return P(low ≤ X ≤ high).

    >>> round(probability(-1.0, 1.0), 6), probability(0.0, float("inf"))
    (0.682689, 0.5)
    """
    mean, sigma = normal
    low, high = (min(max(end - mean, -FAR * sigma), FAR * sigma) for end in (low, high))
    width = np.array([high - low])
    return float(_of_cells(np.array([low / 2 + high / 2]), width, width, sigma)[0])


@dataclass(frozen=True)
class Unit:
    """Inputs that one process measures in one step: a call for each part.

    Attributes
    ----------
    bits
        The bit patterns of x: an array or, for consecutive patterns, (first, last + 1).
    ups
        Bit patterns of second inputs. Each x is paired with every up; in a `special` unit each x is
        paired with the up at the same index.
    weights
        The weights of x and, for pairs, of ups; empty if they are computed later or do not exist.
    special
        True if each input or pair has an ∞ or NaN, so that results have no errors in ULP.
    """

    dtype: Format
    bits: Patterns | tuple[int, int]
    ups: Patterns | None = None
    weights: Sequence[Floats] = ()
    special: bool = False

    @property
    def inputs(self) -> list[Any]:
        """The array of listed x and, for pairs, the array of the ups."""
        columns = [self.bits] if self.ups is None else [self.bits, self.ups]
        if self.ups is not None and not self.special:
            columns = [np.repeat(self.bits, len(self.ups)), np.tile(self.ups, len(self.bits))]
        return [np.asarray(each).view(self.dtype.dtype) for each in columns]

    def parts(self) -> Iterator[Unit]:
        """Divide a unit of listed x into units, one per call, each with all x."""
        if self.ups is None:
            yield self
            return
        step = max(1, AT_ONCE // len(self.bits))
        for start in range(0, len(self.ups), step):
            some = slice(start, start + step)
            weights = [*self.weights[:1], *(each[some] for each in self.weights[1:])]
            yield replace(self, ups=self.ups[some], weights=weights)

    def at(self, places: Any) -> list[Any]:
        """Return the inputs at indices."""
        if isinstance(self.bits, tuple):  # to make an array of all inputs takes time
            bits = (self.bits[0] + places).astype(f"u{self.dtype.width // 8}")
            return [bits.view(self.dtype.dtype)]
        return [each[places] for each in self.inputs]

    def __len__(self) -> int:
        """Return the number of inputs, or of pairs."""
        size = self.bits[1] - self.bits[0] if isinstance(self.bits, tuple) else len(self.bits)
        return size if self.ups is None or self.special else size * len(self.ups)

    def __str__(self) -> str:
        consecutive = isinstance(self.bits, tuple)
        ends = np.array([self.bits[0], self.bits[1] - 1]) if consecutive else self.bits
        numbers = numbers_of(self.dtype, np.asarray(ends))
        first, last = float(np.fmin.reduce(numbers)), float(np.fmax.reduce(numbers))
        noun = "inputs" if self.ups is None else "pairs"
        return f"{len(self):,} {noun}, x from {first!r} to {last!r}"


@dataclass(frozen=True)
class Inputs:
    """Inputs of a measurement.

    Attributes
    ----------
    low, high
        The range of x, both ends included.
    every
        True to sweep every x; formats of at most 16 bits are always swept.
    samples, seed
        Number of x, or of pairs, in a sample; seed of the generator that draws the sample.
    ups
        Second inputs, numbers of the format; empty for kernels of one input.
    drawn_ups
        True if `ups` has every number of the format: then ups have probabilities as weights.
    """

    dtype: Format
    low: float = -inf
    high: float = inf
    every: bool = False
    samples: int = 1_000_000
    seed: int = 0
    ups: tuple[float, ...] = ()
    drawn_ups: bool = False

    @property
    def each_x(self) -> bool:
        """True if every x of the range is measured."""
        numbers = sum(end - first for _, first, end in self._ranges)
        return self.every or self.dtype.width <= SMALL or numbers <= self._most

    @property
    def exhaustive(self) -> bool:
        """True if every x is measured and, for pairs, every up with each x."""
        return self.each_x and (self.drawn_ups or not self.ups)

    @property
    def _most(self) -> int:
        """The number of x in a sample."""
        return max(1, self.samples // max(1, len(self.ups)))

    @property
    def _ranges(self) -> list[tuple[int, int, int]]:
        """Signs of x with ranges (first, end) of patterns without the sign bit."""
        return [(sign, *pattern_range(self.dtype, sign, self.low, self.high)) for sign in (1, -1)]

    def units(self, normal: Normal = STANDARD) -> list[Unit]:
        """Divide the inputs into units, with weights from a distribution.

        Raises UsageError if the range contains no number of the format.
        """
        if self.every and self.dtype.width > SMALL and not self.ups:
            units = list(self._binades())
        else:
            units = list(self._parts(normal))
        if not units:
            raise UsageError(
                f"--range {self.low:g}:{self.high:g} holds no number of {self.dtype.name}"
            )
        return units

    def special(self) -> Unit:
        """Return the `special` unit: each input or pair has an ∞ or NaN."""
        limits = bits_of(self.dtype, np.array([inf, -inf, nan][2 * (not self.dtype.infinite) :]))
        if not self.ups:
            return Unit(self.dtype, limits, special=True)
        ups = bits_of(self.dtype, np.array(self.ups[:: len(self.ups) // 64 or 1]))
        pairs = [*product(limits, [*ups, *limits]), *product(ups, limits)]
        x, seconds = np.array(pairs, limits.dtype).T.copy()
        return Unit(self.dtype, x, seconds, special=True)

    def _binades(self) -> Iterator[Unit]:
        """Yield units of consecutive numbers, each unit within one binade."""
        for sign, first, end in self._ranges:
            minus = int(_of_sign(self.dtype, sign, 0))
            for start in range(first - first % STEP, end, STEP):
                yield Unit(self.dtype, (max(start, first) + minus, min(start + STEP, end) + minus))

    def _parts(self, normal: Normal) -> Iterator[Unit]:
        """Yield units of listed x, or of pairs from one region of x and of ups."""
        bits = self._bits()
        x, ups = numbers_of(self.dtype, bits), np.array(self.ups)
        of_x = weights_of(self.dtype, x, normal)
        if not self.ups:
            for start in range(0, len(bits), AT_ONCE):
                part = slice(start, start + AT_ONCE)
                yield Unit(self.dtype, bits[part], weights=[of_x[part]])
            return
        of_ups = weights_of(self.dtype, ups, normal) if self.drawn_ups else ups
        alike_ups = [*alike(region_indices(self.dtype, ups, second=True))]
        for where, some in product(alike(region_indices(self.dtype, x)), alike_ups):
            seconds = bits_of(self.dtype, ups[some])
            step = max(1, min(AT_ONCE, PAIRS // len(seconds)))
            for start in range(where.start, where.stop, step):
                part = slice(start, min(start + step, where.stop))
                weights = [of_x[part], of_ups[some]] if self.drawn_ups else []
                yield Unit(self.dtype, bits[part], seconds, weights)

    def _bits(self) -> Patterns:
        if not self.each_x:
            return sample(self.dtype, self._ranges, self._most, self.seed)
        patterns = [_of_sign(self.dtype, sign, np.arange(*ends)) for sign, *ends in self._ranges]
        return np.concatenate(patterns).astype(f"u{self.dtype.width // 8}")


def sample(
    dtype: Format, ranges: Sequence[tuple[int, int, int]], count: int, seed: int
) -> Patterns:
    """Draw patterns, one from each of equal strata: half of them in MIDDLE.

    The sample also contains the ends of the ranges, and powers of 2 with their neighbours: all of
    these or, if there are more than count/2, count/2 that are evenly spread.
    """
    powers = np.arange(0, dtype.top - 1, 1 << (dtype.precision - 1), dtype=np.uint64)
    edges = np.unique(np.concatenate([powers, powers[1:] - 1, powers + 1]))
    inner, outer, ends, inside = [], [], [], []
    for sign, first, end in ranges:
        if first < end:
            of_sign = [_of_sign(dtype, sign, each) for each in (first, end - 1)]
            ends += of_sign
            inside.append(_of_sign(dtype, sign, edges[(edges >= first) & (edges < end)]))
        size = max(sign * each for each in MIDDLE)
        cuts = [min(max(cut, first), end) for cut in pattern_range(dtype, 1, LEAST_SIZE, size)]
        inner.append((sign, *cuts))
        outer += [(sign, first, cuts[0]), (sign, cuts[1], end)]
    known = np.concatenate(inside)
    if len(known) > count // 2:
        known = known[np.linspace(0, len(known) - 1, count // 2).astype(np.int64)]
    chosen = [np.unique(np.concatenate([known, np.array(ends, np.uint64)]))]
    generator = np.random.default_rng(seed)
    left: int = max(count - len(chosen[0]), 0)
    middle: int = max(left // 2, left - sum(end - first for _, first, end in outer))
    for stretches, share in ((outer, left - middle), (inner, middle)):
        places = _spread(generator, sum(end - first for _, first, end in stretches), share)
        for sign, first, end in stretches:
            here = places < end - first
            chosen.append(_of_sign(dtype, sign, places[here] + np.uint64(first)))
            places = places[~here] - np.uint64(end - first)
    return np.unique(np.concatenate(chosen)).astype(f"u{dtype.width // 8}")


def _of_sign(dtype: Format, sign: int, patterns: Any) -> Any:
    """Set the sign bit of patterns if the sign is negative."""
    # Numpy 1 adds an int and a uint64 as float64s.
    return np.asarray(patterns, np.uint64) + np.uint64((sign < 0) << (dtype.width - 1))


def _spread(generator: np.random.Generator, size: int, count: int) -> Patterns:
    """Draw one index from each of `count` equal parts of 0, 1, …, size − 1."""
    count = min(count, size)
    if not count:
        return np.zeros(0, np.uint64)
    at = np.arange(count + 1, dtype=np.uint64)
    cuts = at * np.uint64(size // count) + at * np.uint64(size % count) // np.uint64(count)
    return generator.integers(cuts[:-1], cuts[1:], dtype=np.uint64)


def usual_ups(dtype: Format) -> tuple[float, ...]:
    """Choose 64 second inputs of all magnitudes, in the order of bit patterns.

    Each sign has 0, the least and the largest subnormal number, the two least normal
    numbers, ½, 1, 2 and 8 with their neighbours, the largest number, and numbers from 2⁻⁷ to 2⁷
    whose significands are spread evenly.
    """
    bits = dtype.bits
    normal = bits(2.0**dtype.emin)
    powers = [bits(2.0**exponent) for exponent in EXPONENTS]
    sizes = {0, 1, normal - 1, normal, normal + 1, dtype.top - 1}
    sizes |= {power + step for power in powers for step in (-1, 0, 1)}
    for i in range(1, SECONDS):
        if len(sizes) == SECONDS // 2:
            break
        number = (1 + i * GOLDEN % 1) * Fraction(2) ** (i % 16 - 8)
        sizes.add(bits(float(round_fraction(dtype, to_fraction(number)))))
    found = [dtype.number(size) for size in sorted(sizes)]
    return *found, *(-each for each in found)
