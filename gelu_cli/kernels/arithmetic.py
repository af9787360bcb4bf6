"""A format's own arithmetic on arrays: numpy's, or that of ml_dtypes, rounds every operation.

Sums, products, quotients and roots are correctly rounded: ml_dtypes computes in float32, whose 24
bits are at least 2p + 2. The elementary functions are numpy's and scipy's in float32 (or the
format, if the library has it), then rounded.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gelu_cli.numbers.formats import FLOAT64, Format

Array = NDArray[Any]


def rounded(x: Array, to: Format) -> Array:
    """Round an array of any format to another, once.

    >>> from gelu_cli.numbers.formats import FORMATS
    >>> rounded(np.array([1 + 2**-8 + 2**-40]), FORMATS["bfloat16"]).tolist()
    [1.0078125]
    """
    if x.dtype == np.float64 and to.width < 64:
        from gelu_cli.numbers.arrays import round_array

        x = round_array(x, to)  # ml_dtypes would round to float32 first
    return x.astype(to.dtype, copy=False)


class Arithmetic:
    """Operations of a format; `a(number)` is the nearest number of the format.

    >>> from gelu_cli.numbers.formats import FORMATS
    >>> a = Arithmetic(FORMATS["bfloat16"])
    >>> float(a(1) / a(3))
    0.333984375
    """

    def __init__(self, to: Format) -> None:
        self.format = to
        self.native = hasattr(np, to.name)
        self.pi = self(math.pi)

    def __call__(self, value: float) -> Any:
        """Round a constant."""
        return self.format.dtype.type(self.format.from_float(value))

    def _rounded(self, function: Any, x: Any, *, wide: bool) -> Any:
        x = np.asarray(x)
        return function(x.astype(np.float32) if wide else x).astype(self.format.dtype, copy=False)

    def exp(self, x: Any) -> Any:
        """Compute eˣ."""
        return self._rounded(np.exp, x, wide=not self.native)

    def tanh(self, x: Any) -> Any:
        """Compute the hyperbolic tangent."""
        return self._rounded(np.tanh, x, wide=not self.native)

    def sqrt(self, x: Any) -> Any:
        """Compute √x."""
        return self._rounded(np.sqrt, x, wide=not self.native)

    def erf(self, x: Any) -> Any:
        """Compute the error function."""
        from scipy.special import erf  # late: it takes longer to import than all the rest

        return self._rounded(erf, x, wide=self.format.width < FLOAT64.width)

    def erfc(self, x: Any) -> Any:
        """Compute the complementary error function."""
        from scipy.special import erfc

        return self._rounded(erfc, x, wide=self.format.width < FLOAT64.width)
