"""Printed numbers, each compared with the exact value to its last decimal.

A printed number means all that round to it. It is right if the exact value at x, as typed, is among
them; at an end, half way between two decimals, both are right. Programs print float64s, in up to 17
digits: a number of so many is right too if the value at the float64 nearest to x is among them, or
if it is the text of the float64 nearest to that value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from gelu_cli.api.results import Answer, Result, Results
from gelu_cli.api.table import cell_of_x
from gelu_cli.errors import UsageError
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.identification.given import places_of
from gelu_cli.inputs.columns import Columns, Meaning, input_column
from gelu_cli.inputs.numbers import Number, to_float
from gelu_cli.inputs.point_lists import DIGITS_OF_FLOAT64
from gelu_cli.inputs.values import is_missing, parse_printed, parse_typed
from gelu_cli.numbers import FLOAT64, FORMATS, Decimals, Format, evaluate, side
from gelu_cli.numbers.points import is_finite
from gelu_cli.output.tables import Cell, Table, to_text

COLUMNS = "line x column published correct off_by verdict"
SPARE_DIGITS = 20
"""Digits beyond those printed that a value may have, of so many decimals."""

PLACES, LONG = 3, 60
"""Decimals of `off_by`, and digits that it has at most beyond those of the number."""

NARROWER = [each for each in FORMATS.values() if each.precision < FLOAT64.precision]
SPARE = 6.5
"""Digits beyond those of a format, of all numbers, that are not there by chance."""


@dataclass(frozen=True, kw_only=True)
class Checked(Result):
    """A printed number, and the exact value.

    Attributes
    ----------
    line
        Line of the file; of pairs X=Y, which of them it is.
    x
        The point as it was typed.
    column
        What the number should be, as `table` names columns.
    published
        The number that was read.
    correct
        The true value, to as many decimals, or to the digits asked for.
    off_by
        Distance of `published` from the true value, in units of its last decimal.
    verdict
        `right` or `wrong`.
    """

    line: int
    x: Cell
    column: str
    published: Decimal | float
    correct: Decimal | float
    off_by: Decimal | float
    verdict: str


def check_printed(
    columns: Columns, meanings: Mapping[str, Meaning], *, wrong: bool, digits: int | None
) -> Results[Checked]:
    """Compare each printed number with the true value."""
    figures = _figures(columns, meanings)
    if not figures:
        raise UsageError(f"no numbers beside x in {columns.name}; add headings, e.g. x,exact")
    checked = [each.checked(digits) for each in figures]
    faults = [each for each in checked if each.verdict == "wrong"]
    if found := _format_of(figures, {each.line for each in faults}):
        fault = f"{to_text(faults[0].published)} is a result in {found.name}, not a decimal"
        where = f"{columns.name}, line {faults[0].line}"
        raise UsageError(f"{where}: {fault}; add --dtype {found.name}")
    said = f"wrong numbers: {len(faults):,} of {len(checked):,}"
    rows = faults if wrong else checked

    def table() -> Table:
        title, cells = "Printed numbers, to the last decimal", map(Result.to_dict, rows)
        return Table.of_rows(title, COLUMNS, cells, 3)

    notes, failures = ([], [said]) if faults else ([said], [])
    return Results(rows, Answer({"summary": table}, notes=notes, failures=failures, found=said))


def _figures(columns: Columns, meanings: Mapping[str, Meaning]) -> list[Figure]:
    """List the numbers of a table, line by line."""
    for heading, meaning in meanings.items():
        if meaning.bits or meaning.quantity in ("up", "up_gradient"):
            fault = f"column '{heading}' of {columns.name} is for results"
            raise UsageError(f"{fault}; add --dtype FORMAT, or --ignore {heading}")
        if meaning.form:
            meaning.form.require([meaning.quantity])
    figures = []
    points = columns.parsed(input_column(meanings, columns, "x"), parse_typed)
    for heading in (name for name, each in meanings.items() if each.form):
        cells = columns.parsed(
            heading, lambda word: None if is_missing(word) else parse_printed(word)
        )
        rows = zip(columns.lines, points, cells, strict=True)
        figures += [Figure(line, x, meanings[heading], y) for line, x, y in rows if y is not None]
    return sorted(figures, key=lambda each: each.line)


class Figure(NamedTuple):
    """A number that was printed as a quantity of a form at x, both as typed."""

    line: int
    x: Decimal | Number
    meaning: Meaning
    published: Decimal | float

    def checked(self, digits: int | None) -> Checked:
        """Compare the number with the exact value at x, or at the nearest float64."""
        x, near = self.point, to_float(self.point)
        right = self._means(x)
        if not right and self.digits <= DIGITS_OF_FLOAT64 and math.isfinite(near):
            right = self._means(near) or self._is_float64(near)
            x = near if right else x
        to = Decimals(digits) if digits else self._as_printed()
        return Checked(
            line=self.line,
            x=self.x if isinstance(self.x, Decimal) else cell_of_x(x, Decimals(DIGITS_OF_FLOAT64)),
            column=self.meaning.name,
            published=self.published,
            correct=self._value(x, to) if digits or not right else self.published,
            off_by=self._off_by(x),
            verdict="right" if right else "wrong",
        )

    @property
    def point(self) -> Number:
        """The exact x; −0 is a float."""
        x = self.x
        return x if not isinstance(x, Decimal) else Fraction(x) if x else float(x)

    @property
    def digits(self) -> int:
        """The number of significant digits; infinities and NaN have none."""
        return len(self.published.as_tuple().digits) if isinstance(self.published, Decimal) else 0

    def _value(self, x: Number, to: Decimals | Format) -> Any:
        form: Any = self.meaning.form
        return evaluate(form, [self.meaning.quantity], x, to)[0]

    def _as_printed(self) -> Decimals:
        """Choose the decimals of the number; of a multiple of 10 its digits."""
        if isinstance(self.published, Decimal) and (places := places_of(self.published)) >= 0:
            return self._rounding(places)
        return Decimals(self.digits or DIGITS_OF_FLOAT64)

    def _rounding(self, places: int) -> Decimals:
        return Decimals(self.digits + SPARE_DIGITS, least_exponent=-places)

    def _means(self, x: Number) -> bool:
        """Return True if the value at x is among those that the number means."""
        y, form, quantity = self.published, self.meaning.form, self.meaning.quantity
        if isinstance(y, float) or not form or not is_finite(x):
            return _same(self._value(x, FLOAT64), float(y))
        unit = Fraction(10) ** -places_of(y)
        ends = (to_fraction(Fraction(y) + end) for end in (-unit / 2, unit / 2))
        low, high = (side(form, quantity, x, end) for end in ends)
        return low >= 0 >= high

    def _is_float64(self, x: float) -> bool:
        """Return True if the text is that of the float64 nearest to the value."""
        nearest = float(self._value(x, FLOAT64))
        return self.published in (Decimal(repr(nearest)), Decimal(f"{nearest:.16e}"))

    def _off_by(self, x: Number) -> Decimal | float:
        """Compute |value − number| in units of the last decimal of the number."""
        y = self.published
        if isinstance(y, float) or not is_finite(x):
            return 0.0 if self._means(x) else math.inf
        places, context = places_of(y), Context(prec=self.digits + LONG)
        value = self._value(x, self._rounding(places + PLACES))
        return context.scaleb(abs(context.subtract(value, y)), places)


def _same(a: Any, b: float) -> bool:
    return bool(a == b or (math.isnan(a) and math.isnan(b)))


def _format_of(figures: Sequence[Figure], lines: set[int]) -> Format | None:
    """Find the narrowest format whose results the numbers are beyond doubt.

    All are numbers of the format, and those on `lines`, the wrong ones, have more digits than
    numbers of the format have by chance.

    >>> from gelu_cli.inputs.columns import meaning_of
    >>> figure = Figure(2, Decimal(1), meaning_of("exact"), Decimal("0.8413447737693787"))
    >>> _format_of([figure], {2}).name
    'float32'
    """
    wrong = {each.published: each.digits for each in figures if each.line in lines}
    for number_format in sorted(NARROWER, key=lambda each: each.precision):
        spare = sum(max(0, n - number_format.precision * math.log10(2)) for n in wrong.values())
        numbers = (float(n) for each in figures for n in (to_float(each.point), each.published))
        if spare >= SPARE and all(_same(number_format.from_float(n), n) for n in numbers):
            return number_format
    return None
