"""Real pre-activations from a .npy file, from text or a CSV, in blocks of whole rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from gelu_cli.cli.input.npy import MAGIC, NpyArray
from gelu_cli.cli.input.points import read_points
from gelu_cli.cli.input.streams import first_byte, name_of, opened
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gelu_cli.block.preactivations import Block

AT_ONCE = 1 << 17
"""Numbers in a block, or a single row where that is longer."""

FLOATS = "float16, float32 or float64"


def read_preactivations(source: str, column: str | None = None) -> Iterator[Block]:
    """Yield the rows of an array (…, units), or numbers of text as those of a single unit.

    `source` is a file or `-`, stdin, which has a .npy file or text; an array of one dimension is
    of a single unit, too. Raises `UsageError` for no numbers, and for an array of other things
    than floats.
    """
    is_array = _stdin_has_an_array() if source == "-" else source.endswith(".npy")
    return _of_an_array(source) if is_array and column is None else _of_text(source, column)


def _stdin_has_an_array() -> bool:
    """Return whether stdin begins as a .npy file does; it is still to be read from its start."""
    with opened("-") as stream:
        return first_byte(stream) == MAGIC[:1]


def _of_an_array(source: str) -> Iterator[Block]:
    import numpy as np

    from gelu_cli.block.preactivations import Block

    name = name_of(source)
    with opened(source) as stream:
        array = NpyArray(stream, name)
        _require_floats(array.dtype, name)
        if not array.size:
            raise UsageError(f"{name} holds no numbers")
        units = array.shape[-1] if len(array.shape) > 1 else 1
        first = 0
        for part in _in_rows(array.blocks(max(1, AT_ONCE // units) * units), units):
            with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
                rows = part.astype(np.float64)
            yield Block(rows, first, array.shape, name)
            first += len(rows)


def _require_floats(kind: np.dtype[Any], name: str) -> None:
    if kind.kind != "f" or kind.itemsize > 8:
        raise UsageError(
            f"{name} holds {kind}, not {FLOATS}; convert: np.save('h.npy', h.astype('float32'))"
        )


def _in_rows(parts: Iterable[NDArray[Any]], units: int) -> Iterator[NDArray[Any]]:
    """Yield the numbers of parts as whole rows, whatever numbers the parts end with."""
    import numpy as np

    held: list[NDArray[Any]] = []
    length = 0
    for part in parts:
        held.append(part)
        length += len(part)
        if length < units:
            continue
        numbers = np.concatenate(held)
        whole = length - length % units
        yield numbers[:whole].reshape(-1, units)
        held, length = [numbers[whole:]], length - whole


def _of_text(source: str, column: str | None) -> Iterator[Block]:
    import numpy as np

    from gelu_cli.block.preactivations import Block

    first = 0
    for points in filter(len, read_points([], source, column, exact=False)):
        rows = np.array(points.block([]), np.float64)
        yield Block(rows, first, (-1,), name_of(source))
        first += len(rows)
