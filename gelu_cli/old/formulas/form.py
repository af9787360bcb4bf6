"""What a form is: smooth pieces between kinks, each with a value and two derivatives.

A piece is written once, as a function of an arithmetic, a number `x` and the form's parameters,
that yields the function and its first two derivatives, one after the other, so that what nobody
asks for is not computed. It is either the gate G of f(x) = x·G(x) (`Gated`) or f itself (`Direct`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import islice
from math import copysign, sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

from gelu_cli.errors import UsageError, unknown
from gelu_cli.old.arithmetic import Arithmetic, Curve, Real

if TYPE_CHECKING:
    from gelu_cli.old.arithmetic.exact import Exact

Jet = Callable[..., Iterator[Real]]
"""(a, x, **parameters) → a function at x, then its first, then its second derivative."""


class Values(NamedTuple):
    """What a form has at a point x: f, f′, f″ and, where f(x) = x·G(x), G and G′.

    None stands for what was not asked for, or is not there.
    """

    value: Real
    gradient: Real = None
    curvature: Real = None
    gate: Real = None
    gate_gradient: Real = None
    x: Real = None

    @property
    def complement(self) -> Real:
        """X − f(x), which is x·(1 − G(x)); to the right it cancels, unless x is an anchor."""
        return self.x - self.value

    @property
    def mask_variance(self) -> Real:
        """The variance x²·G(x)·(1 − G(x)) of x·Bernoulli(G(x)): f(x)·(x − f(x))."""
        return self.value * self.complement


ORDERS = {
    "value": 0,
    "gradient": 1,
    "curvature": 2,
    "gate": 0,
    "complement": 0,
    "gate_gradient": 1,
    "mask_variance": 0,
}
"""Every quantity, and how many derivatives it needs."""

QUANTITIES = tuple(ORDERS)
OF_GATES = frozenset({"gate", "gate_gradient", "mask_variance"})
"""The quantities of forms that are written as x·G(x)."""

CANCELLING = frozenset({"complement", "mask_variance"})
"""The quantities that need x as an anchor where f(x) is next to it."""


class Piece(Protocol):
    """A smooth function between two kinks."""

    def __call__(self, a: Arithmetic, x: Real, order: int, /, **parameters: Real) -> Values:
        """Return the values at x, with derivatives up to `order`."""


class Gated(NamedTuple):
    """f(x) = x·G(x), from the jet of G by the product rule: f′ = G + xG′, f″ = 2G′ + xG″."""

    gate: Jet

    def __call__(self, a: Arithmetic, x: Real, order: int, /, **parameters: Real) -> Values:
        """Return the values at x, with derivatives up to `order`."""
        jet = self.gate(a, x, **parameters)
        g = next(jet)
        if order == 0:
            return Values(x * g, gate=g, x=x)
        g1 = next(jet)
        curvature = 2 * g1 + x * next(jet) if order == 2 else None
        return Values(x * g, g + x * g1, curvature, g, g1, x)


class Direct(NamedTuple):
    """f from its own jet: a function that is not given by a gate."""

    jet: Jet

    def __call__(self, a: Arithmetic, x: Real, order: int, /, **parameters: Real) -> Values:
        """Return the values at x, with derivatives up to `order`."""
        values = Values(*islice(self.jet(a, x, **parameters), order + 1))
        return values._replace(x=x)


def mirrored(left: Jet) -> Jet:
    """Return 1 − h(−x) with h′(−x) and −h″(−x), of h: the right half of G(x) + G(−x) = 1."""

    def right(a: Arithmetic, x: Real, /, **parameters: Real) -> Iterator[Real]:
        jet = left(a, -x, **parameters)
        yield 1 - next(jet)
        yield next(jet)
        yield -next(jet)

    return right


class Kink(NamedTuple):
    """A point where two pieces meet, at ±√|square| with the sign of `square`.

    So kept it compares exactly with every fraction. `takes` names the side whose values hold at
    the point itself, or "mean" for the mean of both.
    """

    square: Fraction
    takes: Literal["left", "right", "mean"]

    def position(self, a: Arithmetic) -> Real:
        """Return where the kink is, in the arithmetic `a`."""
        return signed_root(a, self.square)

    def __float__(self) -> float:
        """Return about where it is, by the root of the rounded square."""
        return copysign(sqrt(abs(self.square)), self.square)


class Parameter(NamedTuple):
    """A parameter of a form: its name, its value unless set, and the sign that it must have.

    `sign` is 1 or −1 where only positive or negative values make sense. A default that is no
    fraction is the real number `exact`, written as `text`; `default` is then a fraction next to
    it, which is used for sizes and hints alone.
    """

    name: str
    default: Fraction
    sign: int = 0
    exact: Callable[[Arithmetic], Real] | None = None
    text: str = ""

    def default_in(self, a: Arithmetic) -> Real:
        """Return the default in the arithmetic `a`; 0 as an int, whose terms are left out."""
        if self.exact:
            return self.exact(a)
        return a.rational(self.default) if self.default else 0

    def check(self, value: Fraction, form: str) -> None:
        """Raise `UsageError` for a value of the wrong sign."""
        if self.sign and self.sign * value <= 0:
            side = "positive" if self.sign > 0 else "negative"
            raise UsageError(f"{self.name} of '{form}' must be {side}, not {value}")


Ordered: TypeAlias = Callable[[Collection[str], Mapping[str, Fraction]], bool]
"""(free parameters, settings of all) → whether alternation proves a fit."""


def always(free: Collection[str], settings: Mapping[str, Fraction]) -> bool:
    """Say that alternation proves every fit: `Fit.ordered` of most forms."""
    return True


class Fit(NamedTuple):
    """What a fit of a form's constants must know of the form.

    `free` are the parameters that are fitted unless others are asked for; none stands for all.
    `ordered` says whether two members that differ in n parameters, the others being set, differ
    for x > 0 in at most n − 1 changes of sign: then alternation proves a fit. `edge` names the
    parameter beyond which, on both sides, no other one matters; it has no part in `ordered`. In
    the `linear` ones the form is linear where the others are set: its averages are then convex.
    """

    free: tuple[str, ...] = ()
    ordered: Ordered = lambda free, settings: False
    edge: str = ""
    linear: frozenset[str] = frozenset()
    published: bool = True
    """Whether the defaults are constants that others have published."""

    instead: str = ""
    """The form to fit, of which this one is a member."""

    no_best_on_the_line: Mapping[str, str] = MappingProxyType({})
    """Parameters that have no best value on the whole line, each with the reason."""

    expanded: Form | None = None
    """The same form with products of its parameters, as their names say, as parameters."""


class Form(NamedTuple):
    """A function of a real number, by name.

    `pieces` are one more than the `kinks`; `chosen` are parameters set to other values than
    their defaults. `typed` is how it was asked for where that is not its name alone: by an alias,
    with settings.
    `symmetric` says that G(x) + G(−x) = 1 for all x that are no kinks, whatever is chosen.
    `since` is the year of what `source` names.
    """

    name: str
    definition: str
    pieces: tuple[Piece, ...]
    kinks_at: Callable[..., tuple[Kink, ...]] = lambda **parameters: ()
    parameters: tuple[Parameter, ...] = ()
    symmetric: bool = False
    aliases: tuple[str, ...] = ()
    used_by: str = ""
    source: str = ""
    since: int | None = None
    fit: Fit = Fit()
    chosen: Mapping[str, Fraction] = MappingProxyType({})
    typed: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        # By its name, which another process knows: its pieces are functions.
        return _form_again, (self.name, self.typed, dict(self.chosen))

    @property
    def label(self) -> str:
        """What it is called wherever it is printed: as it was asked for."""
        return self.typed or self.name

    @property
    def typed_name(self) -> str:
        """The name or the alias in the label, without settings."""
        return self.label.partition(":")[0]

    @property
    def function(self) -> tuple[str, Mapping[str, Fraction | str]]:
        """What it computes: equal for two that are one function, whatever they are called."""
        defaults = {each.name: each.text or each.default for each in self.parameters}
        return self.name, {**defaults, **self.chosen}

    @property
    def settings(self) -> Mapping[str, Fraction]:
        """The value of every parameter, or a fraction next to it."""
        defaults = {parameter.name: parameter.default for parameter in self.parameters}
        return {**defaults, **self.chosen}

    @property
    def has_gate(self) -> bool:
        """Whether f(x) = x·G(x) is how the form is written."""
        return all(isinstance(piece, Gated) for piece in self.pieces)

    def require_gate(self) -> None:
        """Raise `UsageError` if the form has no gate."""
        if not self.has_gate:
            raise UsageError(f"'{self.label}' has no gate: it is not written as x·G(x)")

    def require(self, quantities: Iterable[str]) -> None:
        """Raise `UsageError` if the form has no gate and one of the quantities is of a gate."""
        if not OF_GATES.isdisjoint(quantities):
            self.require_gate()

    @property
    def kinks(self) -> tuple[Kink, ...]:
        """Where the pieces meet, in ascending order."""
        return self.kinks_at(**self.settings)

    @property
    def limit_exponent(self) -> int:
        """An n such that at ±2ⁿ the form has reached its limits; a finite one is below 2ⁿ⁻⁸.

        Every form is a function of x times, or over, its parameters. |f|, |f′| and |f″| are nowhere
        greater than max(|x|, 2ⁿ)¹⁶: the highest power of x, or of a parameter, is the 15th.
        """
        sizes = (
            abs(value.numerator.bit_length() - value.denominator.bit_length())
            for value in self.settings.values()
        )
        return 100 + sum(sizes)

    def with_settings(self, label: str, settings: Mapping[str, Fraction]) -> Form:
        """Return the form with some parameters set; raises `UsageError` for one it has not."""
        known = {parameter.name: parameter for parameter in self.parameters}
        for name, value in settings.items():
            if not known:
                raise UsageError(f"the form '{self.typed_name}' has no parameters")
            if name not in known:
                raise unknown("parameter", name, known, where=f" of '{self.typed_name}'")
            known[name].check(value, self.typed_name)
        return self._replace(chosen=settings, typed=label)

    def evaluate(self, a: Arithmetic, x: Real, point: Exact, order: int = 2) -> Values:
        """Return the values at `x`, which is `point` in the arithmetic `a`, up to a derivative."""
        kinks, square = self.kinks, signed_square(point)
        squares = [kink.square for kink in kinks]
        left, right = bisect_left(squares, square), bisect_right(squares, square)
        takes = kinks[left].takes if left < right else "left"
        if takes != "mean":
            return self.on_piece(left if takes == "left" else right, a, x, order)
        both = (self.on_piece(piece, a, x, order) for piece in (left, right))
        return Values(*(None if u is None else (u + v) / 2 for u, v in zip(*both, strict=True)))

    def on_piece(self, index: int, a: Arithmetic, x: Real, order: int, /, **given: Real) -> Values:
        """Return the values of one piece at `x`, wherever x is, with parameters given or set."""
        return self.pieces[index](a, x, order, **{**self.settings_in(a), **given})

    def curve(self, index: int, name: str) -> Curve:
        """Return a quantity of one piece as a curve, wherever x is."""
        order = ORDERS[name]
        return lambda a, x: getattr(self.on_piece(index, a, x, order), name)

    def settings_in(self, a: Arithmetic) -> dict[str, Real]:
        """Return the value of every parameter in the arithmetic `a`."""
        return {
            each.name: a.rational(self.chosen[each.name])
            if each.name in self.chosen
            else each.default_in(a)
            for each in self.parameters
        }

    def piece_from(self, square: Fraction) -> int:
        """Return which piece holds to the right of ±√|square|."""
        return sum(kink.square <= square for kink in self.kinks)


def _form_again(name: str, label: str, settings: Mapping[str, Fraction]) -> Form:
    from gelu_cli.old.formulas import find_form  # which reads the files that define forms

    form = find_form(name)
    return form.with_settings(label, settings) if label else form


def signed_square(x: Real) -> Real:
    """Return x·|x|, the `square` of a kink at the number x.

    >>> signed_square(Fraction(-3, 2))
    Fraction(-9, 4)
    """
    return x * abs(x)


def signed_root(a: Arithmetic, square: Fraction) -> Real:
    """Return ±√|square| with the sign of `square`, the point whose `signed_square` it is.

    >>> from gelu_cli.old.arithmetic.exact import RATIONAL
    >>> signed_root(RATIONAL, Fraction(-9, 4))
    Fraction(-3, 2)
    """
    root = a.sqrt(a.rational(abs(square))) if square else a.rational(0)  # √ has no slope at 0
    return -root if square < 0 else root
