"""Numbers as people print them: percent, powers of ten, ±, footnotes."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from gelu_cli.errors import UsageError, briefly
from gelu_cli.inputs.numbers import Number, parse_number

MISSING = {"", "-", "--", "–", "—", "na", "n/a", "n.a.", "#n/a", "null", "none", "…", "..."}
SIGNS = str.maketrans({
    **dict.fromkeys("−–‐‑‒", "-"), **dict.fromkeys("\u00a0\u2009\u202f\u2007", " "),
    "`": "", "$": "",
})  # fmt: skip
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
ABOUT = re.compile(r"(?:[≈~∼≃≅]|ca\.?\s|about\s|approx\.?\s)\s*", re.IGNORECASE)
FOOTNOTE = re.compile(r"\s*(?:[*†‡§¶]+|\[\w{1,3}\]|\^\{?[a-z*†‡]\}?)$")
EXPONENT = r"(?:(?:\^|\*\*)\s*\{?([-+]?\d+)\}?|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))"
POWER = re.compile(r"\s*(?:[x×·⋅*]|\\times|\\cdot)\s*10\s*" + EXPONENT)
OF_TEN = re.compile(r"^([-+]?)10" + EXPONENT + "$")
FORTRAN = re.compile(r"(?<=[\d.])[dD](?=[-+]?\d)")
PLUS_MINUS = re.compile(r"\s*(?:±|\+/-|\+-|\\pm)\s*")
FACTORED = re.compile(r"\((.+(?:±|\+/-|\+-|\\pm).+)\)(.+)?")
"""(1.20 ± 0.04)·10^-3: the power is of both."""

LAST_DIGITS = re.compile(r"([-+]?[\d.]+)\((\d+)\)(.*)")
"""0.8413(2): the last decimal may be off by 2."""

GROUPED = re.compile(
    r"[-+]?\d{1,3}(?:[ '’]\d{3})*(?:\.(?:\d{3}(?: \d{3})*(?: \d{1,2})?|(?:\d{5} )+\d{1,5}|\d*))?"
)
THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+\.\d+|[-+]?\d{1,3}(?:,\d{3}){2,}")
PARTS = {"%": 2, "‰": 3}
LONGEST = 300
LARGEST_EXPONENT = 10**17


class Printed(NamedTuple):
    """A printed number, its uncertainty, and True if it is cut by dots."""

    number: Decimal | float
    uncertainty: Decimal | None = None
    cut: bool = False


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
    >>> parse_printed("1.2e-3 ± 4e-5").uncertainty, parse_printed("0.841…").cut
    (Decimal('0.00004'), True)
    """
    text = _tidied(word)
    if len(text) > LONGEST:
        return Printed(_decimal(text, word))
    text = FOOTNOTE.sub("", ABOUT.sub("", text, count=1))
    if text.endswith(("…", "...")):
        return Printed(_decimal(text.rstrip(".… "), word), cut=True)
    places = PARTS.get(text[-1:], 0)
    text = text[:-1].rstrip() if places else text
    if found := LAST_DIGITS.fullmatch(text):
        number = _decimal(found[1] + found[3], word)
        unit = number.as_tuple().exponent if isinstance(number, Decimal) else 0
        parts = [number, Decimal((0, tuple(map(int, found[2])), int(unit)))]
    else:
        both = FACTORED.fullmatch(text)
        words = PLUS_MINUS.split(both[1] if both else text)
        if len(words) > 2 or (places and len(words) > 1 and not both and words[0][-1] not in PARTS):
            raise UsageError(f"{briefly(word)} may be two numbers; write (0.84 ± 0.01)·10^-2, say")
        power = (both[2] or "") if both else ""
        parts = [_decimal(each.rstrip("%‰ ") + power, word) for each in words]
    if len(parts) == 1 and not places and isinstance(parts[0], float):
        return Printed(parts[0])
    number, *claimed = (_shifted(part, places) for part in parts)
    return Printed(number, abs(claimed[0]) if claimed else None)


def parse_typed(word: str) -> Decimal | Number:
    """Parse x; a decimal keeps its last place.

    >>> parse_typed("0.10"), parse_typed("1/3")
    (Decimal('0.10'), Fraction(1, 3))
    """
    text = _plain(_tidied(word)) if not is_missing(word) else ""
    number = parse_number(text)
    try:
        decimal = Decimal(text)
    except InvalidOperation:
        return number
    return decimal if decimal.is_finite() else number


def _tidied(word: str) -> str:
    """Remove markup; minus signs and spaces become the plain ones."""
    text = word.replace("{,}", ",").replace("\\%", "%").replace("\\,", " ").translate(SIGNS).strip()
    marked = re.fullmatch(r"(\*\*|__|_)(.+)\1", text)
    return marked[2].strip() if marked else text


def _plain(text: str) -> str:
    """Write a number as programs do, an exponent behind `e`."""
    text = POWER.sub(lambda power: _exponent(*power.groups()), text)
    text = OF_TEN.sub(lambda power: f"{power[1]}1{_exponent(power[2], power[3])}", text)
    text = FORTRAN.sub("e", text.strip())
    if GROUPED.fullmatch(text):
        return re.sub("[ '’]", "", text)
    return text.replace(",", "") if THOUSANDS.fullmatch(text) else text


def _exponent(digits: str | None, raised: str | None) -> str:
    return "e" + (digits or str(raised).translate(RAISED))


def _decimal(text: str, word: str) -> Decimal | float:
    """Parse one number; a float is not finite."""
    try:
        number = Decimal(_plain(text))
    except InvalidOperation:
        number = Decimal("sNaN")
    if number.is_snan() or (number.is_finite() and abs(number.adjusted()) > LARGEST_EXPONENT):
        hint = "0x" in word.lower() and "; results of a format need --dtype FORMAT"
        raise UsageError(
            f"{briefly(word)} is not a decimal; numbers look like -0.1587 1.2e-5 15.8%{hint or ''}"
        )
    return number if number.is_finite() else float(number)


def _shifted(number: Decimal | float, places: int) -> Decimal:
    """Divide by a power of ten, exactly."""
    if isinstance(number, float):
        raise UsageError("an uncertainty or a percentage is not finite; write a decimal")
    sign, digits, exponent = number.as_tuple()
    return Decimal((sign, digits, int(exponent) - places))
