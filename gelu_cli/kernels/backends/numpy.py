"""numpy's arrays, or ml_dtypes' where numpy lacks the format.

numpy has no gradients: where those are judged, the function is one that returns them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gelu_cli.arithmetic.formats import Format
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    import numpy as np

    from gelu_cli.arithmetic.rounding import Floats
    from gelu_cli.kernels.backends import Function

views = True


def to_array(x: Floats, number_format: Format) -> np.ndarray[Any, Any]:
    """Return an array of that format."""
    return x.astype(dtype_of(number_format))


def dtype_of(number_format: Format) -> np.dtype[Any]:
    """Return numpy's dtype of a format; raises `UsageError` where it needs ml_dtypes."""
    import numpy as np

    if number_format.name in ("float64", "float32", "float16"):
        return np.dtype(number_format.name)
    try:
        import ml_dtypes
    except ImportError:
        raise UsageError(
            f"arrays of {number_format.name} need ml_dtypes: python -m pip install ml_dtypes"
        ) from None
    dtype: np.dtype[Any] = np.dtype(getattr(ml_dtypes, number_format.name))
    return dtype


def in_parts(
    function: Function, array: np.ndarray[Any, Any], length: int
) -> np.ndarray[Any, Any]:
    """Return the results of a function that is called with so many numbers at a time."""
    import numpy as np

    return np.concatenate([function(part.copy()).copy() for part in array.reshape(-1, length)])
