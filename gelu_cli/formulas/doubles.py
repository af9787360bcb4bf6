"""Forms in plain float64, without error bounds.

For searches, model runs and averages, to which float64 is enough; not for printed values of forms.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from gelu_cli.formulas.form import ORDERS, Form
from gelu_cli.formulas.special import Number

STEP = 1e-40
"""h in f′(x) = Im f(x + ih)/h, the complex-step derivative."""


class Doubles(np.ndarray, Number):
    """An array of float64s or complex128s, with the functions of forms.

    Numbers of flint become float64s in operations with such an array.
    """

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Apply a function of numpy or scipy."""
        return np.asarray(getattr(ufunc, method)(*map(plain, inputs), **options)).view(Doubles)

    def exp(self) -> Any:
        """Return eˣ."""
        return np.exp(self)

    def expm1(self) -> Any:
        """Return eˣ − 1."""
        return np.expm1(self)

    def log1p(self) -> Any:
        """Return log(1 + x)."""
        return np.log1p(self)

    def sqrt(self) -> Any:
        """Return √x."""
        return np.sqrt(self)

    def erfc(self) -> Any:
        """Return erfc(x)."""
        if self.size <= 4096 and not np.iscomplexobj(self):  # faster than to import scipy
            return np.vectorize(math.erfc, [float])(np.asarray(self)).view(Doubles)
        from scipy.special import erfc

        return erfc(self)

    def logistic(self) -> Any:
        """Return σ(x)."""
        e = np.exp(np.where(self.real < 0, self, -self)).view(Doubles)
        return np.where(self.real < 0, e, 1).view(Doubles) / (1 + e)


def plain(x: Any) -> Any:
    """Convert a number of flint to a float, or Doubles to a plain array."""
    if isinstance(x, fmpq):
        return int(x.p) / int(x.q)
    return float(x) if isinstance(x, arb) else np.asarray(x)


def float64(form: Form, quantity: str, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a quantity of a form at float64s; ValueError for `curvature`.

    >>> float64(find_form("exact"), "gradient", np.array([-1.0, 0.0])).round(6)
    array([-0.083315,  0.5     ])
    """
    squares = [plain(cut.square) for cut in form.cuts]
    index = np.searchsorted([math.copysign(math.sqrt(abs(s)), s) for s in squares], x)
    result = np.empty_like(x)
    for i in np.unique(index).tolist():
        here = index == i
        result[here] = float64_of_piece(form, i, quantity, x[here])
    return result


def float64_of_piece(
    form: Form, i: int, quantity: str, x: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return a quantity on piece i; differentiate by a complex step."""
    if ORDERS[quantity] > 1:
        raise ValueError(f"{quantity} needs a second derivative; use evaluate_array")
    tail = np.zeros_like(x, complex)
    with np.errstate(all="ignore"):
        if form.has_tail(i):
            z = np.asarray(x + 1j * STEP if ORDERS[quantity] else x).view(Doubles)
            tail[:] = form.tail(i, z)
        jet = [tail.real.view(Doubles), (tail.imag / STEP).view(Doubles), arb(0)]
        k0, k1, rest = form.split(i, quantity, x.view(Doubles), jet)
        return np.asarray(plain(rest) + plain(k1) * x + plain(k0))
