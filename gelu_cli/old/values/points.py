"""Points to evaluate forms at: a few numbers one by one, or many float64s as an array.

Which of the two it is, is decided once, where points come in. Results are the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from math import inf, nextafter
from typing import TYPE_CHECKING, Any, TypeAlias

from gelu_cli.old.arithmetic import Result, Rounding
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.exact import nearest
from gelu_cli.old.arithmetic.formats import FLOAT64, Format
from gelu_cli.old.formulas import Form
from gelu_cli.old.values.evaluate import Point, evaluate

if TYPE_CHECKING:
    from gelu_cli.old.arithmetic.format_arrays import Array

MANY = 512
"""Fewer points are evaluated one by one before numpy is even imported."""

BULK = 1 << 15
"""Points in an array: many enough for several threads, few enough for a processor's caches."""

DIGITS_BY_FLOAT64 = 14
"""Decimals of up to so many digits are nearly always told by the float64 nearest to the value."""

NORMAL = 2.0**-1022


class FewPoints:
    """Points that are evaluated one by one, float64s or exact numbers.

    >>> from gelu_cli.old.formulas import find_form
    >>> FewPoints([0.0, 1.0]).evaluate(find_form("relu"), ["value", "gradient"], FLOAT64)
    [(0.0, 1.0), (0.0, 1.0)]
    """

    many = False

    def __init__(self, points: Sequence[Point]) -> None:
        self.points = points

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, rows: slice) -> FewPoints:
        return FewPoints(self.points[rows])

    def numbers(self) -> Sequence[Point]:
        """Return the points."""
        return self.points

    def rounded(self, number_format: Format) -> FewPoints:
        """Return the points rounded to a format."""
        return FewPoints(
            [
                number_format.from_float(x)
                if isinstance(x, float)
                else float(nearest(x, number_format))
                for x in self.points
            ]
        )

    def evaluate(
        self, form: Form, quantities: Sequence[str], rounding: Rounding
    ) -> list[tuple[Result, ...]]:
        """Return the quantities of a form at all points, each correctly rounded, in columns."""
        found = (evaluate(form, quantities, x, rounding) for x in self.points)
        return list(zip(*found, strict=True))

    def block(self, columns: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Return rows of the points, as float64s, and of float64s in columns beside them."""
        return list(zip(map(float, self.points), *columns, strict=True))

    def rows(self, columns: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
        """Yield rows of the points and of what is in columns beside them."""
        return zip(self.points, *columns, strict=True)


class ManyPoints:
    """Points that are evaluated together, float64s in an array."""

    many = True

    def __init__(self, array: Array) -> None:
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, rows: slice) -> ManyPoints:
        return ManyPoints(self.array[rows])

    def numbers(self) -> list[float]:
        """Return the points as Python's floats."""
        floats: list[float] = self.array.tolist()
        return floats

    def rounded(self, number_format: Format) -> ManyPoints:
        """Return the points rounded to a format."""
        from gelu_cli.old.arithmetic.format_arrays import nearest

        return ManyPoints(nearest(number_format, self.array)[0])

    def evaluate(self, form: Form, quantities: Sequence[str], rounding: Rounding) -> list[Any]:
        """Return the quantities of a form at all points, each correctly rounded, in columns.

        Decimals are in arrays of objects.
        """
        from gelu_cli.old.values.evaluate_arrays import evaluate_array

        if isinstance(rounding, Format):
            return evaluate_array(form, quantities, self.array, rounding)
        import numpy as np

        if isinstance(rounding, Decimals) and rounding.digits <= DIGITS_BY_FLOAT64:
            floats = evaluate_array(form, quantities, self.array, FLOAT64)
            decimals: Any = (
                [
                    decimal_told_by(value, rounding) or evaluate(form, [quantity], x, rounding)[0]
                    for x, value in zip(self.numbers(), column.tolist(), strict=True)
                ]
                for quantity, column in zip(quantities, floats, strict=True)
            )
        else:
            decimals = FewPoints(self.numbers()).evaluate(form, quantities, rounding)
        return [np.array(column, dtype=object) for column in decimals]

    def block(self, columns: Sequence[Any]) -> Array:
        """Return rows of the points and of float64s in columns beside them, as one array."""
        import numpy as np

        return np.column_stack([self.array, *columns])

    def rows(self, columns: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
        """Yield rows of the points and of what is in columns beside them, as Python's objects."""
        return zip(self.numbers(), *(column.tolist() for column in columns), strict=True)


Points: TypeAlias = FewPoints | ManyPoints
"""A block of points: `many` of them are evaluated together, which several threads can share."""


def points_of(numbers: Sequence[Point] | Array) -> Points:
    """Return float64s as points, an array if they are many.

    >>> points_of([0.5, 1.0]).many
    False
    """
    if len(numbers) < MANY:
        return FewPoints(numbers if isinstance(numbers, list) else [float(x) for x in numbers])
    import numpy as np

    return ManyPoints(np.asarray(numbers, dtype=np.float64))


def decimal_told_by(value: float, decimals: Decimals) -> Decimal | None:
    """Return the decimal that a correctly rounded float64 leaves no doubt of, if there is one.

    The true value is within half a unit of its float64, so it rounds as both neighbours do where
    they agree.

    >>> decimal_told_by(0.3, Decimals(3)), decimal_told_by(0.5, Decimals(17))
    (Decimal('0.300'), None)
    """
    places = decimals.digits - 1
    below, above = (f"{nextafter(value, end):.{places}e}" for end in (-inf, inf))
    return Decimal(below) if below == above and NORMAL < abs(value) < inf else None
