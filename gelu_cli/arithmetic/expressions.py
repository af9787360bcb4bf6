"""Expressions of numbers as people type them: pi/2, √2, 2**-126, -sqrt(2/pi), 1+2^-23.

    sum     = [sign] product {("+" | "-") product}
    product = power {("*" | "/") [sign] power}
    power   = atom ["**" [sign] power], where the exponent is a whole number or half of one
    atom    = number | "pi" | "e" | "sqrt" atom | "(" sum ")"

As in mathematics -2**2 is −4, and the * between a number and pi or a root may be left out: 2pi.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise

from gelu_cli.arithmetic.exact import RATIONAL, Exact, Irrational, exponent_of, sign_of
from gelu_cli.arithmetic.typed import DECIMAL, HEXADECIMAL, LARGEST_EXPONENT, Number, literal
from gelu_cli.errors import UsageError

CONSTANTS: Mapping[str, Exact] = {"pi": RATIONAL.pi, "e": RATIONAL.exp(Fraction(1))}
ROOT = "sqrt"
SPELLINGS = {"π": "pi", "√": ROOT, "^": "**", "·": "*", "×": "*"}
TOKEN = re.compile(
    rf"(?:{HEXADECIMAL.pattern}|{DECIMAL.pattern}|[a-z]+|[π√]|\*\*|[-+*/^()·×])", re.ASCII
)
UNSURE = re.compile(r"(?<![\d.a-z])e[+-]\d")
"""Ambiguous: a sum with e, or a number whose first digits are missing."""

MOST_TOKENS = 100
LARGEST_POWER = 4 * LARGEST_EXPONENT
"""Largest |exponent| of 2; of any other base b, |exponent|·log₂|b| is about as large at most."""

LONGEST = 40_000
"""Most bits of a numerator or denominator: a quotient of two of the longest numbers has fewer."""


def evaluated(text: str, word: str) -> Number | None:
    """Return the number that an expression in lower case is, or None if it is no expression.

    Raises `UsageError`, which shows the `word`, where there is no such number, or too large a one.

    >>> evaluated("-sqrt(2/pi)", ""), evaluated("1+2^-2", ""), evaluated("2 3", "")
    (Irrational(-0.79788456080286536…), Fraction(5, 4), None)
    """
    if UNSURE.search(text):
        raise UsageError(f"'{word}' may mean 1e-3 or (e)-3, for example: write one of them")
    tokens = _tokens(text)
    if not tokens:
        return None
    if len(tokens) > MOST_TOKENS:
        raise UsageError(f"'{word}' has more than {MOST_TOKENS} numbers and signs")
    reader = _Reader(tokens, word)
    try:
        value = reader.sum()
    except _NoExpressionError:
        return None
    if reader.left:
        return None
    return -0.0 if value == 0 and tokens[0] == "-" and not {"+", "-"} & {*tokens[1:]} else value


def _tokens(text: str) -> list[str]:
    """Return the numbers, names and signs in a text; none if there is something else."""
    found = [match[0] for match in TOKEN.finditer(text)]
    whole = "".join(found) == "".join(text.split())
    apart = not any(_is_number(one) and _is_number(other) for one, other in pairwise(found))
    return [SPELLINGS.get(each, each) for each in found] if whole and apart else []


def _is_number(token: str) -> bool:
    return token[0] in ".0123456789"


class _NoExpressionError(Exception):
    """Tokens in an order that means nothing."""


class _Reader:
    """An expression that is read from the left."""

    def __init__(self, tokens: list[str], word: str) -> None:
        self.left = tokens[::-1]
        self._word = word

    def _next(self, *tokens: str) -> str:
        """Take the next token if it is one of these, and return it; else return nothing."""
        return self.left.pop() if self.left and self.left[-1] in tokens else ""

    def sum(self) -> Exact:
        """Read a sum; raises `_NoExpressionError` where there is none."""
        value = self._signed(self._product)
        while sign := self._next("+", "-"):
            term = self._product()
            value = self._checked(value + term if sign == "+" else value - term)
        return value

    def _signed(self, read: Callable[[], Exact]) -> Exact:
        return -read() if self._next("+", "-") == "-" else read()

    def _product(self) -> Exact:
        value = self._factor()
        while sign := self._next("*", "/"):
            if sign == "/" and self._is_tight():
                raise UsageError(f"'{self._word}' may mean two things: put parentheses, (a/b)*c")
            factor = self._signed(self._factor)
            if sign == "/" and factor == 0:
                raise UsageError(f"'{self._word}' divides by zero")
            value = self._checked(value * factor if sign == "*" else value / factor)
        return value

    def _is_tight(self) -> bool:
        """Return whether a number stands right before π or a root."""
        first, second = [*self.left[:-3:-1], "", ""][:2]
        return first != "" and _is_number(first) and second in ("pi", ROOT)

    def _factor(self) -> Exact:
        if self._is_tight():
            return self._checked(self._atom() * self._power())
        return self._power()

    def _power(self) -> Exact:
        base = self._atom()
        if not self._next("**"):
            return base
        return self._checked(self._raised(base, self._signed(self._power)))

    def _atom(self) -> Exact:
        if self._next("("):
            value = self.sum()
            if not self._next(")"):
                raise _NoExpressionError
            return value
        if self._next(ROOT):
            return self._root(self._atom())
        if name := self._next(*CONSTANTS):
            return CONSTANTS[name]
        number = literal(self.left.pop(), self._word) if self.left else None
        if number is None:
            raise _NoExpressionError
        return number

    def _root(self, x: Exact) -> Exact:
        if sign_of(x) < 0:
            raise UsageError(f"'{self._word}' has the root of a negative number")
        return RATIONAL.sqrt(x)

    def _raised(self, base: Exact, exponent: Exact) -> Exact:
        """Return a power, if it is one of the powers that are taken."""
        if isinstance(exponent, Irrational) or (2 * exponent).denominator != 1:
            raise UsageError(f"'{self._word}': an exponent is a whole number, or half of one")
        if base == 0 and exponent < 0:
            raise UsageError(f"'{self._word}' divides by zero")
        if abs(exponent) * max(1, abs(exponent_of(base)) - 1) > LARGEST_POWER:
            raise self._too_large()
        if not isinstance(base, Irrational) and abs(exponent) * _bits(base) > LONGEST:
            raise self._too_large()
        whole = exponent.denominator == 1
        root = base if whole else self._root(base)
        return root ** int(exponent if whole else 2 * exponent)

    def _checked(self, value: Exact) -> Exact:
        """Return a number that is not too large, too small or too long to go on with."""
        size = abs(exponent_of(value)) if isinstance(value, Irrational) else _bits(value)
        if size > LONGEST:
            raise self._too_large()
        return value

    def _too_large(self) -> UsageError:
        return UsageError(f"'{self._word}' has too large a power, one beyond 2^±{LARGEST_POWER}")


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())
