"""Results that were computed elsewhere, in a format: tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from gelu_cli.arithmetic.formats import Format
from gelu_cli.cli.input.cells import cells_at_once, parse_cell, rounded
from gelu_cli.cli.input.patterns import SHOWN, require_format
from gelu_cli.cli.input.printed import parse_printed
from gelu_cli.cli.input.tables.headings import BITS
from gelu_cli.cli.input.tables.table import Rows, Table
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from gelu_cli.arithmetic.format_arrays import Array, Mask
    from gelu_cli.sweeping.sorted_results import SortedResults, SpillFile
    from gelu_cli.sweeping.truth import Question

Choose: TypeAlias = "Callable[[Sequence[str], str], Iterable[str]]"
"""Which columns are taken, by the names that a file has beside x, and its own."""


def every_name(names: Sequence[str], table_name: str) -> Iterable[str]:
    """Take every column."""
    return names


class Column(NamedTuple):
    """A column of results: its name, what they should be, and what was got at which inputs."""

    name: str
    """Empty where there is none."""

    question: Question
    results: SortedResults


def sorted_results(spill: SpillFile, columns: int = 1) -> SortedResults:
    """Return one of so many columns that are to be sorted: together they hold a limited number."""
    from gelu_cli.sweeping.sorted_results import HELD, LEAST_HELD, SortedResults

    return SortedResults(spill, max(LEAST_HELD, HELD // columns))


def read_results(
    file: Table,
    number_format: Format,
    result: Format,
    question: Callable[[str], Question],
    spill: SpillFile,
    choose: Choose = every_name,
) -> list[Column]:
    """Return the columns of a table: x in one format, results in another or the same.

    `question` says what is due in a column of a name, those that `choose` takes; it is asked
    before rows are read.

    A cell is a number, rounded to its format, or a bit pattern: hexadecimal digits, as many as the
    format has. A column `NAME_bits` stands for `NAME`, and is taken before it. Empty cells are left
    out. Raises `UsageError` for what is neither, naming the place.
    """
    sources = result_columns(list(file.header), file.name, choose)
    x_source = sources.pop("x")
    columns = [
        Column(name, question(name), sorted_results(spill, len(sources))) for name in sources
    ]
    for i, block in enumerate(file.blocks):
        if i == 0 and x_source != "x" and "x" in file.header:
            words = (block.columns[file.header[each]][:SHOWN] for each in ("x", x_source))
            require_format(zip(*words, strict=True), number_format, file.name)
        x, x_there = _cells(file, block, x_source, number_format)
        if file.skipped is None and not x_there.all():
            line = block.numbers[int(x_there.argmin())]
            raise UsageError(f"{file.name} has a line without x: line {line}")
        for column, source in zip(columns, sources.values(), strict=True):
            got, there = _cells(file, block, source, result)
            column.results.add(x[x_there & there], got[x_there & there])
    filled = [column for column in columns if len(column.results)]
    if not filled:
        raise UsageError(f"{file.name} holds no results")
    return filled


def result_columns(
    header: Sequence[str], table_name: str, choose: Choose = every_name
) -> dict[str, str]:
    """Return for x and each column chosen the column that holds it, `NAME_bits` before `NAME`.

    >>> result_columns(["x", "x_bits", "tanh"], "a.csv")
    {'x': 'x_bits', 'tanh': 'tanh'}
    """
    names = list(dict.fromkeys(name.removesuffix(BITS) for name in header))
    if "x" not in names:
        raise UsageError(f"{table_name} has no column 'x'; it has: {', '.join(header)}")
    if len(names) == 1:
        raise UsageError(f"{table_name} has no column of results beside x")
    taken = ["x", *choose([name for name in names if name != "x"], table_name)]
    return {name: name + BITS if name + BITS in header else name for name in taken}


def _cells(file: Table, block: Rows, column: str, number_format: Format) -> tuple[Array, Mask]:
    """Return the numbers in a column of some lines, and where there are any."""
    import numpy as np

    index = file.header[column]
    patterns = column.endswith(BITS)
    there = np.ones(len(block.numbers), dtype=bool)
    if block.floats is not None and not patterns:
        floats = block.floats[:, index]
        return rounded(floats, lambda i: block.columns[index][i], number_format), there
    words = block.columns[index]
    if "" in words:
        there = np.fromiter(map(bool, words), dtype=bool, count=len(words))
    typed = [*filter(None, words)]
    found = np.zeros(len(words))
    at_once = cells_at_once(typed, number_format, patterns=patterns)
    if at_once is not None:
        found[there] = at_once
        return found, there
    parse = partial(_parse_result, number_format=number_format, patterns=patterns)
    for i, (line, word) in enumerate(zip(block.numbers, words, strict=True)):
        missing = file.is_missing(line, column, word)
        number = None if missing else file.read_or_skip(line, column, word, parse)
        there[i] = number is not None
        found[i] = 0.0 if number is None else number
    return found, there


def _parse_result(word: str, number_format: Format, *, patterns: bool) -> float:
    """Return the number of a format that a cell stands for, however people write it."""
    try:
        return parse_cell(word, number_format, patterns=patterns)
    except UsageError as error:
        try:
            number, *claim = parse_printed(word)
            if patterns or any(claim):
                raise error
            return parse_cell(str(number), number_format)
        except UsageError:
            raise error from None
