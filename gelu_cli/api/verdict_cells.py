"""Numbers on kernels as cells: float64s, or decimals of some digits."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from math import isfinite, isinf, isnan

from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers import Decimals, Format, round_fraction, rounding_to
from gelu_cli.output.tables import Cell

FEW_DIGITS = {
    "mean_ulp": 6, "max_abs_error": 6, "max_rel_error": 6, "rms_error": 4, "noise_ratio": 4,
    "differ_share": 4, "share": 11,
}  # fmt: skip
"""The digits that columns are sure of: they come from sums of float64s."""

OF_CRITERIA = 10
FLOAT64_DIGITS = 17

INPUTS = (
    "x", "up", "low", "high", "up_low", "up_high", "max_ulp_x", "max_ulp_up", "max_ordinal_x",
    "max_ordinal_up", "max_abs_x", "max_abs_up",
)  # fmt: skip
RESULTS = ("got", "want", "a", "b")
"""Columns with numbers of the formats of x and of results."""


class Cells:
    """Converts exact numbers to cells.

    Parameters
    ----------
    digits
        Significant digits of decimals; None for float64s.
    dtype, result
        Formats of inputs and results, which stay distinct in few digits.
    """

    def __init__(self, digits: int | None, dtype: Format, result: Format) -> None:
        self.digits, self.dtype, self.of_results = digits, dtype, result
        self.rounding = rounding_to(digits)

    def exact(self, value: Fraction | float | None) -> Cell:
        """Round a fraction, beyond float64 to a decimal; infinity and None stay."""
        if not isinstance(value, Fraction):
            return value
        cell = round_fraction(self.rounding, to_fraction(value))
        beyond = isinstance(cell, float) and isinf(cell)
        return Decimals(FLOAT64_DIGITS).exactly(value) if beyond else cell

    def x(self, value: float | None) -> Cell:
        """Convert an input."""
        return self._distinct(value, self.dtype)

    def result(self, value: float | None) -> Cell:
        """Convert a result."""
        return self._distinct(value, self.of_results)

    def bits(self, value: float | None) -> str | None:
        """Print the bit pattern of an input."""
        return None if value is None else self.dtype.hexadecimal(value)

    def _distinct(self, value: float | None, of: Format) -> Cell:
        """Write the digits asked for, or more to keep numbers distinct."""
        least = self.digits or FLOAT64_DIGITS
        if not value or not isfinite(value) or self.digits is None or least > FLOAT64_DIGITS:
            return value
        found = Decimal(of.shortest(value, least)).normalize()
        whole = found == found.to_integral() and 0 <= found.adjusted() < least
        return found.quantize(Decimal(1)) if whole else found

    def few(self, column: str, value: Fraction | float | None) -> Cell:
        """Round a number to the certain digits of its column; NaN to None."""
        if value is None or isnan(value):
            return None
        if not (isinstance(value, Fraction) or isfinite(value)):
            return float(value)
        digits = FEW_DIGITS[column]
        return Decimals(min(self.digits or digits, digits)).exactly(Fraction(value))

    def of_criterion(self, value: float | None, *, up: bool = False) -> Cell:
        """Round what a criterion measures; `up` if so much has to be enough."""
        if value is None or not isfinite(value) or not value:
            return value
        digits = min(self.digits or OF_CRITERIA, OF_CRITERIA)
        rounding = Context(digits, ROUND_CEILING if up else ROUND_HALF_EVEN)
        return rounding.create_decimal(value).normalize()

    def again(self, column: str, cell: Cell) -> Cell:
        """Round a float64 of a record as its column is rounded."""
        if not isinstance(cell, float) or not isfinite(cell) or column == "bound":
            return cell
        if column in FEW_DIGITS:
            return self.few(column, cell)
        if column in INPUTS:
            return self.x(cell)
        if column in RESULTS:
            return self.result(cell)
        return cell if self.digits is None else self.exact(Fraction(cell))


ERROR_DIGITS, LIMIT_DIGITS = 6, 20
"""Errors beyond a limit have 6 digits, or up to 20 so that they are seen to exceed the limit."""


def above(limit: Fraction, error: Fraction) -> str:
    """Print an error in enough digits to exceed a limit visibly.

    >>> above(Fraction(2), Fraction(3)), above(Fraction(2), 2 + Fraction(1, 10**8))
    ('3', '2.00000001')
    """
    for digits in range(ERROR_DIGITS, LIMIT_DIGITS):
        if Fraction(text := plain(error, digits)) > limit:
            return text
    return f"a little over {plain(limit)}"


def plain(number: Fraction, digits: int = LIMIT_DIGITS) -> str:
    """Print a number in at most `digits` digits.

    >>> plain(Fraction(5, 2)), plain(Fraction(1, 3), 3)
    ('2.5', '0.333')
    """
    rounded = Decimals(digits).exactly(number)
    text = Decimal(rounded).normalize()
    return f"{text:f}" if 0 <= text.adjusted() < ERROR_DIGITS else f"{text:g}"
