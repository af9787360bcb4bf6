"""Values of forms at points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact
from typing import Any

from gelu_cli.api.results import Answer, Result
from gelu_cli.errors import UsageError
from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.inputs.names import FormLike, to_format, to_forms, to_quantities
from gelu_cli.inputs.numbers import Number, to_digits, to_float
from gelu_cli.inputs.point_lists import Points, float64s, keeps_typed, to_points
from gelu_cli.numbers import FLOAT64, Decimals, Format, evaluate, round_fraction
from gelu_cli.output.tables import Cell, Column, Table

HEADINGS = {
    "value": "{}",
    "gradient": "{}′",
    "curvature": "{}″",
    "gate": "{} gate",
    "complement": "x - {}",
    "gate_gradient": "{} gate′",
    "mask_variance": "{} mask variance",
}


@dataclass(frozen=True, kw_only=True)
class Values(Result):
    """Quantities of forms at the points x.

    `columns` has the numbers by name: `exact`, `exact_gradient`, …; with bits also `x_bits`, ….
    """

    x: Column
    columns: dict[str, Column]


def table(
    x: Any,
    form: FormLike | Sequence[FormLike] = ("exact", "tanh", "sigmoid"),
    quantity: str | Sequence[str] = ("value", "gradient"),
    *,
    dtype: Any = None,
    bits: bool = False,
    digits: int | None = None,
) -> Values:
    """Evaluate forms at points; each number is correctly rounded.

    Parameters
    ----------
    x
        Numbers, strings such as `"1/3"` or the range `"-3:3:0.5"`, or an array of any shape.
    form
        Forms, with parameters as in `"tanh:c=0.044"`.
    quantity
        `value`, `gradient`, `curvature`, `gate`, `complement`, `gate_gradient`, `mask_variance`
        or `all`.
    dtype
        Format to which x and the results are rounded; float64 if None.
    bits
        Add the bit pattern of each number of `dtype`, in columns named `…_bits`.
    digits
        Return decimals of `digits` significant digits instead of float64s; with `dtype` results are
        rounded to the format, then to `digits`. If `digits` > 17, x stays exact, as typed.

    Raises
    ------
    UsageError
        If a name is unknown, or a quantity needs a gate and a form has none.

    Examples
    --------
    >>> table([0, "1/3"], "exact", "value").columns
    {'exact': [0.0, 0.2101862199394121]}
    """
    if bits and dtype is None:
        raise UsageError("--bits shows bit patterns of a format; add --dtype, e.g. bfloat16")
    digits = to_digits(digits)
    if keeps_typed(digits) and dtype is not None:
        raise UsageError("--digits above 17 keeps x as typed, --dtype rounds x; remove one option")
    forms = to_forms(form)
    quantities = to_quantities(quantity, forms)
    number_format = None if dtype is None else to_format(dtype)
    decimals = Decimals(digits) if digits else None
    points = to_points(x, as_typed=keeps_typed(digits) or number_format is not None)
    if number_format:  # round once: x is still as typed
        points = _rounded(points, number_format)
    elif not keeps_typed(digits):
        points = float64s(points)
    columns: dict[str, Column] = {"x": column_of_x(points, decimals)}
    headings = {}
    for each in forms:
        results = _evaluate(each, quantities, points, number_format or decimals or FLOAT64)
        for name, numbers in zip(quantities, results, strict=True):
            label = each.label if name == "value" else f"{each.label}_{name}"
            columns[label] = numbers
            headings[label] = HEADINGS[name].format(each.label)
    nearest = f"decimal of {digits} digits" if digits else "float64"
    if number_format:
        columns = _in_format(columns, number_format, decimals, bits=bits)
        nearest = number_format.name + f", shown to {digits} digits" * bool(digits)
    title = ", ".join(quantities).replace("_", " ").capitalize()
    meanings = {"rounding": f"each result is the nearest {nearest}"}
    shown = Table(title, columns, headings=headings, meanings=meanings)
    found = f"{len(points):,} point{'s' * (len(points) != 1)}"
    answer = Answer({"table": lambda: shown}, found=found)
    others = {name: column for name, column in columns.items() if name != "x"}
    return Values(x=columns["x"], columns=others, answer=answer)


def _rounded(points: Points, number_format: Format) -> Points:
    """Round points to a format; each point is rounded once."""
    if isinstance(points, list):
        return to_points(
            number_format.from_float(x)
            if isinstance(x, float)
            else float(round_fraction(number_format, to_fraction(x)))
            for x in points
        )
    from gelu_cli.numbers.arrays import round_array  # imports numpy

    return round_array(points, number_format)


def _evaluate(
    form: Form, quantities: Sequence[str], points: Points, rounding: Format | Decimals
) -> list[Column]:
    """Make a column for each quantity; each number is rounded once."""
    if isinstance(points, list):
        rows = [evaluate(form, quantities, x, rounding) for x in points]
        return [[row[k] for row in rows] for k in range(len(quantities))]
    from gelu_cli.numbers.arrays import decimals_of_array, evaluate_array  # import numpy

    if isinstance(rounding, Decimals):
        return [decimals_of_array(form, each, points, rounding.precision) for each in quantities]
    return [evaluate_array(form, each, points, rounding) for each in quantities]


def column_of_x(points: Points, decimals: Decimals | None) -> Column:
    """Convert points to the cells of the column x."""
    return [cell_of_x(x, decimals) for x in points] if isinstance(points, list) else points


def cell_of_x(x: Number, decimals: Decimals | None) -> Cell:
    """Convert x to a float64, or with `decimals` a fraction to a decimal."""
    if isinstance(x, float) or decimals is None:
        return to_float(x)
    context = Context(prec=decimals.precision + 100, traps=[])  # more digits than people type
    quotient = context.divide(Decimal(x.numerator), Decimal(x.denominator))
    if context.flags[Inexact]:  # 1/3 is rounded, 0.1 is kept
        return decimals.exactly(x)
    return quotient if quotient.adjusted() < decimals.precision else quotient.normalize(context)


def _in_format(
    columns: Mapping[str, Any], number_format: Format, decimals: Decimals | None, *, bits: bool
) -> dict[str, Column]:
    """Round results to decimals, but not x; add columns of bit patterns."""
    found: dict[str, Column] = {}
    for name, column in columns.items():
        numbers = [float(each) for each in column]
        found[name] = column
        if decimals and name != "x":
            found[name] = [decimals.from_float(each) for each in numbers]
        if bits:
            found[f"{name}_bits"] = [number_format.hexadecimal(each) for each in numbers]
    return found
