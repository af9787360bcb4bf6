"""Constants as a program has them: decimals that read back as the numbers that are meant."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isinf
from typing import NamedTuple

from gelu_cli.arithmetic.formats import Format
from gelu_cli.errors import UsageError

MOST_DIGITS = 17
"""So many tell every float64, and are as many as a reader may want to see."""


def nearest(value: Fraction, number_format: Format) -> Fraction:
    """Return the number of the format that is nearest to `value`."""
    number = number_format.exactly(value)
    if isinf(number) or (value and not number):
        raise UsageError(f"a constant, about {float(value):.3g}, is beyond {number_format.name}")
    return Fraction(number)


def rest(value: Fraction, number_format: Format) -> Fraction:
    """Return what the nearest number leaves of `value`, to nearest.

    Both together are `value` to twice the digits.
    """
    left = value - nearest(value, number_format)
    return Fraction(number_format.exactly(left))


def below(value: Fraction, number_format: Format) -> Fraction:
    """Return the largest number of the format that is not above `value` > 0.

    A number of the format is at most that if and only if it is at most `value`.
    """
    number = nearest(value, number_format)
    if number <= value:
        return number
    return Fraction(number_format.number(number_format.bits(float(number)) - 1))


class Constant(NamedTuple):
    """A constant of a program: its name, the real number it stands for, and what that is.

    `part` makes a number of a format of it.
    """

    name: str
    value: Fraction
    meaning: str = ""
    part: Callable[[Fraction, Format], Fraction] = nearest

    def text(self, number_format: Format) -> str:
        """Return the constant in decimal.

        That is `value` itself where it has no more than 17 digits and is a number of the format,
        otherwise the shortest decimal that reads back as the number meant, in this format and
        through float64 alike.

        >>> from gelu_cli.arithmetic.formats import FORMATS
        >>> [Constant("c", Fraction(c)).text(FORMATS["float32"]) for c in ("0.044715", "1/3")]
        ['0.044715', '0.33333334']
        >>> Constant("c", Fraction(183, 4096)).text(FORMATS["float32"])
        '0.044677734375'
        """
        number = self.part(self.value, number_format)
        texts = [f"{float(number):.{digits}g}" for digits in range(1, MOST_DIGITS + 1)]
        if Fraction(texts[-1]) == self.value:
            text = texts[-1]
        else:
            text = next(each for each in texts if _reads_as(each, number, number_format))
        return text if set(text) & set(".e") else f"{text}.0"


def _reads_as(text: str, number: Fraction, number_format: Format) -> bool:
    read = Fraction(text), Fraction(float(text))
    return all(number_format.exactly(value) == number for value in read)
