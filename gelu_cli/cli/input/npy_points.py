"""Points from a .npy file, which is mapped into memory and read as it is used."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from gelu_cli.cli.input.blocks import BLOCK, BULK
from gelu_cli.cli.input.grid import Grid
from gelu_cli.cli.input.npy import load_npy
from gelu_cli.cli.input.numbers import Number
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gelu_cli.cli.input.blocks import Block


def npy_blocks(path: str, grid: Grid) -> Iterator[Block]:
    """Return the numbers of an array of any shape and real type in blocks."""
    flat = _loaded(path).reshape(-1)
    size = BLOCK if grid.exact else BULK
    return (_block(flat[at : at + size], grid) for at in range(0, flat.size, size))


def _block(part: NDArray[Any], grid: Grid) -> Block:
    if grid.exact:
        return [_as_typed(x) for x in part.tolist()]
    import numpy as np

    return grid.array(np.array(part, np.float64), lambda i: _as_typed(part[i].item()))


def _loaded(path: str) -> NDArray[Any]:
    array = load_npy(path)
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        raise UsageError(f"'{path}' holds {array.dtype}, not numbers up to float64")
    return array


def _as_typed(x: float) -> Number:
    return float(x) if x - x != 0 or x == 0 else Fraction(x)
