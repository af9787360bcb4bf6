"""Expressions of numbers as people type them: pi/2, √2, 2**-126, -sqrt(2/pi), 1+2^-23.

Python's grammar says what they mean, of numbers, pi, e, sqrt and + - * / ** ( ): as in mathematics
-2**2 is −4. The * between a number and pi or a root may be left out: 2pi.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.exact import RATIONAL, Exact, Irrational, exponent_of, sign_of
from gelu_cli.old.arithmetic.typed import DECIMAL, HEXADECIMAL, LARGEST_EXPONENT, Number, literal

CONSTANTS: dict[str, Exact] = {"pi": RATIONAL.pi, "e": RATIONAL.exp(Fraction(1))}
OPERATIONS: dict[type[ast.operator], Callable[[Exact, Exact], Exact]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip
SPELLINGS = {"π": "pi", "√": "sqrt", "^": "**", "·": "*", "×": "*"}
TOKEN = re.compile(
    rf"(?:{HEXADECIMAL.pattern}|{DECIMAL.pattern}|[a-z]+|[π√]|\*\*|[-+*/^()·×])", re.ASCII
)
UNSURE = re.compile(r"(?<![\d.a-z])e[+-]\d")
"""Ambiguous: a sum with e, or a number whose first digits are missing."""

# Of tokens with spaces between them, where n0, n1 … stand for numbers:
ROOT = re.compile(r"\bsqrt ((?:sqrt\()*(?:n\d+|pi|e)\)*)(?= |$)")
PRODUCT = re.compile(r"\b(n\d+) (?=pi|sqrt)")
QUOTIENT_OR_POWER = re.compile(r"(/|\*\*) (?:[-+] )?n\d+ (?=pi|sqrt)")
TWO_SIGNS = re.compile(r"[-+] [-+]")

MOST_TOKENS = 100
LARGEST_POWER = 4 * LARGEST_EXPONENT
"""Largest |exponent| of 2; of any other base b, |exponent|·log₂|b| is about as large at most."""

LONGEST = 40_000
"""Most bits of a numerator or denominator: a quotient of two of the longest numbers has fewer."""


class _NoExpressionError(Exception):
    """What means nothing."""


def evaluated(text: str, word: str) -> Number | None:
    """Return the number that an expression in lower case is, or None if it is no expression.

    Raises `UsageError`, which shows the `word`, where there is no such number, or too large a one.

    >>> evaluated("-sqrt(2/pi)", ""), evaluated("1+2^-2", ""), evaluated("2 3", "")
    (Irrational(-0.79788456080286536…), Fraction(5, 4), None)
    """
    if UNSURE.search(text):
        raise UsageError(f"'{word}' may mean 1e-3 or (e)-3, for example: write one of them")
    tokens = [SPELLINGS.get(match[0], match[0]) for match in TOKEN.finditer(text)]
    if TOKEN.sub("", text).strip() or any(one[0] in ".0123456789" and other[0] in ".0123456789"
                                          for one, other in pairwise(tokens)):  # fmt: skip
        return None
    if len(tokens) > MOST_TOKENS:
        raise UsageError(f"'{word}' has more than {MOST_TOKENS} numbers and signs")
    numbers = {f"n{i}": literal(token, word) for i, token in enumerate(tokens)}
    known = {**CONSTANTS, **{name: each for name, each in numbers.items() if each is not None}}
    named = (name if name in known else token
             for name, token in zip(numbers, tokens, strict=True))  # fmt: skip
    source = " ".join(named)
    while ROOT.search(source):
        source = ROOT.sub(r"sqrt(\1)", source)
    unclear = QUOTIENT_OR_POWER.search(source)
    if TWO_SIGNS.search(source) or (unclear and unclear[1] == "**"):
        return None
    try:
        tree = ast.parse(PRODUCT.sub(r"\1 * ", source).lstrip(), mode="eval")
        if unclear:
            raise UsageError(f"'{word}' may mean two things: put parentheses, (a/b)*c")
        value = _value(tree.body, known, word)
    except (SyntaxError, _NoExpressionError):
        return None
    return -0.0 if value == 0 and tokens[0] == "-" and not {"+", "-"} & {*tokens[1:]} else value


def _value(node: ast.expr, known: Mapping[str, Exact], word: str) -> Exact:
    """Return the number that a part of an expression is, if it is not too long to go on with."""
    match node:
        case ast.Name(name) if name in known:
            return known[name]
        case ast.UnaryOp(ast.USub(), operand):
            return -_value(operand, known, word)
        case ast.UnaryOp(ast.UAdd(), operand):
            return _value(operand, known, word)
        case ast.Call(ast.Name("sqrt"), [operand]):
            return _root(_value(operand, known, word), word)
        case ast.BinOp(left, sign, right):
            x, y = _value(left, known, word), _value(right, known, word)
            if isinstance(sign, ast.Div) and y == 0:
                raise UsageError(f"'{word}' divides by zero")
            is_power = isinstance(sign, ast.Pow)
            value = _power(x, y, word) if is_power else OPERATIONS[type(sign)](x, y)
        case _:
            raise _NoExpressionError
    size = abs(exponent_of(value)) if isinstance(value, Irrational) else _bits(value)
    if size > LONGEST:
        raise _too_large(word)
    return value


def _root(x: Exact, word: str) -> Exact:
    if sign_of(x) < 0:
        raise UsageError(f"'{word}' has the root of a negative number")
    return RATIONAL.sqrt(x)


def _power(base: Exact, exponent: Exact, word: str) -> Exact:
    """Return a power, if it is one of the powers that are taken."""
    if isinstance(exponent, Irrational) or (2 * exponent).denominator != 1:
        raise UsageError(f"'{word}': an exponent is a whole number, or half of one")
    if base == 0 and exponent < 0:
        raise UsageError(f"'{word}' divides by zero")
    if abs(exponent) * max(1, abs(exponent_of(base)) - 1) > LARGEST_POWER:
        raise _too_large(word)
    if not isinstance(base, Irrational) and abs(exponent) * _bits(base) > LONGEST:
        raise _too_large(word)
    if exponent.denominator == 1:
        return base ** int(exponent)
    return _root(base, word) ** int(2 * exponent)


def _too_large(word: str) -> UsageError:
    return UsageError(f"'{word}' has too large a power, one beyond 2^±{LARGEST_POWER}")


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())
