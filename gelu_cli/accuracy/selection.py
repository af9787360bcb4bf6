"""Inputs of a measurement: bit patterns, in units for one process each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, nan
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.accuracy.regions import parts
from gelu_cli.accuracy.weights import Normal
from gelu_cli.errors import UsageError
from gelu_cli.numbers import Format
from gelu_cli.numbers.arrays import round_array
from gelu_cli.numbers.cells import Floats
from gelu_cli.numbers.patterns import bits_of, numbers_of, pattern_range

Patterns: TypeAlias = NDArray[Any]
Indices: TypeAlias = NDArray[np.int64]

SMALL = 16
"""Formats of at most 16 bits are measured whole."""

AT_ONCE = 1 << 16
"""Most inputs in a unit of a sample."""

BINADE = 1 << 23
CALL = 1 << 19
"""Most consecutive float32s in a unit, and in a call."""

PAIRS, DRAWS = 1 << 18, 1 << 20
ENOUGH = 64
"""Least number of units, so that several processes have work."""

SPECIAL, DRAWN = "special", "drawn"
"""Kinds of units: ±∞ and NaN; random pairs at which two kernels are compared."""

Around: TypeAlias = tuple[float, float]
NUMBERS_AROUND: Around = (nan, nan)
"""The sizes before and after are those of the next numbers of the format."""

MIDDLE, LEAST_SIZE = (-16.0, 8.0), 2.0**-4
"""Half of a sample has MIDDLE's range and |x| ≥ LEAST_SIZE: there GELU is curved."""


class Unit(NamedTuple):
    """Inputs that one process measures in one step.

    Attributes
    ----------
    dtype
        The format of the inputs.
    sign, first, end
        The bit patterns of x from `first` to before `end`, without the sign bit, and their sign.
    bits
        The bit patterns of x in ascending order, instead of `first` and `end`.
    ups
        Second inputs: each x goes with each of them, in units of a `kind` with the one at its
        index.
    around, ups_around
        The sizes of the inputs before and after those of the unit.
    kind
        SPECIAL or DRAWN for units that are not measured in ULP, else empty.
    """

    dtype: Format
    sign: int = 1
    first: int = 0
    end: int = 0
    bits: Patterns | None = None
    ups: Patterns | None = None
    around: Around = NUMBERS_AROUND
    ups_around: Around = NUMBERS_AROUND
    kind: str = ""

    def patterns(self, places: Any = slice(None)) -> Patterns:
        """Return bit patterns of x, all or those at places."""
        kind = f"u{self.dtype.width // 8}"
        if self.bits is not None:
            return np.asarray(self.bits[places].astype(kind, copy=False))
        first = self.first | (self.sign < 0) << (self.dtype.width - 1)
        if isinstance(places, slice):
            return np.arange(first, first + len(self), dtype=kind)
        return np.asarray((places + first).astype(kind))

    def at(self, places: Indices) -> list[Any]:
        """Return inputs at places among all, as `inputs` has them."""
        of = self.dtype.dtype
        if self.ups is None:
            return [self.patterns(places).view(of)]
        row, column = (places, places) if self.kind else np.divmod(places, len(self.ups))
        return [self.patterns(row).view(of), self.ups[column].view(of)]

    @property
    def inputs(self) -> list[Any]:
        """Arrays of the format: x, and ups of the same length."""
        if self.ups is None:
            return [self.patterns().view(self.dtype.dtype)]
        return self.at(np.arange(len(self)))

    def __len__(self) -> int:
        """Return the number of inputs, or of pairs."""
        size = self.end - self.first if self.bits is None else len(self.bits)
        return size if self.ups is None or self.kind else size * len(self.ups)

    def __str__(self) -> str:
        numbers = numbers_of(self.dtype, self.patterns())
        first, last = float(np.fmin.reduce(numbers)), float(np.fmax.reduce(numbers))
        noun = "inputs" if self.ups is None else "pairs"
        return f"{len(self):,} {noun}, x from {first!r} to {last!r}"


