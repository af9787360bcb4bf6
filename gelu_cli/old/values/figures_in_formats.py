"""Are figures in print numbers of a format narrower than float64, though they are called wrong?

A program that computes in float32 prints its results with the digits of a float64. As decimals they
are wrong, however well it computes. They are known by their digits: a number of the format, printed
to many more places than the format has, is hardly there by chance. Of the figures with b bits more
than the format needs, one in 2ᵇ is a number of the format. So it counts b bits, but no more than
the format has, for people write 0.5 and 0.875 as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

from gelu_cli.old.arithmetic.decimals import Decimals, Places
from gelu_cli.old.arithmetic.exact import nearest
from gelu_cli.old.arithmetic.formats import FLOAT64, FORMATS, Format
from gelu_cli.old.values.evaluate import Point
from gelu_cli.old.values.figures import Figure, Value, length, places_of

NARROWER = sorted(
    (each for each in FORMATS.values() if each.precision < FLOAT64.precision),
    key=lambda each: each.precision,
)

PRINTED_SHORT = ("float32", "float16")
"""What numpy prints in the digits that identify a number of the format, not those of a float64."""

TRIMMED = -10
"""Bits that such a number may lack, as its last digits are zeros; people's 0.84 lacks more."""

SURE = 22
"""Bits that leave no doubt: one figure in float32, three in bfloat16, eight in float8_e5m2."""


LIKELY = 10
"""Bits that are worth a word."""


class Suspicion:
    """In which formats all figures so far may be, and how much speaks for it.

    >>> from gelu_cli.old.formulas import find_form
    >>> printed = Decimal("0.8413447737693787")
    >>> figure = Figure(2, Decimal(1), "exact", find_form("exact"), "value", printed)
    >>> suspicion = Suspicion()
    >>> suspicion.narrow([figure])
    >>> suspicion.weigh(figure)
    >>> suspicion.certain.name
    'float32'
    """

    def __init__(self) -> None:
        self._possible = NARROWER
        self.explaining = NARROWER
        """The formats in which all figures that are wrong as decimals are right."""

        self._gave_up = False
        self._bits = dict.fromkeys(FORMATS, 0.0)
        self._weighed: set[Decimal | float] = set()

    def narrow(self, figures: Iterable[Figure]) -> None:
        """Keep the formats that have all these figures, and the numbers that x is."""
        for figure in figures:
            if not self._possible:
                return
            self._possible = [each for each in self._possible if _has(each, figure)]

    def weigh(self, figure: Figure) -> None:
        """Take a figure into account that is wrong as a decimal; twice the same counts once."""
        self.explaining = [each for each in self.explaining if _explains(each, figure)]
        if figure.published in self._weighed:
            return
        for each in {*self._possible, *self.explaining}:
            bits = min(each.precision, _bits_beyond(each, figure))
            if bits > 0 and self._bits[each.name] < SURE:
                self._bits[each.name] += bits
                self._weighed.add(figure.published)

    def give_up(self) -> None:
        """Be certain of nothing from now on."""
        self._gave_up = True

    @property
    def likely(self) -> list[Format]:
        """The formats that all figures so far may be in, where more than chance speaks for it."""
        return [each for each in self._possible if self._bits[each.name] >= LIKELY]

    @property
    def certain(self) -> Format | None:
        """The format that all figures are in, beyond doubt: one in which the wrong ones are right.

        Of several it is the narrowest; so it is where no format makes the wrong ones right.
        """
        if self._gave_up:
            return None
        explaining = [each for each in self._possible if each in self.explaining]
        narrowest = (explaining or self._possible)[:1]
        return next((each for each in narrowest if self._bits[each.name] >= SURE), None)


def _has(number_format: Format, figure: Figure) -> bool:
    """Return whether a figure may be a number of the format in print, and its x one, shortened.

    One that is cut to fewer digits than tell it from its neighbours is not: nobody can judge it.
    Numpy's shortest digits may be as few as those of a decimal that people type, but they are read
    as that number.
    """
    published = figure.published
    value = _nearest(number_format, published)
    if not _is_shown(value, published):
        return False
    if isinstance(published, Decimal) and value != float(published) and not published.is_nan():
        bits, digits = _bits_beyond(number_format, figure), length(published)
        shorter = Decimals(digits - 1).from_float(value) if digits > 1 else Decimal(0)
        shortest = number_format.name in PRINTED_SHORT and _nearest(number_format, shorter) != value
        if bits < TRIMMED or (bits < 0 and not shortest):
            return False
    return _is_shown(_nearest(number_format, figure.x), figure.x)


def _explains(number_format: Format, figure: Figure) -> bool:
    """Return whether a figure is the correctly rounded result at the number that x rounds to."""
    x, published = (_nearest(number_format, each) for each in (figure.x, figure.published))
    return _has(number_format, figure) and Value(figure, x).rounded(number_format) == published


def _nearest(number_format: Format, number: Decimal | Point) -> float:
    """Return the number of the format that a decimal, or what else was typed, comes nearest to."""
    if isinstance(number, float | Decimal):
        return number_format.from_float(float(number))
    return float(nearest(number, number_format))


def _is_shown(value: float, number: Decimal | Point) -> bool:
    """Return whether a number is what a value looks like, rounded to its last decimal."""
    if value == number or (math.isnan(value) and math.isnan(number)):
        return True
    if not (isinstance(number, Decimal) and math.isfinite(value)):
        return False
    return (
        float(number) == value != 0
        or Places(places_of(number), length(number)).exactly(Fraction(value)) == number
    )


def _bits_beyond(number_format: Format, figure: Figure) -> float:
    """Return log₂(ulp/unit), how much finer a figure's last decimal is than the format there."""
    published = figure.published
    if isinstance(published, float) or not published.is_finite():
        return 0.0
    _, exponent = math.frexp(float(published))
    binade = max(exponent - 1, number_format.emin) if published else number_format.emin
    return binade - number_format.precision + 1 + places_of(published) * math.log2(10)
