"""Forms on arrays of float64s to some 15 digits.

For searches and pictures, never for digits.
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
"""The imaginary step of derivatives."""


def _plain(x: Any) -> Any:
    if isinstance(x, Doubles):
        return x.values
    return float(x.p) / float(x.q) if isinstance(x, fmpq) else float(x)


class Doubles(Number):
    """An array of float64s or complex128s, with the functions of forms."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __add__(self, other: Any) -> Doubles:
        return Doubles(self.values + _plain(other))

    def __sub__(self, other: Any) -> Doubles:
        return Doubles(self.values - _plain(other))

    def __rsub__(self, other: Any) -> Doubles:
        return Doubles(_plain(other) - self.values)

    def __mul__(self, other: Any) -> Doubles:
        return Doubles(self.values * _plain(other))

    def __truediv__(self, other: Any) -> Doubles:
        return Doubles(self.values / _plain(other))

    def __rtruediv__(self, other: Any) -> Doubles:
        return Doubles(_plain(other) / self.values)

    def __neg__(self) -> Doubles:
        return Doubles(-self.values)

    __radd__, __rmul__ = __add__, __mul__

    def exp(self) -> Doubles:
        """Return eˣ."""
        return Doubles(np.exp(self.values))

    def expm1(self) -> Doubles:
        """Return eˣ − 1."""
        return Doubles(np.expm1(self.values))

    def log1p(self) -> Doubles:
        """Return log(1 + x)."""
        return Doubles(np.log1p(self.values))

    def sqrt(self) -> Doubles:
        """Return √x."""
        return Doubles(np.sqrt(self.values))

    def erfc(self) -> Doubles:
        """Return erfc."""
        from scipy.special import erfc

        return Doubles(erfc(self.values))

    def logistic(self) -> Doubles:
        """Return σ(x)."""
        x = self.values
        e = np.exp(np.where(x.real < 0, x, -x))
        return Doubles(np.where(x.real < 0, e, 1) / (1 + e))


def float64(form: Form, quantity: str, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a quantity of a form at float64s; `curvature` is not one.

    >>> from gelu_cli.formulas.catalog import find_form
    >>> float64(find_form("exact"), "gradient", np.array([-1.0, 0.0])).round(6)
    array([-0.083315,  0.5     ])
    """
    squares = [float(cut.square.p) / float(cut.square.q) for cut in form.cuts]
    index = np.searchsorted([math.copysign(math.sqrt(abs(s)), s) for s in squares], x)
    result = np.empty_like(x)
    for i in np.unique(index).tolist():
        here = index == i
        result[here] = float64_of_piece(form, i, quantity, x[here])
    return result


def float64_of_piece(
    form: Form, i: int, quantity: str, x: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return a quantity of one piece at float64s.

    A derivative is an imaginary part.
    """
    order = ORDERS[quantity]
    if order > 1:
        raise ValueError(f"{quantity} takes a second derivative; use evaluate_array")
    with np.errstate(all="ignore"):
        parameters = {name: float(value) for name, value in form.balls().items()}
        jet: list[Any] = [Doubles(np.zeros_like(x)), Doubles(np.zeros_like(x)), arb(0)]
        if form.has_tail(i):
            found = form.tail(i, Doubles(x + 1j * STEP if order else x), parameters)
            jet[0] = Doubles(found.values.real)
            jet[1] = Doubles(found.values.imag / STEP) if order else jet[1]
        k0, k1, rest = form.split(i, quantity, Doubles(x), jet)
        return np.asarray(_plain(rest) + _plain(k1) * x + _plain(k0))
