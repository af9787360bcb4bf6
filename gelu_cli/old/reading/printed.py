"""Figures as people print them: percent, powers of ten, uncertainties, footnotes, commas."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from gelu_cli.errors import UsageError
from gelu_cli.old.reading.numbers import parse_decimal

MISSING = frozenset({
    "", "-", "--", "\N{EN DASH}", "\N{EM DASH}", "na", "n/a", "n.a.", "#n/a", "null", "none",
    "…", "...",
})  # fmt: skip
"""What stands in a cell without a figure; `nan` is one, and is judged."""

MINUS = "\N{MINUS SIGN}\N{EN DASH}\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{FIGURE DASH}"
SPACES = "\N{NO-BREAK SPACE}\N{THIN SPACE}\N{NARROW NO-BREAK SPACE}\N{FIGURE SPACE}"
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")

ABOUT = re.compile(r"(?:[≈~∼≃≅]|ca\.?\s|about\s|approx\.?\s)\s*", re.I)
MARKS = re.compile(r"\s*(?:[*†‡§¶]+|\[\w{1,3}\]|\^\{?[a-z*†‡]\}?)$")
POWER = re.compile(
    r"\s*(?:[x×·⋅*]|\\times|\\cdot)\s*10\s*(?:(?:\^|\*\*)\s*\{?([-+]?\d+)\}?|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))"
)
OF_TEN = re.compile(r"^([-+]?)10(?:(?:\^|\*\*)\{?([-+]?\d+)\}?|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))$")
FORTRAN = re.compile(r"(?<=[\d.])[dD](?=[-+]?\d)")
PLUS_MINUS = re.compile(r"\s*(?:±|\+/-|\+-|\\pm)\s*")
BEHIND = re.compile(r"([-+]?[\d.]+)\((\d+)\)(.*)")
"""0.8413(2), where the last decimal may be off by 2."""

GROUPED = re.compile(
    r"[-+]?\d{1,3}(?:[ '’]\d{3})*(?:\.(?:\d{3}(?: \d{3})*(?: \d{1,2})?|(?:\d{5} )+\d{1,5}|\d*))?"
)
"""In groups of three, behind the point also of five."""

THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+\.\d+|[-+]?\d{1,3}(?:,\d{3}){2,}")
CONTINENTAL = re.compile(r"[-+]?\d{1,3}(?:\.\d{3})+,\d+")
COMMA = re.compile(r"([-+]?)(\d*),(\d+)((?:e[-+]?\d+)?)", re.I)
FACTORED = re.compile(r"\((.+(?:±|\+/-|\+-|\\pm).+)\)(.+)?")
"""(1.20 ± 0.04)·10^-3, where the power is of both."""

LONGEST = 300
"""Characters of a figure with more to it than digits."""

PARTS = {"%": 2, "‰": 3}


class Printed(NamedTuple):
    """A figure in print: the number with its last decimal, and what is said of how sure it is."""

    number: Decimal | float
    uncertainty: Decimal | None = None
    cut: bool = False
    """Whether more digits follow, which are not printed."""


class AmbiguousError(UsageError):
    """A figure that may be one number or another."""


def is_missing(word: str) -> bool:
    """Return whether a cell has no figure.

    >>> [is_missing(word) for word in ("", "N/A", "—", "nan", "0")]
    [True, True, True, False, False]
    """
    return len(word) < 5 and word.lower() in MISSING


def parse_printed(word: str) -> Printed:
    """Return the figure that a person means; raises `UsageError` where it is not certain.

    >>> [str(parse_printed(word).number) for word in ("≈ -0.158", "15.8%", "-1.2·10^-3", "0,84*")]
    ['-0.158', '0.158', '-0.0012', '0.84']
    >>> parse_printed("1.2e-3 ± 4e-5").uncertainty, parse_printed("0.841…").cut
    (Decimal('0.00004'), True)
    """
    try:
        return Printed(parse_decimal(word))
    except UsageError as error:
        if len(word) > LONGEST:
            raise
        try:
            return _of_people(_tidied(word))
        except AmbiguousError:
            raise
        except UsageError:
            raise error from None


def parse_number_of_people(word: str) -> Decimal | float:
    """Return a number alone, however its sign and its power of ten are written."""
    return parse_decimal(_plain(_tidied(word)))


def _of_people(text: str) -> Printed:
    text = MARKS.sub("", ABOUT.sub("", text, count=1))
    if text.endswith(("…", "...")):
        return Printed(_decimal(text.rstrip(".… ")), cut=True)
    places = PARTS.get(text[-1:], 0)
    if places:
        text = text[:-1].rstrip(" ")
    if found := BEHIND.fullmatch(text):
        number = _decimal(found[1] + found[3])
        last = int(number.as_tuple().exponent)
        parts = [number, Decimal((0, tuple(map(int, found[2])), last))]
    else:
        both = FACTORED.fullmatch(text)
        words = PLUS_MINUS.split(both[1] if both else text)
        power = (both[2] or "") if both else ""
        parts = [_decimal(word.rstrip("%‰ ") + power) for word in words]
        if places and len(parts) > 1 and not both and words[0][-1] not in PARTS:
            raise AmbiguousError(f"'{text}%' may have its % for both; write (1 ± 0.1)%")
    if len(parts) > 2:
        raise UsageError(f"'{text}' has two uncertainties")
    parts = [_shifted(part, -places) for part in parts]
    return Printed(parts[0], abs(parts[1]) if len(parts) > 1 else None)


def _decimal(text: str) -> Decimal:
    number = parse_decimal(_plain(text))
    if not isinstance(number, Decimal):
        raise UsageError(f"'{text}' is not finite")
    return number


def _shifted(number: Decimal, places: int) -> Decimal:
    """Return a number times a power of ten, exactly."""
    sign, digits, exponent = number.as_tuple()
    return Decimal((sign, digits, int(exponent) + places))


def _tidied(word: str) -> str:
    """Return a word without markup, with the plain minus and the plain space."""
    text = re.sub(f"[{MINUS}]", "-", word).replace("{,}", ",").replace("\\%", "%")
    text = re.sub(f"[{SPACES}]", " ", text.replace("\\,", " ")).strip(" `$")
    for mark in ("**", "__", "_"):
        if text.startswith(mark) and text.endswith(mark):
            text = text.removeprefix(mark).removesuffix(mark)
    return text.strip()


def _plain(text: str) -> str:
    """Return a number in the signs that programs read; raises `UsageError` if it may be two."""
    text = POWER.sub(_exponent, text.strip())
    text = OF_TEN.sub(lambda power: f"{power[1]}1{_exponent(power, 1)}", text)
    text = FORTRAN.sub("e", text)
    if GROUPED.fullmatch(text):
        return re.sub("[ '’]", "", text)
    if THOUSANDS.fullmatch(text):
        return text.replace(",", "")
    if CONTINENTAL.fullmatch(text):
        return text.replace(".", "").replace(",", ".")
    if found := COMMA.fullmatch(text):
        sign, whole, fraction, power = found.groups()
        point = f"{sign}{whole}.{fraction}{power}"
        if len(fraction) == 3 and 0 < len(whole) < 4 and whole != "0":
            other = f"{sign}{whole}{fraction}{power}"
            raise AmbiguousError(f"'{text}' may be {point} or {other}; write it without a comma")
        return point
    return text


def _exponent(power: re.Match[str], before: int = 0) -> str:
    digits, raised = power.groups()[before:]
    return "e" + (digits or raised.translate(RAISED))
