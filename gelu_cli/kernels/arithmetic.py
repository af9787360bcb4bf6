"""A format's own arithmetic on arrays: numpy's, or that of ml_dtypes, rounds every operation.

Sums, products, quotients and roots are correctly rounded: ml_dtypes computes in float32, whose 24
bits are at least 2p + 2. An elementary function is numpy's or scipy's, in float32 if that lacks
the format, then rounded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gelu_cli.errors import unknown
from gelu_cli.kernels.description import Kernel
from gelu_cli.kernels.loaded import Array, Loaded
from gelu_cli.kernels.routines import ROUTINES
from gelu_cli.numbers.formats import Format, find_format


def rounded(x: Array, to: Format) -> Array:
    """Round an array of any format to another, once.

    >>> rounded(np.array([1 + 2**-8 + 2**-40]), find_format("bfloat16")).tolist()
    [1.0078125]
    """
    if x.dtype == np.float64 and to.width < 64:
        from gelu_cli.numbers.arrays import round_array

        x = round_array(x, to)  # ml_dtypes would round to float32 first
    return x.astype(to.dtype, copy=False)


class Arithmetic:
    """Operations of a format; `a(number)` is the nearest number of the format.

    >>> a = Arithmetic(find_format("bfloat16"))
    >>> float(a(1) / a(3))
    0.333984375
    """

    def __init__(self, to: Format) -> None:
        self.format = to
        self.pi = self(math.pi)

    def __call__(self, value: float) -> Any:
        """Round a constant."""
        return self.format.dtype.type(self.format.from_float(value))

    def _function(self, function: Any, x: Any) -> Any:
        x = np.asarray(x)
        has_format = f"{x.dtype.char}->{x.dtype.char}" in function.types
        return function(x if has_format else x.astype(np.float32)).astype(x.dtype, copy=False)

    def exp(self, x: Any) -> Any:
        """Compute eˣ."""
        return self._function(np.exp, x)

    def tanh(self, x: Any) -> Any:
        """Compute the hyperbolic tangent."""
        return self._function(np.tanh, x)

    def sqrt(self, x: Any) -> Any:
        """Compute √x."""
        return self._function(np.sqrt, x)

    def erf(self, x: Any) -> Any:
        """Compute the error function."""
        from scipy.special import erf  # late: it takes longer to import than all the rest

        return self._function(erf, x)

    def erfc(self, x: Any) -> Any:
        """Compute the complementary error function."""
        from scipy.special import erfc

        return self._function(erfc, x)


class RoutineCalls(Loaded):
    """A routine whose operations round to one format, and its results to another."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        if (name := str(kernel.target).lower()) not in ROUTINES:
            raise unknown("routine", name, ROUTINES)
        self._arithmetic = Arithmetic(find_format(kernel.compute or kernel.dtype))
        routine = ROUTINES[name]
        self._compute = routine.gradient if kernel.quantity == "gradient" else routine.value

    def results(self, upstream: Array | None, inputs: Sequence[Array]) -> Array:
        """Compute the routine."""
        a = self._arithmetic
        return rounded(self._compute(a, rounded(inputs[0], a.format)), self.kernel.formats[1])
