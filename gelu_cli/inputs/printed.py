"""Numbers as people print them: percent, powers of ten, footnotes, dots."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from gelu_cli.errors import UsageError, briefly
from gelu_cli.inputs.numbers import Number, parse_number

MISSING = {"", "-", "–", "—", "na", "n/a", "null", "none"}
SIGNS = str.maketrans({"−": "-", "–": "-", "\u00a0": " "})
MARKS = " ≈~*$`†‡"
NOTE = re.compile(r"\s*\[\w{1,3}\]$")
POWER = re.compile(r"\s*[x×·]\s*10(?:\^([-+]?\d+)|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))")
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
LARGEST_EXPONENT = 10**17


class Printed(NamedTuple):
    """A printed number, and True if it is cut by dots."""

    number: Decimal | float
    cut: bool


def is_missing(word: str) -> bool:
    """Return True if a cell has no number.

    >>> [is_missing(word) for word in ("", "N/A", "—", "nan", "0")]
    [True, True, True, False, False]
    """
    return word.lower() in MISSING


def parse_printed(word: str) -> Printed:
    """Parse a number as people print it.

    >>> [str(parse_printed(word).number) for word in ("≈ -0.158", "15.8%", "-1.2·10^-3", "0.84*")]
    ['-0.158', '0.158', '-0.0012', '0.84']
    >>> parse_printed("0.841…")
    Printed(number=Decimal('0.841'), cut=True)
    """
    text = _plain(word)
    cut = text.endswith(("…", "..."))
    text = text.rstrip(".…") if cut else text
    try:
        number = Decimal(f"{text[:-1].rstrip()}e-2" if text.endswith("%") else text)
        if number.is_finite() and abs(number.adjusted()) > LARGEST_EXPONENT:
            raise ValueError
        return Printed(number if number.is_finite() else float(number), cut)
    except (InvalidOperation, ValueError):
        raise UsageError(
            f"{briefly(word)} is not a decimal; write -0.1587, 1.2e-5 or 15.8%, and for results of "
            "a format --dtype FORMAT"
        ) from None


def parse_typed(word: str) -> Decimal | Number:
    """Parse x; a decimal keeps its last place.

    >>> parse_typed("0.10"), parse_typed("1/3")
    (Decimal('0.10'), Fraction(1, 3))
    """
    text = _plain(word)
    number = parse_number(text)
    try:
        decimal = Decimal(text)
    except InvalidOperation:
        return number
    return decimal if decimal.is_finite() else number


def _plain(word: str) -> str:
    """Remove marks and footnotes; write an exponent behind `e`."""
    text = NOTE.sub("", word.translate(SIGNS)).strip(MARKS)
    return POWER.sub(lambda power: f"e{(power[1] or power[2]).translate(RAISED)}", text)
