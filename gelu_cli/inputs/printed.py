"""Numbers as people print them: percent, powers of ten, footnotes."""

from __future__ import annotations

import re
from contextlib import suppress
from decimal import Decimal, InvalidOperation

from gelu_cli.errors import UsageError, briefly
from gelu_cli.inputs.numbers import Number, parse_number

MISSING = {"", "-", "–", "—", "na", "n/a", "null", "none"}
SIGNS = str.maketrans({"−": "-", "–": "-", "\u00a0": " "})
MARKS = " ≈~*$`†‡"
NOTE = re.compile(r"\s*\[\w{1,3}\]$")
POWER = re.compile(r"\s*[x×·]\s*10(?:\^([-+]?\d+)|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))")
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
LARGEST_EXPONENT = 10**17


def is_missing(word: str) -> bool:
    """Return True if a cell has no number.

    >>> [is_missing(word) for word in ("", "N/A", "—", "nan", "0")]
    [True, True, True, False, False]
    """
    return word.lower() in MISSING


def parse_printed(word: str) -> Decimal | float:
    """Parse a decimal as people print it; infinities and NaN are floats.

    >>> [str(parse_printed(word)) for word in ("≈ -0.158", "15.8%", "-1.2·10^-3", "0.84*")]
    ['-0.158', '0.158', '-0.0012', '0.84']
    """
    text = _plain(word)
    with suppress(InvalidOperation, ValueError):  # ValueError of a signaling NaN
        number = Decimal(f"{text[:-1].rstrip()}e-2" if text.endswith("%") else text)
        if not number.is_finite():
            return float(number)
        if abs(number.adjusted()) <= LARGEST_EXPONENT:
            return number
    raise UsageError(
        f"{briefly(word)} is not a decimal; write -0.1587, 1.2e-5 or 15.8%, and for results of a "
        "format --dtype FORMAT"
    )


def parse_typed(word: str) -> Decimal | Number:
    """Parse x; a decimal keeps its last place.

    >>> parse_typed("0.10"), parse_typed("1/3")
    (Decimal('0.10'), Fraction(1, 3))
    """
    text = _plain(word)
    number = parse_number(text)
    with suppress(InvalidOperation):
        if (decimal := Decimal(text)).is_finite():
            return decimal
    return number


def _plain(word: str) -> str:
    """Remove marks and footnotes; write an exponent behind `e`."""
    text = NOTE.sub("", word.translate(SIGNS)).strip(MARKS)
    return POWER.sub(lambda power: f"e{(power[1] or power[2]).translate(RAISED)}", text)
