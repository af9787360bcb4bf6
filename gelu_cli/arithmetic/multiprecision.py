"""Plain numbers of any precision, for integrals: mpmath's, in a context of our own."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from mpmath import mp

from gelu_cli.arithmetic import logistics_by_exp, mpf
from gelu_cli.arithmetic.mpf import Mpf, expm1, minus_erfc, softplus


class Multiprecision:
    """The `Arithmetic` of mpmath's numbers at a precision in bits, without error bounds.

    >>> a = Multiprecision(100)
    >>> a.context.nstr(a.erfc(a.rational(27)), 9)
    '5.23704892e-319'
    """

    def __init__(self, precision: int) -> None:
        self.context = mp.clone()
        self.context.prec = precision
        self.precision = precision
        self.pi = +self.context.pi
        self.exp: Callable[[Any], Any] = self.context.exp
        self.sqrt: Callable[[Any], Any] = self.context.sqrt
        self._rationals: dict[Fraction | int, Any] = {}

    def number(self, x: Mpf) -> Any:
        """Return a number as the context has it."""
        return mpf.in_context(x, self.context)

    def rational(self, value: Fraction | int) -> Any:
        """Return the number nearest to `value`; formulas ask for the same few again and again."""
        known = self._rationals.get(value)
        if known is None:
            # At once: a numerator of more bits than the precision would be rounded by itself.
            known = self.number(mpf.from_fraction(value, self.precision))
            self._rationals[value] = known
        return known

    def expm1(self, x: Any) -> Any:
        """Return eˣ − 1."""
        return self._raw(expm1, x)

    def erfc(self, x: Any) -> Any:
        """Return erfc(x)."""
        return -self._raw(minus_erfc, x)

    logistics = logistics_by_exp

    def softplus(self, x: Any) -> Any:
        """Return log(1 + eˣ)."""
        return self._raw(softplus, x)

    def _raw(self, f: Callable[[Mpf, int], Mpf], x: Any) -> Any:
        y = f(mpf.from_context(x), self.precision + 5)
        return self.number(mpf.rounded(y, self.precision))


@lru_cache(maxsize=16)
def multiprecision(precision: int) -> Multiprecision:
    """Return the arithmetic of `precision` bits, always the same one."""
    return Multiprecision(precision)
