"""Which values does a form have at these points?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Context, Decimal, Inexact
from fractions import Fraction

from gelu_cli.activations import Form
from gelu_cli.analysis.evaluate import Point, Result, Rounding, evaluate
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.formats import FLOAT64, Format
from gelu_cli.errors import UsageError
from gelu_cli.report import Cell, Column, Report, Row

DEFAULT_FORMS = ("exact", "tanh", "sigmoid")
DEFAULT_QUANTITIES = ("value", "gradient")
HEADINGS = {"value": "{}", "gradient": "{}′", "curvature": "{}″", "gate": "{} gate"}


def tabulate(
    points: Iterable[Sequence[Point]],
    forms: Sequence[Form],
    quantities: Sequence[str] = DEFAULT_QUANTITIES,
    *,
    digits: int | None = None,
    dtype: Format | None = None,
    bits: bool = False,
) -> Report:
    """Return a row for each point: x, then the quantities of each form, correctly rounded.

    `points` comes in blocks, and so do the rows. Results are float64s, or numbers of `dtype`, to
    which x is rounded as well, with their bit patterns if `bits` is set; with `digits` they are
    decimals of so many significant digits. Raises `UsageError` for a gate of a form without one.

    >>> from gelu_cli.activations import find_form
    >>> report = tabulate([[0.0, 1.0]], [find_form("exact")])
    >>> list(report.blocks)
    [[(0.0, 0.0, 0.5), (1.0, 0.8413447460685429, 1.0833154705876864)]]
    """
    if bits and dtype is None:
        raise UsageError("--bits shows the bit patterns of a format: add --dtype, e.g. bfloat16")
    for form in forms:
        if "gate" in quantities and not form.has_gate:
            raise UsageError(f"'{form.name}' has no gate: it is not written as x·G(x)")
    row = _RowMaker(forms, quantities, digits, dtype, bits)
    return Report(
        title=_title(quantities, dtype),
        columns=list(_columns(forms, quantities, bits)),
        blocks=([row(x) for x in block] for block in points),
        digits=digits,
        facts={"rounding": _rounding_fact(digits, dtype)},
    )


class _RowMaker:
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

    def __call__(self, x: Point) -> Row:
        if self.dtype:
            x = self.dtype.exactly(x) if isinstance(x, Fraction) else self.dtype.from_float(x)
        results = [
            result
            for form in self.forms
            for result in evaluate(form, self.quantities, x, self.rounding)
        ]
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
