"""Exact numbers on kernels as cells: float64s, or decimals of some digits."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from math import inf, isfinite, isnan
from typing import Any, TypeAlias

from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers import Decimals, Format, find_format, round_fraction, rounding_to
from gelu_cli.output.tables import Cell

Row: TypeAlias = Mapping[str, Any]
"""Cells by column, numbers exact; a name that begins with _ is not a column."""

FEW_DIGITS = {"max_abs_error": 6, "max_rel_error": 6, "mean_ulp": 6, "share": 11} | dict.fromkeys(
    ("rms_error", "noise_ratio", "differ_share"), 4
)
"""The certain digits of columns that come from sums of float64s."""

OF_CRITERIA, FLOAT64_DIGITS = 10, 17
INPUTS = {
    *("x", "up", "low", "high", "up_low", "up_high"),
    *(f"max_{name}_{which}" for name in ("ulp", "ordinal", "abs") for which in ("x", "up")),
}
RESULTS = {"got", "want", "a", "b"}
"""Columns with numbers of the formats of x and of results."""


class Cells:
    """Round the numbers of rows, each as its column is rounded.

    Parameters
    ----------
    dtype, result
        Names of the formats of inputs and results, which stay distinct in few digits.
    digits
        Significant digits of decimals; None for float64s.
    """

    def __init__(self, dtype: str, result: str, digits: int | None = None) -> None:
        self.digits, self.dtype, self.of_results = digits, find_format(dtype), find_format(result)

    def row(self, row: Row) -> dict[str, Any]:
        """Round a row; the tolerance that a criterion needs is rounded up."""
        enough = row.get("verdict", "") is None
        return {
            name: cell if name.startswith("_") else self.cell(name, cell, up=enough)
            for name, cell in row.items()
        }

    def cell(self, column: str, value: Any, *, up: bool = False) -> Cell:
        """Round a number of a column; texts and counts stay."""
        if value is None or isinstance(value, str | int):
            return value
        if column in INPUTS or column in RESULTS:
            return self._distinct(value, self.dtype if column in INPUTS else self.of_results)
        if (number := exactly(value)) is None:
            return None if isnan(value) and column in FEW_DIGITS else float(value)
        if column in FEW_DIGITS:
            most = FEW_DIGITS[column]
            return Decimals(min(self.digits or most, most)).exactly(number)
        if column in ("found", "threshold"):
            most = min(self.digits or OF_CRITERIA, OF_CRITERIA)
            rounding = ROUND_CEILING if up and column == "found" else ROUND_HALF_EVEN
            return value and Context(most, rounding).create_decimal(str(value)).normalize()
        digits = None if column == "bound" else self.digits
        cell = round_fraction(rounding_to(digits), to_fraction(number))
        return Decimals(FLOAT64_DIGITS).exactly(number) if cell in (inf, -inf) else cell

    def _distinct(self, value: float, of: Format) -> Cell:
        """Write the digits asked for, or more to keep numbers distinct."""
        least = self.digits or FLOAT64_DIGITS
        if not value or not isfinite(value) or self.digits is None or least > FLOAT64_DIGITS:
            return value
        found = Decimal(of.shortest(value, least)).normalize()
        whole = found == found.to_integral() and 0 <= found.adjusted() < least
        return found.quantize(Decimal(1)) if whole else found


def exactly(value: Any) -> Fraction | None:
    """Convert a number to a fraction; None if it is none, or not finite.

    >>> exactly(0.5), exactly(Decimal("2e400")) == 2 * 10**400, exactly(inf), exactly(None)
    (Fraction(1, 2), True, None, None)
    """
    try:
        return None if value is None else Fraction(value)
    except (ValueError, OverflowError):  # NaN, infinities
        return None


ERROR_DIGITS, LIMIT_DIGITS = 6, 20


def above(limit: Fraction, error: Fraction) -> str:
    """Print an error that exceeds a limit.

    >>> above(Fraction(2), Fraction(3)), above(Fraction(2), 2 + Fraction(1, 10**8))
    ('3', 'a little over 2')
    """
    text = plain(error, ERROR_DIGITS)
    return text if Fraction(text) > limit else f"a little over {plain(limit)}"


def plain(number: Fraction, digits: int = LIMIT_DIGITS) -> str:
    """Print a number in at most `digits` digits.

    >>> plain(Fraction(5, 2)), plain(Fraction(1, 3), 3)
    ('2.5', '0.333')
    """
    text = Decimal(Decimals(digits).exactly(number)).normalize()
    return f"{text:f}" if 0 <= text.adjusted() < ERROR_DIGITS else f"{text:g}"
