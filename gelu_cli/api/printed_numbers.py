"""Is a printed number right to its last decimal?

It is if it is the exact value at x, as typed, rounded to nearest at that decimal; of a value half
way between two decimals, both are. Programs print float64s, in up to 17 digits: a number of so many
is right too if x stands for the nearest float64, and if it is the float64 nearest to the value. A
number that is cut, 0.8413…, is right too if the value begins so.

What a narrower format prints is no decimal. A column of its results is known by its digits: numbers
of the format, printed to many more places than the format has, are not there by chance. Of the
numbers with b bits more than the format, one in 2ᵇ is a number of the format: each counts b bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.inputs.numbers import Number, to_float
from gelu_cli.numbers import FLOAT64, FORMATS, Decimals, Format, Places, evaluate, side
from gelu_cli.numbers.points import refine_until
from gelu_cli.numbers.rounding import Rounded, round_fraction, round_sum

OFF_BY = Places(3, digits=1)
FLOAT64_DIGITS = 17
BITS = 80
"""Bits at first."""

ROUNDED = "the true value, rounded to the last decimal that is printed"
NEAREST = "the float64 nearest to the true value, as programs print it"
OF_ROUNDED_X = "the true value at an x that rounds to the one printed"
BEGINS = "how the true value begins, where dots say that more digits follow"

NARROWER = sorted(
    (each for each in FORMATS.values() if each.precision < FLOAT64.precision),
    key=lambda each: each.precision,
)
SURE = 22
"""Bits that leave no doubt of a format: one number in float32, eight in float8_e5m2."""


class Figure(NamedTuple):
    """A number that was printed as a quantity of a form at x, both as typed."""

    line: int
    x: Decimal | Number
    column: str
    form: Form
    quantity: str
    published: Decimal | float
    cut: bool = False

    @property
    def point(self) -> Number:
        """The exact x; −0 is a float."""
        if not isinstance(self.x, Decimal):
            return self.x
        return Fraction(self.x) if self.x else float(self.x)

    @property
    def digits(self) -> int:
        """The number of significant digits; infinities and NaN have none."""
        return len(self.published.as_tuple().digits) if isinstance(self.published, Decimal) else 0

    def value(self, x: Number, to: Decimals | Format | Places) -> Rounded:
        """Return the exact value at x, correctly rounded."""
        found: list[Rounded] = evaluate(self.form, [self.quantity], x, to)
        return found[0]


class Correction(NamedTuple):
    """How a number is right, what it should be, and how far it is off.

    Only numbers that are `ROUNDED` are off by at most ½.
    """

    basis: str | None
    correct: Rounded
    off_by: Rounded

    @property
    def right(self) -> bool:
        """Whether the number is right."""
        return self.basis is not None


def correct(figure: Figure, digits: int | None = None) -> Correction:
    """Compare a printed number with the exact value.

    >>> from gelu_cli.formulas import find_form
    >>> figure = Figure(1, Decimal(1), "exact", find_form("exact"), "value", Decimal("0.842"))
    >>> correct(figure)
    Correction(basis=None, correct=Decimal('0.841'), off_by=Decimal('0.655'))
    """
    x = figure.point
    basis = ROUNDED if _is_rounded(figure, x) else None
    if not basis and figure.digits <= FLOAT64_DIGITS:
        near = to_float(x)
        if _is_rounded(figure, near):
            x, basis = near, ROUNDED
        elif _is_nearest(figure, near):
            x, basis = near, NEAREST
    if not basis and _is_rounded_at_rounded(figure):
        basis = OF_ROUNDED_X
    if not basis and figure.cut and 0 <= _off_by(figure, x, outward=True) < 1:
        basis = BEGINS
    off_by = abs(_off_by(figure, x))
    if digits:
        return Correction(basis, figure.value(x, Decimals(digits)), off_by)
    return Correction(basis, figure.published if basis else _as_printed(figure, x), off_by)


def _as_printed(figure: Figure, x: Number) -> Rounded:
    """Round the value to the last decimal printed, or else to 17 digits."""
    if isinstance(figure.published, Decimal):
        return figure.value(x, Places(_places(figure.published), figure.digits))
    return figure.value(x, Decimals(FLOAT64_DIGITS))


def _is_rounded(figure: Figure, x: Number) -> bool:
    """Return True if the number is the value, rounded; of a tie, either way."""
    published = figure.published
    if _same(_as_printed(figure, x), published):
        return True
    if isinstance(published, float) or not math.isfinite(x):
        return False
    half = Fraction(1, 2) / Fraction(10) ** _places(published)
    ties = (Fraction(published) - half, Fraction(published) + half)
    return any(not side(figure.form, figure.quantity, x, to_fraction(tie)) for tie in ties)


def _is_nearest(figure: Figure, x: float) -> bool:
    """Return True if it is the nearest float64, as programs print it."""
    nearest = float(figure.value(x, FLOAT64))
    if not math.isfinite(nearest):
        return _same(nearest, figure.published)
    texts = Decimal(repr(nearest)), Decimals(FLOAT64_DIGITS).from_float(nearest)
    return figure.published in texts


def _is_rounded_at_rounded(figure: Figure) -> bool:
    """Return True if it is right at an exact x that rounds to a long one."""
    x, published = figure.x, figure.published
    if not (isinstance(x, Decimal) and isinstance(published, Decimal)):
        return False
    if figure.digits <= FLOAT64_DIGITS or len(x.as_tuple().digits) < figure.digits:
        return False
    half = Fraction(1, 2) / Fraction(10) ** _places(x)
    values = [_as_printed(figure, Fraction(x) + each) for each in (-half, half)]
    return min(values) <= published <= max(values)


def _off_by(figure: Figure, x: Number, *, outward: bool = False) -> Any:
    """Return value − number in units of its last decimal, or away from 0."""
    published = figure.published
    if isinstance(published, float) or not math.isfinite(x):
        return 0.0 if _same(_as_printed(figure, x), published) else math.inf
    unit = to_fraction(Fraction(10) ** -_places(published))
    if outward and published.is_signed():
        unit = -unit
    number = to_fraction(Fraction(published))

    def decide(exact: Any, rest: Any) -> Rounded | None:
        return round_sum(OFF_BY, (exact - number) / unit, None if rest is None else rest / unit)

    return refine_until(figure.form, [figure.quantity], to_fraction(x), BITS, decide)[0]


def _same(a: Rounded, b: Rounded) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def _places(number: Decimal) -> int:
    """Return the number of decimals after the point."""
    return -int(number.as_tuple().exponent)


# Results of narrower formats.


def format_of(figures: Sequence[Figure], wrong: Iterable[Figure]) -> Format | None:
    """Find the format whose results all numbers are, beyond doubt.

    >>> from gelu_cli.formulas import find_form
    >>> printed = Decimal("0.8413447737693787")
    >>> figure = Figure(2, Decimal(1), "exact", find_form("exact"), "value", printed)
    >>> format_of([figure], [figure]).name
    'float32'
    """
    distinct = {each.published: each for each in wrong}.values()
    for number_format in NARROWER:
        beyond = [max(0.0, _bits(number_format, each)) for each in distinct]
        bits = sum(min(number_format.precision, each) for each in beyond)
        if bits >= SURE and all(_is_number_of(number_format, each) for each in figures):
            return number_format
    return None


def formats_explaining(wrong: Sequence[Figure]) -> list[str]:
    """Name formats in which all numbers are correctly rounded results."""
    return [each.name for each in NARROWER if wrong and all(_explains(each, f) for f in wrong)]


def _explains(number_format: Format, figure: Figure) -> bool:
    x = number_format.from_float(to_float(figure.point))
    result = float(figure.value(x, number_format))
    return _is_number_of(number_format, figure) and result == number_format.from_float(
        float(figure.published)
    )


def _is_number_of(number_format: Format, figure: Figure) -> bool:
    """Return True if a number of the format looks so, and x is one too."""
    published, x = figure.published, to_float(figure.point)
    value = number_format.from_float(float(published))
    if not _same(number_format.from_float(x), x):
        return False
    if isinstance(published, float) or not math.isfinite(value) or float(published) == value:
        return _same(value, float(published))
    places = Places(_places(published), figure.digits)
    rounded = round_fraction(places, to_fraction(value))
    return _bits(number_format, figure) >= 0 and rounded == published


def _bits(number_format: Format, figure: Figure) -> float:
    """Return log₂(ulp/unit), the excess precision of the last decimal."""
    published = figure.published
    if isinstance(published, float):
        return 0.0
    _, exponent = math.frexp(float(published))
    binade = max(exponent - 1, number_format.emin) if published else number_format.emin
    return binade - number_format.precision + 1 + _places(published) * math.log2(10)
