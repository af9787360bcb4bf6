"""Arrays in .npy files, read a block at a time: points, and the rows of pre-activations."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from io import BytesIO
from math import prod
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.typed import Number
from gelu_cli.old.reading.files import ARCHIVE, NPY, begins_as, bytes_left, name_of, opened, shrunk
from gelu_cli.old.reading.names import named_column
from gelu_cli.old.reading.numbers import Grid, Range
from gelu_cli.old.reading.points import FEW, blocks_of, source_points
from gelu_cli.old.values.points import BULK, FewPoints, Points, points_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gelu_cli.old.network.preactivations import Block

LONGEST_HEADER = 10_000
"""Characters, the limit of numpy's own reader; a header of plain numbers has about 100."""

LENGTHS = {1: 2, 2: 4, 3: 4}
"""By the version of the format, the bytes that say how long its header is."""

MOST_TRANSPOSED = 1 << 30
"""Bytes of an array in Fortran order, which is read whole."""

AT_ONCE = 1 << 17
"""Numbers in a block of pre-activations, or a single row where that is longer."""


class NpyArray(NamedTuple):
    """An array in a .npy file, of which the header has been read, and no number yet."""

    stream: BinaryIO
    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    transposed: bool

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return prod(self.shape)

    def blocks(self, size: int) -> Iterator[NDArray[Any]]:
        """Yield the numbers in blocks of some size, the last index running fastest."""
        import numpy as np

        if self.transposed:
            whole = self._read(self.size).reshape(self.shape, order="F").ravel()
        for at in range(0, self.size, size):
            count = min(size, self.size - at)
            yield np.array(whole[at : at + count]) if self.transposed else self._read(count)

    def _read(self, count: int) -> NDArray[Any]:
        import numpy as np

        data = self.stream.read(count * self.dtype.itemsize)
        if len(data) < count * self.dtype.itemsize:
            raise shrunk(self.name)
        return np.frombuffer(data, self.dtype)


def read_array(stream: BinaryIO, name: str) -> NpyArray:
    """Return the array in a stream; raises `UsageError` for what is none, or is not complete."""
    import numpy as np

    magic = stream.read(len(NPY) + 2)
    if magic.startswith(ARCHIVE):
        raise UsageError(f"{name} is not a .npy file but an archive of several (.npz)")
    if not magic.startswith(NPY) or len(magic) < len(NPY) + 2 or magic[6] not in LENGTHS:
        raise UsageError(f"{name} is not a .npy file of numbers")
    length = stream.read(LENGTHS[magic[6]])
    header = stream.read(min(int.from_bytes(length, "little"), LONGEST_HEADER + 1))
    formats = np.lib.format
    read = formats.read_array_header_1_0 if magic[6] == 1 else formats.read_array_header_2_0
    try:  # the third version differs only in the names of columns
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            shape, fortran, dtype = read(BytesIO(length + header))
    except Exception:  # whatever Python's parser says of ten thousand characters from outside
        raise UsageError(f"{name} is not a .npy file of numbers: its header is broken") from None
    if any(type(length) is not int or length < 0 for length in shape):
        raise UsageError(f"{name} is not a .npy file of numbers: its header is broken")
    size, left = prod(shape) * dtype.itemsize, bytes_left(stream)
    if left is not None and left < size and not dtype.hasobject:  # pickled, of any size
        raise UsageError(f"{name} is cut off: its header says that there are more numbers")
    transposed = fortran and size > 0 and sum(length > 1 for length in shape) > 1
    if transposed and size > MOST_TRANSPOSED:
        most = f"at most {MOST_TRANSPOSED >> 20:,} MiB are read in Fortran order"
        raise UsageError(f"{name} has {size >> 20:,} MiB, and {most}; save it in C order")
    return NpyArray(stream, name, shape, dtype, transposed)


