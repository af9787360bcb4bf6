"""Numbers as text: one way of printing each kind."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal

from gelu_cli.old.report import Cell, Floats, Report, Row

FLOAT64_DIGITS = 17
"""Digits that tell any float64 from its neighbours; more are of the number as typed."""

NEAR_ZERO = ("0.00000", "-0.00000")
"""How numbers below 10⁻⁵ begin that `Decimal` writes without an exponent, and zeros."""

LEAST_ZERO = -40
"""The lowest place, as a power of 10, to which a zero is written out: 0.00."""

SHORT_EXPONENT = "e-(?=[6-9],)"


def machine_text(cell: Cell) -> str:
    """Return a cell as csv and its like have it.

    A float64 has the shortest digits that identify it; non-finite numbers are NaN, inf and -inf.

    >>> [machine_text(cell) for cell in (0.1, -0.0, math.inf, math.nan, Decimal("1.50E-7"), None)]
    ['0.1', '-0.0', 'inf', 'NaN', '1.50e-07', '']
    """
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Decimal):
        return decimal_text(cell)
    if isinstance(cell, float):
        return "NaN" if math.isnan(cell) else repr(cell)
    return "" if cell is None else str(cell)


def float_lines(floats: Floats, text_of: Callable[[float], str] = machine_text) -> str:
    r"""Return a line for each row of an array: its cells as `text_of` has them, and commas.

    For finite numbers `text_of` must have what `machine_text` has.

    >>> import numpy as np
    >>> float_lines(np.array([[0.5, 1e-7], [2e-5, math.nan]]))
    '0.5,1e-07\n2e-05,NaN\n'
    """
    if not len(floats):
        return ""
    import numpy as np

    signs = np.frombuffer(bytearray(_cells(floats, text_of), "ascii"), np.uint8)
    commas, columns = np.flatnonzero(signs == ord(",")), floats.shape[1]
    signs[commas[columns - 1 :: columns]] = ord("\n")
    return signs.tobytes().decode()


def _cells(floats: Floats, text_of: Callable[[float], str]) -> str:
    """Return all cells, a comma after each.

    orjson prints what repr does, much faster, but 0.00002 for 2e-05, 1e-7 for 1e-07, and null for
    what is not finite.
    """
    import orjson

    size, plain = abs(floats), floats.copy()
    odd = ~(size < math.inf) | (size >= 1e-5) & (size < 1e-4)
    plain[odd] = math.nan
    text = orjson.dumps(plain.ravel(), option=orjson.OPT_SERIALIZE_NUMPY).decode()[1:-1] + ","
    if (size < 1e-5).any():
        text = re.sub(SHORT_EXPONENT, "e-0", text)
    if odd.any():
        between = text.split("null")
        pieces = [""] * (2 * len(between) - 1)
        pieces[::2], pieces[1::2] = between, map(text_of, floats[odd].tolist())
        text = "".join(pieces)
    return text


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
    text = str(number)
    if "E" not in text and not text.startswith(NEAR_ZERO):
        return text
    if not number and LEAST_ZERO <= number.adjusted() <= 0:
        return f"{number:f}"
    mantissa, _, exponent = f"{number:e}".partition("e")
    return f"{mantissa}e{int(exponent):+03d}"


def at_the_point(numbers: Sequence[str]) -> list[str]:
    """Pad numbers so that their decimal points, or where these would be, stand in one column.

    >>> at_the_point(["1.25", "-10", "3e-07"])
    ['  1.25 ', '-10    ', '  3e-07']
    """
    points = [len(re.split(r"[.e]", number)[0]) for number in numbers]
    left = max(points, default=0)
    padded = [" " * (left - at) + number for at, number in zip(points, numbers, strict=True)]
    right = max(map(len, padded), default=0)
    return [text.ljust(right) for text in padded]


def numeric_columns(report: Report, rows: Sequence[Row]) -> list[bool]:
    """Return for each column whether its cells are numbers, none of them text, not all empty."""
    columns = [[row[i] for row in rows] for i in range(len(report.columns))]
    texts = [any(isinstance(cell, str) for cell in cells) for cells in columns]
    empty = [all(cell is None for cell in cells) for cells in columns]
    return [not (a_text or none) for a_text, none in zip(texts, empty, strict=True)]
