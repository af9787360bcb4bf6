"""Are printed figures right to their last printed decimal?

A figure is right if it is the true value rounded to nearest at the figure's last decimal; of a
value half way between two decimals, both. x counts as typed: 0.1 is one tenth.

Programs print float64s, and these have up to 17 significant digits. A figure of so many is right
as well if x stands for the nearest float64, and if what is printed is not the value but the
float64 nearest to it, in the shortest digits that identify it or in all 17. A figure of more
digits claims more. An x of more than 17 digits, and of as many as the figure, may itself be
rounded: it stands for every number that rounds to it.

What is printed with a figure is a claim as well. One with an uncertainty, 0.8413 ± 0.0002, is
right if the value is within it; one that is cut, 0.8413…, if the value begins so. Both are right
as well if they are the value, rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from gelu_cli.old.arithmetic import PointArithmetic, Real, Result, Rounding
from gelu_cli.old.arithmetic.decimals import Decimals, Places
from gelu_cli.old.arithmetic.exact import RATIONAL, Exact, nearest, unknown
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.formulas import Form
from gelu_cli.old.values.evaluate import (
    Point,
    absolute,
    computing,
    evaluate_at,
    evaluate_computed,
    exactly,
    is_finite,
)

OFF_BY = Places(3, digits=1)
FLOAT64_DIGITS = 17
CLAIM_DIGITS = 30
"""To so many digits a distance is compared with the uncertainty that is printed."""

MOST_PLACES = 10_000
"""A rational value has fewer, at any x that is typed; the others need no fractions."""


class Figure(NamedTuple):
    """A number that someone printed as a quantity of a form at x, both exactly as typed."""

    line: int
    x: Decimal | Point
    column: str
    form: Form
    quantity: str
    published: Decimal | float
    uncertainty: Decimal | None = None
    """What is printed behind ±."""

    cut: bool = False
    """Whether dots say that more digits follow."""

    up: Decimal | Point | None = None
    """The second input, as typed, of which the form is a multiple."""

    at_up: Callable[[Any], Form] | None = None
    """Gives the multiple of a form at another second input."""


class Basis(Enum):
    """As what a figure is right, the strictest first; in words that follow "it is"."""

    DECIMAL = "the true value, rounded to the last decimal that is printed"
    FLOAT64 = "the float64 nearest to the true value, as programs print it"
    ROUNDED_X = "the true value at an x that rounds to the one printed"
    UNCERTAIN = "within its printed uncertainty of the true value"
    CUT = "how the true value begins, where dots say that more digits follow"


class Correction(NamedTuple):
    """As what a figure is right, if it is, what it should be, and how many last decimals it is off.

    Only a `DECIMAL` is off by ½ at most.
    """

    basis: Basis | None
    correct: Result
    off_by: Result

    @property
    def right(self) -> bool:
        """Whether the figure is right."""
        return self.basis is not None


def correct(figure: Figure, digits: int | None = None) -> Correction:
    """Return whether a figure is right, and what it should be, to so many digits if asked for.

    >>> from gelu_cli.old.formulas import find_form
    >>> figure = Figure(1, Decimal(1), "exact", find_form("exact"), "value", Decimal("0.842"))
    >>> correct(figure)
    Correction(basis=None, correct=Decimal('0.841'), off_by=Decimal('0.655'))
    """
    typed = Value(figure, _point(figure.x))
    value, basis = typed, Basis.DECIMAL if typed.holds() else None
    nearest = None if basis else _nearest_float64(figure, typed.x)
    if nearest is not None:
        of_float64 = typed if nearest == typed.x else Value(figure, nearest)
        if figure.at_up and figure.up is not None:
            form = figure.at_up(float(figure.up))
            of_float64 = Value(figure._replace(form=form), nearest)
        if of_float64.holds():
            value, basis = of_float64, Basis.DECIMAL
        elif of_float64.holds_for_float64():
            value, basis = of_float64, Basis.FLOAT64
    if basis is None and _holds_for_rounded_x(figure):
        basis = Basis.ROUNDED_X
    basis = basis or typed.basis_of_claim()
    if digits:
        return Correction(basis, value.rounded(Decimals(digits)), value.off_by())
    return Correction(basis, figure.published if basis else value.as_printed, value.off_by())


class Value:
    """What a figure should be: a quantity of its form at x, to any precision.

    It is computed once for each precision that a rounding asks for, and not again for less.
    """

    def __init__(self, figure: Figure, x: Point) -> None:
        self.figure = figure
        self.x = x
        self._known: dict[type, tuple[float, Real]] = {}

    def _number(self, a: PointArithmetic, x: Real, point: Exact) -> Real:
        """Return the value as a number of an arithmetic; an enclosure may be a narrower one."""
        precision, value = self._known.get(type(a), (0, None))
        if precision < a.precision:
            quantity = self.figure.quantity
            value = computing(self.figure.form, [quantity])(a, x, point)[quantity]
            self._known[type(a)] = a.precision, value
        return value

    def _units_off(self, a: PointArithmetic, x: Real, point: Exact) -> Mapping[str, Real]:
        """Return value − figure in units of the figure's last decimal."""
        sign, digits, exponent = self.figure.published.as_tuple()  # type: ignore[union-attr]
        if a is RATIONAL and abs(int(exponent)) > MOST_PLACES:
            return {"off_by": unknown()}
        units = a.rational(Fraction(Decimal((sign, digits, 0))))
        return {"off_by": self._number(a, x, point) * a.rational(10) ** -int(exponent) - units}

    def _rounded_off_by(self, rounding: Rounding) -> Result:
        exponent = self.figure.form.limit_exponent
        return evaluate_at(self.x, ["off_by"], self._units_off, exponent, rounding)[0]

    def rounded(self, rounding: Rounding) -> Result:
        """Return the value, correctly rounded."""
        form, quantity = self.figure.form, self.figure.quantity
        return evaluate_computed(
            form, [quantity], self.x, lambda *at: {quantity: self._number(*at)}, rounding
        )[0]

    @cached_property
    def as_printed(self) -> Result:
        """The value to the last decimal of the figure, or to 17 digits if it has none."""
        published = self.figure.published
        if isinstance(published, Decimal):
            return self.rounded(Places(places_of(published), length(published)))
        return self.rounded(Decimals(FLOAT64_DIGITS))

    def holds(self) -> bool:
        """Return whether the figure is the value, rounded; of a tie, either way."""
        if _same(self.as_printed, self.figure.published):
            return True
        if isinstance(self.figure.published, float) or not is_finite(self.x):
            return False
        point = exactly(self.x)
        off_by = self._units_off(RATIONAL, point, point)["off_by"]
        return isinstance(off_by, Fraction) and abs(off_by) == Fraction(1, 2)

    def holds_for_float64(self) -> bool:
        """Return whether the figure is the float64 nearest to the value, as programs print it."""
        published = self.figure.published
        if _same(self.as_printed, published):
            return True
        value = self.rounded(FLOAT64)
        if not math.isfinite(value):
            return _same(value, published)
        texts = Decimal(repr(value)), Decimals(FLOAT64_DIGITS).from_float(float(value))
        return published in texts

    def basis_of_claim(self) -> Basis | None:
        """Return as what the figure is right by what is printed with it: ±, or dots."""
        published, uncertainty, cut = self.figure[5:8]
        if isinstance(published, float) or not (cut or uncertainty is not None):
            return None
        off_by = self._rounded_off_by(Decimals(CLAIM_DIGITS))
        if not isinstance(off_by, Decimal):
            return None  # it is not finite
        if uncertainty is not None:
            sign, digits, exponent = uncertainty.as_tuple()
            most = Decimal((sign, digits, int(exponent) + places_of(published)))
            return Basis.UNCERTAIN if abs(off_by) <= most else None
        further = -off_by if published.is_signed() else off_by
        return Basis.CUT if 0 <= further < 1 else None

    def off_by(self) -> Result:
        """Return |value − figure| in units of the figure's last decimal."""
        if isinstance(self.figure.published, float):
            return OFF_BY.exactly(Fraction(0)) if self.holds() else math.inf
        return absolute(self._rounded_off_by(OFF_BY))


