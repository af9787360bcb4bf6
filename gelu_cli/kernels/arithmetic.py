"""Arithmetic on arrays of a format: every operation rounds its result.

Formats that numpy lacks are types of ml_dtypes. Sums, products, quotients and square roots are
correctly rounded. In formats of at most 16 bits, with a precision of p ≤ 11, they are computed in
float32 and then rounded, which is correct, since 24 ≥ 2p + 2. Elementary functions are numpy's or
scipy's. A function that lacks a format computes in float32, and the results are rounded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partialmethod
from importlib import import_module
from typing import Any

import numpy as np

from gelu_cli.kernels import Kernel
from gelu_cli.kernels.calling import Array, Loaded
from gelu_cli.kernels.routines import ROUTINES
from gelu_cli.numbers.formats import Format, find_format


def rounded(x: Array, to: Format) -> Array:
    """Round an array to a format directly, not through a third format.

    >>> rounded(np.array([1 + 2**-8 + 2**-40]), find_format("bfloat16")).tolist()
    [1.0078125]
    """
    if x.dtype == np.float64 and to.width < 64:
        from gelu_cli.numbers.arrays import round_array

        x = round_array(x, to)  # ml_dtypes would round to float32 first
    return x.astype(to.dtype, copy=False)


class Arithmetic:
    """Operations in a format; `a(number)` is the nearest number of the format.

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

    def _function(self, name: str, x: Any, library: str = "numpy") -> Any:
        """Apply a function of a library, and round the results to the format."""
        x, function = np.asarray(x), getattr(import_module(library), name)
        has_format = f"{x.dtype.char}->{x.dtype.char}" in function.types
        return function(x if has_format else x.astype(np.float32)).astype(x.dtype, copy=False)

    exp = partialmethod(_function, "exp")
    tanh = partialmethod(_function, "tanh")
    sqrt = partialmethod(_function, "sqrt")
    # scipy is imported at the first call: its import takes longer than all other imports.
    erf = partialmethod(_function, "erf", library="scipy.special")
    erfc = partialmethod(_function, "erfc", library="scipy.special")


class RoutineCalls(Loaded):
    """A routine computed in one format, with results rounded to another."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        self._arithmetic = Arithmetic(find_format(kernel.compute or kernel.dtype))
        self._compute = getattr(ROUTINES[str(kernel.target)], kernel.quantity)

    def results(self, upstream: Array | None, inputs: Sequence[Array]) -> Array:
        """Round x to the routine's format; compute; round to the results' format."""
        a = self._arithmetic
        return rounded(self._compute(a, rounded(inputs[0], a.format)), self.kernel.formats[1])
