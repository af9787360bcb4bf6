"""Comparison of printed numbers and of kernels' results with exact values.

A printed number is right if the exact value at x, as typed, rounds to the number; at a tie both
neighbouring decimals are right. A number of at most 17 digits is also right if the exact value y at
float64(x) rounds to the number, or if a program prints float64(y) as the number.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gelu_cli.accuracy import Question, measure_results
from gelu_cli.accuracy.nearest import nearest_form
from gelu_cli.api.questions import Asked, refuse, to_asked
from gelu_cli.api.records import is_record, read_record, record_on
from gelu_cli.api.results import Answer, Result, Results
from gelu_cli.api.sweep import USUAL, refuse_others
from gelu_cli.api.table import cell_of_x
from gelu_cli.api.verdicts import BOUNDS, results_on, to_base, to_limits
from gelu_cli.errors import UsageError
from gelu_cli.formulas import QUANTITIES
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.identification.candidates import places_of
from gelu_cli.inputs.columns import Columns, Meaning, Source, input_column, read_source, understand
from gelu_cli.inputs.names import FormLike, choose, to_form
from gelu_cli.inputs.numbers import Number, listed, to_float
from gelu_cli.inputs.point_lists import DIGITS_OF_FLOAT64, read_file, to_columns
from gelu_cli.inputs.values import parse_printed, parse_typed, read_numbers, to_numbers
from gelu_cli.numbers import FLOAT64, FORMATS, Decimals, Format, evaluate, side
from gelu_cli.numbers.arrays import numbers_of
from gelu_cli.numbers.cells import Floats
from gelu_cli.numbers.points import is_finite
from gelu_cli.output.tables import Cell, Table, to_text

COLUMNS = "line x column published correct off_by verdict"
SPARE_DIGITS = 20
"""The rounded exact value has at most this many digits more than the printed number."""

PLACES, LONG = 3, 60
"""`off_by` has PLACES decimals, and is computed with LONG more digits than the printed number."""

NARROWER = [each for each in FORMATS.values() if each.precision < FLOAT64.precision]
SURPLUS = 6.5
"""Digits beyond a format's, in all wrong numbers, that rule out a chance fit to the format."""

OF_RECORDS = {*BOUNDS, "baseline", "digits"}
OF_TABLES = {"column", "rename", "ignore"}
OF_PRINTED = {*OF_TABLES, "form", "quantity", "digits", "wrong"}
OF_GLU = {"glu", "packed", "gate_limit", "up_limit", "up_offset", "intermediate"}
OF_RESULTS = {*OF_GLU, "result", "mean", "sigma", "ftz", "worst", "rtol", "atol"}
"""Options by what is checked. For results of a kernel every option but `wrong` applies."""

GLU_QUANTITIES = ("value", "gate_gradient", "up_gradient")
"""Quantities that a column may hold with --glu."""

Given: TypeAlias = tuple[str, Question, Sequence[Floats], Floats]
"""Results of a kernel: (name of the results, question, [x] or [gate, up], results)."""