def _point(x: Decimal | Point) -> Point:
    """Return a number as `evaluate` takes it: −0 is a float."""
    if not isinstance(x, Decimal):
        return x
    return Fraction(x) if x else float(x)


def _same(a: Result, b: Result) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def _nearest_float64(figure: Figure, x: Point) -> float | None:
    """Return the float64 that x may stand for, if the figure is not too long to be one itself."""
    if length(figure.published) > FLOAT64_DIGITS:
        return None
    found = x if isinstance(x, float) else float(nearest(x, FLOAT64))
    return found if math.isfinite(found) or isinstance(x, float) else None


def _holds_for_rounded_x(figure: Figure) -> bool:
    """Return whether the figure lies between the values at the ends of what rounds to x."""
    x, published = figure.x, figure.published
    if not (isinstance(x, Decimal) and isinstance(published, Decimal)):
        return False
    if length(published) <= FLOAT64_DIGITS:
        return False

    def ends(number: Any) -> list[Any]:
        if not isinstance(number, Decimal) or length(number) < length(published):
            return [_point(number)]
        half = Fraction(1, 2) / Fraction(10) ** places_of(number)
        return [Fraction(number) - half, Fraction(number) + half]

    forms = [*map(figure.at_up, ends(figure.up))] if figure.at_up else [figure.form]
    values = [
        Value(figure._replace(form=form), end).as_printed for form in forms for end in ends(x)
    ]
    return min(values) <= published <= max(values)


def places_of(number: Decimal) -> int:
    """Return how many decimals after the point there are."""
    return -int(number.as_tuple().exponent)


def length(number: Decimal | float) -> int:
    """Return the number of significant digits; infinities and NaN have none."""
    return len(number.as_tuple().digits) if isinstance(number, Decimal) else 0
