"""Which inputs of a format a sweep takes, in units: each is judged at once, by some process."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.format_arrays import (
    Array,
    Floats,
    every_number,
    held,
    numbers,
    pattern_range,
)
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.sweeping.doubling import FEW
from gelu_cli.old.sweeping.regions import region_of_up
from gelu_cli.old.sweeping.runs import BINADE, FLOAT32, RUN, SIGN_BIT

MIDDLE = (-16.0, 8.0)
LEAST_SIZE = 2.0**-4
"""Half of a sample lies in `MIDDLE`, at sizes from here up: there forms change, and sums cancel."""

Patterns: TypeAlias = NDArray[np.uint64]


class Inputs(NamedTuple):
    """Which inputs to take: a range, all of them or so many at random."""

    low: float = -inf
    high: float = inf
    every: bool = True
    samples: int = 1_000_000
    seed: int = 0
    infinities: bool = False
    """Whether ±∞, where the format has them, and NaN are taken as well."""

    ups: tuple[float, ...] = ()
    """The second inputs of kernels that have two, in the order of their bits."""

    every_up: bool = False
    """Whether these are all finite numbers of the format."""


class Stretch(NamedTuple):
    """Numbers of one sign: the bit patterns, its own bit left out, from `first` to before `end`."""

    sign: int
    first: int
    end: int

    @property
    def field(self) -> int:
        """The exponent field of float32s that begin in it."""
        return self.first // BINADE


class Pairs(NamedTuple):
    """Pairs of inputs: each x with each of some second inputs, which are in one region.

    They are in the order of x, and for one x in that of `ups`; of `every_up` no number is left out
    between these.
    """

    x: Array
    ups: Array
    every_up: bool = False

    def arrays(self, number_format: Format) -> Floats:
        """Return both inputs of all pairs, a row each, as numbers of a format are held."""
        x, ups = (held(number_format, each) for each in (self.x, self.ups))
        both = np.empty((2, len(x), len(ups)), x.dtype)
        both[0], both[1] = x[:, None], ups
        return both.reshape(2, -1)


def sample(
    number_format: Format, count: int, seed: int, low: float = -inf, high: float = inf
) -> Array:
    """Return about so many numbers of a range in the order of their bits, the edges among them.

    Half of the others lie from −16 to −1/16 and from 1/16 to 8, half elsewhere; each half is
    spread evenly over its numbers, so that every binade of it has the same share. What one half
    has no room for goes to the other. Edges are zeros, the least and largest subnormal and normal
    numbers, and every power of 2 with its neighbours. `number_format` is float32 or float64. Of a
    range with no more numbers than that, all.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> x = sample(FORMATS["float32"], 100_000, seed=0)
    >>> middle = (-16 <= x) & (x <= 8) & (np.abs(x) >= 1 / 16)
    >>> bool(0.49 < np.mean(middle) < 0.5)
    True
    """
    ends = stretches(number_format, low, high)
    edges = _edges(number_format, ends)
    if size_of(ends) <= max(count, len(edges)):
        return every_number(number_format, low, high)
    inner, outer = _inner_and_outer(number_format, ends)
    missing = max(count - len(edges), 0)
    of_inner = min(max(missing // 2, missing - size_of(outer)), size_of(inner))
    generator = np.random.default_rng(seed)
    shares = ((outer, missing - of_inner), (inner, of_inner))
    drawn = [patterns(number_format, part, _spread(generator, size_of(part), share))
             for part, share in shares]  # fmt: skip
    return numbers_at(number_format, ascending(np.concatenate([edges, *drawn])))


def takes_every(number_format: Format, inputs: Inputs) -> bool:
    """Return whether every number of the range is taken, asked for or since they are so few."""
    ends = stretches(number_format, inputs.low, inputs.high)
    return inputs.every or size_of(ends) <= max(inputs.samples, len(_edges(number_format, ends)))


def stretches(number_format: Format, low: float, high: float) -> list[Stretch]:
    """Return the numbers of a range: those from 0 up, then those from −0 down."""
    return [Stretch(sign, *pattern_range(number_format, sign, low, high)) for sign in (1, -1)]


def size_of(parts: Sequence[Stretch]) -> int:
    """Return how many numbers the stretches have."""
    return sum(part.end - part.first for part in parts)


def patterns(number_format: Format, parts: Sequence[Stretch], places: Patterns) -> Patterns:
    """Return the bit patterns at some places, ascending, along all numbers of the stretches."""
    found, start = [], 0
    for sign, first, end in parts:
        inside = places[(places >= start) & (places < start + end - first)]
        found.append(inside - start + first + _sign_bit(number_format, sign))
        start += end - first
    return np.concatenate(found)


def numbers_at(number_format: Format, bits: Patterns) -> Array:
    """Return what bit patterns stand for."""
    return numbers(number_format, bits.view(np.int64))


def ascending(bits: Patterns) -> Patterns:
    """Return bit patterns in order, each once; numpy.unique takes ten times as long."""
    bits = np.sort(bits)
    distinct: Patterns = bits[np.append(True, bits[1:] != bits[:-1])[: len(bits)]]
    return distinct


def _sign_bit(number_format: Format, sign: int) -> int:
    return 1 << (number_format.width - 1) if sign < 0 else 0


def _edges(number_format: Format, ends: Sequence[Stretch]) -> Patterns:
    top = number_format.bits(number_format.largest)
    powers = np.arange(0, top, 1 << (number_format.precision - 1), dtype=np.uint64)
    sizes = ascending(np.concatenate([powers, powers[1:] - 1, powers + 1, [np.uint64(top)]]))
    return np.concatenate([
        sizes[(sizes >= first) & (sizes < end)] + _sign_bit(number_format, sign)
        for sign, first, end in ends
    ])  # fmt: skip


def _inner_and_outer(
    number_format: Format, ends: Sequence[Stretch]
) -> tuple[list[Stretch], list[Stretch]]:
    """Cut stretches where the middle begins and ends."""
    inner, outer = [], []
    for sign, first, end in ends:
        size = max(sign * end for end in MIDDLE)
        begins, stops = pattern_range(number_format, 1, LEAST_SIZE, size)
        begins, stops = (min(max(cut, first), end) for cut in (begins, stops))
        inner.append(Stretch(sign, begins, stops))
        outer += [Stretch(sign, first, begins), Stretch(sign, stops, end)]
    return inner, outer


def _spread(generator: np.random.Generator, size: int, count: int) -> Patterns:
    """Return one place at random in each of so many equal parts of 0, 1, …, size − 1."""
    if not count:
        return np.zeros(0, np.uint64)
    whole, rest = divmod(size, count)
    part = np.arange(count + 1, dtype=np.uint64)
    starts = part * whole + part * rest // count
    return generator.integers(starts[:-1], starts[1:], dtype=np.uint64)


BLOCK = 1 << 16
"""Numbers in a unit of a format that is taken as arrays, and that are judged at once."""

AT_ONCE = 8
"""Runs of float32s that a user's function gets in a call: its process has to wake up for each."""

