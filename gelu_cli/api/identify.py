"""Forms, routines and parameters that explain values."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from math import isfinite
from typing import Any

from gelu_cli.api.results import Answer, Real, Result, Results
from gelu_cli.errors import UsageError
from gelu_cli.identification.candidates import MISTAKE, Given
from gelu_cli.identification.candidates import Explanation as Explained
from gelu_cli.identification.explanations import Answer as Explanations
from gelu_cli.identification.explanations import distinguish, explained
from gelu_cli.inputs.columns import Columns, meaning_of
from gelu_cli.inputs.names import choose, to_format
from gelu_cli.inputs.numbers import to_digits, to_float
from gelu_cli.inputs.point_lists import to_columns
from gelu_cli.inputs.values import parse_cell, parse_printed, parse_typed
from gelu_cli.numbers import Decimals, Format
from gelu_cli.output.tables import Table

COLUMNS = ["form", "parameter", "routine", "agree", "of", "max_off", "verdict"]
QUANTITIES = ("value", "gradient")
MAX_OFF = "the largest error: of printed values in units of the last decimal, of results in ULP"
LARGEST_EXPONENT, MOST = 100, 2048
"""Largest |decimal exponent| of a printed value; largest number of values examined."""


@dataclass(frozen=True, kw_only=True)
class Explanation(Result):
    """A form, and how well it explains values.

    Attributes
    ----------
    form
        Name of the form, with a parameter that is not the default; or name of a known mistake.
    parameter
        Interval in which the parameter explains the values; None without such an interval.
    routine
        The routine that explains results, named as in `sweep`. `truncated` if printed values are
        explained by decimals that are cut off, not rounded. Else None.
    agree, of
        Number of values that the form explains, and number of all values.
    max_off
        The largest error: of printed values in units of the last decimal, of results in ULP.
    verdict
        `explains all`, `explains most` (more than half), or `does not`.
    column
        Heading of the column of the values; None if only one column has values.
    """

    form: str
    parameter: str | None
    routine: str | None
    agree: int
    of: int
    max_off: Real
    verdict: str
    column: str | None = None


def identify(
    values: Any,
    quantity: str | None = None,
    *,
    dtype: Any = None,
    column: str | None = None,
    digits: int | None = None,
) -> Results[Explanation]:
    """Find forms, routines and parameters that explain values, best first.

    Parameters
    ----------
    values
        Words `"2=1.9546"`, a mapping {x: value}, arrays (x, values), a DataFrame with a column
        `x`, or the name of a file. Trailing zeros of texts and Decimals count as printed digits.
    quantity
        `value` or `gradient`; by default that of the column's heading, else `value`.
    dtype
        Format of the values, if they are results of a kernel, not printed numbers.
    column
        Name of the column of x, if not `x`.
    digits
        Return errors of results as decimals of `digits` significant digits.

    Returns
    -------
    Results[Explanation]
        The best first. `notes` name an x at which two forms differ: exact and tanh if one of them
        is best, else the best form and the next.

    Raises
    ------
    UsageError
        If a value cannot be read.

    Examples
    --------
    >>> best = identify({2: "1.9546"})[0]
    >>> best.form, best.parameter
    ('tanh', 'c in [0.044630, 0.044808]')
    """
    choose("quantity", "value" if quantity is None else quantity, QUANTITIES)
    number_format, digits = None if dtype is None else to_format(dtype), to_digits(digits)
    columns = _given(to_columns(values, column), column or "x", quantity, number_format)
    several, found, words = len(columns) > 1, list[Explanation](), list[str]()
    notes, meanings = list[str](), {"max off": MAX_OFF}
    for given in columns:
        part = given.part(range(0, len(given.y), -(-len(given.y) // MOST)))
        answer, name = explained(part), f"{given.name}: " * several
        best, *_ = answer.explanations
        words.append(name + _in_words(answer))
        if len(part.y) < len(given.y):
            notes.append(f"{name}{len(part.y):,} of {len(given.y):,} values are examined")
        if answer.rival and best.agree:
            notes.append(name + distinguish(best, answer.rival, part))
        for one in answer.explanations:
            found.append(_row(one, part, digits, several))
            if one.candidate.kind == MISTAKE:
                meanings[one.candidate.label] = one.candidate.definition
    rows, title = [row.to_dict() for row in found], "What explains the values"
    table = partial(Table.of_rows, title, rows=rows, keys=1 + several, meanings=meanings)
    names = ["column"] * several + COLUMNS
    seen = [name for name in names[:-1] if any(row[name] is not None for row in rows)]
    views, said = {"summary": partial(table, names)}, " ".join(words).removesuffix(".")
    screen = partial(table, seen)
    return Results(found, Answer(views, words, lambda: [screen()], notes, found=said))


def _given(
    columns: Columns, x_name: str, quantity: str | None, number_format: Format | None
) -> list[Given]:
    """Parse the columns of values, each with the x of its values."""
    parse_x, parse_y = _point, _value
    if number_format:
        parse_x = parse_y = partial(parse_cell, number_format=number_format)
    points, found = columns.parsed(x_name, parse_x), []
    for name in columns.cells:
        meaning = meaning_of(name) or meaning_of(f"exact_{name}")  # of a heading such as `grad`
        if name == x_name or (meaning and meaning.bits):
            continue
        values = columns.parsed(name, parse_y, gaps=True)
        pairs = [(x, y) for x, y in zip(points, values, strict=True) if y is not None]
        own = meaning.quantity if meaning and meaning.quantity in QUANTITIES else "value"
        if pairs:
            x, y = zip(*pairs, strict=True)
            found.append(Given(name, quantity or own, x, y, number_format))
    if not found:
        raise UsageError(f"no values except {x_name} in {columns.name}; add headings, e.g. x,exact")
    return found


def _point(word: str) -> Any:
    x = parse_typed(word)
    if not isfinite(float(x) if isinstance(x, Decimal) else to_float(x)):
        raise UsageError(f"'{word}' is not finite in float64; write a number below 1.8e308")
    return x


def _value(word: str) -> Any:
    value = parse_printed(word)
    if not isinstance(value, Decimal) or abs(value.adjusted()) > LARGEST_EXPONENT:
        fault = f"'{word}' is not a decimal from 1e-100 to 1e100 in size"
        raise UsageError(f"{fault}; remove it, or add --dtype")
    return value


def _row(one: Explained, given: Given, digits: int | None, several: bool) -> Explanation:
    """Make a row; spell the routine and its inner format as `sweep` does."""
    candidate, off = one.candidate, one.max_off
    routine = "truncated" if candidate.cut else candidate.routine
    if candidate.compute not in (None, given.result):
        routine += f":compute={candidate.compute.name}"
    return Explanation(
        form=candidate.label,
        parameter=candidate.parameter or None,
        routine=routine or None,
        agree=one.agree,
        of=len(one.agrees),
        max_off=Decimals(digits).from_float(off) if digits and isinstance(off, float) else off,
        verdict=one.verdict,
        column=given.name if several else None,
    )


def _in_words(answer: Explanations) -> str:
    """Say how many values the best row explains, and if other rows do so."""
    given, best, *others = answer.given, *answer.explanations
    parameter = f", {best.candidate.parameter}," if best.candidate.parameter else ""
    more = "; so do others" if any(0 < best.agree == each.agree for each in others) else ""
    what = f"{best.agree:,} of {len(best.agrees):,} {given.quantity}s{more}"
    return f"{best.candidate.words}{parameter} explains {what}."
