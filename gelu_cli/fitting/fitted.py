"""What a fit returns: constants, the form they make, and what proves them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from gelu_cli.arithmetic import Result, Rounding
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.calculus.comparison import Comparison
from gelu_cli.fitting.families import Criterion, Family
from gelu_cli.forms import Form

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


def comparison_of(family: Family, constants: Sequence[Result]) -> Comparison:
    """Return the member with constants as they are printed beside the target."""
    return family.comparison([Fraction(as_printed(each)) for each in constants])