@dataclass(frozen=True, kw_only=True)
class Checked(Result):
    """A printed number, compared with the exact value.

    Attributes
    ----------
    line, x
        Line of the file, or number of the pair X=Y, counted from 1; x as it was typed.
    column
        Form and quantity of the exact value, as `table` names columns.
    published
        The printed number.
    correct
        The exact value, rounded to `digits`. Without `digits`: `published` if it is right, else the
        exact value, rounded to as many decimals as `published` has.
    off_by
        Distance of `published` from the exact value, in units of the last decimal of `published`.
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
    """Compare each printed number with the exact value."""
    numbers = _printed_numbers(columns, meanings)
    if not numbers:
        raise UsageError(f"no numbers except x in {columns.name}; add headings, e.g. x,exact")
    checked = [each.checked(digits) for each in numbers]
    faults = [each for each in checked if each.verdict == "wrong"]
    if found := _format_of(numbers, {each.line for each in faults}):
        fault = f"{to_text(faults[0].published)} is a {found.name} printed in full, not a decimal"
        where = f"{columns.name}, line {faults[0].line}"
        raise UsageError(f"{where}: {fault}; add --dtype {found.name}")
    said = f"wrong numbers: {len(faults):,} of {len(checked):,}"
    rows = faults if wrong else checked

    def table() -> Table:
        title, cells = "Printed numbers against exact values", map(Result.to_dict, rows)
        return Table.of_rows(title, COLUMNS, cells, 3)

    notes, failures = ([], [said]) if faults else ([said], [])
    return Results(rows, Answer({"summary": table}, notes=notes, failures=failures, found=said))


def _printed_numbers(columns: Columns, meanings: Mapping[str, Meaning]) -> list[Printed]:
    """List the printed numbers of a table, line by line."""
    for heading, meaning in meanings.items():
        if meaning.bits or meaning.quantity in ("up", "up_gradient"):
            fault = f"column '{heading}' of {columns.name} is for results"
            raise UsageError(f"{fault}; add --dtype FORMAT, or --ignore {heading}")
        if meaning.form:
            meaning.form.require([meaning.quantity])
    numbers = []
    points = columns.parsed(input_column(meanings, columns, "x"), parse_typed)
    for heading in (name for name, each in meanings.items() if each.form):
        cells = columns.parsed(heading, parse_printed, gaps=True)
        rows = zip(columns.lines(), points, cells, strict=False)
        numbers += [Printed(line, x, meanings[heading], y) for line, x, y in rows if y is not None]
    return sorted(numbers, key=lambda each: each.line)


class Printed(NamedTuple):
    """A printed number, its x as typed, and the form and quantity expected."""

    line: int
    x: Decimal | Number
    meaning: Meaning
    published: Decimal | float

    def checked(self, digits: int | None) -> Checked:
        """Compare the number with the exact value at x, or at float64(x)."""
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
        """The point as an exact number; zeros are floats, to keep −0."""
        x = self.x
        return x if not isinstance(x, Decimal) else Fraction(x) if x else float(x)

    @property
    def digits(self) -> int:
        """Number of significant digits; 0 for infinities and NaN."""
        return len(self.published.as_tuple().digits) if isinstance(self.published, Decimal) else 0

    def _value(self, x: Number, to: Decimals | Format) -> Any:
        form: Any = self.meaning.form
        return evaluate(form, [self.meaning.quantity], x, to)[0]

    def _as_printed(self) -> Decimals:
        """Return the rounding to the number's decimals; for 12e5, its digits."""
        if isinstance(self.published, Decimal) and (places := places_of(self.published)) >= 0:
            return self._rounding(places)
        return Decimals(self.digits or DIGITS_OF_FLOAT64)

    def _rounding(self, places: int) -> Decimals:
        return Decimals(self.digits + SPARE_DIGITS, least_exponent=-places)

    def _means(self, x: Number) -> bool:
        """Return True if the number's last decimal is off by at most half a unit."""
        y, form, quantity = self.published, self.meaning.form, self.meaning.quantity
        if isinstance(y, float) or not form or not is_finite(x):
            return _same(self._value(x, FLOAT64), float(y))
        unit = Fraction(10) ** -places_of(y)
        ends = (to_fraction(Fraction(y) + end) for end in (-unit / 2, unit / 2))
        low, high = (side(form, quantity, x, end) for end in ends)
        return low >= 0 >= high

    def _is_float64(self, x: float) -> bool:
        """Return True if the number is the value at x, printed as a float64."""
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


def _format_of(numbers: Sequence[Printed], lines: set[int]) -> Format | None:
    """Find the narrowest format in which every x and every number is exact.

    Return None if there is no such format, or if the wrong numbers, which are on `lines`, have too
    few digits to rule out chance.
    """
    wrong = {each.published: each.digits for each in numbers if each.line in lines}
    for number_format in sorted(NARROWER, key=lambda each: each.precision):
        surplus = sum(max(0, n - number_format.precision * math.log10(2)) for n in wrong.values())
        members = (float(n) for each in numbers for n in (to_float(each.point), each.published))
        if surplus >= SURPLUS and all(_same(number_format.from_float(n), n) for n in members):
            return number_format
    return None


