"""Numbers as people type them, read exactly, with messages of our own."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from gelu_cli.errors import UsageError

LARGEST_EXPONENT = 1000
"""Largest |exponent| of 10; of 2, four times that. Beyond it even an exponential takes seconds."""

LONGEST = 4000
"""Most characters of a number."""

DIGITS = r"\d+(?:_\d+)*"
DECIMAL = re.compile(rf"(?:{DIGITS}(?:\.(?:{DIGITS})?)?|\.{DIGITS})(?:e([+-]?\d+))?", re.ASCII)
HEXADECIMAL = re.compile(r"0x([0-9a-f]+(?:\.[0-9a-f]*)?|\.[0-9a-f]+)(?:p([+-]?\d+))?", re.ASCII)


def literal(text: str, word: str) -> Fraction | None:
    """Return the decimal or the hexadecimal float that a text is, or None if it is none.

    Raises `UsageError`, which shows the whole `word`, for one that is too long or too large.
    """
    decimal, hexadecimal = DECIMAL.fullmatch(text), HEXADECIMAL.fullmatch(text)
    match = decimal or hexadecimal
    if match is None:
        return None
    if len(text) > LONGEST:
        raise UsageError(f"'{word}' is longer than {LONGEST} characters")
    exponent = whole_number(match[match.re.groups])
    largest = LARGEST_EXPONENT if decimal else 4 * LARGEST_EXPONENT
    if abs(exponent) > largest:
        raise UsageError(f"the exponent of '{word}' is beyond ±{largest}")
    if decimal:
        return Fraction(Decimal(text))
    whole, _, fraction = match[1].partition(".")
    return int(whole + fraction, 16) * Fraction(2) ** (exponent - 4 * len(fraction))


def whole_number(digits: str | None) -> int:
    """Return an integer, of any length: int() takes as many digits as an environment allows."""
    return int(Decimal(digits or 0))
