"""What points are rounded to: float64, a smaller format, or nothing at all."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from gelu_cli.arithmetic.formats import Format
from gelu_cli.arithmetic.typed import Number
from gelu_cli.cli.input.numbers import Range, parse_points, to_float64
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]


class Grid(NamedTuple):
    """The numbers that points are rounded to, each once, from the number as typed.

    They are the float64s, or the numbers of a format, or, if `exact` is set, all there are.
    """

    exact: bool = False
    number_format: Format | None = None

    def point(self, number: Number, word: str) -> Number:
        """Return a number rounded; raises `UsageError` if `word` is beyond float64.

        >>> from gelu_cli.arithmetic.formats import FORMATS
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
        from gelu_cli.arithmetic.format_arrays import nearest

        rounded, halfway = nearest(self.number_format, floats)
        for i in halfway.nonzero()[0].tolist():
            rounded[i] = self.point(exactly(i), "")
        return rounded


MOST_ROUNDED = 1 << 20
"""So many points are held at once."""


def rounded(
    points: Sequence[Number | Range], number_format: Format
) -> tuple[list[float], list[str]]:
    """Return points rounded to a format, and a note where one is no number of it.

    A decimal that Python prints for a float64 stands for it. Raises `UsageError` where there are
    too many points.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> x, notes = rounded([Fraction(1, 2), Fraction(1, 10)], FORMATS["bfloat16"])
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
        return math.isfinite(found) and number in (Fraction(found), Fraction(repr(found)))
    return isinstance(number, float) and (math.isnan(number) or number == found)
