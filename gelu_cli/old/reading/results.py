"""Results that were computed elsewhere, in columns: their cells, and the tables they are in."""

from __future__ import annotations

import math
import re
from binascii import unhexlify
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.format_arrays import Array, Mask, nearest, numbers
from gelu_cli.old.arithmetic.formats import FORMATS, Format
from gelu_cli.old.arithmetic.typed import parse_number
from gelu_cli.old.reading.layouts import Rows
from gelu_cli.old.reading.names import BITS, Choose
from gelu_cli.old.reading.numbers import Grid, plain_floats
from gelu_cli.old.reading.printed import parse_printed
from gelu_cli.old.reading.tables import Table
from gelu_cli.old.sweeping.sorted_results import HELD, LEAST_HELD, SortedResults, SpillFile
from gelu_cli.old.sweeping.truth import Question

PATTERN = re.compile(r"0[xX]([0-9a-fA-F]+)")
SHOWN = 64
"""Rows that tell the format of x_bits: a file has one from its first row on."""


class Column(NamedTuple):
    """A column of results: its name, what they should be, and what was got at which inputs."""

    name: str
    """Empty where there is none."""

    question: Question
    results: SortedResults


def every_name(names: Sequence[str], table_name: str = "") -> Iterable[str]:
    """Take every column but x."""
    return (name for name in dict.fromkeys(names) if name != "x")


