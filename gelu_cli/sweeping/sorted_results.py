"""Results in the order of the bit patterns of their inputs, however many there are.

A buffer of them is in memory. Each time that it is full it is sorted and goes to a temporary file
without a name; the sorted runs are merged as they are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from tempfile import TemporaryFile, gettempdir
from typing import IO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.arithmetic.format_arrays import Array
from gelu_cli.errors import ComputationError

HELD = 1 << 18
"""Rows in memory, of 16 bytes each: an input and a result."""

LEAST_HELD = 64
"""Rows that even one of many columns holds."""

WAYS = 256
"""Runs that are merged at once into one; of these, again WAYS are merged."""

LAST = np.uint64(2**64 - 1)
ROW = 2 * np.dtype(np.float64).itemsize
NO_ROWS = np.empty((0, 2))

Run: TypeAlias = range
"""Sorted rows in a file, by their numbers there."""


class SpillFile:
    """Rows in a temporary file: there is none before it is needed, and none after the `with`."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._length = 0

    def __enter__(self) -> SpillFile:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file:
            self._file.close()

    def append(self, parts: Iterable[Array]) -> Run:
        """Write rows; raises `ComputationError` where the disk does not take them."""
        first = self._length
        for rows in parts:
            try:
                file = self._opened()
                file.seek(self._length * ROW)
                file.write(rows.data)
                file.flush()
            except OSError as error:
                raise ComputationError(
                    f"sorting many results takes a temporary file in '{gettempdir()}': "
                    f"{error.strerror}; TMPDIR names another folder"
                ) from None
            self._length += len(rows)
        return range(first, self._length)

    def parts(self, run: Run, size: int) -> Iterator[Array]:
        """Yield the rows of a run in parts of a size."""
        file = self._opened()
        for at in range(0, len(run), size):
            part = run[at : at + size]
            file.seek(part.start * ROW)
            yield np.frombuffer(file.read(len(part) * ROW), np.float64).reshape(-1, 2)

    def _opened(self) -> IO[bytes]:
        if self._file is None:
            self._file = TemporaryFile(prefix="gelu-")  # noqa: SIM115 (closed in the end)
        return self._file


class SortedResults:
    """Results at inputs of a format, taken in any order; equal inputs keep theirs.

    >>> with SpillFile() as spill:
    ...     results = SortedResults(spill, held=2)
    ...     results.add(np.array([-1.0, 2.0, -0.0, 1.0, np.nan]), np.array([0.0, 1, 2, 3, 4]))
    ...     [x.tolist() for x, got in results.blocks(3)]
    [[1.0, 2.0, -0.0], [-1.0, nan]]
    """

    def __init__(self, spill: SpillFile, held: int = HELD, ways: int = WAYS) -> None:
        self._spill, self._ways = spill, ways
        self._buffer = np.empty((held, 2))
        self._filled = self._length = 0
        self._levels: list[list[Run]] = []
        """Runs of rows, runs merged of `ways` of them, and so on; higher levels are older."""

    def __len__(self) -> int:
        return self._length

    def add(self, x: Array, got: Array) -> None:
        """Take results at some inputs."""
        rows = np.column_stack([x, got])
        self._length += len(rows)
        while len(rows):
            if self._filled == len(self._buffer):
                self._store([_sorted(self._buffer)], level=0)
                self._filled = 0
            taken = rows[: len(self._buffer) - self._filled]
            self._buffer[self._filled : self._filled + len(taken)] = taken
            self._filled += len(taken)
            rows = rows[len(taken) :]

    def blocks(self, size: int) -> Iterator[tuple[Array, Array]]:
        """Yield inputs and results in blocks of a size, the inputs that are not finite last."""
        held = _sorted(self._buffer[: self._filled])
        stored = [run for level in reversed(self._levels) for run in level]
        for rows in _regrouped(_merged([*self._read(stored), iter([held])]), size):
            yield rows[:, 0].copy(), rows[:, 1].copy()

    def _store(self, parts: Iterable[Array], level: int) -> None:
        """Write a sorted run; when a level is full its runs become one of the next level."""
        if level == len(self._levels):
            self._levels.append([])
        runs = self._levels[level]
        runs.append(self._spill.append(parts))
        if len(runs) == self._ways:
            self._levels[level] = []
            self._store(_merged(self._read(runs)), level + 1)

    def _read(self, runs: Sequence[Run]) -> list[Iterator[Array]]:
        share = max(1, len(self._buffer) // (len(runs) + 1))
        return [self._spill.parts(run, share) for run in runs]


def _keys(rows: Array) -> NDArray[np.uint64]:
    """Return what rows are ordered by: the bit pattern, for float64s have the order of all."""
    x = rows[:, 0]
    return np.where(np.isfinite(x), x.view(np.uint64), LAST)


def _sorted(rows: Array) -> Array:
    return rows[np.argsort(_keys(rows), kind="stable")]


def _merged(runs: Sequence[Iterator[Array]]) -> Iterator[Array]:
    """Merge sorted runs that come in parts; of equal keys the earlier run's come first."""

    def next_of(run: Iterator[Array]) -> tuple[NDArray[np.uint64], Array]:
        rows = next(run, NO_ROWS)
        return _keys(rows), rows

    heads = [*map(next_of, runs)]  # of each run what is read and not merged yet
    while any(len(rows) for _, rows in heads):
        # No later part has a key before the least of the last ones: up to there all are here.
        key, turn = min((keys[-1], i) for i, (keys, _) in enumerate(heads) if len(keys))
        ends = [
            int(np.searchsorted(keys, key, side="right" if i <= turn else "left"))
            for i, (keys, _) in enumerate(heads)
        ]
        cut = [*zip(heads, ends, strict=True)]
        yield _sorted(np.concatenate([rows[:end] for (_, rows), end in cut]))
        heads = [(keys[end:], rows[end:]) for (keys, rows), end in cut]
        heads[turn] = next_of(runs[turn])


def _regrouped(parts: Iterable[Array], size: int) -> Iterator[Array]:
    rest = NO_ROWS
    for part in parts:
        rest = np.concatenate([rest, part])
        while len(rest) >= size:
            yield rest[:size]
            rest = rest[size:]
    if len(rest):
        yield rest
