"""Arrays from .npy files, read a block at a time; and points from them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from fractions import Fraction
from io import BytesIO
from itertools import accumulate
from math import prod
from operator import mul
from typing import TYPE_CHECKING, Any, BinaryIO

from gelu_cli.arithmetic.typed import Number
from gelu_cli.cli.input.blocks import FEW, blocks_of
from gelu_cli.cli.input.grid import Grid
from gelu_cli.cli.input.numbers import Range
from gelu_cli.cli.input.streams import bytes_left, opened, shrunk
from gelu_cli.errors import UsageError
from gelu_cli.values.points import BULK, FewPoints, Points, points_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAGIC = b"\x93NUMPY"
ARCHIVE = b"PK\x03\x04"
LONGEST_HEADER = 10_000
"""Characters, the limit of numpy's own reader; a header of plain numbers has about 100."""

LENGTHS = {1: 2, 2: 4, 3: 4}
"""By the version of the format, the bytes that say how long its header is."""

GATHERED, GAP = 1 << 16, 16
"""Of Fortran's order so many numbers are collected at once; gaps up to so many are read as well."""


class NpyArray:
    """An array in a .npy file: the header is read at once, the numbers when they are asked for.

    Raises `UsageError` for what is no such file, or one that is not complete.
    """

    def __init__(self, stream: BinaryIO, name: str, start: bytes = b"") -> None:
        """Read the header; `start` is what has been read of the stream already."""
        self._stream, self._name = stream, name
        self.shape, fortran, self.dtype = _header(stream, name, start)
        self.size = prod(self.shape)
        lengths = [length for length in self.shape if length > 1]
        self._transposed = fortran and len(lengths) > 1 and self.size > 0
        left = bytes_left(stream)
        pickled = self.dtype.hasobject  # of any size
        if left is not None and left < self.size * self.dtype.itemsize and not pickled:
            raise UsageError(f"{name} is cut off: its header says that there are more numbers")
        if self._transposed and left is None:
            raise UsageError(f"{name} has its numbers in Fortran's order; only a file can be read")

    def blocks(self, size: int) -> Iterator[NDArray[Any]]:
        """Yield the numbers in blocks of so many, the last index running fastest."""
        if not self._transposed:
            for at in range(0, self.size, size):
                yield self._read(min(size, self.size - at))
            return
        begin = self._stream.tell()
        for at in range(0, self.size, GATHERED):
            gathered = self._gathered(begin, at, min(GATHERED, self.size - at))
            yield from (gathered[i : i + size] for i in range(0, len(gathered), size))

    def _read(self, count: int) -> NDArray[Any]:
        import numpy as np

        data = exactly(self._stream, count * self.dtype.itemsize)
        if len(data) < count * self.dtype.itemsize:
            raise shrunk(self._name)
        return np.frombuffer(data, self.dtype)

    def _gathered(self, begin: int, first: int, count: int) -> NDArray[Any]:
        """Return numbers that lie apart in the file, by as few reads as there are wide gaps."""
        import numpy as np

        places = self._places(first, count)
        order = np.argsort(places)
        cuts = np.flatnonzero(np.diff(places[order]) > GAP) + 1
        found = np.empty(count, self.dtype)
        for where in np.split(order, cuts):
            least, most = int(places[where[0]]), int(places[where[-1]])
            self._stream.seek(begin + least * self.dtype.itemsize)
            found[where] = self._read(most - least + 1)[places[where] - least]
        return found

    def _places(self, first: int, count: int) -> NDArray[np.int64]:
        """Return where in Fortran's order the numbers are that follow each other in C's."""
        import numpy as np

        lengths = [length for length in self.shape if length > 1]
        strides = list(accumulate(lengths[:-1], mul, initial=1))
        index, places = np.arange(first, first + count), np.zeros(count, np.int64)
        for length, stride in zip(reversed(lengths), reversed(strides), strict=True):
            index, digit = np.divmod(index, length)
            places += digit * stride
        return places


def _header(
    stream: BinaryIO, name: str, start: bytes
) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return shape, whether the order is Fortran's, and type."""
    import numpy as np

    magic = start + exactly(stream, len(MAGIC) + 2 - len(start))
    if magic.startswith(ARCHIVE):
        raise UsageError(f"{name} is not a .npy file but an archive of several (.npz)")
    if not magic.startswith(MAGIC) or len(magic) < len(MAGIC) + 2 or magic[6] not in LENGTHS:
        raise UsageError(f"{name} is not a .npy file of numbers")
    length = exactly(stream, LENGTHS[magic[6]])
    longest = min(int.from_bytes(length, "little"), LONGEST_HEADER + 1)
    header = BytesIO(length + exactly(stream, longest))
    read = (
        np.lib.format.read_array_header_1_0
        if magic[6] == 1
        else (np.lib.format.read_array_header_2_0)
    )  # the third differs only in the names of columns
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            shape, fortran, dtype = read(header)
    except Exception:  # whatever Python's parser says of ten thousand characters from outside
        raise UsageError(f"{name} is not a .npy file of numbers: its header is broken") from None
    if any(type(length) is not int or length < 0 for length in shape):
        raise UsageError(f"{name} is not a .npy file of numbers: its header is broken")
    return shape, fortran, dtype


def exactly(stream: BinaryIO, size: int) -> bytes:
    """Return so many bytes, fewer only at the end of the stream."""
    parts: list[bytes] = []
    while size > 0 and (part := stream.read(size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def npy_blocks(path: str, column: str | None, grid: Grid) -> Iterator[Points]:
    """Yield the numbers of an array of any shape and real type in blocks.

    Of a structured one, as `gelu table -o FILE.npy` writes it, they are those of one field: x, if
    no column is named. Raises `UsageError` for an array of other things.
    """
    with opened(path) as stream:
        array = NpyArray(stream, f"'{path}'")
        field = _field(array.dtype, column, f"'{path}'")
        kind = array.dtype[field] if field else array.dtype
        are_texts = field is not None and kind.kind == "U"  # of more digits than a float64 has
        if not are_texts and (kind.kind not in "fiub" or kind.itemsize > 8):
            raise UsageError(f"'{path}' holds {kind}, not numbers up to float64")
        for rows in array.blocks(FEW if grid.exact else BULK):
            part = rows[field] if field else rows
            if are_texts:
                yield from blocks_of(_parsed(part.tolist(), f"'{path}'", grid), grid)
            else:
                yield _block(part, grid)


def _parsed(words: list[str], name: str, grid: Grid) -> Iterator[Number | Range]:
    try:
        yield from map(grid.parse, words)
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from None


def _field(dtype: np.dtype[Any], column: str | None, name: str) -> str | None:
    """Return the field of a structured array that has the points, None for a plain one."""
    if not dtype.names:
        if column is not None:
            raise UsageError(f"--column picks a column, and {name} has none; leave it out")
        return None
    wanted = column or "x"
    if wanted not in dtype.names:
        remedy = "" if column else "; pick one with --column"
        raise UsageError(
            f"{name} has no column '{wanted}'; it has: {', '.join(dtype.names)}{remedy}"
        )
    return wanted


def _block(part: NDArray[Any], grid: Grid) -> Points:
    if grid.exact:
        return FewPoints([_as_typed(x) for x in part.tolist()])
    import numpy as np

    with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
        array = part.astype(np.float64)
    return points_of(grid.array(array, lambda i: _as_typed(part[i].item())))


def _as_typed(x: float) -> Number:
    return float(x) if x - x != 0 or x == 0 else Fraction(x)
