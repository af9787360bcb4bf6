"""Printed numbers, each compared with the exact value to its last decimal.

A printed number means all that round to it. It is right if the exact value at x, as typed, is among
them; at an end, half way between two decimals, both are right. Programs print float64s, in up to 17
digits: a number of so many is right too if the value at the float64 nearest to x is among them, or
if it is the text of the float64 nearest to that value. A number that is cut, 0.8413…, also means
all that begin so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from gelu_cli.api.results import Answer, Result, Results
from gelu_cli.api.table import cell_of_x
from gelu_cli.errors import UsageError
from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.identification.given import places_of
from gelu_cli.inputs.columns import Meaning, input_column
from gelu_cli.inputs.layouts import Columns
from gelu_cli.inputs.numbers import Number, to_float
from gelu_cli.inputs.point_lists import DIGITS_OF_FLOAT64
from gelu_cli.inputs.printed import Printed, is_missing, parse_printed, parse_typed
from gelu_cli.numbers import FLOAT64, FORMATS, Decimals, Format, evaluate, side
from gelu_cli.numbers.points import is_finite, refine_until
from gelu_cli.numbers.rounding import Rounded, round_sum
from gelu_cli.output.renderers import to_text
from gelu_cli.output.tables import Cell, Table

COLUMNS = "line x column published correct off_by verdict"
MEANINGS = {
    "right": "the true value, rounded to the last decimal that is printed",
    "off_by": "distance from the true value, in units of that decimal; ≤ 0.5 is right",
}
UNITS = Decimals(21, least_exponent=-3)
"""The rounding of `off_by`."""

BITS = 80
SPARE_DIGITS = 20
"""Digits beyond those printed that a value may have, of so many decimals."""

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
    figures = list(_figures(columns, meanings))
    if not figures:
        raise UsageError(f"no numbers beside x in {columns.name}; add headings, e.g. x,exact")
    checked = [each.checked(digits) for each in figures]
    faults = [each for each in checked if each.verdict == "wrong"]
    if faults and (found := _format_of(figures, {each.line for each in faults})):
        fault = f"{to_text(faults[0].published)} is a result in {found.name}, not a decimal"
        where = f"{columns.name}, line {faults[0].line}"
        raise UsageError(f"{where}: {fault}; add --dtype {found.name}")
    count, n = len(faults), len(checked)
    said = f"{count:,} of {n:,} number{'s' * (n > 1)} {'is' if 1 in (count, n) else 'are'} wrong"
    rows = faults if wrong else checked

    def table() -> Table:
        title, cells = "Printed numbers, to the last decimal", map(Result.to_dict, rows)
        return Table.of_rows(title, COLUMNS, cells, 3, meanings=MEANINGS)

    notes, failures = ([], [said]) if count else ([said], [])
    return Results(rows, Answer({"summary": table}, notes=notes, failures=failures, found=said))


def _figures(columns: Columns, meanings: Mapping[str, Meaning]) -> Iterator[Figure]:
    """Yield the numbers of a table, line by line."""
    for heading, meaning in meanings.items():
        where = f"column '{heading}' of {columns.name}"
        if meaning.bits:
            raise UsageError(f"{where} holds bits; add --dtype FORMAT")
        if meaning.quantity in ("up", "up_gradient"):
            remedy = f"add --dtype FORMAT and --glu, or --ignore {heading}"
            raise UsageError(f"{where} is of two inputs; {remedy}")
        if meaning.form:
            meaning.form.require([meaning.quantity])
    points = columns.parsed(input_column(meanings, columns, "x"), parse_typed)
    targets = {heading: each for heading, each in meanings.items() if each.form}
    cells = [columns.parsed(heading, _published) for heading in targets]
    for line, x, *printed in zip(columns.lines, points, *cells, strict=True):
        for meaning, each in zip(targets.values(), printed, strict=True):
            if each and meaning.form:
                asked = meaning.name, meaning.form, meaning.quantity
                yield Figure(line, x, *asked, each.number, cut=each.cut)


def _published(word: str) -> Printed | None:
    return None if is_missing(word) else parse_printed(word)


class Figure(NamedTuple):
    """A number that was printed as a quantity of a form at x, both as typed."""

    line: int
    x: Decimal | Number
    column: str
    form: Form
    quantity: str
    published: Decimal | float
    cut: bool = False

    def checked(self, digits: int | None) -> Checked:
        """Compare the number with the exact value at x, or at the nearest float64."""
        x, near = self.point, to_float(self.point)
        right = self._means(x)
        if not right and self.digits <= DIGITS_OF_FLOAT64 and math.isfinite(near):
            right = self._means(near) or self._is_float64(near)
            x = near if right else x
        correct = self.published
        if digits or not right:
            correct = self._value(x, Decimals(digits) if digits else self._as_printed())
        return Checked(
            line=self.line,
            x=self.x if isinstance(self.x, Decimal) else cell_of_x(x, Decimals(DIGITS_OF_FLOAT64)),
            column=self.column,
            published=self.published,
            correct=correct,
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

    def _value(self, x: Number, to: Decimals | Format) -> Rounded:
        found: list[Rounded] = evaluate(self.form, [self.quantity], x, to)
        return found[0]

    def _as_printed(self) -> Decimals:
        """Choose the decimals of the number; of a multiple of 10 its digits."""
        if isinstance(self.published, Decimal) and (places := places_of(self.published)) >= 0:
            return Decimals(self.digits + SPARE_DIGITS, least_exponent=-places)
        return Decimals(self.digits or DIGITS_OF_FLOAT64)

    def _means(self, x: Number) -> bool:
        """Return True if the value at x is among those that the number means."""
        y = self.published
        if isinstance(y, float) or not is_finite(x):
            return _same(self._value(x, FLOAT64), float(y))
        unit = Fraction(10) ** -places_of(y)
        below, above = (unit / 2, unit if self.cut else unit / 2)[:: -1 if y.is_signed() else 1]
        ends = Fraction(y) - below, Fraction(y) + above
        low, high = (side(self.form, self.quantity, x, to_fraction(end)) for end in ends)
        return low >= 0 >= high

    def _is_float64(self, x: float) -> bool:
        """Return True if the text is that of the float64 nearest to the value."""
        nearest = float(self._value(x, FLOAT64))
        return self.published in (Decimal(repr(nearest)), Decimal(f"{nearest:.16e}"))

    def _off_by(self, x: Number) -> Any:
        """Compute |value − number| in units of the last decimal of the number."""
        y = self.published
        if isinstance(y, float) or not is_finite(x):
            return 0.0 if self._means(x) else math.inf
        unit, number = to_fraction(Fraction(10) ** -places_of(y)), to_fraction(Fraction(y))

        def decide(exact: Any, rest: Any) -> Rounded | None:
            return round_sum(UNITS, (exact - number) / unit, None if rest is None else rest / unit)

        return abs(refine_until(self.form, self.quantity, to_fraction(x), BITS, decide))


def _same(a: Rounded, b: Rounded) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def _format_of(figures: Sequence[Figure], lines: set[int]) -> Format | None:
    """Find the narrowest format whose results the numbers are beyond doubt.

    All are numbers of the format, and those on `lines`, the wrong ones, have more digits than
    numbers of the format have by chance.

    >>> from gelu_cli.formulas import find_form
    >>> printed = Decimal("0.8413447737693787")
    >>> figure = Figure(2, Decimal(1), "exact", find_form("exact"), "value", printed)
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
