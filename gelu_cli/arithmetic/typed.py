"""Numbers as people type them: a parser of our own, exact, with messages of our own."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction

from gelu_cli.errors import UsageError

Number = float | Fraction
"""Exact where it can be: a Fraction, or the floats inf, -inf, nan and -0.0."""

LARGEST_EXPONENT = 1000
"""Of 10; as an exponent of 2 four times as much. Beyond it even an exponential takes seconds."""

LONGEST = 4000
"""Characters of a number."""

SPECIALS = {"inf": math.inf, "infinity": math.inf, "nan": math.nan}
DIGITS = r"\d+(?:_\d+)*"
DECIMAL = re.compile(rf"(?:{DIGITS}(?:\.(?:{DIGITS})?)?|\.{DIGITS})(?:e([+-]?\d+))?", re.ASCII)
HEXADECIMAL = re.compile(r"0x([0-9a-f]+(?:\.[0-9a-f]*)?|\.[0-9a-f]+)(?:p([+-]?\d+))?", re.ASCII)
HINT = "numbers look like -3, .5, 1e-3, 1/3, 0x1.8p+1, inf, nan"


def parse_number(word: str, hint: str = HINT) -> Number:
    """Return the number that a word is, exactly; raises `UsageError`, with the hint, if it is none.

    >>> [parse_number(word) for word in ("-.5", "1_000", "1/3", "0x1.8p+1", "-inf")]
    [Fraction(-1, 2), Fraction(1000, 1), Fraction(1, 3), Fraction(3, 1), -inf]
    """
    text = word.strip().lower().replace("\N{MINUS SIGN}", "-")
    sign, text = (-1, text[1:]) if text[:1] == "-" else (1, text.removeprefix("+"))
    if text in SPECIALS:
        return sign * SPECIALS[text]
    numerator, slash, denominator = text.partition("/")
    value = _magnitude(numerator, word, hint)
    if slash:
        divisor = _magnitude(denominator, word, hint)
        if divisor == 0:
            raise UsageError(f"'{word}' divides by zero")
        value /= divisor
    return -0.0 if sign < 0 and value == 0 else sign * value


def _magnitude(text: str, word: str, hint: str) -> Fraction:
    decimal, hexadecimal = DECIMAL.fullmatch(text), HEXADECIMAL.fullmatch(text)
    match = decimal or hexadecimal
    if match is None:
        raise UsageError(f"'{word}' is not a number; {hint}")
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
