"""Numbers as text: one way of printing each kind."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

from gelu_cli.report import Cell, Report, Row


def machine_text(cell: Cell) -> str:
    """Return a cell as csv and its like have it.

    A float64 has the shortest digits that identify it; non-finite numbers are NaN, inf and -inf.

    >>> [machine_text(cell) for cell in (0.1, -0.0, math.inf, math.nan, Decimal("1.50E-7"), None)]
    ['0.1', '-0.0', 'inf', 'NaN', '1.50e-07', '']
    """
    if cell is None:
        return ""
    if isinstance(cell, Decimal):
        return decimal_text(cell)
    if isinstance(cell, float):
        return "NaN" if math.isnan(cell) else repr(cell)
    return str(cell)


def human_text(cell: Cell) -> str:
    """Return a cell as a person likes it: -3 for the float -3.0.

    >>> human_text(-3.0), human_text(0.5), human_text(None)
    ('-3', '0.5', '')
    """
    return machine_text(cell).removesuffix(".0") if isinstance(cell, float) else machine_text(cell)


def decimal_text(number: Decimal) -> str:
    """Return a decimal with all the digits it has and no other.

    >>> [decimal_text(Decimal(text)) for text in ("0.500", "1.25E+8", "-0", "0.00", "0.0000031")]
    ['0.500', '1.25e+08', '-0', '0.00', '3.1e-06']
    """
    sign, digits, _ = number.as_tuple()
    place = number.adjusted()
    least = -5 if number else -40  # a zero is its places
    if least <= place < len(digits):
        return f"{number:f}"
    first, *rest = map(str, digits)
    point = "." if rest else ""
    return f"{'-' if sign else ''}{first}{point}{''.join(rest)}e{place:+03d}"


def numeric_columns(report: Report, rows: Sequence[Row]) -> list[bool]:
    """Return for each column whether its cells are numbers, none of them text, not all empty."""
    columns = [[row[i] for row in rows] for i in range(len(report.columns))]
    return [all(map(is_number, cells)) and any(cell is not None for cell in cells)
            for cells in columns]  # fmt: skip


def is_number(cell: Cell) -> bool:
    """Return whether a cell is a number, or empty in a column of numbers."""
    return not isinstance(cell, str)
