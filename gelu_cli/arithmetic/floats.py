"""Python's own floats: quick, and good enough to see where to look closer."""

from __future__ import annotations

import math


class FloatArithmetic:
    """The `Arithmetic` of float64, as the C library has it.

    >>> FloatArithmetic().logistics(-800.0)
    (0.0, 1.0)
    """

    pi = math.pi
    rational = float
    sqrt, erfc = staticmethod(math.sqrt), staticmethod(math.erfc)

    def exp(self, x: float) -> float:
        """Return eˣ, infinite where it overflows."""
        try:
            return math.exp(x)
        except OverflowError:
            return math.inf

    def expm1(self, x: float) -> float:
        """Return eˣ − 1."""
        return math.expm1(x) if x < 700 else self.exp(x)

    def logistics(self, x: float) -> tuple[float, float]:
        """Return σ(x) = 1/(1 + e⁻ˣ) and σ(−x)."""
        return 1 / (1 + self.exp(-x)), 1 / (1 + self.exp(x))

    def softplus(self, x: float) -> float:
        """Return log(1 + eˣ) = max(x, 0) + log(1 + e^−|x|)."""
        return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


FLOATS = FloatArithmetic()
