"""Figures that are to be identified: pairs X=Y, columns of a table, results in files."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from gelu_cli.arithmetic.formats import Format
from gelu_cli.cli.input.cells import parse_cell
from gelu_cli.cli.input.figures import parse_figure, parse_x
from gelu_cli.cli.input.numbers import to_float64
from gelu_cli.cli.input.printed import is_missing
from gelu_cli.cli.input.streams import name_of
from gelu_cli.cli.input.tables.pairs import PAIR_HINT, is_pair, pair_of
from gelu_cli.cli.input.tables.table import Table, read_table
from gelu_cli.errors import UsageError, unknown
from gelu_cli.values.figures import places_of

if TYPE_CHECKING:
    from gelu_cli.cli.input.results import Column
    from gelu_cli.identification.figures import Figures, Printed, Results
    from gelu_cli.sweeping.truth import Question

T = TypeVar("T")
MOST_PLACES = 100
"""Parameters are told from figures with 600 bits, 180 digits."""

GRADIENTS = ("gradient", "grad", "derivative", "backward")
"""How the names of columns end that hold gradients."""


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


def read_pairs(
    words: Sequence[str], quantity: str, formats: tuple[Format, Format] | None
) -> Figures:
    """Return the figures that pairs X=Y are, in print or results in formats of x and of results."""
    pairs = [pair_of(word) for word in words]
    if formats is None:
        from gelu_cli.identification.figures import Printed

        x = [_of_pair(parse_point, pair[0], word) for pair, word in zip(pairs, words, strict=True)]
        y = [_of_pair(_finite, pair[1], word) for pair, word in zip(pairs, words, strict=True)]
        return Printed("", quantity, x, y)
    import numpy as np

    from gelu_cli.identification.figures import Results

    columns = []
    for i, number_format in enumerate(formats):
        parse = partial(parse_cell, number_format=number_format)
        cells = zip(pairs, words, strict=True)
        columns.append(np.array([_of_pair(parse, pair[i], word) for pair, word in cells]))
    at, got = columns
    return Results("", quantity, at, got, *formats)


def read_printed(source: str, column: str | None, quantity: str | None) -> list[Printed]:
    """Return the columns of figures in print of a table, or one of them."""
    from gelu_cli.identification.figures import Printed

    file = read_table(source)
    names = _columns(file, column)
    x: dict[str, list[Decimal | float | Fraction]] = {name: [] for name in names}
    y: dict[str, list[Decimal]] = {name: [] for name in names}
    for block in file.blocks:
        for line, *cells in zip(block.numbers, *block.columns, strict=True):
            at = file.read(line, "x", cells[file.header["x"]], parse_point)
            for name in names:
                word = cells[file.header[name]]
                if not is_missing(word):
                    x[name].append(at)
                    y[name].append(file.read(line, name, word, _finite))
    found = [
        Printed(name, quantity or quantity_of_column(name), x[name], y[name])
        for name in names
        if y[name]
    ]
    if not found:
        raise UsageError(f"{file.name} holds no figures")
    return found


def taken(columns: Sequence[Column], column: str | None, source: str) -> list[Results]:
    """Return columns of results, or one of them, as figures."""
    import numpy as np

    from gelu_cli.identification.figures import Results
    from gelu_cli.sweeping.inputs import BLOCK

    names = [each.name for each in columns]
    if column is not None and column not in names:
        raise unknown("column", column, names, where=f" of {name_of(source)}")
    found = []
    for each in columns:
        if column in (None, each.name):
            blocks = [*each.results.blocks(BLOCK)]
            x, got = (np.concatenate(part) for part in zip(*blocks, strict=True))
            question: Question = each.question
            found.append(
                Results(
                    each.name or source, question.quantity, x, got, question.dtype, question.result
                )
            )
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


def _columns(file: Table, column: str | None) -> Sequence[str]:
    file.require_x()
    names = [name for name in file.header if name != "x"]
    if not names:
        raise UsageError(f"{file.name} has no column of figures beside x")
    if column is None:
        return names
    if column not in names:
        raise unknown("column", column, names, where=f" of {file.name}")
    return [column]


def _of_pair(parse: Callable[[str], T], cell: str, word: str) -> T:
    try:
        return parse(cell)
    except UsageError as error:
        raise UsageError(f"'{word}': {error}; {PAIR_HINT}") from None


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