def array_points(stream: BinaryIO, name: str, column: str | None, grid: Grid) -> Iterator[Points]:
    """Yield the numbers of an array of any shape and real type in blocks.

    Of a structured one, as `gelu table -o FILE.npy` writes it, they are those of one field: x, if
    no column is named; of one of two dimensions those of a column, if one is named. Raises
    `UsageError` for an array of other things, and for one of nothing.
    """
    array = read_array(stream, name)
    names, kind, place, width = array.dtype.names, array.dtype, 0, 1
    if names:
        field = named_column(column, names, name)
        kind = kind[field]
    elif column is not None:
        if len(array.shape) != 2:
            raise UsageError(f"--column picks a column, and {name} has none; leave it out")
        width = array.shape[1]
        places = [f"column {number}" for number in range(1, width + 1)]
        place = places.index(named_column(column, places, name))
    are_texts = bool(names) and kind.kind == "U"  # of more digits than a float64 has
    if not are_texts and (kind.kind not in "fiub" or kind.itemsize > 8):
        raise UsageError(f"{name} holds {kind}, not numbers up to float64")
    if not array.size:
        raise UsageError(f"{name} holds no numbers")
    for rows in array.blocks(max(1, (FEW if grid.exact else BULK) // width) * width):
        part = rows[field] if names else rows[place::width]
        if are_texts:
            yield from blocks_of(_parsed(part.tolist(), name, grid), grid)
        elif grid.exact:
            yield FewPoints([_number_at(part, i) for i in range(len(part))])
        else:
            exactly_at = partial(_number_at, part)
            yield points_of(grid.array(_floats(part), exactly_at))


def _parsed(words: list[str], name: str, grid: Grid) -> Iterator[Number | Range]:
    try:
        yield from map(grid.parse, words)
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from None


def _floats(numbers: NDArray[Any]) -> NDArray[np.float64]:
    import numpy as np

    with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
        return numbers.astype(np.float64)


def _number_at(numbers: NDArray[Any], i: int) -> Number:
    """Return a number of an array, exactly; infinities, NaN and the signs of zeros are floats."""
    x = numbers[i].item()
    return float(x) if x - x != 0 or x == 0 else Fraction(x)


# Pre-activations


def read_preactivations(
    source: str, column: str | None = None, packed: str | None = None
) -> Iterator[Block]:
    """Yield the rows of an array (…, units), or numbers of text as those of a single unit.

    `source` is a file or `-`, stdin, which has a .npy file or text; an array of one dimension is
    of a single unit, too. Those of gates and ups are `packed` in twice as many columns, or with an
    empty text pairs, (…, units, 2). Raises `UsageError` for no numbers, and for an array of other
    things than floats, or of no pairs.
    """
    import numpy as np

    from gelu_cli.old.network.preactivations import Block

    name, first = name_of(source), 0
    with opened(source) as stream:
        is_array = column is None and (source.endswith(".npy") or begins_as(stream, NPY))
        if not is_array and packed is None:
            for points in filter(len, source_points(stream, source, column, Grid())):
                yield Block(np.array(points.block([]), np.float64), first, (-1,), name)
                first += len(points)
        else:
            array = read_array(stream, name)
            if array.dtype.kind != "f" or array.dtype.itemsize > 8:
                raise UsageError(
                    f"{name} holds {array.dtype}, not float16, float32 or float64; convert: "
                    "np.save('h.npy', h.astype('float32'))"
                )
            columns = max(1, prod(array.shape[1:][-2 if packed == "" else -1 :]))
            if packed is not None and (columns % 2 or (not packed and array.shape[-1] != 2)):
                due = "an even last axis" if packed else "shape (…, 2), or --packed LAYOUT"
                raise UsageError(f"{name} has shape {array.shape}: gates and ups need {due}")
            for part in array.blocks(max(1, AT_ONCE // columns) * columns):
                yield Block(_floats(part).reshape(-1, columns), first, array.shape, name)
                first += len(part) // columns
    if not first:
        raise UsageError(f"{name} holds no numbers")
