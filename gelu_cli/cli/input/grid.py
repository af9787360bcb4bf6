"""What points are rounded to: float64, a smaller format, or nothing at all."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from gelu_cli.arithmetic.formats import Format
from gelu_cli.cli.input.numbers import Number, Range, parse_points, to_float64

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
        if isinstance(number, Fraction):
            return self.number_format.exactly(number)
        return self.number_format.from_float(number)

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
        from gelu_cli.arithmetic.rounding import nearest

        rounded, halfway = nearest(self.number_format, floats)
        for i in halfway.nonzero()[0].tolist():
            rounded[i] = self.point(exactly(i), "")
        return rounded