@dataclass(frozen=True)
class Inputs:
    """Inputs of a measurement.

    Attributes
    ----------
    dtype
        Their format.
    low, high
        The range of x, both ends included.
    every
        True to take each number; formats of at most 16 bits are always taken whole.
    samples, seed
        Number of x in a sample, or of pairs, and what it is drawn by.
    ups
        Second inputs, numbers of the format; empty for kernels of one input.
    drawn_ups
        True if `ups` stand for all numbers of the format, so that they have weights among draws.
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
        """True if each x of the range is taken."""
        numbers = sum(end - first for _, first, end in self._ranges)
        return self.every or self.dtype.width <= SMALL or numbers <= self._most

    @property
    def _most(self) -> int:
        """The number of x in a sample."""
        return max(1, self.samples // max(1, len(self.ups)))

    @property
    def exhaustive(self) -> bool:
        """True if each x is taken and, of pairs, with each second input."""
        return self.each_x and (self.drawn_ups or not self.ups)

    def units(self) -> list[Unit]:
        """Cut the inputs into units.

        Raises UsageError if the range holds no number of the format.
        """
        if self.ups:
            units = list(self._pairs())
        elif self.every and self.dtype.width > SMALL:
            units = list(self._stretches())
        else:
            units = list(in_units_of(self.dtype, self._bits()))
        if not units:
            raise UsageError(
                f"--range {self.low:g}:{self.high:g} holds no number of {self.dtype.name}"
            )
        return units

    def special(self) -> Unit:
        """Return ±∞, if the format has them, and NaN, with ups and each other."""
        bits = [self.dtype.bits(each) for each in (inf, -inf) if self.dtype.infinite]
        kind = f"u{self.dtype.width // 8}"
        limits = np.array([*bits, self.dtype.bits(np.nan)], kind)
        if not self.ups:
            return Unit(self.dtype, bits=limits, kind=SPECIAL)
        ups = bits_of(self.dtype, np.array(self.ups[:: len(self.ups) // 64 or 1]))
        both = np.concatenate([ups, limits])
        x = np.concatenate([np.repeat(limits, len(both)), np.repeat(ups, len(limits))])
        seconds = np.concatenate([np.tile(both, len(limits)), np.tile(limits, len(ups))])
        return Unit(self.dtype, bits=x, ups=seconds, kind=SPECIAL)

    def drawn(self, normal: Normal) -> list[Unit]:
        """Return DRAWS pairs of independent draws from a distribution."""
        generator = np.random.default_rng(0)
        both = (round_array(generator.normal(*normal, DRAWS), self.dtype) for _ in range(2))
        x, ups = (bits_of(self.dtype, each) for each in both)
        return [
            Unit(self.dtype, bits=x[i : i + PAIRS], ups=ups[i : i + PAIRS], kind=DRAWN)
            for i in range(0, DRAWS, PAIRS)
        ]

    @property
    def _ranges(self) -> list[tuple[int, int, int]]:
        return [(sign, *pattern_range(self.dtype, sign, self.low, self.high)) for sign in (1, -1)]

    def _bits(self) -> Patterns:
        if not self.each_x:
            return sample(self.dtype, self._ranges, self._most, self.seed)
        return np.concatenate([Unit(self.dtype, *each).patterns() for each in self._ranges])

    def _stretches(self) -> Iterator[Unit]:
        total = sum(end - first for _, first, end in self._ranges)
        step = BINADE
        while step > CALL and total < ENOUGH * step:
            step //= 2
        for sign, first, end in self._ranges:
            for start in range(first - first % step, end, step):
                yield Unit(self.dtype, sign, max(start, first), min(start + step, end))

    def _pairs(self) -> Iterator[Unit]:
        """Yield units of pairs: each in one region of x and one of ups."""
        bits = self._bits()
        x, ups = numbers_of(self.dtype, bits), np.array(self.ups)
        regions = list(parts(self.dtype, x)) if len(x) else []
        for _, some in parts(self.dtype, ups, second=True):
            seconds = bits_of(self.dtype, ups[some])
            step = max(1, PAIRS // len(seconds))
            ups_around = around(ups, some)
            for _, where in regions:
                for start in range(where.start, where.stop, step):
                    part = slice(start, min(start + step, where.stop))
                    own = self.dtype, 1, 0, 0, bits[part], seconds
                    yield Unit(*own, around(x, part), ups_around)


def in_units_of(dtype: Format, bits: Patterns) -> Iterator[Unit]:
    """Yield units of AT_ONCE patterns in a row."""
    x = numbers_of(dtype, bits)
    for start in range(0, len(bits), AT_ONCE):
        part = slice(start, min(start + AT_ONCE, len(bits)))
        yield Unit(dtype, bits=bits[part], around=around(x, part))


def around(x: Floats, part: slice) -> Around:
    """Return the sizes before and after a part; NaN if there the sign changes."""
    negative = np.signbit(x)
    before = part.start and negative[part.start - 1] == negative[part.start]
    after = part.stop < len(x) and negative[part.stop] == negative[part.stop - 1]
    return (
        float(abs(x[part.start - 1])) if before else nan,
        float(abs(x[part.stop])) if after else nan,
    )


def sample(
    dtype: Format, ranges: Sequence[tuple[int, int, int]], count: int, seed: int
) -> Patterns:
    """Draw patterns, one from each of equal parts, half in the middle.

    The ends of ranges are always in the sample. Powers of 2 and their neighbours are in it up to
    half of `count`, evenly spread.
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
    """Add the sign bit to patterns of a sign."""
    # Numpy 1 makes float64s of an int and a uint64.
    return np.asarray(patterns, np.uint64) + np.uint64((sign < 0) << (dtype.width - 1))


def _spread(generator: np.random.Generator, size: int, count: int) -> Patterns:
    """Draw one place from each of `count` equal parts of 0, 1, …, size − 1."""
    count = min(count, size)
    if not count:
        return np.zeros(0, np.uint64)
    at = np.arange(count + 1, dtype=np.uint64)
    cuts = at * np.uint64(size // count) + at * np.uint64(size % count) // np.uint64(count)
    return generator.integers(cuts[:-1], cuts[1:], dtype=np.uint64)