def check(
    x: Any = None,
    y: Any = None,
    *,
    form: FormLike | None = None,
    quantity: str | None = None,
    column: str | None = None,
    rename: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    wrong: bool = False,
    digits: int | None = None,
    dtype: Any = None,
    inputs: str | None = None,
    all: bool = False,
    **options: Any,
) -> Any:
    """Compare printed numbers, or results of a kernel, with the exact values.

    Parameters
    ----------
    x, y
        Points, and a number for each point. Without y, x is a list of words `"1=0.8413"`, a mapping
        `{x: number}`, a DataFrame or mapping with columns named as in `table`, or the name of a
        file: a table, results, or a record (JSON).
    form, quantity
        Form and quantity if the headings do not name them; by default the value of `exact`. With
        `dtype` the form `"auto"` is the form nearest to the results.
    column
        Name of the column of x, if not `x`.
    rename
        Words `"NAME=F_gradient"`: the column NAME holds the gradient of the form F.
    ignore
        Names of columns to ignore.
    wrong
        Return only the printed numbers that are wrong.
    digits
        Significant digits of `correct`, by default as printed; with `dtype` or for a record,
        significant digits of every number in the answer.
    dtype
        Format of x and of the numbers, if the numbers are results of a kernel.
    inputs, all
        For a file that holds only results, raw or .npy: `inputs` is the file of x; `all` is True
        if there is a result for every bit pattern.
    options
        Options of `sweep`: `result`; `glu`, `gate_limit`, `up_limit`, `up_offset`, `intermediate`;
        `packed`, the layout of pairs in `inputs`; `mean`, `sigma`, `ftz`, `worst`, `rtol`, `atol`;
        bounds and `baseline`.

    Returns
    -------
    Results[Checked], Verdict or Results[Verdict]
        A `Checked` for each printed number; with `dtype` a `Verdict`, or a list of verdicts on
        several columns; for a record the result of `load`.

    Raises
    ------
    UsageError
        If a column is unknown, a cell is not a number, or an option does not apply.

    Examples
    --------
    >>> [each.verdict for each in check({1: "0.8413", 2: "1.9546"})]
    ['right', 'wrong']
    >>> check([0.5, 1.0], [0.5, 1.5], dtype="float16", form="relu").max_ulp
    512.0
    """
    refuse_others("check", options, OF_RESULTS | OF_RECORDS)
    own = OF_PRINTED | {"dtype", "inputs", "all"}
    options |= {name: each for name, each in locals().items() if name in own}
    options = {n: v for n, v in options.items() if str(v) not in ("None", "False", "[]")}
    base, given = options.get("baseline"), x if y is None else (x, y)
    file = read_file(given)
    base = base and to_base(base)
    if file and is_record(file):
        refuse(options.keys() - OF_RECORDS, f"is not for {file.name}, a record; remove it")
        return results_on(read_record(file, digits), to_limits(options), base)
    if dtype is None:
        refuse(options.keys() - OF_PRINTED, "is for results; add --dtype FORMAT")
        columns = to_columns(file or given, column)
        return check_printed(columns, _meanings(columns, options), wrong=wrong, digits=digits)
    refuse(options.keys() & {"wrong"}, "is for printed numbers; take --view worst")
    results: list[Given]
    if all or inputs:
        refuse(options.keys() & OF_TABLES, "is for tables; remove it, or --all and --inputs")
        asked = to_asked({**USUAL, "criteria": True, **options, "all": False})
        results = [_bare(file, inputs, options.get("packed"), asked)]
    else:
        refuse(options.keys() & {"packed"}, "is for --inputs; remove it")
        asked = to_asked({**USUAL, "criteria": True, **options, "quantity": None})
        columns = to_columns(file or given, column)
        meant = {**options, "form": None} if asked.auto else options
        results = [*_in_columns(columns, _meanings(columns, meant), asked)]
        if not results:
            raise UsageError(f"{columns.name} has no results, only x; add headings, e.g. x,exact")
    if asked.auto:
        results = [(n, q._replace(form=nearest_form(q, x[0], y)), x, y) for n, q, x, y in results]
    found = [measure_results(*each, **asked.judging) for each in results]
    of_files = ", ".join(dict.fromkeys(_digest(points) for _, _, points, _ in results))
    record = record_on("check", asked, found, of_files=of_files, digits=digits)
    return results_on(record, to_limits(options), base)


