"""Forms, routines and parameters that explain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from math import isfinite
from typing import Any

from gelu_cli.api.results import Answer, Real, Result, Results
from gelu_cli.errors import UsageError
from gelu_cli.identification.candidates import MISTAKE, Candidate
from gelu_cli.identification.candidates import Explanation as Explained
from gelu_cli.identification.distinguishing import (
    distinguish,
    refuse_what_distinguishes_nothing,
)
from gelu_cli.identification.explanations import TWINS, belongs, explained
from gelu_cli.identification.explanations import Answer as Explanations
from gelu_cli.identification.given import MOST, Given
from gelu_cli.inputs.columns import meaning_of
from gelu_cli.inputs.files import Columns
from gelu_cli.inputs.names import choose, to_format
from gelu_cli.inputs.numbers import Number, to_digits, to_float
from gelu_cli.inputs.pairs import to_columns
from gelu_cli.inputs.printed import is_missing, parse_printed, parse_typed
from gelu_cli.inputs.stored import parse_cell
from gelu_cli.numbers import Decimals, Format
from gelu_cli.output.tables import Table

COLUMNS = ["form", "parameter", "routine", "agree", "of", "max_off", "verdict"]
QUANTITIES = ("value", "gradient")
MAX_OFF = "the largest error, in units of the last decimal, or in ULP of a result"
LARGEST_EXPONENT, MOST_ON_SCREEN = 100, 10


@dataclass(frozen=True, kw_only=True)
class Explanation(Result):
    """A form that explains values.

    Attributes
    ----------
    form
        Name of the form, with its parameter if that is not the default; or a known mistake.
    parameter
        The interval of the parameter that explains the values.
    routine
        The routine, as `sweep` takes it; `compute=…` for the form itself in a format, `truncated`
        if values are cut.
    agree, of
        Number of values that it explains, and of all.
    max_off
        The largest error: in units of the last decimal that is printed, or in ULP of a result.
    verdict
        `explains all`, `explains most`, or `does not`.
    column
        Column of the values, if there are several.
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
        Words `"2=1.9546"`, a mapping {x: value}, arrays (x, values), columns by name with `x`
        among them (a DataFrame), or the name of a file. Texts and decimals keep their zeros.
    quantity
        `value` or `gradient`; by default what the column is named, else `value`.
    dtype
        The values are results in this format, not printed numbers.
    column
        Name of the column of x, if not `x`.
    digits
        Return errors of results as decimals of `digits` significant digits.

    Returns
    -------
    Results[Explanation]
        With a field `column` if there are several; `notes` say which x distinguishes the best two.

    Raises
    ------
    UsageError
        If values contradict each other, if every form explains them, or one cannot be read.

    Examples
    --------
    >>> best = identify({2: "1.9546"})[0]
    >>> best.form, best.parameter
    ('tanh', 'c in [0.044630, 0.044808]')
    """
    choose("quantity", "value" if quantity is None else quantity, QUANTITIES)
    number_format, digits = None if dtype is None else to_format(dtype), to_digits(digits)
    columns = _given(to_columns(values, column), column or "x", quantity, number_format)
    for each in columns:
        each.check()
    looked_at, several = [each.spread(MOST) for each in columns], len(columns) > 1
    if not several:
        refuse_what_distinguishes_nothing(looked_at[0])
    answers = [explained(each) for each in looked_at]
    notes = [
        f"{MOST:,} of {len(each.y):,} values are looked at, evenly spread"
        for each in columns
        if len(each.y) > MOST
    ]
    notes += [f"{each.given.name}: " * several + note for each in answers for note in _notes(each)]
    notes.append(belongs(answers))
    found = [_row(one, each, digits, several) for each in answers for one in each.explanations]
    candidates = [one.candidate for each in answers for one in each.explanations]
    mistakes = {each.label: _definition(each) for each in candidates if each.kind == MISTAKE}
    words = [_in_words(each) for each in answers]
    answer = Answer(
        {"summary": partial(_table, found, ["column"] * several + COLUMNS, mistakes)},
        words=words,
        screen=lambda: [_screen(found, mistakes)],
        notes=[note for note in dict.fromkeys(notes) if note],
        found=" ".join(words).removesuffix("."),
    )
    return Results(found, answer)


def _given(
    columns: Columns, x_name: str, quantity: str | None, number_format: Format | None
) -> list[Given]:
    """Parse the columns of values, each with its points."""
    parse_x: Any = _point
    if number_format:
        parse_x = partial(parse_cell, number_format=number_format)
    parse_y: Any = parse_x if number_format else _value
    points, found = columns.parsed(x_name, parse_x), []
    for name in columns.cells:
        meaning = meaning_of(name) or meaning_of(f"exact_{name}")  # some are named `grad` alone
        if name == x_name or (meaning and meaning.bits):
            continue
        values = columns.parsed(name, lambda word: None if is_missing(word) else parse_y(word))
        pairs = [(x, y) for x, y in zip(points, values, strict=True) if y is not None]
        own = meaning.quantity if meaning and meaning.quantity in QUANTITIES else "value"
        if pairs:
            x, y = zip(*pairs, strict=True)
            found.append(Given(name, quantity or own, x, y, number_format))
    if not found:
        raise UsageError(f"no values beside {x_name} in {columns.name}; add headings, e.g. x,exact")
    return found


def _point(word: str) -> Decimal | Number:
    x = parse_typed(word)
    if not isfinite(float(x) if isinstance(x, Decimal) else to_float(x)):
        raise UsageError(f"'{word}' is not finite in float64; write a number below 1.8e308")
    return x


def _value(word: str) -> Decimal:
    value = parse_printed(word)
    if not isinstance(value, Decimal) or abs(value.adjusted()) > LARGEST_EXPONENT:
        raise UsageError(f"'{word}' is not a decimal to 1e100; remove the rest, or add --dtype")
    return value


def _row(one: Explained, answer: Explanations, digits: int | None, several: bool) -> Explanation:
    """Make a row; the routine and its inner format are named as `sweep` does."""
    candidate, off = one.candidate, one.max_off
    words = ["truncated" * candidate.cut, candidate.routine]
    if candidate.compute and not (candidate.routine and candidate.compute is answer.given.result):
        words.append(f"compute={candidate.compute.name}")
    return Explanation(
        form=candidate.label,
        parameter=candidate.parameter or None,
        routine=":".join(filter(None, words)) or None,
        agree=one.agree,
        of=len(one.agrees),
        max_off=Decimals(digits).from_float(off) if digits and isinstance(off, float) else off,
        verdict=one.verdict,
        column=answer.given.name if several else None,
    )


def _table(
    rows: Sequence[Explanation], names: Sequence[str], mistakes: Mapping[str, str], more: int = 0
) -> Table:
    """Make a table, with the definitions of its mistakes below."""
    said = {"max off": MAX_OFF}
    said |= {row.form: mistakes[row.form] for row in rows if row.form in mistakes}
    said |= {"more": f"{more} rows; -o FILE writes all"} if more else {}
    cells, keys = map(Result.to_dict, rows), 1 + ("column" in names)
    return Table.of_rows("What explains the values", names, cells, keys, meanings=said)


def _screen(found: Sequence[Explanation], mistakes: Mapping[str, str]) -> Table:
    """Make a table for 80 columns: first rows, no verdicts, no empty columns."""
    rows: list[Explanation] = []
    for name in dict.fromkeys(row.column for row in found):
        rows += [row for row in found if row.column == name][:MOST_ON_SCREEN]
    names = ["column", *COLUMNS[:-1]]
    seen = [name for name in names if any(getattr(row, name) is not None for row in rows)]
    return _table(rows, seen, mistakes, len(found) - len(rows))


def _definition(candidate: Candidate) -> str:
    """Print the formula of a mistake, and where it was seen."""
    form = candidate.form
    if candidate.label == f"{form.label}_{candidate.quantity}":
        return f"the {candidate.quantity} of {form.name}"
    seen = f" ({form.source})" if form.source else ""
    return form.source if form.chosen else f"{form.definition}{seen}"


def _in_words(answer: Explanations) -> str:
    """Count the values that the best row explains; others may explain as many."""
    given, best, *others = answer.given, *answer.explanations
    parameter = f", {best.candidate.parameter}," if best.candidate.parameter else ""
    what = f"{best.agree:,} of {len(best.agrees):,} {given.quantity}s"
    what += f" of {given.name}" if given.name not in ("", given.quantity) else ""
    more = "; so do others" if any(0 < best.agree == each.agree for each in others) else ""
    return f"{best.candidate.words}{parameter} explains {what}{more}."


def _notes(answer: Explanations) -> Iterator[str]:
    """Yield notes: values that are cut, and an x that distinguishes forms."""
    best, *others = answer.explanations
    candidate = best.candidate
    if candidate.cut:
        yield "the values are cut behind the last decimal, not rounded"
    second = [each for each in others if each.candidate.function != candidate.function][:1]
    twins = answer.twins if candidate.label in TWINS else ()
    rivals = {each.candidate.function: each for each in (*twins, *second)}
    for function, other in rivals.items():
        if best.agree and function != candidate.function:
            yield _what_distinguishes(best, other, answer.given)


def _what_distinguishes(best: Explained, second: Explained, given: Given) -> str:
    names = best.candidate.words, second.candidate.words
    found, pair = distinguish(best, second, given), " from ".join(names)
    if found is None:
        return f"these values do not distinguish {pair}, nor does a round x"
    values = f"{names[0]} gives {found.values[0]}, {names[1]} {found.values[1]}"
    if found.given:
        return f"x = {found.x} distinguishes {pair}: the value is {found.given}, {values}"
    places = f", with {found.places} decimals" if found.places is not None else ""
    return f"these values do not distinguish {pair}; x = {found.x} would{places}: {values}"
