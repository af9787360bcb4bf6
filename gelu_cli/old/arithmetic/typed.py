"""Numbers as people type them, read exactly, with messages of our own."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import TYPE_CHECKING, TypeAlias

from gelu_cli.errors import UsageError, briefly

if TYPE_CHECKING:
    from gelu_cli.old.arithmetic.exact import Exact

Number: TypeAlias = "float | Exact"
"""Exact where it can be: a number without error, or the floats inf, -inf, nan and -0.0."""

LARGEST_EXPONENT = 1000
"""Largest |exponent| of 10; of 2, four times that. Beyond it even an exponential takes seconds."""

LONGEST = 4000
"""Most characters of a number."""

LONGEST_QUOTIENT = 2 * LONGEST + 2
"""Most characters of an expression: a longest number divided by another, with signs."""

MOST_DIGITS = 10_000
"""Most significant digits that may be asked for."""

SPECIALS = {"inf": math.inf, "infinity": math.inf, "nan": math.nan}
DIGITS = r"\d+(?:_\d+)*"
DECIMAL = re.compile(rf"(?:{DIGITS}(?:\.(?:{DIGITS})?)?|\.{DIGITS})(?:e([+-]?\d+))?", re.ASCII)
HEXADECIMAL = re.compile(r"0x([0-9a-f]+(?:\.[0-9a-f]*)?|\.[0-9a-f]+)(?:p([+-]?\d+))?", re.ASCII)
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:e[+-]?\d+)?", re.ASCII | re.I)
"""A single number with a decimal comma."""

HINT = "numbers look like -3, .5, 1e-3, 1/3, 2^-126, pi/2, √2, 0x1.8p+1, inf, nan"


def parse_number(word: str, hint: str = HINT) -> Number:
    """Return the number that a word is, exactly; raises `UsageError`, with the hint, if it is none.

    >>> [parse_number(word) for word in ("-.5", "1_000", "1/3", "0x1.8p+1", "-inf")]
    [Fraction(-1, 2), Fraction(1000, 1), Fraction(1, 3), Fraction(3, 1), -inf]
    >>> parse_number("-2**-3"), parse_number("pi/2")
    (Fraction(-1, 8), Irrational(1.5707963267948966…))
    """
    signed = word.strip().lower().replace("\N{MINUS SIGN}", "-")
    sign, text = (-1, signed[1:]) if signed[:1] == "-" else (1, signed.removeprefix("+"))
    if text in SPECIALS:
        return sign * SPECIALS[text]
    value = literal(text, word)
    if value is not None:
        return -0.0 if sign < 0 and value == 0 else sign * value
    from gelu_cli.old.arithmetic.expressions import evaluated  # few words need it

    found = evaluated(signed, word) if len(signed) <= LONGEST_QUOTIENT else None
    if found is None:
        raise no_number(word, hint)
    return found


def real_number(name: str, value: object) -> Fraction | float:
    """Return the real number that an argument of some name is, exactly; or inf, -inf or nan.

    Raises TypeError for what is no real number, `UsageError` for one beyond float64.

    >>> real_number("mean", Decimal("0.1")), real_number("low", -math.inf)
    (Fraction(1, 10), -inf)
    >>> real_number("mean", "0.1")
    Traceback (most recent call last):
        ...
    TypeError: mean must be a number, not '0.1'
    """
    if not isinstance(value, Real | Decimal) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number, not {briefly(value)}")
    try:
        near = float(value)
    except OverflowError:
        near = math.inf
    except ValueError:  # a signalling NaN
        return math.nan
    if math.isinf(near) and value not in (math.inf, -math.inf):
        raise UsageError(f"{name} is beyond the largest float64")
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if math.isfinite(near):
        return Fraction(value if isinstance(value, Decimal) else near)
    return near


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


def no_number(word: str, hint: str) -> UsageError:
    """Return the error for a word that is no number; of a comma it says what to write for it."""
    from gelu_cli.old.synonyms import meant_points

    if written := meant_points(word):
        return UsageError(f"'{word}' is not a number; write {written}")
    if "," not in word or '"' in word:
        return UsageError(f"'{word}' is not a number; {hint}")
    point, apart = word.replace(",", "."), word.replace(",", " ")
    if DECIMAL_COMMA.fullmatch(word):
        return UsageError(f"'{word}' is not a number; write {point}, or {apart} for two of them")
    return UsageError(f"'{word}' is not a number; write {apart}")


def whole_number(digits: str | None) -> int:
    """Return an integer, of any length: int() takes as many digits as an environment allows."""
    return int(Decimal(digits or 0))
