"""Figures in print: cells of tables and pairs X=Y, to be judged, drawn or identified."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import chain, starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.arithmetic.typed import Number, parse_number
from gelu_cli.old.reading.names import left_alone, named_column
from gelu_cli.old.reading.numbers import parse_decimal, to_float64
from gelu_cli.old.reading.printed import Printed, is_missing, parse_number_of_people, parse_printed
from gelu_cli.old.reading.tables import PAIR_HINT, Table, is_pair, read_table
from gelu_cli.old.values.figures import Figure, places_of

if TYPE_CHECKING:
    from gelu_cli.old.answers.plot.forms import Series
    from gelu_cli.old.formulas import Form
    from gelu_cli.old.identification import figures as identified
    from gelu_cli.old.reading.results import Column
    from gelu_cli.old.sweeping.gating import Gating

T = TypeVar("T")

MOST_PLACES = 100
"""Digits on each side: parameters are told from figures with 600 bits, 180 digits."""

GRADIENTS = ("gradient", "grad", "derivative", "backward")
"""How the names of columns end that hold gradients."""


# Figures to be judged


def read_figures(
    table: Table,
    judged: Callable[[Sequence[str], str], dict[str, tuple[Form, str]]],
    gating: Gating | None = None,
) -> Iterator[Sequence[Figure]]:
    """Return the figures of a table in blocks; raises `UsageError` where there are none.

    `judged` says by the names of columns, and of the table, which hold a form and which quantity.
    With `gating` these are of a GLU, at the pairs in the columns x and up.
    """
    inputs: dict[str, Callable[[str], Any]] = {"x": parse_x}
    if gating:
        inputs = dict.fromkeys(["x", "up"], _finite_input)
    for name in inputs:
        table.require(name)
    columns = judged([*table.header], table.name)

    def figure(line: int, name: str, printed: Printed, x: Any, up: Any = None) -> Figure:
        form, quantity = columns[name]
        found = Figure(line, x, name, form, quantity, *printed)
        return _at_up(found, up, gating) if gating else found

    cells = _cells(table, inputs, columns, parse_figure)
    blocks = ([*starmap(figure, each)] for each in cells if each)
    first = next(blocks, None)
    if first is None:
        raise UsageError(f"{table.name} holds no figures")
    return chain([first], blocks)


def _cells(
    table: Table,
    inputs: Mapping[str, Callable[[str], Any]],
    columns: Iterable[str],
    parse: Callable[[str], Any],
) -> Iterator[list[tuple[Any, ...]]]:
    """Yield by blocks of rows each figure: its line, its column, the figure, and the inputs."""
    for block in table.blocks:
        found = []
        cells = [block.column(table.header[name]) for name in (*inputs, *columns)]
        for line, *words in zip(block.numbers, *cells, strict=True):
            typed = zip(inputs, words, inputs.values(), strict=False)
            at = [table.read_or_skip(line, *each) for each in typed]
            for name, word in zip(columns, words[len(inputs) :], strict=True):
                if None not in at and not table.is_missing(line, name, word):
                    found.append((line, name, table.read_or_skip(line, name, word, parse), *at))
        yield [each for each in found if each[2] is not None]


def _finite_input(word: str) -> Decimal | Number:
    number = parse_x(word)
    if isinstance(number, float | Decimal) and not math.isfinite(number):
        raise UsageError(f"'{word}' is not finite; pairs with ±∞ and NaN are judged with --dtype")
    return number


def _at_up(figure: Figure, up: Any, gating: Gating) -> Figure:
    """Return a figure of a GLU as one of a multiple of its form."""
    from gelu_cli.old.sweeping.truth import Question

    asked = Question(figure.form, figure.quantity, FLOAT64, gating=gating)

    def at_up(number: Any) -> Form:
        return asked.at(number).multiple

    return figure._replace(form=at_up(up), quantity=asked.factor, up=up, at_up=at_up)


def parse_figure(word: str) -> Printed:
    """Return a figure with its last decimal, and how sure it is said to be."""
    try:
        return parse_printed(word)
    except UsageError as error:
        if "0x" not in word.lower():
            raise
        raise UsageError(f"{error}; a result in a format is judged with --dtype FORMAT") from None


def parse_x(word: str) -> Decimal | Number:
    """Return a decimal with its last place, or whatever else is a number."""
    if not word:
        raise UsageError("there is no number")
    try:
        number = parse_number(word)  # x has limits that figures have not
    except UsageError as error:
        try:
            meant = parse_number_of_people(word)
            parse_number(str(meant))
        except UsageError:
            raise error from None
        return meant
    try:
        return parse_decimal(word)
    except UsageError:
        return number


# Figures to be drawn


def read_series(source: str, say: Callable[[str], object]) -> list[Series]:
    """Return a series for each column of numbers that a table has beside x.

    Cells may be empty. A column with anything else is left alone, and `say` is told. Raises
    `UsageError` for a table without x, or without any such column.
    """
    import numpy as np

    from gelu_cli.old.answers.plot.forms import Series

    table = read_table(source)
    table.require("x")
    lines: list[int] = []
    columns: dict[str, list[str]] = {name: [] for name in table.header}
    for block in table.blocks:
        lines += block.numbers
        for name, place in table.header.items():
            columns[name] += block.column(place)
    words = columns.pop("x")
    x = [table.read(line, "x", word, _float) for line, word in zip(lines, words, strict=True)]
    found, others = [], []
    for name, cells in columns.items():
        there = [i for i, cell in enumerate(cells) if not is_missing(cell)]
        try:
            y = [_float(cells[i]) for i in there]
        except UsageError:
            y = []
        if y:
            heading = f"{name}, {Path(table.name).name}"
            found.append(Series(heading, np.array([x[i] for i in there]), np.array(y)))
        else:
            others.append(name)
    if not found:
        raise UsageError(f"{table.name} has no column of numbers beside x")
    if others:
        say(left_alone(others, table.name))
    return found


def _float(word: str) -> float:
    try:
        return float(parse_number(word))
    except OverflowError:
        raise UsageError(f"'{word}' is beyond float64, and cannot be drawn") from None


# Figures to be identified


def quantity_of_column(name: str) -> str:
    """Return what a column holds by its name.

    >>> [quantity_of_column(name) for name in ("tanh_gradient", "grad", "theirs")]
    ['gradient', 'gradient', 'value']
    """
    return "gradient" if name.lower().endswith(GRADIENTS) else "value"


def are_pairs(words: Sequence[str]) -> bool:
    """Return whether words are pairs X=Y, and not the name of one file.

    Raises `UsageError` where a single word is neither.
    """
    if len(words) == 1 and words[0] != "-" and not os.path.exists(words[0]):
        if not is_pair(words[0]):
            raise UsageError(f"'{words[0]}' is neither a pair nor a file: {PAIR_HINT}")
        return True
    return len(words) != 1


def read_printed(
    table: Table, column: str | None, quantity: str | None, second: bool = False
) -> list[identified.Figures]:
    """Return the columns of figures in print of a table, or one of them, with a `second` input."""
    from gelu_cli.old.identification.figures import Figures

    inputs = ("x", "up")[: 1 + second]
    for name in inputs:
        table.require(name)
    names = [name for name in table.header if name not in inputs]
    if not names:
        raise UsageError(f"{table.name} has no column of figures beside x")
    if column is not None:
        names = [named_column(column, [*table.header], table.name)]
    rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in names}
    parse: Callable[[str], Any] = _finite_point if second else parse_point
    cells = _cells(table, dict.fromkeys(inputs, parse), names, _finite)
    for _, name, figure, *at in chain.from_iterable(cells):
        rows[name].append((figure, *at))
    found = [
        Figures(name, quantity or quantity_of_column(name), x, y, None, next(iter(ups), None))
        for name in names
        if rows[name]
        for y, x, *ups in [zip(*rows[name], strict=True)]
    ]
    if not found:
        raise UsageError(f"{table.name} holds no figures")
    return found


def figures_of_results(columns: Sequence[Column], source: str) -> list[identified.Figures]:
    """Return columns of results as figures."""
    import numpy as np

    from gelu_cli.old.identification.figures import Figures
    from gelu_cli.old.sweeping.inputs import BLOCK

    found = []
    for name, question, results in columns:
        rows = np.concatenate([*results.blocks(BLOCK)], axis=1)
        if results.pairs:
            rows = rows[:, np.isfinite(rows[::2]).all(axis=0)]
        x, got, *ups = rows
        formats = question.dtype, question.result
        asked = name or source, question.quantity, x, got, formats
        found.append(Figures(*asked, next(iter(ups), None)))
    return found


def parse_point(word: str) -> Decimal | float | Fraction:
    """Return a number as typed; raises `UsageError` where it is NaN or beyond float64."""
    number = parse_x(word)
    if isinstance(number, float) and math.isnan(number):
        raise UsageError(f"'{word}' is no x; give a number")
    try:
        nearest = to_float64(Fraction(number) if isinstance(number, Decimal) else number, word)
    except UsageError:
        raise UsageError(f"'{word}' is beyond float64 (largest 1.797…e308)") from None
    return number if isinstance(number, Decimal | float | Fraction) else Decimal(repr(nearest))


def _finite_point(word: str) -> Decimal | float | Fraction:
    """Return a number as typed; raises `UsageError` where it is not finite."""
    if math.isinf(number := parse_point(word)):
        raise UsageError(f"'{word}' is not finite; of two inputs both must be")
    return number


def _finite(word: str) -> Decimal:
    """Return a decimal with its last place."""
    printed = parse_figure(word)
    figure = printed.number
    if printed.uncertainty is not None or printed.cut:
        raise UsageError(f"'{word}' is not rounded: leave out what is not a digit of it")
    if isinstance(figure, Decimal):
        if places_of(figure) > MOST_PLACES or figure.adjusted() > MOST_PLACES:
            raise UsageError(
                f"'{word}' is too long; give at most {MOST_PLACES} digits on each side"
            )
        return figure
    raise UsageError(f"'{word}' is no finite decimal; results in a format need --dtype FORMAT")
