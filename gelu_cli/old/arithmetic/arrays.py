"""Arrays of float64, by numpy and scipy: quick, and as accurate as they are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special


class ArrayArithmetic:
    """The `Arithmetic` of float64 arrays; a rational number is a float64, which broadcasts.

    >>> ArrayArithmetic().logistics(np.array([0.0, -800.0]))
    (array([0.5, 0. ]), array([0.5, 1. ]))
    """

    pi = math.pi
    rational = np.float64
    sqrt, exp, expm1, erfc = np.sqrt, np.exp, np.expm1, special.erfc

    def logistics(self, x: Any) -> tuple[Any, Any]:
        """Return σ(x) = 1/(1 + e⁻ˣ) and σ(−x)."""
        return special.expit(x), special.expit(-x)

    def softplus(self, x: Any) -> Any:
        """Return log(1 + eˣ)."""
        return np.logaddexp(0.0, x)


ARRAYS = ArrayArithmetic()
