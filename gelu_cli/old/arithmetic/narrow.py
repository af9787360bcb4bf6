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

from gelu_cli.old.arithmetic import Real
from gelu_cli.old.arithmetic.extended.double_double import two_sum
from gelu_cli.old.arithmetic.format_arrays import NATIVE, Array, cut, nearest
from gelu_cli.old.arithmetic.formats import Format


class Narrow:
    """Numbers of a format in an arithmetic that rounds what numpy's operations return."""

    __slots__ = ("arithmetic", "values")

    def __init__(self, values: Any, arithmetic: NarrowArithmetic) -> None:
        self.values = values
        self.arithmetic = arithmetic

    def _with(self, other: Any, operation: Callable[[Any, Any], Any], swap: bool = False) -> Narrow:
        theirs = other.values if isinstance(other, Narrow) else self.values.dtype.type(other)
        operands = (theirs, self.values) if swap else (self.values, theirs)
        return self.arithmetic.result(operation, *operands)

    __add__ = __radd__ = partialmethod(_with, operation=operator.add)
    __sub__ = partialmethod(_with, operation=operator.sub)
    __rsub__ = partialmethod(_with, operation=operator.sub, swap=True)
    __mul__ = __rmul__ = partialmethod(_with, operation=operator.mul)
    __truediv__ = partialmethod(_with, operation=operator.truediv)
    __rtruediv__ = partialmethod(_with, operation=operator.truediv, swap=True)

    def __neg__(self) -> Narrow:
        return Narrow(-self.values, self.arithmetic)


class NarrowArithmetic:
    """The `FormatArithmetic` of arrays: each operation is rounded to a format.

    To nearest, or with `truncate` toward zero in a format of 24 bits or fewer; with `flush` what is
    subnormal then is 0.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> a = NarrowArithmetic(FORMATS["bfloat16"])
    >>> third = a.numbers(np.array([1.0])) / a.numbers(np.array([3.0]))
    >>> a.floats(third).tolist()
    [0.333984375]
    """

    def __init__(
        self, number_format: Format, *, truncate: bool = False, flush: bool = False
    ) -> None:
        self.format = number_format
        self.truncate = truncate
        self.flush = flush
        self.dtype = None if truncate or flush else NATIVE.get(number_format.name)
        self._held = "d" if truncate else NATIVE.get(number_format.name, "f")
        self.pi = self.rational(Fraction(np.pi))

    def numbers(self, x: NDArray[np.floating]) -> Real:
        """Return floats as numbers of the format, to which they are rounded."""
        if self.dtype:
            return x.astype(self.dtype, copy=False)
        if not self.truncate and self.format.name not in NATIVE:
            x = x.astype(np.float32, copy=False)
        return self.result(np.positive, x)

    def floats(self, y: Real) -> NDArray[np.floating]:
        """Return numbers of the format as float64s if that is the format, else as float32s."""
        values: NDArray[np.floating] = np.asarray(y.values if isinstance(y, Narrow) else y)
        return values.astype(np.float64 if self.format.width == 64 else np.float32, copy=False)

    def rational(self, value: Fraction | int) -> Real:
        """Return the number nearest to `value`, as an array of one: numpy 1 widens scalars."""
        return self.numbers(np.array([self.format.exactly(Fraction(value))]))

    def _special(self, name: str, x: Real) -> Real:
        from scipy import special  # where it is needed: it takes longer than all other imports

        return self._function(getattr(special, name), x)

    erf = partialmethod(_special, "erf")
    erfc = partialmethod(_special, "erfc")

    def _function(self, f: Callable[[Any], Any], x: Real) -> Real:
        if isinstance(x, Narrow):
            return self.result(f, x.values)
        # scipy has no float16 functions and answers in float32.
        return f(x).astype(self.dtype, copy=False)

    sqrt = partialmethod(_function, np.sqrt)
    exp = partialmethod(_function, np.exp)
    tanh = partialmethod(_function, np.tanh)

    def result(self, operation: Callable[..., Any], *operands: NDArray[np.floating]) -> Narrow:
        """Return the result of an operation of numpy's, rounded to the format."""
        if self.truncate:
            values = cut(self.format, _toward_zero(operation, *operands))
        else:
            values = operation(*operands)
            if self.format.name not in NATIVE:
                with np.errstate(invalid="ignore"):  # of NaNs that signal
                    values = nearest(self.format, values.astype(np.float64))[0]
            values = values.astype(self._held, copy=False)
        if self.flush:
            values = np.where(np.abs(values) < 2.0**self.format.emin, values * 0, values)
        return Narrow(values, self)


def _toward_zero(operation: Callable[..., Any], *operands: NDArray[np.floating]) -> Array:
    """Return a float64 between which and the true result lies no number of 24 bits but itself.

    It is not beyond the true result then. That holds of rounding to nearest but for sums: a
    quotient or a root of such numbers that is not one of them is 2⁻⁴⁹ of its size away from each.
    """
    values: Array = operation(*operands)
    if operation in (operator.add, operator.sub):
        _, rest = two_sum(operands[0], operation(0.0, operands[1]))
        return np.where(rest * values < 0, np.nextafter(values, 0), values)
    if operation is np.exp:  # of a number it is a number
        return np.where(np.isinf(operands[0]), values, np.minimum(values, np.finfo("d").max))
    return values
