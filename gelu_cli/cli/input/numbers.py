"""Points, ranges of them and columns of numbers, as people type them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from gelu_cli.arithmetic.typed import DECIMAL, LONGEST, Number, parse_number, whole_number
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gelu_cli.arithmetic.exact import Exact

    Floats: TypeAlias = NDArray[np.float64]

MOST_POINTS = 10**9
LARGEST_DECIMAL = 10**17
"""Results beyond it are printed as infinities and zeros."""

LONGEST_WORD = 8 * LONGEST
"""More than a range has, the six numbers of which are three fractions."""

NO_NUMBER = '"[{ul'
"""What all has that JSON has besides numbers."""

MINUS_ZERO = r"-0(?![\d.eE])"
"""A whole number to JSON, which drops the sign."""


class Range(NamedTuple):
    """The numbers start, start + step, …, `length` of them."""

    start: Exact
    step: Exact
    length: int

    @property
    def last(self) -> Exact:
        """The last of the numbers."""
        return self.number(self.length - 1)

    def number(self, k: int) -> Exact:
        """Return the k-th number, computed exactly from the ends."""
        return self.start + k * self.step

    def numbers(self) -> Iterator[Exact]:
        """Yield the numbers."""
        return map(self.number, range(self.length))

    def part(self, first: int, most: int) -> Range:
        """Return the numbers from the one called `first` on, at most so many."""
        return Range(self.number(first), self.step, min(most, self.length - first))


def parse_decimal(word: str) -> Decimal | float:
    """Return the decimal that a word is, with the last place it has; or inf, -inf, nan.

    >>> [parse_decimal(word) for word in ("-.50", "\N{MINUS SIGN}0.1699", "1.2e-5", "inf")]
    [Decimal('-0.50'), Decimal('-0.1699'), Decimal('0.000012'), inf]
    """
    text = word.strip().lower().replace("\N{MINUS SIGN}", "-")
    match = DECIMAL.fullmatch(text.removeprefix("-").removeprefix("+"))
    if match is None or len(text) > LONGEST:
        number = parse_number(word)
        if not isinstance(number, float):
            raise UsageError(f"'{word}' is not a decimal, so it has no last decimal place")
        return number
    if abs(whole_number(match[1])) > LARGEST_DECIMAL:
        raise UsageError(f"the exponent of '{word}' is beyond ±10^17")
    return Decimal(text)


def plain_floats(words: Sequence[str]) -> Floats:
    """Return the float64s nearest to many plain numbers; raises ValueError if one is none.

    >>> plain_floats(["1", "-0", "+2.5e-1"])
    array([ 1.  , -0.  ,  0.25])
    """
    import numpy as np

    text = ",".join(words)
    floats = json_floats(text)
    if floats is not None and len(floats) == len(words):
        return floats
    if not text.isascii() or "_" in text:
        raise ValueError("Python takes for numbers what gelu refuses")
    return np.fromiter(map(float, words), np.float64, len(words))


def json_floats(text: str) -> Floats | None:
    """Return the float64s nearest to numbers with commas between, or None if JSON lacks one.

    >>> json_floats("1, -2.5e-1")
    array([ 1.  , -0.25])
    """
    import numpy as np
    import orjson

    if not text.isascii() or any(sign in text for sign in NO_NUMBER) or re.search(MINUS_ZERO, text):
        return None
    try:
        return np.array(orjson.loads(f"[{text}]"), np.float64)
    except ValueError:
        return None


def parse_points(word: str) -> Range | Number:
    """Return a number, or a range START:STOP:STEP or START:STOP:/N (N points, both ends).

    >>> list(parse_points("0:1:/3").numbers())
    [Fraction(0, 1), Fraction(1, 2), Fraction(1, 1)]
    """
    return _parse_range(word) if ":" in word else parse_number(word)


def to_float64(number: Number, word: str) -> float:
    """Return the nearest float64; raises `UsageError` for a finite number beyond the largest."""
    try:
        return float(number)
    except OverflowError:
        raise UsageError(
            f"'{word}' is beyond float64 (largest 1.797…e308); --digits 18 or more computes "
            "from the number as typed"
        ) from None


def _parse_range(word: str) -> Range:
    parts = word.split(":")
    if len(parts) != 3:
        raise UsageError(f"'{word}' is no range; write START:STOP:STEP or START:STOP:/N")
    start, stop = _finite(parts[0], word), _finite(parts[1], word)
    if parts[2].startswith("/"):
        return _evenly(start, stop, parts[2][1:], word)
    step = _finite(parts[2], word)
    if step == 0:
        raise UsageError(f"the step of '{word}' is 0; write another, e.g. {parts[0]}:{parts[1]}:1")
    if (stop - start) * step < 0:
        raise UsageError(f"the step of '{word}' leads away from the end; turn its sign")
    return _limited(Range(start, step, floor((stop - start) / step) + 1), word)


def _evenly(start: Exact, stop: Exact, count: str, word: str) -> Range:
    if not (count.isascii() and count.isdigit() and len(count) < 20 and int(count) >= 2):
        raise UsageError(f"'{word}' needs a whole number of points, 2 or more, after the '/'")
    return _limited(Range(start, (stop - start) / (int(count) - 1), int(count)), word)


def _limited(points: Range, word: str) -> Range:
    if points.length > MOST_POINTS:
        count = f"{points.length:,}" if points.length < MOST_POINTS**2 else "over 10^18"
        raise UsageError(f"'{word}' has {count} points; at most {MOST_POINTS:,} are taken")
    return points


def _finite(text: str, word: str) -> Exact:
    number = parse_number(text)
    if isinstance(number, float):
        if number == 0:
            return Fraction(0)
        raise UsageError(f"'{text}' in the range '{word}' must be finite")
    return number
