"""Numbers and ranges, as people type them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from gelu_cli.errors import UsageError

Number: TypeAlias = Fraction | float
"""Finite numbers are fractions; −0.0, the infinities and NaN are floats."""

MOST_POINTS, MOST_DIGITS, LARGEST_EXPONENT = 10**8, 10_000, 10_000
LEAST_SIZE = Fraction(1, 10**30)
EXAMPLES = "numbers look like -3 .5 1e-3 1/3 2^-126 inf"
FAULTS: dict[Any, str] = {ZeroDivisionError: "divides by 0", OverflowError: "is too large or tiny"}
MINUS = re.compile("[−‐‑‒–]")  # minus signs of PDFs and word processors
POWER = re.compile(r"([+-]?)(\d+)\^([+-]?\d+)")


def parse_number(word: str) -> Number:
    """Parse a decimal, a fraction, a power or a hexadecimal float.

    >>> parse_number("1/3"), parse_number("0x1.8p-3"), parse_number("-2^-3"), parse_number("-inf")
    (Fraction(1, 3), Fraction(3, 16), Fraction(-1, 8), -inf)
    """
    text = MINUS.sub("-", word.strip())
    try:
        if power := POWER.fullmatch(text):
            if abs(int(power[3])) >= 10 * LARGEST_EXPONENT:
                raise OverflowError
            found = Fraction(f"{power[1]}1") * Fraction(power[2]) ** int(power[3])
        elif "x" in text.lower():
            found = Fraction(float.fromhex(text))
        elif "/" in text:
            found = Fraction(text)
        else:
            decimal = Decimal(text)
            if not decimal.is_finite():
                return float(decimal)
            if decimal and abs(decimal.adjusted()) > LARGEST_EXPONENT:
                raise OverflowError  # the fraction would be huge
            found = Fraction(decimal)
    except (ValueError, ArithmeticError) as error:
        remedy = "write 0.5 for 0,5, and blanks between numbers" if "," in word else EXAMPLES
        fault = FAULTS.get(type(error), "is not a number")
        raise UsageError(f"'{word.strip()}' {fault}; {remedy}") from None
    return -0.0 if found == 0 and text.startswith("-") else found


def to_float(value: Number) -> float:
    """Round a number to float64."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def plain(value: Any) -> Any:
    """Convert a scalar of numpy, PyTorch or JAX to a Python number."""
    return value.item() if getattr(value, "ndim", None) == 0 else value


def finite(value: object, name: str) -> Fraction:
    """Parse or convert a finite number; messages call it `name`.

    >>> finite("1/3", "--mean")
    Fraction(1, 3)
    """
    try:
        return Fraction(parse_number(value) if isinstance(value, str) else plain(value))
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"{name} is {value}; give a finite number") from None


def positive(value: object, name: str) -> Fraction:
    """Parse or convert a number above 0."""
    found = finite(value, name)
    if found <= 0:
        raise UsageError(f"{name} is {value}; give a number above 0")
    return found


def distribution(mean: object, sigma: object) -> tuple[Fraction, Fraction]:
    """Parse the mean and the standard deviation of X ~ N(M, S²).

    >>> distribution("-1/2", 2)
    (Fraction(-1, 2), Fraction(2, 1))
    """
    found = finite(mean, "--mean"), positive(sigma, "--sigma")
    for number, name in zip(found, ("--mean", "--sigma"), strict=True):
        if number and not LEAST_SIZE <= abs(number) <= 1 / LEAST_SIZE:
            raise UsageError(f"{name} is too large or small; sizes go from 1e-30 to 1e30")
    return found


def normal_text(mean: float | Fraction, sigma: float | Fraction) -> str:
    """Print a normal distribution.

    >>> normal_text(0, 1), normal_text(-0.5, Fraction(2))
    ('N(0, 1)', 'N(-0.5, 2²)')
    """
    return f"N({float(mean):.12g}, {float(sigma):.12g}{'²' * (sigma != 1)})"


def whole(value: object, name: str, low: int, high: int) -> int:
    """Parse or convert a whole number from `low` to `high`.

    >>> whole("1_000", "--samples", 1, 10**9)
    1000
    """
    found = finite(value, name)
    if found.denominator != 1 or not low <= found <= high:
        raise UsageError(f"{name} is {value}; give a whole number from {low} to {high}")
    return int(found)


def to_digits(value: object) -> int | None:
    """Parse or convert a number of significant digits; None stays None."""
    return None if value is None else whole(value, "--digits", 1, MOST_DIGITS)


class Range(NamedTuple):
    """The numbers first, first + step, first + 2·step, …: `length` in all."""

    first: Fraction
    step: Fraction
    length: int

    def exact(self) -> list[Fraction]:
        """List the numbers, exactly."""
        return [self.first + k * self.step for k in range(self.length)]

    def floats(self) -> Any:
        """Round the numbers to float64, if possible as quotients of integers."""
        import numpy as np

        denominator = math.lcm(self.first.denominator, self.step.denominator)
        first, step = int(self.first * denominator), int(self.step * denominator)
        last = first + step * (self.length - 1)
        if max(abs(first), abs(last), denominator) < 2**53:  # then every quotient is rounded once
            return (np.arange(self.length) * step + first) / denominator
        return np.array([to_float(each) for each in self.exact()])


def parse_point(word: str) -> Number | Range:
    """Parse a number, or a range: A:B:STEP up to B, or A:B:/N with N points.

    >>> parse_point("0:1:/3").exact()
    [Fraction(0, 1), Fraction(1, 2), Fraction(1, 1)]
    """
    if ":" not in word:
        return parse_number(word)
    start, stop, *rest = word.split(":")
    if len(rest) != 1:
        raise UsageError(f"'{word}' is not a range; ranges look like -4:4:0.5 or 0:1:/100")
    name = f"range '{word}'"
    first, last = finite(start, f"start of {name}"), finite(stop, f"end of {name}")
    if rest[0].startswith("/"):
        length = whole(rest[0][1:], f"N of {name}", 1, MOST_POINTS)
        step = (last - first) / (length - 1) if length > 1 else Fraction(1)
    else:
        step = finite(rest[0], f"step of {name}")
        length = math.floor((last - first) / step) + 1 if step else 0
    if not 0 < length <= MOST_POINTS:
        raise UsageError(f"{name} has {max(length, 0)} points; write A:B:STEP of 1 to 10^8 points")
    return Range(first, step, length)


def parse_interval(word: str | Sequence[object], name: str = "--range") -> tuple[Number, Number]:
    """Parse both ends of A:B; infinities are allowed.

    >>> parse_interval("-inf:1/2")
    (-inf, Fraction(1, 2))
    """
    parts = word.split(":") if isinstance(word, str) else [str(plain(each)) for each in word]
    low, high = map(parse_number, parts) if len(parts) == 2 else (1, 0)
    if not low <= high:
        raise UsageError(f"{name} is '{word}'; write A:B with A ≤ B, e.g. -4:4 or -inf:inf")
    return low, high


def listed(words: str | Sequence[str]) -> list[str]:
    """Split texts at commas; of equal words only the first is kept.

    >>> listed(["exact,tanh", "tanh", "relu"])
    ['exact', 'tanh', 'relu']
    """
    several = [words] if isinstance(words, str) else words
    split = (word.strip() for each in several for word in each.split(","))
    return list(dict.fromkeys(word for word in split if word))
