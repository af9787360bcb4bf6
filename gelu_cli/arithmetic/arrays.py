"""Arrays of float64, by numpy and scipy: quick, and as accurate as they are."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array: TypeAlias = NDArray[np.float64]


class ArrayArithmetic:
    """The `Arithmetic` of float64 arrays.

    >>> ArrayArithmetic().logistics(np.array([0.0, -800.0]))
    (array([0.5, 0. ]), array([0.5, 1. ]))
    """

    pi = math.pi

    def rational(self, value: Fraction | int) -> np.float64:
        """Return the float64 nearest to `value`, which broadcasts."""
        return np.float64(value)

    def sqrt(self, x: Any) -> Any:
        """Return √x."""
        return np.sqrt(x)

    def exp(self, x: Any) -> Any:
        """Return eˣ."""
        return np.exp(x)

    def expm1(self, x: Any) -> Any:
        """Return eˣ − 1."""
        return np.expm1(x)

    def erfc(self, x: Any) -> Any:
        """Return erfc(x)."""
        return special.erfc(x)

    def logistics(self, x: Any) -> tuple[Any, Any]:
        """Return σ(x) = 1/(1 + e⁻ˣ) and σ(−x)."""
        return special.expit(x), special.expit(-x)

    def softplus(self, x: Any) -> Any:
        """Return log(1 + eˣ)."""
        return np.logaddexp(0.0, x)


ARRAYS = ArrayArithmetic()
