"""Which form, routine and parameter explain printed values or results of a format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import chain
from math import copysign, isfinite, isinf, isnan
from typing import Any

import numpy as np

from gelu_cli.api.results import Answer, Result, Results
from gelu_cli.errors import UsageError
from gelu_cli.inputs.columns import meaning_of
from gelu_cli.inputs.layouts import Columns
from gelu_cli.inputs.names import choose, to_format
from gelu_cli.inputs.numbers import to_float
from gelu_cli.inputs.pairs import parse_result, parsed, to_columns
from gelu_cli.inputs.printed import is_missing, parse_printed, parse_typed
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.identification import candidates as tried
from gelu_cli.old.identification.explanations import TWINS, belongs, explained
from gelu_cli.old.identification.explanations import Answer as Explanations
from gelu_cli.old.identification.figures import Figures
from gelu_cli.old.identification.telling import input_that_tells, refuse_what_tells_nothing, text_at
from gelu_cli.old.parallel import available_cores
from gelu_cli.old.values.figures import places_of
from gelu_cli.output.tables import Table

COLUMNS = ("form", "parameter", "routine", "agree", "of", "max_off", "verdict")
QUANTITIES = ("value", "gradient")
GRADIENTS = ("gradient", "grad", "derivative", "backward")
CUT = "values are cut behind the last decimal, not rounded"
MOST_DIGITS, MOST_CUT = 100, 3
MOST_ON_SCREEN, OTHERS_ON_SCREEN = 10, 3


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
    """

    form: str
    parameter: str | None
    routine: str | None
    agree: int
    of: int
    max_off: float | Decimal
    verdict: str


@dataclass(frozen=True, kw_only=True)
class ExplanationOfColumn(Explanation):
    """A form that explains the values in one of several columns."""

    column: str


