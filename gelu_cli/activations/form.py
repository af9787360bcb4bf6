"""What a form is: smooth pieces between kinks, each with a value and two derivatives.

A piece is written once, as a function of an arithmetic `a`, a number `x` and the form's
parameters, that returns three numbers: the function and its first two derivatives. It is either
the gate G of f(x) = x·G(x) (`Gated`) or f itself (`Direct`).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol

from gelu_cli.arithmetic import Arithmetic, Real
from gelu_cli.errors import UsageError, unknown

Jet = Callable[..., tuple[Real, Real, Real]]
"""(a, x, **parameters) → a function at x, its first and its second derivative."""


class Values(NamedTuple):
    """What a form has at a point: f, f′, f″ and, where f(x) = x·G(x), the gate G."""

    value: Real
    gradient: Real
    curvature: Real
    gate: Real = None


QUANTITIES = Values._fields


class Piece(Protocol):
    """A smooth function between two kinks."""

    def __call__(self, a: Arithmetic, x: Real, **parameters: Real) -> Values:
        """Return the values at x."""


class Gated(NamedTuple):
    """f(x) = x·G(x), from the jet of G by the product rule: f′ = G + xG′, f″ = 2G′ + xG″."""

    gate: Jet

    def __call__(self, a: Arithmetic, x: Real, **parameters: Real) -> Values:
        """Return the values at x."""
        g, g1, g2 = self.gate(a, x, **parameters)
        return Values(value=x * g, gradient=g + x * g1, curvature=2 * g1 + x * g2, gate=g)


class Direct(NamedTuple):
    """f from its own jet: a function that is not given by a gate."""

    jet: Jet

    def __call__(self, a: Arithmetic, x: Real, **parameters: Real) -> Values:
        """Return the values at x."""
        return Values(*self.jet(a, x, **parameters))


class Kink(NamedTuple):
    """A point where two pieces meet, at ±√|square| with the sign of `square`.

    So kept it compares exactly with every fraction. `takes` names the side whose values hold at
    the point itself, or "mean" for the mean of both.
    """

    square: Fraction
    takes: Literal["left", "right", "mean"]

    def position(self, a: Arithmetic) -> Real:
        """Return where the kink is, in the arithmetic `a`."""
        root = a.sqrt(a.rational(abs(self.square)))
        return -root if self.square < 0 else root


class Parameter(NamedTuple):
    """A parameter of a form: its name, its value unless set, and whether it must be positive."""

    name: str
    default: Fraction
    positive: bool = False


def _no_kinks(**parameters: Fraction) -> tuple[Kink, ...]:
    return ()


class Form(NamedTuple):
    """A function of a real number, by name.

    `pieces` are one more than the `kinks`; `chosen` are parameters set to other values than
    their defaults, as `chosen_label` says.
    """

    name: str
    definition: str
    pieces: tuple[Piece, ...]
    kinks_at: Callable[..., tuple[Kink, ...]] = _no_kinks
    parameters: tuple[Parameter, ...] = ()
    aliases: tuple[str, ...] = ()
    used_by: str = ""
    source: str = ""
    chosen: Mapping[str, Fraction] = MappingProxyType({})
    chosen_label: str = ""

    @property
    def label(self) -> str:
        """The name, with the settings if any are chosen."""
        return self.chosen_label or self.name

    @property
    def settings(self) -> Mapping[str, Fraction]:
        """The value of every parameter."""
        defaults = {parameter.name: parameter.default for parameter in self.parameters}
        return {**defaults, **self.chosen}

    @property
    def has_gate(self) -> bool:
        """Whether f(x) = x·G(x) is how the form is written."""
        return all(isinstance(piece, Gated) for piece in self.pieces)

    @property
    def kinks(self) -> tuple[Kink, ...]:
        """Where the pieces meet, in ascending order."""
        return self.kinks_at(**self.settings)

    def with_settings(self, label: str, settings: Mapping[str, Fraction]) -> Form:
        """Return the form with some parameters set; raises `UsageError` for one it has not."""
        known = {parameter.name: parameter for parameter in self.parameters}
        for name, value in settings.items():
            if not known:
                raise UsageError(f"the form '{self.name}' has no parameters")
            if name not in known:
                raise unknown(f"parameter of '{self.name}'", name, known)
            if known[name].positive and value <= 0:
                raise UsageError(f"{name} of '{self.name}' must be positive, not {value}")
        return self._replace(chosen=settings, chosen_label=label)

    def evaluate(self, a: Arithmetic, x: Real, point: Fraction) -> Values:
        """Return the values at `x`, which is `point` in the arithmetic `a`."""
        settings = {name: a.rational(value) for name, value in self.settings.items()}
        values = [piece(a, x, **settings) for piece in self._pieces_at(point)]
        if len(values) == 1:
            return values[0]
        left, right = values
        return Values(
            *(None if u is None else (u + v) / 2 for u, v in zip(left, right, strict=True))
        )

    def _pieces_at(self, point: Fraction) -> Iterator[Piece]:
        kinks = self.kinks
        if not kinks:
            yield self.pieces[0]
            return
        squares = [kink.square for kink in kinks]
        square = point * abs(point)
        left, right = bisect_left(squares, square), bisect_right(squares, square)
        takes = "left" if left == right else kinks[left].takes
        if takes != "right":
            yield self.pieces[left]
        if takes != "left":
            yield self.pieces[right]


def signed_square(x: Fraction) -> Fraction:
    """Return x·|x|, the `square` of a kink at the fraction x.

    >>> signed_square(Fraction(-3, 2))
    Fraction(-9, 4)
    """
    return x * abs(x)


def limit_point(sign: float) -> Fraction:
    """Return a point beyond float64 at which every form has long reached its limit at ±∞."""
    return Fraction(int(math.copysign(1, sign)) << 1100)
