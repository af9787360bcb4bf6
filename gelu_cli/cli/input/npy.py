"""Arrays from .npy files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gelu_cli.errors import UsageError

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