def identify(
    values: Any,
    quantity: str | None = None,
    *,
    dtype: Any = None,
    column: str | None = None,
    digits: int | None = None,
) -> Results[Explanation]:
    """Find the forms, routines and parameters that explain values, the best first.

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
        Return errors of results as decimals of so many significant digits.

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
    if quantity is not None:
        choose("quantity", quantity, QUANTITIES)
    number_format = to_format(dtype) if dtype is not None else None
    figures = _figures(to_columns(values, column), column or "x", quantity, number_format)
    for each in figures:
        each.check()
    looked_at, fewer = zip(*(each.limited() for each in figures), strict=True)
    if len(figures) == 1:
        refuse_what_tells_nothing(looked_at[0])
    answers = [explained(each, available_cores()) for each in looked_at]
    several = len(figures) > 1
    notes = [f"{each.figures.name}: " * several + note for each in answers for note in _notes(each)]
    related = belongs([(each.figures.quantity, each.explanations) for each in answers])
    rows = [[_row(one, each, digits, several) for one in each.explanations] for each in answers]
    words = [_in_words(each) for each in answers]
    found, meanings = [*chain.from_iterable(rows)], _meanings(answers, number_format)
    answer = Answer(
        {"summary": partial(_table, found, meanings)},
        words=words,
        screen=lambda: [_screen(rows, meanings)],
        notes=[note for note in (*dict.fromkeys(fewer), *notes, related) if note],
        found=" ".join(words).removesuffix("."),
    )
    return Results(found, answer)


# Values


def _figures(
    columns: Columns, x_name: str, quantity: str | None, number_format: Format | None
) -> list[Figures]:
    """Parse the columns of values; results are sorted by the bit patterns of x."""
    formats = (number_format, number_format) if number_format else None
    parse_x: Any = partial(parse_result, number_format) if number_format else _point
    parse_y: Any = parse_x if number_format else _value
    place, found = columns.index(x_name), []
    x = parsed(columns, place, parse_x)
    for at, name in enumerate(columns.names):
        meaning = meaning_of(name)
        if at == place or name == "bits" or (meaning and meaning.bits):
            continue
        y = parsed(columns, at, lambda word: None if is_missing(word) else parse_y(word))
        rows = [row for row, value in enumerate(y) if value is not None]
        if formats:
            rows.sort(key=lambda row: (isnan(x[row]), copysign(1, x[row]) < 0, abs(x[row])))
        own = meaning.quantity if meaning else "gradient" * name.lower().endswith(GRADIENTS)
        given: Any = [x[i] for i in rows], [y[i] for i in rows], formats
        if rows:
            found.append(Figures(name, quantity or QUANTITIES[own == "gradient"], *given))
    if not found:
        raise UsageError(f"{columns.name} has no values beside {x_name}; write X=Y, e.g. 2=1.9546")
    return found


def _point(word: str) -> Decimal | float | Fraction:
    x = parse_typed(word)
    size = float(x) if isinstance(x, Decimal) else to_float(x)
    if isnan(size) or (isinf(size) and not isinstance(x, float)):
        raise UsageError(f"'{word}' is NaN or beyond float64; write a number below 1.8e308")
    return x


def _value(word: str) -> Decimal:
    value, uncertainty, cut = parse_printed(word)
    if uncertainty is not None or cut or not isinstance(value, Decimal):
        raise UsageError(f"'{word}' is not a rounded decimal; remove the rest, or add --dtype")
    if max(places_of(value), value.adjusted()) > MOST_DIGITS:
        raise UsageError(f"'{word}' is too long; give at most {MOST_DIGITS} digits on each side")
    return value


# Rows


def _row(
    one: tried.Explanation, answer: Explanations, digits: int | None, several: bool
) -> Explanation:
    candidate, off = one.candidate, one.max_off
    if digits is not None and isinstance(off, float) and isfinite(off):
        off = Decimals(digits).exactly(Fraction(off))
    parameter, routine = candidate.parameter or None, _routine(candidate, answer.figures.result)
    cells = candidate.label, parameter, routine, one.agree, len(one.agrees), off, one.verdict
    fields: dict[str, Any] = dict(zip(COLUMNS, cells, strict=True))
    if several:
        return ExplanationOfColumn(column=answer.figures.name, **fields)
    return Explanation(**fields)


def _routine(candidate: tried.Candidate, result: Format | None) -> str | None:
    """Name a routine and its inner format as `sweep` does."""
    inner = f"compute={candidate.compute.name}" if candidate.compute else ""
    if candidate.routine and candidate.compute is result:
        inner = ""
    words = ["truncated" * candidate.truncated, candidate.routine, inner]
    return ":".join(filter(None, words)) or None


def _table(found: Sequence[Explanation], meanings: Mapping[str, str]) -> Table:
    several = isinstance(found[0], ExplanationOfColumn)
    names = ["column"] * several + [*COLUMNS]
    used = {"max off", *(row.form for row in found), *(row.routine for row in found)}
    said = {word: meaning for word, meaning in meanings.items() if word in used}
    rows = map(Result.to_dict, found)
    return Table.of_rows("What explains the values", names, rows, 1 + several, {}, said)


def _screen(rows: Sequence[Sequence[Explanation]], meanings: Mapping[str, str]) -> Table:
    """Make a table without empty columns, and without most rows that do not explain all."""
    shown: list[Explanation] = []
    for each in rows:
        whole = sum(row.agree == row.of for row in each)
        shown += each[: min(MOST_ON_SCREEN, whole + OTHERS_ON_SCREEN)]
    table = _table(shown, meanings)
    empty = {name for name, cells in table.columns.items() if {*cells} == {None}} | {"verdict"}
    columns = {name: cells for name, cells in table.columns.items() if name not in empty}
    left_out = sum(map(len, rows)) - len(shown)
    more = {"more": f"{left_out} rows; -o FILE writes all"} if left_out else {}
    return replace(table, columns=columns, meanings={**table.meanings, **more})


def _meanings(answers: Sequence[Explanations], number_format: Format | None) -> dict[str, str]:
    unit = "ULP of its result" if number_format else "units of the last decimal printed"
    candidates = [one.candidate for each in answers for one in each.explanations]
    mistakes = {each.label: _definition(each) for each in candidates if each.kind == tried.MISTAKE}
    return {"max off": f"the largest error of the row, in {unit}", "truncated": CUT, **mistakes}


def _definition(candidate: tried.Candidate) -> str:
    """Print the formula of a mistake, and where it was seen."""
    form = candidate.form
    if candidate.label == f"{form.label}_{candidate.quantity}":
        return f"the {candidate.quantity} of {form.name}"
    if form.chosen:
        return form.source
    return f"{form.definition}{f' ({form.source})' if form.source else ''}"


# Sentences


def _in_words(answer: Explanations) -> str:
    """Count the values that the best row explains, and the rows that explain all."""
    figures, best = answer.figures, answer.explanations[0]
    count, said = len(best.agrees), best.candidate.words
    what = f"all {count:,} {figures.quantity}s" if count > 1 else f"the {figures.quantity}"
    what += f" of {figures.name}" if figures.name not in ("", figures.quantity) else ""
    if best.agree < count:
        return f"Nothing explains {what}; {said} is nearest, with {best.agree:,} of {count:,}."
    others = sum(bool(each.agrees.all()) for each in answer.explanations) - 1
    parameter = f", {best.candidate.parameter}," if best.candidate.parameter else ""
    more = f"; so {'do' if others > 1 else 'does'} {others} more" if others else ""
    return f"{said}{parameter} explains {what}{more}."


def _notes(answer: Explanations) -> Iterator[str]:
    """Yield what the table leaves open: what distinguishes the best rows, and what fails."""
    best, figures = answer.explanations[0], answer.figures
    candidate, off = best.candidate, float(best.max_off)
    if not best.agree:
        yield "no row explains any value: these are the nearest"
    elif not best.agrees.all() and figures.result is not None and isfinite(off):
        yield f"{candidate.words} is nearest, within {off:.3g} ULP of all results"
    if not best.agrees.all():
        yield from answer.conflicts
    elif candidate.truncated:
        yield f"{candidate.label} explains all if values are cut: {_cut(best, figures)}"
    if best.alike and best.agree:
        alike = ", ".join(filter(None, (_routine(each, figures.result) for each in best.alike)))
        yield f"{alike} would give the same values as {candidate.label}"
    for other in _rivals(answer) if best.agree else ():
        yield _what_distinguishes(best, other, figures)


def _cut(best: tried.Explanation, figures: Figures) -> str:
    """List the first values that are cut, each with two more decimals."""
    rounded = tried.held_against(figures, best.candidate._replace(truncated=False)).agrees
    cut = np.flatnonzero(~rounded).tolist()[:MOST_CUT]
    values = [text_at(best.candidate, figures.part([i]), places_of(figures.y[i]) + 2) for i in cut]
    pairs = zip(cut, values, strict=True)
    return ", ".join(f"{'='.join(figures.texts(i))} is {value}…" for i, value in pairs)


def _rivals(answer: Explanations) -> list[tried.Explanation]:
    """List the second best row, of another function if there is one; of exact and tanh the twin."""
    best, *others = answer.explanations
    functions = [each for each in others if each.candidate.function != best.candidate.function]
    rivals = [*functions, *others][:1]
    if best.candidate.form.label in TWINS and best.candidate.kind == tried.FORM:
        known = [each.candidate.function for each in (best, *rivals)]
        return [each for each in answer.twins if each.candidate.function not in known] + rivals
    return rivals


def _what_distinguishes(
    best: tried.Explanation, second: tried.Explanation, figures: Figures
) -> str:
    names = best.candidate.words, second.candidate.words
    found, pair = input_that_tells(best, second, figures), " from ".join(names)
    if found is None:
        return f"these values do not distinguish {pair}, nor does a round x"
    values = f"{names[0]} gives {found.values[0]}, {names[1]} {found.values[1]}"
    if found.given:
        return f"{found.where} distinguishes {pair}: the value is {found.given}, {values}"
    places = f", with {found.places} decimals" if found.more else ""
    return f"these values do not distinguish {pair}; {found.where} would{places}: {values}"
