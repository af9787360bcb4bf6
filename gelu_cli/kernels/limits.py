"""Errors beside the limits that they have to keep, in so many digits that it is seen."""

from __future__ import annotations

from fractions import Fraction

from gelu_cli.arithmetic.decimals import Decimals

ERROR_DIGITS, LIMIT_DIGITS = 6, 20


def above(limit: Fraction, ulp: Fraction) -> str:
    """Return an error in so many digits that it is seen to exceed the limit.

    >>> above(Fraction(2), Fraction(3)), above(Fraction(2), 2 + Fraction(1, 10**8))
    ('3', '2.00000001')
    """
    for digits in range(ERROR_DIGITS, LIMIT_DIGITS):
        if Fraction(text := shown(ulp, digits)) > limit:
            return text
    return f"a little over {shown(limit)}"


def shown(number: Fraction, digits: int = LIMIT_DIGITS) -> str:
    """Return a number in so many digits, or in fewer if they say as much.

    >>> shown(Fraction(5, 2)), shown(Fraction(1, 3), 3)
    ('2.5', '0.333')
    """
    text = Decimals(digits).exactly(number).normalize()
    return f"{text:f}" if 0 <= text.adjusted() < ERROR_DIGITS else f"{text:g}"
