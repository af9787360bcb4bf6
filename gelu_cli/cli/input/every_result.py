"""A result for every bit pattern of a format, computed elsewhere: whole files of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from gelu_cli.arithmetic.formats import Format
from gelu_cli.cli.input.npy import MAGIC, NpyArray
from gelu_cli.cli.input.streams import opened
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from gelu_cli.arithmetic.rounding import Array


def read_every_result(path: str, number_format: Format) -> tuple[Array, Array]:
    """Return every bit pattern of a format as x, and the results that a file has for them.

    The file, or stdin for `-`, is raw, little-endian, or .npy: bit patterns, or floats that the
    format has. Raises `UsageError` for another number of results.
    """
    import numpy as np

    from gelu_cli.arithmetic.patterns import numbers

    name = "stdin" if path == "-" else f"'{path}'"
    with opened(path) as stream:
        start = stream.read(len(MAGIC))
        # Too long to be raw results, a .npy file is known whatever its name is.
        read = _from_npy if path.endswith(".npy") or start == MAGIC else _from_raw
        got = read(stream, start, name, number_format)
    return numbers(number_format, np.arange(len(got), dtype=np.int64)), got


def _from_raw(stream: BinaryIO, start: bytes, name: str, number_format: Format) -> Array:
    import numpy as np

    from gelu_cli.arithmetic.patterns import numbers

    size = number_format.width // 8
    whole = size << number_format.width
    data = start + stream.read(whole + 1 - len(start))
    if len(data) != whole:
        raise UsageError(
            f"{name} has {'more' if len(data) > whole else len(data)} bytes; every "
            f"{number_format.name} in its order makes {whole}"
        )
    return numbers(number_format, np.frombuffer(data, dtype=f"<u{size}").astype(np.int64))


def _from_npy(stream: BinaryIO, start: bytes, name: str, number_format: Format) -> Array:
    import numpy as np

    from gelu_cli.arithmetic.patterns import numbers

    array = NpyArray(stream, name, start)
    kind, size, count = array.dtype, number_format.width // 8, 1 << number_format.width
    patterns = kind.kind in "uiV" and kind.itemsize == size and not (kind.names or kind.subdtype)
    if not patterns and (kind.kind != "f" or kind.itemsize > 8):
        raise UsageError(f"{name} holds {kind}: neither floats nor {8 * size}-bit patterns")
    if array.size != count:
        held = f"over {count}" if array.size > count else array.size
        raise UsageError(f"{name} holds {held} results; every {number_format.name} makes {count}")
    got = np.concatenate(list(array.blocks(count)))
    if not patterns:
        return _in_format(got, name, number_format)
    if kind.kind == "V":  # how numpy saves the formats that it lacks
        got = got.view(f"<u{size}")
    return numbers(number_format, got.astype(f"u{size}").astype(np.int64))


def _in_format(floats: Array, name: str, number_format: Format) -> Array:
    """Return floats as float64s; raises `UsageError` where one is no number of the format."""
    import numpy as np

    from gelu_cli.arithmetic.rounding import nearest

    with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
        got = floats.astype(np.float64)
    rounded, _ = nearest(number_format, got)
    strange = np.flatnonzero((rounded != got) & ~np.isnan(got))
    if len(strange):
        raise UsageError(
            f"{name}: {float(got[strange[0]])!r}, result {strange[0] + 1} of {len(got)}, is no "
            f"{number_format.name}"
        )
    return got
