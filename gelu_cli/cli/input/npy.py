"""Arrays from .npy files, mapped into memory and read as they are used; and points from them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from gelu_cli.cli.input.blocks import FEW
from gelu_cli.cli.input.grid import Grid
from gelu_cli.cli.input.numbers import Number
from gelu_cli.errors import UsageError
from gelu_cli.values.points import BULK, FewPoints, Points, points_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def load_npy(path: str) -> NDArray[Any]:
    """Return the array in a .npy file, mapped into memory and read as it is used.

    Raises `UsageError` for a file that is not there, or holds no array.
    """
    import numpy as np

    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise UsageError(f"cannot read '{path}': {error.strerror or 'not a .npy file'}") from None
    except (ValueError, EOFError):
        raise UsageError(f"'{path}' is not a .npy file of numbers") from None
    if not isinstance(array, np.ndarray):
        raise UsageError(f"'{path}' is not a .npy file but an archive of several (.npz)")
    return array


def npy_blocks(path: str, grid: Grid) -> Iterator[Points]:
    """Return the numbers of an array of any shape and real type in blocks.

    Raises `UsageError` for an array of other things.
    """
    array = load_npy(path)
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        raise UsageError(f"'{path}' holds {array.dtype}, not numbers up to float64")
    flat = array.reshape(-1)
    size = FEW if grid.exact else BULK
    return (_block(flat[at : at + size], grid) for at in range(0, flat.size, size))


def _block(part: NDArray[Any], grid: Grid) -> Points:
    if grid.exact:
        return FewPoints([_as_typed(x) for x in part.tolist()])
    import numpy as np

    array = np.array(part, np.float64)
    return points_of(grid.array(array, lambda i: _as_typed(part[i].item())))


def _as_typed(x: float) -> Number:
    return float(x) if x - x != 0 or x == 0 else Fraction(x)
