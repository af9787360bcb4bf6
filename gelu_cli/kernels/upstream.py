"""A form times the gradient from above: what a backward pass returns is U·f′(x)."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from typing import NamedTuple

from gelu_cli.arithmetic import Arithmetic, Real
from gelu_cli.arithmetic.formats import Format
from gelu_cli.errors import UsageError
from gelu_cli.forms.form import Form, Piece, Values


class Multiple(NamedTuple):
    """A smooth piece times an exact number; 0 times anything is 0."""

    piece: Piece
    factor: Fraction

    def __call__(self, a: Arithmetic, x: Real, order: int, /, **parameters: Real) -> Values:
        """Return the values at x, with derivatives up to `order`."""
        factor = a.rational(self.factor)
        if not self.factor:
            return Values(*[factor] * len(Values._fields))
        values = self.piece(a, x, order, **parameters)
        return Values(*(None if value is None else factor * value for value in values))


def multiple(form: Form, factor: float) -> Form:
    """Return a number times a form: its values and all derivatives, in every arithmetic.

    >>> from gelu_cli.arithmetic.exact import RATIONAL
    >>> from gelu_cli.forms import find_form
    >>> zero = Fraction(0)
    >>> multiple(find_form("exact"), 3.0).evaluate(RATIONAL, zero, zero, 1).gradient
    Fraction(3, 2)
    """
    if factor == 1:
        return form
    exact = Fraction(factor)
    return form._replace(pieces=tuple(Multiple(piece, exact) for piece in form.pieces))


class Upstream(NamedTuple):
    """The gradient from above as a number of the format of x, and what there is to say of it."""

    value: float
    notes: tuple[str, ...] = ()


def upstream_in(number_format: Format, typed: Fraction) -> Upstream:
    """Return the gradient from above, rounded to the format of x.

    Raises `UsageError` where it is beyond the largest number.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> upstream_in(FORMATS["bfloat16"], Fraction(1, 3)).value
    0.333984375
    """
    value = number_format.exactly(typed)
    if not isfinite(value):
        name, largest = number_format.name, number_format.largest
        raise UsageError(f"the upstream is beyond the largest {name}, {largest!r}")
    if value == typed:
        return Upstream(value)
    note = f"the upstream gradient is rounded to {number_format.name}: {value!r}"
    return Upstream(value, (note,))
