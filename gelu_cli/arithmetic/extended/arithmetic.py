"""The `Arithmetic` of extended arrays."""

from __future__ import annotations

from fractions import Fraction

from gelu_cli.arithmetic import logistics_by_exp
from gelu_cli.arithmetic.extended import functions
from gelu_cli.arithmetic.extended.number import Extended, constant, pi, root


class ExtendedArithmetic:
    """The `Arithmetic` of arrays of extended numbers.

    >>> import numpy as np
    >>> from gelu_cli.arithmetic.extended.number import extended
    >>> tail = EXTENDED.erfc(extended(np.array([20.0])))  # 1 − erf(20) would be 0
    >>> (tail.high * 2.0**tail.scale).tolist()
    [5.395865611607901e-176]
    """

    @property
    def pi(self) -> Extended:
        """π."""
        return pi()

    def rational(self, value: Fraction | int) -> Extended:
        """Return the constant `value`."""
        return constant(value)

    def sqrt(self, x: Extended) -> Extended:
        """Return √x."""
        return root(x)

    def exp(self, x: Extended) -> Extended:
        """Return eˣ."""
        return functions.exp(x)

    def expm1(self, x: Extended) -> Extended:
        """Return eˣ − 1."""
        return functions.expm1(x)

    def erfc(self, x: Extended) -> Extended:
        """Return erfc(x)."""
        return functions.erfc(x)

    logistics = logistics_by_exp

    def softplus(self, x: Extended) -> Extended:
        """Return log(1 + eˣ)."""
        return functions.softplus(x)


EXTENDED = ExtendedArithmetic()
