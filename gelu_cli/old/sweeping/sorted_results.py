"""Results in the order of the bit patterns of their inputs, however many there are.

A buffer of them is in memory. Each time that it is full it is sorted and goes to a temporary file
without a name. Keys that cut these sorted runs into parts of a buffer's size come from a sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile, gettempdir
from typing import IO, TypeAlias

import numpy as np

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic.format_arrays import Array

HELD = 1 << 18
"""Results in memory, of 24 bytes each: an input, a result, and what they are ordered by."""

LEAST_HELD = 64
"""Results that even one of many columns holds."""

LAST = np.uint64(2**64 - 1)

Rows: TypeAlias = Array
"""Rows of numbers: the keys, as float64s of the same bits, the inputs, the results, the ups."""


class SpillFile:
    """Sorted runs in a temporary file: there is none before it is needed, and none afterwards."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._length = 0

    def __enter__(self) -> SpillFile:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file:
            self._file.close()

    def append(self, rows: Rows) -> slice:
        """Write rows; raises `ComputationError` where the disk does not take them."""
        place = slice(self._length, self._length + rows.size)
        try:
            if self._file is None:
                self._file = TemporaryFile(prefix="gelu-")  # noqa: SIM115 (closed in the end)
            self._file.seek(place.start * rows.itemsize)
            self._file.write(rows.data)
            self._file.flush()
        except OSError as error:
            raise ComputationError(
                f"sorting many results takes a temporary file in '{gettempdir()}': "
                f"{error.strerror}; TMPDIR names another folder"
            ) from None
        self._length = place.stop
        return place

    def runs(self, places: Iterable[slice], height: int) -> list[Rows]:
        """Return what was written, which is read from the file where it is used."""
        if self._file is None:
            return []
        numbers = np.memmap(self._file, np.float64, mode="r")
        return [numbers[place].reshape(height, -1) for place in places]


class SortedResults:
    """Results at inputs of a format, taken in any order; equal inputs keep theirs.

    Of `pairs` second inputs come behind the results; the order is that of the first ones.

    >>> with SpillFile() as spill:
    ...     results = SortedResults(spill, held=2)
    ...     results.add(np.array([-1.0, 2.0, -0.0, 1.0, np.nan]), np.array([0.0, 1, 2, 3, 4]))
    ...     [x.tolist() for x, got in results.blocks(3)]
    [[1.0, 2.0, -0.0], [-1.0, nan]]
    """

    def __init__(self, spill: SpillFile, held: int = HELD, *, pairs: bool = False) -> None:
        self._spill = spill
        self._buffer = np.empty((3 + pairs, held))
        self.pairs = pairs
        self._filled = self._length = 0
        self._places: list[slice] = []

    def __len__(self) -> int:
        return self._length

    def add(self, x: Array, got: Array, *ups: Array) -> None:
        """Take results at some inputs."""
        self._length += len(x)
        # The bit pattern is the key, for float64s have the order of all formats.
        x = np.ascontiguousarray(x, np.float64)
        finite = np.isfinite([x, *ups]).all(axis=0)
        keys = np.where(finite, x.view(np.uint64), LAST).view(np.float64)
        rows = np.stack([keys, x, got, *ups])
        while rows.size:
            if self._filled == self._buffer.shape[1]:
                self._places.append(self._spill.append(_sorted(self._buffer)))
                self._filled = 0
            taken = rows[:, : self._buffer.shape[1] - self._filled]
            self._buffer[:, self._filled : self._filled + taken.shape[1]] = taken
            self._filled += taken.shape[1]
            rows = rows[:, taken.shape[1] :]

    def blocks(self, size: int) -> Iterator[Array]:
        """Yield inputs, results and ups in blocks of a size, what is not finite last."""
        height = len(self._buffer)
        runs = [*self._spill.runs(self._places, height), _sorted(self._buffer[:, : self._filled])]
        rest = np.empty((height, 0))
        for part in _merged(runs, self._buffer.shape[1]):
            rest = np.concatenate([rest, part], axis=1)
            whole = rest.shape[1] - rest.shape[1] % size
            for at in range(0, whole, size):
                yield rest[1:, at : at + size].copy()
            rest = rest[:, whole:]
        if rest.size:
            yield rest[1:].copy()


def _sorted(rows: Rows) -> Rows:
    return np.take(rows, np.argsort(rows[0].view(np.uint64), kind="stable"), axis=1)


def _merged(runs: list[Rows], size: int) -> Iterator[Rows]:
    """Yield rows of sorted runs in order, about `size` at once; of equal keys the earlier run's.

    Between two keys out of len(runs) of a sample, one in `every` rows of a run, there are less than
    2·every rows of each run.
    """
    keys = [run[0].view(np.uint64) for run in runs]
    every = max(1, size // (2 * len(runs)))
    sample = np.sort(np.concatenate([each[every - 1 :: every] for each in keys]))
    starts = [0] * len(runs)
    for key in np.unique(np.append(sample[len(runs) - 1 :: len(runs)], LAST)):
        ends = [int(np.searchsorted(each, key, "left")) for each in keys]
        cut = zip(runs, starts, ends, strict=True)
        yield _sorted(np.concatenate([run[:, start:end] for run, start, end in cut], axis=1))
        starts = [int(np.searchsorted(each, key, "right")) for each in keys]
        for run, start, end in zip(runs, ends, starts, strict=True):  # those that are equal to it
            for at in range(start, end, size):
                yield run[:, at : min(at + size, end)]
