"""Numbers of a format as programs store them: bit patterns or floats, raw or in .npy files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from gelu_cli.arithmetic.formats import Format
from gelu_cli.cli.input.npy import MAGIC, NpyArray, exactly
from gelu_cli.cli.input.streams import bytes_left, name_of, shrunk
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gelu_cli.arithmetic.format_arrays import Array


class RawNumbers:
    """Bit patterns of a format, little-endian and nothing else, up to the end of a stream.

    Raises `UsageError` where a file does not end with a whole number.
    """

    def __init__(self, stream: BinaryIO, name: str, number_format: Format, start: bytes) -> None:
        """Look at the size of a file; `start` is what has been read of the stream already."""
        self._stream, self._start = stream, start
        self.name, self._format = name, number_format
        self._size = number_format.width // 8
        left = bytes_left(stream)
        self.length = None if left is None else self._whole(len(start) + left)
        """How many numbers there are; None for a pipe, which does not tell."""

    def blocks(self, size: int) -> Iterator[Array]:
        """Yield the numbers in blocks of so many."""
        import numpy as np

        from gelu_cli.arithmetic.format_arrays import numbers

        left = self.length
        while left is None or left > 0:
            due = (size if left is None else min(size, left)) * self._size
            data = self._start + exactly(self._stream, due - len(self._start))
            self._start = b""
            if left is not None:
                left -= size
                if len(data) < due:
                    raise shrunk(self.name)
            if self._whole(len(data)):
                bits = np.frombuffer(data, f"<u{self._size}").astype(np.int64)
                yield numbers(self._format, bits)
            if len(data) < due:
                return

    def _whole(self, count: int) -> int:
        if count % self._size:
            raise UsageError(
                f"{self.name} has {count} bytes: not a whole number of {self._format.name}s, "
                f"which have {self._size} each"
            )
        return count // self._size


class ArrayNumbers:
    """Numbers of a format in a .npy file: bit patterns, or floats that the format has.

    Raises `UsageError` for an array of anything else.
    """

    def __init__(self, array: NpyArray, name: str, number_format: Format) -> None:
        require_numbers(array.dtype, number_format, name)
        self._array = array
        self.name, self._format = name, number_format
        self.length = array.size

    def blocks(self, size: int) -> Iterator[Array]:
        """Yield the numbers in blocks of so many, the last index running fastest."""
        first = 1
        for values in self._array.blocks(size):
            yield decoded(values, self._format, self.name, first)
            first += len(values)


StoredNumbers: TypeAlias = RawNumbers | ArrayNumbers


def stored_numbers(stream: BinaryIO, path: str, number_format: Format) -> StoredNumbers:
    """Return the numbers in a stream; `path` is what it is called, or `-`."""
    name = name_of(path)
    start = stream.read(len(MAGIC))
    # Too long to be raw results, a .npy file is known whatever its name is.
    if path.endswith(".npy") or start == MAGIC:
        return ArrayNumbers(NpyArray(stream, name, start), name, number_format)
    return RawNumbers(stream, name, number_format, start)


def require_numbers(kind: np.dtype[Any], number_format: Format, name: str) -> None:
    """Raise `UsageError` for an array that holds neither floats nor bit patterns of a format."""
    if not _are_patterns(kind, number_format) and (kind.kind != "f" or kind.itemsize > 8):
        raise UsageError(
            f"{name} holds {kind}: neither floats nor {number_format.width}-bit patterns"
        )


def unsigned(patterns: NDArray[Any]) -> NDArray[Any]:
    """Return bit patterns as whole numbers from 0 up."""
    kind = f"u{patterns.dtype.itemsize}"
    if patterns.dtype.kind == "V":  # how numpy saves the formats that it lacks
        patterns = patterns.view(f"<{kind}")
    return patterns.astype(kind)


def _are_patterns(kind: np.dtype[Any], number_format: Format) -> bool:
    plain = not (kind.names or kind.subdtype)
    return plain and kind.kind in "uiV" and 8 * kind.itemsize == number_format.width


def decoded(values: NDArray[Any], number_format: Format, name: str, first: int) -> Array:
    """Return bit patterns, or floats, as numbers of a format.

    Raises `UsageError` for a float that the format does not have: `first` is the number of the
    first of them in the file.
    """
    import numpy as np

    from gelu_cli.arithmetic.format_arrays import nearest, numbers

    if _are_patterns(values.dtype, number_format):
        return numbers(number_format, unsigned(values).astype(np.int64))
    with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
        floats = values.astype(np.float64)
    rounded, _ = nearest(number_format, floats)
    strange = np.flatnonzero((rounded != floats) & ~np.isnan(floats))
    if len(strange):
        raise UsageError(
            f"{name}: {float(floats[strange[0]])!r}, number {first + strange[0]}, is no "
            f"{number_format.name}"
        )
    return floats
