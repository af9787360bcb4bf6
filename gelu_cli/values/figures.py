"""Are printed figures right to their last printed decimal?

A figure is right if it is the true value rounded to nearest at the figure's last decimal; of a
value half way between two decimals, both. x counts as typed: 0.1 is one tenth.

Programs print float64s, and these have up to 17 significant digits. A figure of so many is right
as well if x stands for the nearest float64, and if what is printed is not the value but the
float64 nearest to it, in the shortest digits that identify it or in all 17. A figure of more
digits claims more. An x of more than 17 digits, and of as many as the figure, may itself be
rounded: it stands for every number that rounds to it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import NamedTuple

from gelu_cli.arithmetic import Arithmetic, Real
from gelu_cli.arithmetic.decimals import Decimals, Places
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.arithmetic.rational import RATIONAL, UNKNOWN
from gelu_cli.forms import ORDERS, Form
from gelu_cli.values.evaluate import (
    Compute,
    Point,
    Result,
    Rounding,
    absolute,
    evaluate,
    evaluate_at,
)

OFF_BY = Places(3, digits=1)
FLOAT64_DIGITS = 17
UNLIMITED = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
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


class Verdict(NamedTuple):
    """Whether a figure is right, what it should be, and by how many last decimals it is not."""

    right: bool
    correct: Result
    off_by: Result


def judge(figure: Figure, digits: int | None = None) -> Verdict:
    """Return the verdict on a figure, see `check_figures`.

    >>> from gelu_cli.forms import find_form
    >>> figure = Figure(1, Decimal(1), "exact", find_form("exact"), "value", Decimal("0.842"))
    >>> judge(figure)
    Verdict(right=False, correct=Decimal('0.841'), off_by=Decimal('0.655'))
    """
    x = _point(figure.x)
    right = _holds(figure, x)
    nearest = None if right else _nearest_float64(figure, x)
    if nearest is not None and _holds_for_float64(figure, nearest):
        right, x = True, nearest
    right = right or _holds_for_rounded_x(figure)
    return Verdict(right, _correct(figure, x, right, digits), _off_by(figure, x))


def _correct(figure: Figure, x: Point, right: bool, digits: int | None) -> Result:
    if digits:
        return _value(figure, x, Decimals(digits))
    return figure.published if right else _rounded(figure, x)


def _point(x: Decimal | Point) -> Point:
    """Return a number as `evaluate` takes it: −0 is a float."""
    if not isinstance(x, Decimal):
        return x
    return Fraction(x) if x else float(x)


def _value(figure: Figure, x: Point, rounding: Rounding) -> Result:
    (value,) = evaluate(figure.form, [figure.quantity], x, rounding)
    return value


def _rounded(figure: Figure, x: Point) -> Result:
    """Return the value at x to the last decimal of the figure, or to 17 digits if it has none."""
    published = figure.published
    if isinstance(published, Decimal):
        return _value(figure, x, Places(_places(published), _length(published)))
    return _value(figure, x, Decimals(FLOAT64_DIGITS))


def _same(a: Result, b: Result) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def _holds(figure: Figure, x: Point) -> bool:
    return _same(_rounded(figure, x), figure.published) or _is_tie(figure, x)


def _is_tie(figure: Figure, x: Point) -> bool:
    """Return whether the value is half way between the figure and its neighbour, exactly."""
    if isinstance(figure.published, float) or (isinstance(x, float) and not math.isfinite(x)):
        return False
    x = Fraction(x)
    distance = _distance(figure, figure.published)(RATIONAL, x, x)["off_by"]
    return isinstance(distance, Fraction) and abs(distance) == Fraction(1, 2)


def _nearest_float64(figure: Figure, x: Point) -> float | None:
    """Return the float64 that x may stand for, if the figure is not too long to be one itself."""
    if _length(figure.published) > FLOAT64_DIGITS:
        return None
    nearest = FLOAT64.exactly(x) if isinstance(x, Fraction) else x
    return nearest if math.isfinite(nearest) or isinstance(x, float) else None


def _holds_for_float64(figure: Figure, x: float) -> bool:
    if _same(_rounded(figure, x), figure.published):
        return True
    value = _value(figure, x, FLOAT64)
    if not math.isfinite(value):
        return _same(value, figure.published)
    texts = Decimal(repr(value)), Decimals(FLOAT64_DIGITS).from_float(float(value))
    return figure.published in texts


def _holds_for_rounded_x(figure: Figure) -> bool:
    """Return whether the figure lies between the values at the ends of what rounds to x."""
    x, published = figure.x, figure.published
    if not (isinstance(x, Decimal) and isinstance(published, Decimal)):
        return False
    if not _length(x) >= _length(published) > FLOAT64_DIGITS:
        return False
    half = Fraction(1, 2) / Fraction(10) ** _places(x)
    ends = Fraction(x) - half, Fraction(x) + half
    low, high = sorted(_rounded(figure, end) for end in ends)
    return low <= published <= high


def _off_by(figure: Figure, x: Point) -> Result:
    published = figure.published
    if isinstance(published, float):
        return OFF_BY.exactly(Fraction(0)) if _holds(figure, x) else math.inf
    compute, exponent = _distance(figure, published), figure.form.limit_exponent
    return absolute(*evaluate_at(x, ["off_by"], compute, exponent, OFF_BY))


def _distance(figure: Figure, published: Decimal) -> Compute:
    """Return how to compute value − published in units of the last decimal."""
    places = _places(published)
    units = Fraction(published.scaleb(places, UNLIMITED))

    def compute(a: Arithmetic, x: Real, point: Fraction) -> Mapping[str, Real]:
        if a is RATIONAL and abs(places) > MOST_PLACES:
            return {"off_by": UNKNOWN}
        values = figure.form.evaluate(a, x, point, ORDERS[figure.quantity])
        scale = a.rational(10) ** places
        return {"off_by": getattr(values, figure.quantity) * scale - a.rational(units)}

    return compute


def _places(number: Decimal) -> int:
    """Return how many decimals after the point there are."""
    return -int(number.as_tuple().exponent)


def _length(number: Decimal | float) -> int:
    """Return the number of significant digits; infinities and NaN have none."""
    return len(number.as_tuple().digits) if isinstance(number, Decimal) else 0