def _digest(points: Sequence[Floats]) -> str:
    """Hash inputs; their order does not matter."""
    both = np.stack([each.astype(np.float64) for each in points])
    return hashlib.sha256(both[:, np.lexsort(both)].tobytes()).hexdigest()[:16]


def _meanings(columns: Columns, options: Mapping[str, Any]) -> dict[str, Meaning]:
    """Find the meaning of each column; the option `column` names the column x."""
    form, quantity, x = (options.get(name) for name in ("form", "quantity", "column"))
    if quantity is not None:
        choose("quantity", quantity, [*QUANTITIES, "up_gradient"])
    renamed = [*listed(options.get("rename", ())), *([f"{x}=x"] if x else [])]
    meant = None if form is None else to_form(form)
    return understand(columns, renamed, options.get("ignore", ()), meant, quantity)


def _in_columns(columns: Columns, meanings: Mapping[str, Meaning], asked: Asked) -> Iterator[Given]:
    """Yield the results of each column; a column of their bits is preferred."""
    question, bits = asked.question, {heading: each.bits for heading, each in meanings.items()}
    inputs, known = (("x", "up"), GLU_QUANTITIES) if question.glu else (("x",), QUANTITIES)
    for heading, each in meanings.items():
        if each.quantity not in (*inputs, *known):
            fault = f"column '{heading}' of {columns.name} holds {each.quantity}, which is"
            raise UsageError(f"{fault} none of {', '.join(inputs + known)}; add or remove --glu")
        if each.form and not question.glu:
            each.form.require([each.quantity])
    headings = [input_column(meanings, columns, name) for name in inputs]
    read = [to_numbers(columns, each, question.dtype, bits=bits[each]) for each in headings]
    known_inputs = np.logical_and.reduce([mask for _, mask in read])
    found: dict[str, str] = {}
    for heading, each in meanings.items():
        if each.form and (each.bits or each.name not in found):
            found[each.name] = heading
    for name, heading in found.items():
        form, quantity, _ = meanings[heading]
        asks = question._replace(form=form or question.form, quantity=quantity)
        got, mask = to_numbers(columns, heading, question.result, bits=bits[heading])
        mask = known_inputs & mask
        if mask.any():
            yield name, asks, [at[mask] for at, _ in read], got[mask]


def _bare(file: Source | None, inputs: str | None, packed: str | None, asked: Asked) -> Given:
    """Read the results at each x in a file `inputs`, or at each bit pattern."""
    if file is None:
        raise UsageError("--all and --inputs read results from a file; name one")
    question, width = asked.question, asked.question.dtype.width
    got = read_numbers(file, question.result).ravel()
    if inputs is not None:
        found = read_numbers(read_source(inputs), question.dtype).ravel()
        at = _pairs(found, packed, inputs) if question.glu else [found]
    elif question.glu or width > 16:
        raise UsageError("--all is for one input of 16 or 8 bits; add --inputs FILE instead")
    else:
        at = [numbers_of(question.dtype, np.arange(1 << width))]
    if len(got) != len(at[0]):
        fault = f"{file.name} holds {len(got)} results for {len(at[0])} inputs"
        raise UsageError(f"{fault}; write one result per input")
    return file.name, question, at, got


def _pairs(found: Floats, packed: str | None, name: str) -> list[Floats]:
    """Split numbers into gates and ups, which alternate or are two halves."""
    if found.size % 2:
        raise UsageError(f"{name} has {found.size} numbers, not pairs; write each gate and its up")
    return list(found.reshape(2, -1) if packed == "halves" else found.reshape(-1, 2).T)
