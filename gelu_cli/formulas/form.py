"""Forms: functions of a real number, with a name and parameters.

A form has pieces, which meet at cuts. On a piece a quantity (value, gradient, …) is k₀ + k₁·x +
rest, and the rest is computed from the tail of the piece (see `pieces` and `Form.split`).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from flint import acb, acb_series, arb, arb_series, ctx, fmpq, fmpq_poly, fmpq_series

from gelu_cli.errors import UsageError, unknown
from gelu_cli.formulas.pieces import Cut, Piece, as_fraction, to_fraction
from gelu_cli.formulas.special import horner

ORDERS = {
    "value": 0,
    "gradient": 1,
    "curvature": 2,
    "gate": 0,
    "complement": 0,
    "gate_gradient": 1,
    "mask_variance": 0,
}
"""For each quantity, the order of the highest derivative that the quantity needs."""

QUANTITIES = tuple(ORDERS)
OF_GATES = frozenset({"gate", "gate_gradient", "mask_variance"})
"""Quantities of forms that are written as x·G(x); other forms have no gate."""

INEXACT = (AttributeError, TypeError, ValueError, ZeroDivisionError)
"""Exceptions by which flint reports that a value at a fraction is not a fraction."""


class Parameter(NamedTuple):
    """A parameter of a form.

    `sign` is 1 if the value must be positive, −1 if it must be negative, 0 if neither. For an
    irrational default, `exact` computes it, `text` shows it, and `default` is a fraction near it.
    """

    name: str
    default: fmpq
    sign: int = 0
    exact: Callable[[], arb] | None = None
    text: str = ""

    def check(self, value: fmpq, form: str) -> None:
        """Raise UsageError for a value of the wrong sign."""
        if self.sign and not self.sign * value > 0:
            side = "positive" if self.sign > 0 else "negative"
            raise UsageError(f"{self.name} of '{form}' must be {side}, not {value}")


@dataclass(frozen=True, eq=False)
class Form:
    """A function of a real number, with a name and parameters.

    Parameters
    ----------
    pieces, cuts_at
        Pieces from left to right, and a function from parameters to the cuts between pieces; there
        is a cut at 0.
    symmetric, parity
        True if f(x) − f(−x) = x is known for all x; `odd` or `even` if f is known to be so.
    zeros
        Pairs of a quantity and an integer ≠ 0 at which the quantity is 0: a ball cannot prove that.
    needs, fulfils
        A condition on the parameters as text, and a function that checks the condition.
    definition, used_by, source, since
        A formula to read, programs that compute the form, the form's publication and year.
    same_as
        The label of another form that is the same function.
    gradient_second_moment
        E f′(X)², X ~ N(0, 1), in closed form.
    chosen, typed
        Parameters that were set, and the label as it was typed.
    """

    name: str
    pieces: tuple[Piece, ...]
    cuts_at: Callable[..., Sequence[Cut]]
    parameters: tuple[Parameter, ...] = ()
    symmetric: bool = False
    parity: str = ""
    zeros: frozenset[tuple[str, fmpq | int]] = frozenset()
    needs: str = ""
    fulfils: Callable[..., bool] = lambda **settings: True
    definition: str = ""
    aliases: tuple[str, ...] = ()
    used_by: str = ""
    source: str = ""
    since: int | None = None
    same_as: str = ""
    gradient_second_moment: str | None = None
    chosen: Mapping[str, fmpq] = field(default_factory=dict)
    typed: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickle the label: caches are keyed by object, so equal labels must give one object.
        chosen = tuple(sorted((name, as_fraction(v)) for name, v in self.chosen.items()))
        return _form_again, (self.name, self.typed, chosen)

    def __repr__(self) -> str:
        return f"<form {self.label}>"

    @property
    def label(self) -> str:
        """The label as it was typed, else the name."""
        return self.typed or self.name

    @property
    def settings(self) -> dict[str, Fraction]:
        """The value of each parameter; a nearby fraction if irrational."""
        values = {each.name: self.chosen.get(each.name, each.default) for each in self.parameters}
        return {name: as_fraction(v) for name, v in values.items()}

    @property
    def function(self) -> tuple[str, dict[str, Any]]:
        """A key that is equal for two labels of one function, if that is known."""
        if self.same_as:
            from gelu_cli.formulas.catalog import typed_form

            return typed_form(self.same_as).function
        defaults = {each.name: each.text or each.default for each in self.parameters}
        return self.name, {**defaults, **self.chosen}

    @cached_property
    def has_gate(self) -> bool:
        """True if the form is written as x·G(x)."""
        return all(piece.gated for piece in self.pieces)

    def require(self, quantities: Iterable[str]) -> None:
        """Raise UsageError if a quantity needs a gate and the form has none."""
        if not self.has_gate and not OF_GATES.isdisjoint(quantities):
            raise UsageError(f"'{self.label}' has no gate: it is not written as x·G(x)")

    def with_settings(self, label: str, settings: Mapping[str, Any]) -> Form:
        """Return a form with parameters set; UsageError for a wrong name or value."""
        name, known = self.label.partition(":")[0], {each.name: each for each in self.parameters}
        values = {parameter: to_fraction(value) for parameter, value in settings.items()}
        for parameter, value in values.items():
            if not known:
                raise UsageError(f"the form '{name}' has no parameters")
            if parameter not in known:
                raise unknown("parameter", parameter, known, where=f" of '{name}'")
            known[parameter].check(value, name)
        form = replace(self, chosen=values, typed=label)
        if not self.fulfils(**form.settings):
            raise UsageError(f"'{label}' is not a form; give parameters with {self.needs}")
        return form

    @cached_property
    def fractions(self) -> dict[str, fmpq]:
        """The parameters with rational values."""
        values = {each.name: each.default for each in self.parameters if each.exact is None}
        return {**values, **self.chosen}

    def arguments(self) -> dict[str, Any]:
        """Return all parameters, the irrational ones as balls."""
        constants = {each.name: each.exact() for each in self.parameters if each.exact}
        return {**constants, **self.fractions}

    @cached_property
    def cuts(self) -> tuple[Cut, ...]:
        """The cuts between the pieces, in ascending order."""
        return tuple(self.cuts_at(**self.fractions))

    @cached_property
    def _squares(self) -> list[fmpq]:
        return [cut.square for cut in self.cuts]

    def piece_at(self, x: fmpq) -> tuple[int, bool]:
        """Return the piece's index i at x; True if f(x) averages i and i + 1."""
        square = x * abs(x)
        i, j = bisect_left(self._squares, square), bisect_right(self._squares, square)
        holds = self.cuts[i].holds if i < j else "left"
        return (j if holds == "right" else i), holds == "mean"

    def outer(self, right: bool) -> int:
        """Return the index of the outermost piece on a side."""
        return len(self.pieces) - 1 if right else 0

    @cached_property
    def polynomials(self) -> list[fmpq_poly]:
        """The polynomial of each piece; a line if the piece has a tail."""
        return [piece.polynomial(**self.fractions) for piece in self.pieces]

    def is_polynomial(self, i: int) -> bool:
        """Return True if a piece is a polynomial."""
        return self.pieces[i].tail is None

    def has_tail(self, i: int) -> bool:
        """Return True unless the value on the piece is a straight line."""
        return not self.is_polynomial(i) or self.polynomials[i].degree() > 1 - self.pieces[i].gated

    def has_rest(self, i: int, quantity: str) -> bool:
        """Return True if a quantity of a piece may be more than a straight line."""
        c0 = self.asymptotes[i][0]
        return self.has_tail(i) or (quantity == "mask_variance" and c0 * (1 - c0) != 0)

    @cached_property
    def asymptotes(self) -> list[tuple[fmpq, fmpq]]:
        """Offset and slope of each piece's asymptote; 0, 0 if a curved polynomial."""
        return [
            (fmpq(0), fmpq(0)) if self.is_polynomial(i) and self.has_tail(i) else (line[0], line[1])
            for i, line in enumerate(self.polynomials)
        ]

    def tail(self, i: int, x: Any, parameters: Mapping[str, Any] | None = None) -> Any:
        """Return a piece's tail at x, a number that `special` can take."""
        piece = self.pieces[i]
        if piece.tail is None:
            return horner(self.polynomials[i].coeffs(), x)
        given = self.arguments() if parameters is None else parameters
        return piece.tail(-x if piece.reflected else x, **given) * piece.sign

    def tail_series(self, i: int, x: Any, length: int) -> Any:
        """Return `length` terms of the power series in h of the tail at x + h."""
        assert length <= ctx.cap, "Arb would drop terms, and bounds would be wrong"
        series: Any = acb_series if isinstance(x, acb) else arb_series
        if not self.has_tail(i):
            return series([0], prec=length)
        if length == 1:
            return series([self.tail(i, x)], prec=1)  # a plain ball is faster
        return series([0], prec=length) + self.tail(i, series([x, 1], prec=length))

    def split(self, i: int, quantity: str, x: Any, tail: Any) -> tuple[fmpq, fmpq, Any]:
        """Return k₀, k₁ and the rest of a quantity = k₀ + k₁·x + rest.

        `tail` lists the tail and its derivatives, as numbers of the type of x.
        """
        zero, one, (c0, c1) = fmpq(0), fmpq(1), self.asymptotes[i]
        gated = self.pieces[i].gated
        order = ORDERS[quantity]
        if quantity == "gate" or (quantity == "value" and not gated):
            parts = c0, c1, tail[0]
        elif quantity == "gate_gradient" or (order and not gated):
            parts = (c1 if order == 1 else zero), zero, tail[order]
        elif quantity == "gradient":
            parts = c0, zero, tail[0] + x * tail[1]
        elif quantity == "curvature":
            parts = zero, zero, 2 * tail[1] + x * tail[2]
        elif quantity == "value":
            parts = zero, c0, x * tail[0]
        elif quantity == "mask_variance":
            # G(1 − G) for G = c₀ + t, without cancellation if c₀ is 0 or 1
            product, constant = tail[0] * (1 - 2 * c0 - tail[0]), c0 * (1 - c0)
            parts = zero, zero, x * x * (product + constant if constant else product)
        elif gated:
            parts = zero, one - c0, -x * tail[0]
        else:
            parts = -c0, one - c1, -tail[0]
        return parts

    def line(self, i: int, quantity: str) -> tuple[fmpq, fmpq]:
        """Return k₀ and k₁ of a quantity of a piece."""
        return self.split(i, quantity, fmpq(0), [fmpq(0)] * 3)[:2]

    def evaluate(self, i: int, quantity: str, x: Any) -> tuple[fmpq, fmpq, Any]:
        """Return k₀, k₁ and the rest of a quantity at a ball x inside a piece."""
        order = ORDERS[quantity]
        if not order and self.has_tail(i):  # a plain ball is faster
            return self.split(i, quantity, x, [self.tail(i, x)])
        return self.split(i, quantity, x, derivatives(self.tail_series(i, x, order + 1), order))

    def expand(self, i: int, quantity: str, x: arb, length: int) -> arb_series:
        """Return `length` terms of the power series in h of the rest at x + h."""
        order = ORDERS[quantity]
        series = [self.tail_series(i, x, length + order)]
        for _ in range(order):
            series.append(series[-1].derivative())
        variable = arb_series([x, 1], prec=length)
        rest: arb_series = self.split(i, quantity, variable, series)[2]
        return rest + arb_series([0], prec=length)

    def fraction(self, i: int, quantity: str, x: fmpq) -> fmpq | None:
        """Return a quantity of a piece at x as a fraction; None if unknown."""
        if (quantity, x) in self.zeros:
            return fmpq(0)
        order = ORDERS[quantity]
        variable = fmpq_series([x, 1], prec=order + 1)
        try:
            if self.has_tail(i):
                tail = self.tail(i, variable, self.fractions) + fmpq_series([0], prec=order + 1)
            else:
                tail = fmpq_series([0], prec=order + 1)
            k0, k1, rest = self.split(i, quantity, x, derivatives(tail, order))
            return k0 + k1 * x + fmpq(rest)
        except INEXACT:  # because of an irrational constant or a transcendental function
            return None


def derivatives(series: Any, order: int) -> list[Any]:
    """Return derivatives up to an order from the terms of a power series."""
    return [series[k] * math.factorial(k) for k in range(order + 1)]


def _form_again(*key: Any) -> Form:
    from gelu_cli.formulas.catalog import labelled

    return labelled(*key)
