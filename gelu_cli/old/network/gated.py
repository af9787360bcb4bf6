"""Gated blocks, W₂·(f(W₁x)·c(Vx)): what f(h) is multiplied by."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from gelu_cli.old.arithmetic import Arithmetic, Real
from gelu_cli.old.arithmetic.format_arrays import Array
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.formulas.form import Values


class Ups(NamedTuple):
    """The factor c(u) = max(−limit, min(u, limit)) + offset of f(h), u independent of h.

    Where u is drawn it is from N(0, sigma²), with the sigma of h. f(h) is rounded to the `inner`
    format before the product, if there is one; `packed` is how an array has both h and u.
    """

    limit: float | None = None
    offset: float = 0.0
    inner: Format | None = None
    packed: str = ""

    def factors(self, u: Array) -> tuple[Array, Array]:
        """Return c(u) and c′(u).

        >>> [each.tolist() for each in Ups(7, 1).factors(np.array([-9.0, 0.5]))]
        [[-6.0, 1.5], [0.0, 1.0]]
        """
        limit = math.inf if self.limit is None else self.limit
        return np.clip(u, -limit, limit) + self.offset, np.where(np.abs(u) <= limit, 1.0, 0.0)

    def moments(self, a: Arithmetic, sigma: Fraction) -> tuple[Real, Real, Real]:
        """Return E c, E c² and E c′².

        E c² is sigma²·(1 − q − 2t·φ(t) + t²·q) + offset², t = limit/sigma and q = P(|u| > limit).
        """
        offset, square, inside = a.rational(Fraction(self.offset)), a.rational(sigma**2), 1
        if self.limit is not None:
            t = a.rational(Fraction(self.limit) / sigma)
            beyond = a.erfc(t / a.sqrt(a.rational(2)))
            inside = 1 - beyond
            square *= inside + t * (t * beyond - a.exp(-t * t / 2) * a.sqrt(2 / a.pi))
        return offset, square + offset**2, inside

    def split(self, rows: Array) -> tuple[Array, Array]:
        """Return the gates and the ups in the columns of rows."""
        if self.packed == "halves":
            return rows[:, : rows.shape[1] // 2], rows[:, rows.shape[1] // 2 :]
        return rows[:, ::2], rows[:, 1::2]


def gated(values: Values, u: Array | None, ups: Ups | None) -> tuple[Array, Array]:
    """Return f·c(u) and, side by side, its derivatives f′·c and f·c′; f and f′ of no ups."""
    if u is None or ups is None:
        return values.value, values.gradient
    c, slope = ups.factors(u)
    return values.value * c, np.concatenate([values.gradient * c, values.value * slope], axis=1)
