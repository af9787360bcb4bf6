"""Numbers as people type them: points, ranges of points, decimals; and what they are rounded to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from math import floor, isfinite, isnan
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.arithmetic.typed import DECIMAL, LONGEST, Number, parse_number, whole_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gelu_cli.old.arithmetic.exact import Exact

Floats: TypeAlias = "NDArray[np.float64]"

MOST_POINTS = 10**9
LARGEST_DECIMAL = 10**17
"""Results beyond it are printed as infinities and zeros."""

LONGEST_WORD = 8 * LONGEST
"""Characters; a range has fewer: three fractions, each of two numbers."""

NO_NUMBER = '"[{ul'
"""Signs in everything of JSON that is no number: text, arrays, objects, true, false and null."""

MINUS_ZERO = r"-0(?![\d.eE])"
"""JSON reads it as the whole number 0, without the sign."""


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
    import orjson

    text = ",".join(words)
    if not text.isascii() or "_" in text:
        raise ValueError("Python takes for numbers what gelu refuses")
    if not (any(sign in text for sign in NO_NUMBER) or re.search(MINUS_ZERO, text)):
        try:
            floats = np.array(orjson.loads(f"[{text}]"), np.float64)
        except ValueError:
            pass
        else:
            if len(floats) == len(words):  # 1,5 is no number
                return floats
    return np.fromiter(map(float, words), np.float64, len(words))


def parse_points(word: str) -> Range | Number:
    """Return a number, or a range START:STOP:STEP or START:STOP:/N (N points, both ends).

    >>> list(parse_points("0:1:/3").numbers())
    [Fraction(0, 1), Fraction(1, 2), Fraction(1, 1)]
    """
    return _parse_range(word) if ":" in word else parse_number(word)


def is_point(word: str) -> bool:
    """Return whether a word is a number, or a range."""
    try:
        parse_points(word)
    except UsageError:
        return False
    return True


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
        count = parts[2][1:]
        if not (count.isascii() and count.isdigit() and len(count) < 20 and int(count) >= 2):
            raise UsageError(f"'{word}' needs a whole number of points, 2 or more, after the '/'")
        return _limited(Range(start, (stop - start) / (int(count) - 1), int(count)), word)
    step = _finite(parts[2], word)
    if step == 0:
        raise UsageError(f"the step of '{word}' is 0; write another, e.g. {parts[0]}:{parts[1]}:1")
    if (stop - start) * step < 0:
        raise UsageError(f"the step of '{word}' leads away from the end; turn its sign")
    return _limited(Range(start, step, floor((stop - start) / step) + 1), word)


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


class Grid(NamedTuple):
    """The numbers that points are rounded to, each once, from the number as typed.

    They are the float64s, or the numbers of a format, or, if `exact` is set, all there are.
    """

    exact: bool = False
    number_format: Format | None = None

    def point(self, number: Number, word: str) -> Number:
        """Return a number rounded; raises `UsageError` if `word` is beyond float64.

        >>> from gelu_cli.old.arithmetic.formats import FORMATS
        >>> third = Fraction(1, 3)
        >>> Grid().point(third, "1/3"), Grid(number_format=FORMATS["bfloat16"]).point(third, "1/3")
        (0.3333333333333333, 0.333984375)
        """
        if self.exact:
            return number
        if self.number_format is None:
            return to_float64(number, word)
        if isinstance(number, float):
            return self.number_format.from_float(number)
        if isinstance(number, Fraction):
            return self.number_format.exactly(number)
        return float(number.rounded(self.number_format))

    def parse(self, word: str) -> Number | Range:
        """Return what a word stands for: a point, or a range whose ends there are."""
        piece = parse_points(word)
        if not isinstance(piece, Range):
            return self.point(piece, word)
        for end in (piece.start, piece.last):
            self.point(end, word)
        return piece

    def array(self, floats: Floats, exactly: Callable[[int], Number]) -> Floats:
        """Return float64s rounded; `exactly(i)` is the number that the i-th of them stands for.

        Rounding twice is rounding once, except where a float64 is half way between two numbers
        of the format: what it stands for may lie to one side, and is asked.
        """
        if self.number_format is None:
            return floats
        from gelu_cli.old.arithmetic.format_arrays import nearest

        rounded, halfway = nearest(self.number_format, floats)
        for i in halfway.nonzero()[0].tolist():
            rounded[i] = self.point(exactly(i), "")
        return rounded


MOST_ROUNDED = 1 << 20
"""Points of --at, which are all held at once."""


def points_at(
    points: Sequence[Number | Range], number_format: Format
) -> tuple[list[float], list[str]]:
    """Return the points of --at rounded to a format, and a note where one is no number of it.

    A decimal that Python prints for a float64 stands for it. Raises `UsageError` where there are
    too many points.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> x, notes = points_at([Fraction(1, 2), Fraction(1, 10)], FORMATS["bfloat16"])
    >>> x, notes[0][-24:]
    ([0.5, 0.10009765625], 'it: 0.1 is 0.10009765625')
    """
    numbers: list[Number] = []
    for each in points:
        count = each.length if isinstance(each, Range) else 1
        if len(numbers) + count > MOST_ROUNDED:
            raise UsageError(f"--at takes at most {MOST_ROUNDED:,} points; take --range A:B")
        numbers += each.numbers() if isinstance(each, Range) else [each]
    grid = Grid(number_format=number_format)
    found = [float(grid.point(number, "")) for number in numbers]
    others = [pair for pair in zip(numbers, found, strict=True) if not _stands_for(*pair)]
    if not others:
        return found, []
    number, at = others[0]
    said = "is no number" if len(others) == 1 else "are no numbers"
    return found, [
        f"--at: {len(others):,} of {len(found):,} points {said} of {number_format.name} and "
        f"rounded to it: {_text(number)} is {at!r}"
    ]


def _text(number: Number) -> str:
    """Return a number as a float64 where that is what was typed, a fraction as it is."""
    with suppress(OverflowError):
        if not isinstance(number, Fraction) or _stands_for(number, float(number)):
            return repr(float(number))
    return str(number)


def _stands_for(number: Number, found: float) -> bool:
    if isinstance(number, Fraction):
        return isfinite(found) and number in (Fraction(found), Fraction(repr(found)))
    return isinstance(number, float) and (isnan(number) or number == found)
