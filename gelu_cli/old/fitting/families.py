"""What is fitted, and what is found: families of forms, what is made least, the best constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import inf
from typing import NamedTuple

from gelu_cli.old.arithmetic import Arithmetic, Real, Result, Rounding
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.calculus.comparison import Comparison, End, average_errors
from gelu_cli.old.calculus.integrals import Normal
from gelu_cli.old.calculus.stretches import Stretch, piece_of
from gelu_cli.old.calculus.suprema import Extreme
from gelu_cli.old.formulas import ORDERS, Form


class Pieces(NamedTuple):
    """Which pieces of a form and of its target hold on a stretch."""

    form: int
    target: int


class Family(NamedTuple):
    """The members of a form that differ in their free parameters, and what they are to be near.

    An error is form − target, in a quantity; a relative one is divided by the target.
    """

    form: Form
    free: tuple[str, ...]
    target: Form
    quantity: str
    relative: bool = False

    @property
    def signs(self) -> list[int]:
        """The sign that each free parameter must have, 0 if it may have either."""
        signs = {parameter.name: parameter.sign for parameter in self.form.parameters}
        return [signs[name] for name in self.free]

    def member(self, values: Sequence[Fraction]) -> Form:
        """Return the form with these values of the free parameters."""
        chosen = {**self.form.chosen, **dict(zip(self.free, values, strict=True))}
        return self.form.with_settings(self.form.label, chosen)

    def named_member(self, values: Sequence[Result]) -> Form:
        """Return the form with these values of the free parameters, under the name that says so.

        >>> from gelu_cli.old.formulas import find_form
        >>> sigmoid = Family(find_form("sigmoid"), ("beta",), find_form("exact"), "value")
        >>> sigmoid.named_member([Decimal("1.7")]).label
        'sigmoid:beta=1.7'
        """
        fixed = self.form.label.split(":")[1:]
        free = [f"{name}={value}" for name, value in zip(self.free, values, strict=True)]
        kept = [word for word in fixed if word.partition("=")[0] not in self.free]
        member = self.member([Fraction(value) for value in values])
        return member.with_settings(":".join([self.form.typed_name, *kept, *free]), member.chosen)

    def comparison(self, values: Sequence[Fraction]) -> Comparison:
        """Return a member beside the target."""
        return Comparison(self.member(values), self.target, self.quantity)

    def comparison_as_printed(self, constants: Sequence[Result]) -> Comparison:
        """Return the member with constants as they are printed beside the target."""
        return self.comparison([Fraction(as_printed(each)) for each in constants])

    def kink_at(self, index: int, a: Arithmetic, values: Sequence[Real]) -> Real:
        """Return where a kink is of the member with these numbers of `a` as parameters."""
        usual = self.form.kinks[index]
        given = {**self.form.settings_in(a), **dict(zip(self.free, values, strict=True))}
        square = self.form.kinks_at(**given)[index].square
        if isinstance(square, Fraction):  # one that no parameter moves
            return usual.position(a)
        return a.sqrt(square) if usual.square > 0 else -a.sqrt(-square)

    def pieces(self, member: Form, stretch: Stretch) -> Pieces:
        """Return which pieces hold on a stretch for a member."""
        return Pieces(piece_of(member, stretch), piece_of(self.target, stretch))

    @property
    def measured(self) -> str:
        """What is divided for a relative error: of gated forms' values the gates, as x cancels."""
        gated = self.form.has_gate and self.target.has_gate
        return "gate" if self.relative and gated and self.quantity == "value" else self.quantity

    def form_at(self, pieces: Pieces, a: Arithmetic, x: Real, values: Sequence[Real]) -> Real:
        """Return what is measured at x of the member with these numbers of `a` as parameters."""
        given = dict(zip(self.free, values, strict=True))
        order = ORDERS[self.measured]
        return getattr(self.form.on_piece(pieces.form, a, x, order, **given), self.measured)

    def target_at(self, pieces: Pieces, a: Arithmetic, x: Real) -> Real:
        """Return what is measured at x of the target."""
        values = self.target.on_piece(pieces.target, a, x, ORDERS[self.measured])
        return getattr(values, self.measured)

    def error_at(self, pieces: Pieces, a: Arithmetic, x: Real, values: Sequence[Real]) -> Real:
        """Return the error at x of a member."""
        form, target = self.form_at(pieces, a, x, values), self.target_at(pieces, a, x)
        return (form - target) / target if self.relative else form - target


class Criterion(NamedTuple):
    """What is made least, by its name in `CRITERIA`: over a range, or for X ~ N(mean, sigma²)."""

    name: str
    low: End = -inf
    high: End = inf
    normal: Normal = Normal(Fraction(0), Fraction(1))

    @property
    def is_average(self) -> bool:
        """Whether it is an average, so that the range is the whole line."""
        return self.name in ("rms", "mean")

    def extreme(self, comparison: Comparison, rounding: Rounding) -> Extreme:
        """Return the largest error on the range, relative if that is asked, and where it is."""
        if self.name == "relative":
            return comparison.largest_ratio(self.low, self.high, rounding)
        return comparison.largest_difference(self.low, self.high, rounding)

    def error(self, comparison: Comparison, rounding: Rounding) -> Result:
        """Return what the criterion makes of a form beside its target, correctly rounded.

        >>> from gelu_cli.old.arithmetic.formats import FLOAT64
        >>> from gelu_cli.old.formulas import find_form
        >>> tanh = Comparison(find_form("tanh"), find_form("exact"), "value")
        >>> Criterion("sup").error(tanh, FLOAT64), Criterion("rms").error(tanh, FLOAT64)
        (0.00047323552068728487, 0.00012877962500385627)
        """
        if not self.is_average:
            return self.extreme(comparison, rounding).value
        mean, rms = average_errors(comparison, self.normal.sigma, rounding, self.normal.mean)
        return mean if self.name == "mean" else rms


FLOAT64_DIGITS = 17
"""Up to so many digits constants are float64s, in the fewest digits that tell them."""


class Point(NamedTuple):
    """Where the error is largest, with its sign, and the weight of the point in the balance."""

    x: Result
    error: Result
    weight: float


class Best(NamedTuple):
    """The best constants of a family by a criterion, and the form that they make.

    `constants` are correctly rounded; `error` is that of `form`, which has them as printed.
    Without a proof `lower_bound` is None, and `proof` says how many searches found nothing better.
    Where the target is a member the bound is 0.
    """

    family: Family
    criterion: Criterion
    constants: Sequence[Result]
    error: Result
    lower_bound: Result | None
    proof: str
    points: Sequence[Point] = ()
    scope: str = ""
    """In words, the constants that a bound by covering is for; empty if it is for all."""

    @property
    def parameters(self) -> Mapping[str, Result]:
        """The constants by the names of the parameters."""
        return dict(zip(self.family.free, self.constants, strict=True))

    @property
    def form(self) -> Form:
        """The form with the constants, as they are printed."""
        return self.family.named_member(list(map(as_printed, self.constants)))


def as_printed(constant: Result) -> Decimal:
    """Return the decimal that a constant is printed as."""
    return constant if isinstance(constant, Decimal) else Decimal(repr(constant))


def constants_rounding(digits: int | None) -> Rounding:
    """Return how constants are rounded: to float64s, or to more digits if more are asked for."""
    return Decimals(digits) if digits and digits > FLOAT64_DIGITS else FLOAT64