LEAST = 1 << 11
"""Smallest unit of short calls, because each unit has a fixed cost."""

ROUND = 2048
"""Inputs in a round of neighbours of a small sample."""

PARTS = 8
"""A sample has at least PARTS batches, unless they would have fewer than ROUND inputs."""

ENOUGH = 256
"""Units that keep many processes busy to the end: units of a small range are smaller for it."""


PAIRS = 1 << 19
"""Pairs of inputs in a unit, about."""

Unit: TypeAlias = Stretch | Pairs | Array
"""Some of the inputs: a stretch of float32s with one exponent field, pairs, or any numbers."""


def unit_size(unit: Unit) -> int:
    """Return how many inputs a unit has."""
    if isinstance(unit, Pairs):
        return len(unit.x) * len(unit.ups)
    return unit.end - unit.first if isinstance(unit, Stretch) else len(unit)


class Batch(NamedTuple):
    """How many inputs a call of a user's function has if nobody says, and one of them."""

    size: int
    example: float


def some_pairs(units: Sequence[Unit], count: int, seed: int) -> Array:
    """Return about so many of the pairs of units, two rows, spread evenly: all if so many are."""
    generator, total, found = np.random.default_rng(seed), sum(map(unit_size, units)), []
    for unit in units:
        if isinstance(unit, Pairs):
            places = _spread(generator, unit_size(unit), -(-unit_size(unit) * count // total))
            found.append([unit.x[places // len(unit.ups)], unit.ups[places % len(unit.ups)]])
    return np.concatenate(found, axis=1)


def batch_of(units: Sequence[Unit], sampled: bool) -> Batch:
    """Return the longest call that units give, of a sample a part of it.

    Neighbours of the worst of a sample are asked in some ten rounds, each in full batches: those of
    a small sample are small, else a slow function would compute little else.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> batch_of(units_of(FORMATS["bfloat16"], Inputs(1, 2)), sampled=False)
    Batch(size=129, example=1.0)
    """
    first, total = units[0], sum(map(unit_size, units))
    if isinstance(first, Stretch):
        bits = first.first | (SIGN_BIT if first.sign < 0 else 0)
        return Batch(min(AT_ONCE * RUN, total), FLOAT32.number(bits))
    if isinstance(first, Pairs):
        return Batch(min(BLOCK, max(map(unit_size, units))), float(first.x[0]))
    if not sampled:
        return Batch(min(BLOCK, total), float(first[0]))
    part = max(total // PARTS, ROUND)
    part = 1 << (part.bit_length() - 1)  # it divides a block
    return Batch(min(BLOCK, part, total), float(first[0]))


def units_of(number_format: Format, inputs: Inputs, batch: int = 1) -> Sequence[Unit]:
    """Return the inputs in units, in the order of their bits, whoever will judge them.

    A unit has room for a call of `batch` inputs, but for a float32's that is a binade at most.
    Every float32 of a range comes in stretches of a binade, all else as arrays. Raises `UsageError`
    where the range holds no number of the format.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> [len(unit) for unit in units_of(FORMATS["bfloat16"], Inputs(1, 2))]
    [129]
    """
    if inputs.ups:
        units: Sequence[Unit] = _pairs(number_format, inputs)
    elif inputs.every and number_format is FLOAT32:
        units = _stretches(inputs, batch)
    else:
        x = _numbers(number_format, inputs)
        units = blocks_of(x, max(BLOCK, batch))
    if not units:
        range_ = f"{inputs.low:g}:{inputs.high:g}"
        raise UsageError(f"--range {range_} holds no number of {number_format.name}")
    return units


def units_of_calls(units: Sequence[Unit], batch: int) -> Sequence[Unit]:
    """Return arrays cut so that one has few calls: a function that fails loses what is with it.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> units = units_of(FORMATS["float16"], Inputs(1, 16))
    >>> [len(unit) for unit in units_of_calls(units, 1000)]
    [3000, 1097]
    """
    size = -(-LEAST // batch) * batch
    return [
        part
        for unit in units
        for part in ([unit] if isinstance(unit, Stretch | Pairs) else blocks_of(unit, size))
    ]


def blocks_of(x: Array, size: int) -> list[Array]:
    """Return numbers in blocks of so many, of two rows both."""
    return [x[..., i : i + size] for i in range(0, x.shape[-1], size)]


def _numbers(number_format: Format, inputs: Inputs) -> Array:
    if inputs.every:
        return every_number(number_format, inputs.low, inputs.high)
    return sample(number_format, inputs.samples, inputs.seed, inputs.low, inputs.high)


def _pairs(number_format: Format, inputs: Inputs) -> list[Pairs]:
    """Cut pairs so that the second inputs of a unit are in one region."""
    if not inputs.every:
        inputs = inputs._replace(samples=max(1, inputs.samples // len(inputs.ups)))
    x, ups = _numbers(number_format, inputs), np.array(inputs.ups)
    regions = [region_of_up(number_format, up) for up in inputs.ups]
    cuts = [i for i in range(1, len(ups)) if regions[i] != regions[i - 1]]
    groups = [ups[start:end] for start, end in pairwise([0, *cuts, len(ups)])]
    if inputs.every_up:
        groups = [part for each in groups for part in _by_significand(each)]
    longest = max(map(len, groups))
    return [
        Pairs(part, some, inputs.every_up)
        for part in blocks_of(x, max(1, PAIRS // longest) if inputs.every_up else BLOCK)
        for group in groups
        for some in blocks_of(group, max(1, PAIRS // len(part)))
    ]


def _by_significand(ups: Array) -> list[Array]:
    """Return second inputs that differ by powers of 2 together, if they are many."""
    significands = np.frexp(np.abs(ups))[0]
    distinct = np.unique(significands)
    if len(distinct) * FEW > len(ups):
        return [ups]
    return [ups[significands == each] for each in distinct]


def _stretches(inputs: Inputs, batch: int) -> list[Stretch]:
    """Cut a range where binades begin, or so that a unit has some calls of a user's function."""
    ranges = stretches(FLOAT32, inputs.low, inputs.high)
    step = BINADE
    while step // 2 >= max(AT_ONCE * RUN, batch) and size_of(ranges) < ENOUGH * step:
        step //= 2
    return [
        Stretch(sign, max(start, first), min(start + step, end))
        for sign, first, end in ranges
        if first < end
        for start in range(first - first % step, end, step)
    ]
