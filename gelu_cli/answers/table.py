"""Which values does a form have at these points?"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from math import inf, nextafter
from typing import TYPE_CHECKING, TypeAlias

from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.formats import FLOAT64, Format
from gelu_cli.errors import UsageError
from gelu_cli.forms import Form
from gelu_cli.parallel import in_order
from gelu_cli.report import Block, Cell, Column, Report, Row
from gelu_cli.values.evaluate import Point, Result, Rounding, evaluate

if TYPE_CHECKING:
    from gelu_cli.arithmetic.rounding import Array

Points: TypeAlias = "Sequence[Point] | Array"

DEFAULT_FORMS = ("exact", "tanh", "sigmoid")
DEFAULT_QUANTITIES = ("value", "gradient")
FEW, FEW_WITH_NUMPY = 512, 32
"""Points that are done one by one sooner than numpy is imported, or an array is set up."""

DIGITS_BY_FLOAT64 = 14
"""Decimals of up to so many digits are nearly always told by the float64 nearest to the value."""

NORMAL = 2.0**-1022

HEADINGS = {"value": "{}", "gradient": "{}′", "curvature": "{}″", "gate": "{} gate"}


def tabulate(
    points: Iterable[Points],
    forms: Sequence[Form],
    quantities: Sequence[str] = DEFAULT_QUANTITIES,
    *,
    digits: int | None = None,
    dtype: Format | None = None,
    bits: bool = False,
    jobs: int = 1,
) -> Report:
    """Return a row for each point: x, then the quantities of each form, correctly rounded.

    `points` comes in blocks, and so do the rows; large blocks are arrays, done by `jobs` threads.
    Results are float64s, or numbers of `dtype`, to
    which x is rounded as well, with their bit patterns if `bits` is set; with `digits` they are
    decimals of so many significant digits. Raises `UsageError` for a gate of a form without one.

    >>> from gelu_cli.forms import find_form
    >>> report = tabulate([[0.0, 1.0]], [find_form("exact")])
    >>> list(report.blocks)
    [[(0.0, 0.0, 0.5), (1.0, 0.8413447460685429, 1.0833154705876864)]]
    """
    if bits and dtype is None:
        raise UsageError("--bits shows the bit patterns of a format: add --dtype, e.g. bfloat16")
    for form in forms:
        if "gate" in quantities and not form.has_gate:
            raise UsageError(f"'{form.name}' has no gate: it is not written as x·G(x)")
    table = _Table(forms, quantities, digits, dtype, bits)
    return Report(
        title=_title(quantities, dtype),
        columns=list(_columns(forms, quantities, bits)),
        blocks=in_order(table.rows, points, jobs, table.is_large),
        digits=digits,
        facts={"rounding": _rounding_fact(digits, dtype)},
    )


class _Table:
    def __init__(
        self,
        forms: Sequence[Form],
        quantities: Sequence[str],
        digits: int | None,
        dtype: Format | None,
        bits: bool,
    ) -> None:
        self.forms = forms
        self.quantities = quantities
        self.dtype = dtype
        self.bits = bits
        self.decimals = Decimals(digits) if digits else None
        self.rounding: Rounding = dtype or self.decimals or FLOAT64

    def is_large(self, block: Points) -> bool:
        """Return whether a block is done as an array: for so many points, all of them float64s."""
        if len(block) < (FEW_WITH_NUMPY if "numpy" in sys.modules else FEW):
            return False
        if isinstance(block, list) and not all(type(x) is float for x in block):
            return False
        return self.decimals is None or self.decimals.digits <= DIGITS_BY_FLOAT64

    def rows(self, block: Points) -> Block:
        """Return the rows for a block of points."""
        if not self.is_large(block):
            return [self._row(x) for x in block]
        array = self._array(block)
        if self.decimals and not self.dtype:
            return [self._decimal_row(self.decimals, *row) for row in array.tolist()]
        if self.decimals or self.bits:
            return [self._cells(x, results) for x, *results in array.tolist()]
        return array

    def _array(self, block: Points) -> Array:
        import numpy as np

        from gelu_cli.arithmetic.rounding import nearest
        from gelu_cli.values.evaluate_arrays import evaluate_array

        x = np.asarray(block, dtype=np.float64)
        if self.dtype:
            x, _ = nearest(self.dtype, x)
        columns = [x]
        for form in self.forms:
            columns += evaluate_array(form, self.quantities, x, self.dtype or FLOAT64)
        return np.column_stack(columns)

    def _decimal_row(self, decimals: Decimals, x: float, *results: float) -> Row:
        """Return the decimals that the float64s of the results leave no doubt of, or look closer.

        The true value is within half a unit of its float64, so it rounds as both neighbours do
        where they agree.
        """
        asked = [(form, quantity) for form in self.forms for quantity in self.quantities]
        cells: list[Cell] = [x]
        for (form, quantity), result in zip(asked, results, strict=True):
            below, above = (
                f"{nextafter(result, end):.{decimals.digits - 1}e}" for end in (-inf, inf)
            )
            if below == above and NORMAL < abs(result) < inf:
                cells.append(Decimal(below))
            else:
                cells += map(self._cell, evaluate(form, [quantity], x, decimals))
        return cells

    def _row(self, x: Point) -> Row:
        if self.dtype:
            x = self.dtype.exactly(x) if isinstance(x, Fraction) else self.dtype.from_float(x)
        results = [
            result
            for form in self.forms
            for result in evaluate(form, self.quantities, x, self.rounding)
        ]
        return self._cells(x, results)

    def _cells(self, x: Point, results: Sequence[Result]) -> Row:
        row = x_cell(x, self.decimals), *map(self._cell, results)
        if not (self.bits and self.dtype):
            return row
        patterns = [self.dtype.hexadecimal(float(number)) for number in (x, *results)]
        return tuple(cell for pair in zip(row, patterns, strict=True) for cell in pair)

    def _cell(self, result: Result) -> Cell:
        if self.decimals and isinstance(result, float):
            return self.decimals.from_float(result)
        return result


def x_cell(x: Point, decimals: Decimals | None) -> Cell:
    """Return a float64 as it is, an exact number as the decimal that it is or comes nearest to."""
    if isinstance(x, float) or decimals is None:
        return float(x)
    numerator, denominator = Decimal(x.numerator), Decimal(x.denominator)
    generous = Context(prec=decimals.digits + 100, traps=[])
    quotient = generous.divide(numerator, denominator).normalize(generous)
    if generous.flags[Inexact]:
        return decimals.exactly(x)
    whole = 0 <= quotient.adjusted() < decimals.digits and quotient == quotient.to_integral()
    return quotient.quantize(Decimal(1), context=generous) if whole else quotient


def _columns(forms: Sequence[Form], quantities: Sequence[str], bits: bool) -> Iterator[Column]:
    names = [("x", "x")]
    for form in forms:
        for quantity in quantities:
            name = form.label if quantity == "value" else f"{form.label}_{quantity}"
            names.append((name, HEADINGS[quantity].format(form.label)))
    for name, heading in names:
        yield Column(name, heading)
        if bits:
            yield Column(f"{name}_bits", "bits")


def _title(quantities: Sequence[str], dtype: Format | None) -> str:
    words = [f"{quantity}s" for quantity in quantities]
    listed = " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
    return listed.capitalize() + (f" in {dtype.name}" if dtype else "")


def _rounding_fact(digits: int | None, dtype: Format | None) -> str:
    exact = f"each correctly rounded to {dtype.name}" if dtype else ""
    shown = f"{digits} significant digits" + ("" if dtype else ", each right") if digits else ""
    return ", ".join(filter(None, (exact, shown))) or "each correctly rounded to float64"
