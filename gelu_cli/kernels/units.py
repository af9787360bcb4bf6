"""The inputs of a sweep in units, each judged at once, which processes may share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from gelu_cli.arithmetic.format_arrays import Array, every_number
from gelu_cli.arithmetic.formats import Format
from gelu_cli.errors import UsageError
from gelu_cli.kernels.inputs import Inputs, sample, size_of, stretches
from gelu_cli.kernels.neighbours import ROUND
from gelu_cli.kernels.runs import BINADE, FLOAT32, RUN, SIGN_BIT

BLOCK = 1 << 16
"""Numbers in a unit of a format that is taken as arrays, and that are judged at once."""

AT_ONCE = 8
"""Runs of float32s that a user's function gets in a call: its process has to wake up for each."""

LEAST = 1 << 11
"""Numbers in a unit, or more, however few a call has: judging takes its time for each unit."""

PARTS = 8
"""So many batches a sample has, or more, unless they were shorter than a round of neighbours."""

ENOUGH = 256
"""So many units keep many processes busy to the end; a small range has smaller ones."""


class Stretch(NamedTuple):
    """Float32s of one sign and exponent field: the bit patterns from `first` to before `end`."""

    sign: int
    field: int
    first: int
    end: int


Unit: TypeAlias = Stretch | Array


def unit_size(unit: Unit) -> int:
    """Return how many inputs a unit has."""
    return unit.end - unit.first if isinstance(unit, Stretch) else len(unit)


class Batch(NamedTuple):
    """How many inputs a call of a user's function has if nobody says, and one of them."""

    size: int
    example: float


def batch_of(units: Sequence[Unit], sampled: bool) -> Batch:
    """Return the longest call that units give, of a sample a part of it.

    Neighbours of the worst of a sample are asked in some ten rounds, each in full batches: those of
    a small sample are small, else a slow function would compute little else.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> batch_of(units_of(FORMATS["bfloat16"], Inputs(1, 2)), sampled=False)
    Batch(size=129, example=1.0)
    """
    first, total = units[0], sum(map(unit_size, units))
    if isinstance(first, Stretch):
        bits = first.first | (SIGN_BIT if first.sign < 0 else 0)
        return Batch(min(AT_ONCE * RUN, total), FLOAT32.number(bits))
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

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> [len(unit) for unit in units_of(FORMATS["bfloat16"], Inputs(1, 2))]
    [129]
    """
    if inputs.every and number_format is FLOAT32:
        units: Sequence[Unit] = _stretches(inputs, batch)
    else:
        x = _numbers(number_format, inputs)
        units = blocks_of(x, max(BLOCK, batch))
    if not units:
        range_ = f"{inputs.low:g}:{inputs.high:g}"
        raise UsageError(f"--range {range_} holds no number of {number_format.name}")
    return units


def units_of_calls(units: Sequence[Unit], batch: int) -> Sequence[Unit]:
    """Return arrays cut so that one has few calls: a function that fails loses what is with it.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> units = units_of(FORMATS["float16"], Inputs(1, 16))
    >>> [len(unit) for unit in units_of_calls(units, 1000)]
    [3000, 1097]
    """
    size = -(-LEAST // batch) * batch
    return [
        part
        for unit in units
        for part in ([unit] if isinstance(unit, Stretch) else blocks_of(unit, size))
    ]


def blocks_of(x: Array, size: int) -> list[Array]:
    """Return numbers in blocks of so many."""
    return [x[i : i + size] for i in range(0, len(x), size)]


def _numbers(number_format: Format, inputs: Inputs) -> Array:
    if inputs.every:
        return every_number(number_format, inputs.low, inputs.high)
    return sample(number_format, inputs.samples, inputs.seed, inputs.low, inputs.high)


def _stretches(inputs: Inputs, batch: int) -> list[Stretch]:
    ranges = stretches(FLOAT32, inputs.low, inputs.high)
    step = _step(size_of(ranges), batch)
    return [
        Stretch(sign, start // BINADE, max(start, first), min(start + step, end))
        for sign, first, end in ranges
        if first < end
        for start in range(first - first % step, end, step)
    ]


def _step(total: int, batch: int) -> int:
    """Return how many float32s a unit has: a binade, or some calls of a user's function."""
    step = BINADE
    while step // 2 >= max(AT_ONCE * RUN, batch) and total < ENOUGH * step:
        step //= 2
    return step
