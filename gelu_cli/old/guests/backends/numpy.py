"""numpy's arrays, or ml_dtypes' where numpy lacks the format.

numpy has no gradients: where those are judged, the function is one that returns them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.format_arrays import NATIVE, Bits
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.guests.backends import VIEWS, Backend


class Arrays(Backend):
    """Arrays of numpy."""

    layouts = (*VIEWS, "reversed")

    def from_bits(self, bits: Bits) -> Any:
        """Return an array of the format of x."""
        return bits.view(dtype_of(self.dtype))

    def is_array(self, result: Any) -> bool:
        """Return whether a result is an array without a mask, which hides results."""
        return isinstance(result, np.ndarray) and not isinstance(result, np.ma.MaskedArray)

    def check_format(self, number_format: Format) -> None:
        """Raise `UsageError` where the format needs ml_dtypes, and that is not here."""
        dtype_of(number_format)


def dtype_of(number_format: Format) -> np.dtype[Any]:
    """Return numpy's dtype of a format; raises `UsageError` where it needs ml_dtypes."""
    if number_format.name in NATIVE:
        return np.dtype(number_format.name)
    try:
        import ml_dtypes
    except ImportError:
        raise UsageError(
            f"arrays of {number_format.name} need ml_dtypes: python -m pip install ml_dtypes"
        ) from None
    dtype: np.dtype[Any] = np.dtype(getattr(ml_dtypes, number_format.name))
    return dtype