class Due(NamedTuple):
    """What results are due: the formats of x and of them, of which columns, at which inputs."""

    dtype: Format
    result: Format
    question: Callable[[str], Question]
    """By the name of a column, "" where there is none; asked before rows are read."""

    spill: SpillFile
    choose: Choose = every_name
    inputs: tuple[str, ...] = ("x",)
    """The columns of the inputs: x, or x and up."""

    def columns(self, names: Collection[str]) -> list[Column]:
        """Return empty columns, to be filled and sorted; together they hold a limited number."""
        held, pairs = max(LEAST_HELD, HELD // len(names)), len(self.inputs) > 1
        return [
            Column(name, self.question(name), SortedResults(self.spill, held, pairs=pairs))
            for name in names
        ]


def read_results(file: Table, due: Due) -> list[Column]:
    """Return the columns of a table: inputs in one format, results in another or the same.

    A cell is a number, rounded to its format, or a bit pattern: hexadecimal digits, as many as the
    format has. A column `NAME_bits` stands for `NAME`, and is taken before it. Empty cells are left
    out. Raises `UsageError` for what is neither, naming the place.
    """
    import numpy as np

    sources = result_columns([*file.header], file.name, due.choose, due.inputs)
    inputs = {name: sources.pop(name) for name in due.inputs}
    columns = due.columns(sources)
    first = True
    for block in file.blocks:
        at, known = [], np.ones(len(block.numbers), dtype=bool)
        for name, source in inputs.items():
            if first and source != name and name in file.header:
                words = (block.column(file.header[each])[:SHOWN] for each in (name, source))
                require_format(zip(*words, strict=True), due.dtype, file.name, source)
            found, there = _cells(file, block, source, due.dtype)
            if not file.left_out.skips and not there.all():
                number = block.numbers[int(there.argmin())]
                raise UsageError(
                    f"{file.name} has a {file.row} without {name}: {file.row} {number}"
                )
            at.append(found)
            known &= there
        first = False
        for column, source in zip(columns, sources.values(), strict=True):
            got, there = _cells(file, block, source, due.result)
            some = known & there
            x, *ups = (each[some] for each in at)
            column.results.add(x, got[some], *ups)
    filled = [column for column in columns if len(column.results)]
    if not filled:
        raise UsageError(f"{file.name} holds no results")
    return filled


def result_columns(
    header: Sequence[str],
    table_name: str,
    choose: Choose = every_name,
    inputs: Sequence[str] = ("x",),
) -> dict[str, str]:
    """Return for inputs and each column chosen what holds it, `NAME_bits` before `NAME`.

    >>> result_columns(["x", "x_bits", "tanh"], "a.csv")
    {'x': 'x_bits', 'tanh': 'tanh'}
    """
    names = [name.removesuffix(BITS) for name in header]  # each in its place
    for name in inputs:
        if name not in names:
            raise UsageError(f"{table_name} has no column '{name}'; it has: {', '.join(header)}")
    if {*names} == {*inputs}:
        beside = " and ".join(inputs)
        raise UsageError(f"{table_name} has no column of results beside {beside}")
    taken = dict.fromkeys([*inputs, *choose(names, table_name)])
    return {name: name + BITS if name + BITS in header else name for name in taken}


def require_format(
    pairs: Iterable[tuple[str, str]], number_format: Format, name: str, column: str = "x_bits"
) -> None:
    """Raise `UsageError` where the patterns beside x are x in another format, not in this one.

    Patterns that are x in no format pass: they are taken before x.

    >>> require_format([("1.0", "0x3c00")], FORMATS["bfloat16"], "a.csv")
    Traceback (most recent call last):
    gelu_cli.errors.UsageError: a.csv has x_bits of float16, not of bfloat16; write --dtype float16
    """
    numbers = []
    for word, pattern in pairs:
        try:
            if not math.isnan(parse_cell(word, FORMATS["float64"])):  # a NaN has many patterns
                numbers.append((word, pattern.lower()))
        except UsageError:
            continue
    fitting = [
        each
        for each in FORMATS.values()
        if all(each.hexadecimal(parse_cell(word, each)) == bits for word, bits in numbers)
    ]
    if fitting and number_format not in fitting:
        meant = fitting[0].name
        raise UsageError(
            f"{name} has {column} of {meant}, not of {number_format.name}; write --dtype {meant}"
        )


# Cells


def _cells(file: Table, block: Rows, column: str, number_format: Format) -> tuple[Array, Mask]:
    """Return the numbers in a column of some rows, and where there are any."""
    import numpy as np

    patterns = column.endswith(BITS)
    words = block.column(file.header[column])
    there = np.ones(len(words), dtype=bool)
    if "" in words:
        there = np.fromiter(map(bool, words), dtype=bool, count=len(words))
    found, typed = np.zeros(len(words)), [*filter(None, words)]
    at_once = cells_at_once(typed, number_format, patterns=patterns)
    if at_once is not None:
        found[there] = at_once
        return found, there
    parse = partial(_parse_result, number_format=number_format, patterns=patterns)
    for i, (number, word) in enumerate(zip(block.numbers, words, strict=True)):
        missing = file.is_missing(number, column, word)
        value = None if missing else file.read_or_skip(number, column, word, parse)
        there[i] = value is not None
        found[i] = 0.0 if value is None else value
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


def parse_cell(word: str, number_format: Format, *, patterns: bool = False) -> float:
    """Return the number of a format that a cell stands for, as a float64.

    A number is rounded to nearest, ties to even. A bit pattern has as many digits as the format;
    if nothing but `patterns` is expected, it may have fewer. Raises `UsageError` for what is none.

    >>> [parse_cell(word, FORMATS["bfloat16"]) for word in ("1/3", "0x1.8p+1", "0x3f80")]
    [0.333984375, 3.0, 1.0]
    """
    pattern = PATTERN.fullmatch(word)
    if pattern and (patterns or len(pattern[1]) == number_format.width // 4):
        bits = int(pattern[1], 16)
        if bits >> number_format.width:
            raise UsageError(f"'{word}' has more than the {number_format.width} bits of a result")
        return number_format.number(bits)
    if patterns or pattern:
        raise UsageError(f"'{word}' is no bit pattern, e.g. {number_format.hexadecimal(1.0)}")
    return float(Grid(number_format=number_format).point(parse_number(word), word))


def cells_at_once(
    words: Sequence[str], number_format: Format, *, patterns: bool = False
) -> Array | None:
    """Return what `parse_cell` does of many cells, or None if they must be read one by one.

    They are read together if all of them are bit patterns with all their digits, or decimals.

    >>> cells_at_once(["0x3f80", "0xc000"], FORMATS["bfloat16"])
    array([ 1., -2.])
    """
    import numpy as np

    digits = number_format.width // 4
    if {*map(len, words)} == {2 + digits} and {word[:2] for word in words} <= {"0x", "0X"}:
        try:
            data = unhexlify("".join(word[2:] for word in words))
        except ValueError:
            return None
        found = numbers(number_format, np.frombuffer(data, f">u{digits // 2}").astype(np.int64))
        found[np.isnan(found)] = np.nan  # without the sign and the payload of the pattern
        return found
    if patterns:
        return None
    try:
        floats = plain_floats(words)
    except ValueError:
        return None
    found, ties = nearest(number_format, floats)
    for i in np.flatnonzero(ties).tolist():  # the number as typed may be on one side
        found[i] = parse_cell(words[i], number_format)
    return found
