"""A format's own arithmetic on arrays: every operation rounds to the format.

Formats that numpy has (float64, float32, float16) are computed by numpy; numbers of the others are
float32s that are rounded after every operation. For the four operations and the square root that is
correct rounding: the 24 bits of float32 are at least 2p + 2 where they have p. The elementary
functions are numpy's and scipy's, rounded to the format.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from functools import partialmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gelu_cli.arithmetic import Real
from gelu_cli.arithmetic.format_arrays import NATIVE, nearest
from gelu_cli.arithmetic.formats import Format

Rounder = Callable[[NDArray[np.float32]], NDArray[np.float32]]


class Narrow:
    """Numbers of a format that numpy lacks, held as float32s."""

    __slots__ = ("round", "values")

    def __init__(self, values: Any, rounder: Rounder) -> None:
        self.values = values
        self.round = rounder

    def _with(self, other: Any, operation: Callable[[Any, Any], Any], swap: bool = False) -> Narrow:
        theirs = other.values if isinstance(other, Narrow) else np.float32(other)
        operands = (theirs, self.values) if swap else (self.values, theirs)
        return Narrow(self.round(operation(*operands)), self.round)

    __add__ = __radd__ = partialmethod(_with, operation=operator.add)
    __sub__ = partialmethod(_with, operation=operator.sub)
    __rsub__ = partialmethod(_with, operation=operator.sub, swap=True)
    __mul__ = __rmul__ = partialmethod(_with, operation=operator.mul)
    __truediv__ = partialmethod(_with, operation=operator.truediv)
    __rtruediv__ = partialmethod(_with, operation=operator.truediv, swap=True)

    def __neg__(self) -> Narrow:
        return Narrow(-self.values, self.round)


class NarrowArithmetic:
    """The `FormatArithmetic` of arrays: each operation is rounded to a format.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> a = NarrowArithmetic(FORMATS["bfloat16"])
    >>> third = a.numbers(np.array([1.0])) / a.numbers(np.array([3.0]))
    >>> a.floats(third).tolist()
    [0.333984375]
    """

    def __init__(self, number_format: Format) -> None:
        self.format = number_format
        self.dtype = NATIVE.get(number_format.name)
        self._rationals: dict[Fraction | int, Real] = {}
        self.pi = self.rational(Fraction(np.pi))

    def numbers(self, x: NDArray[np.floating]) -> Real:
        """Return floats as numbers of the format, to which they are rounded."""
        if self.dtype:
            return x.astype(self.dtype, copy=False)
        return Narrow(self._round(x.astype(np.float32, copy=False)), self._round)

    def floats(self, y: Real) -> NDArray[np.floating]:
        """Return numbers of the format as float64s if that is the format, else as float32s."""
        values: NDArray[np.floating] = np.asarray(y.values if isinstance(y, Narrow) else y)
        return values.astype(np.float64 if self.format.width == 64 else np.float32, copy=False)

    def rational(self, value: Fraction | int) -> Real:
        """Return the number nearest to `value`, as an array of one: numpy 1 widens scalars."""
        if value not in self._rationals:
            number = self.numbers(np.array([self.format.exactly(Fraction(value))]))
            self._rationals[value] = number  # a routine asks for it in every call
        return self._rationals[value]

    def erf(self, x: Real) -> Real:
        """Return erf(x)."""
        from scipy import special  # where it is needed: it takes longer than all other imports

        return self._function(special.erf, x)

    def erfc(self, x: Real) -> Real:
        """Return erfc(x)."""
        from scipy import special

        return self._function(special.erfc, x)

    def _function(self, f: Callable[[Any], Any], x: Real) -> Real:
        if isinstance(x, Narrow):
            return Narrow(self._round(f(x.values)), self._round)
        # scipy has no float16 functions and answers in float32.
        return f(x).astype(self.dtype, copy=False)

    sqrt = partialmethod(_function, np.sqrt)
    exp = partialmethod(_function, np.exp)
    tanh = partialmethod(_function, np.tanh)

    def _round(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        if self.format.name == "bfloat16":
            return _to_bfloat16(values)
        return nearest(self.format, np.asarray(values, np.float64))[0].astype(np.float32)


def _to_bfloat16(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Round to nearest even: half of a bfloat16's last place, less one if it is even, carries."""
    values = np.asarray(values, np.float32)
    bits = values.view(np.uint32)
    carried = (bits + (((bits >> 16) & 1) + np.uint32(0x7FFF))) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(values), values, carried.view(np.float32))
