"""Results that were computed elsewhere, in a format: tables, and whole files of bit patterns."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gelu_cli.arithmetic.formats import Format
from gelu_cli.cli.input.csv import CsvFile, CsvRow
from gelu_cli.cli.input.numbers import parse_number
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    import numpy as np

    from gelu_cli.arithmetic.rounding import Array, Mask

BITS = "_bits"
PATTERN = re.compile(r"0[xX]([0-9a-fA-F]+)")


class Results(NamedTuple):
    """A column of results: its name, the inputs and what was got there."""

    column: str
    x: Array
    got: Array


def read_results(file: CsvFile, number_format: Format) -> list[Results]:
    """Return the columns of a table as numbers of a format, beside the inputs.

    A cell is a number, rounded to the format, or a bit pattern: hexadecimal digits, as many as the
    format has. A column `NAME_bits` stands for `NAME`, and is taken before it. Empty cells are left
    out. Raises `UsageError` for what is neither, naming the place.
    """
    import numpy as np

    columns = _columns(file)
    values: dict[str, list[Array]] = {name: [] for name in columns}
    present: dict[str, list[Mask]] = {name: [] for name in columns}
    for block in file.blocks:
        for name, column in columns.items():
            found, there = _cells(file, block, column, number_format)
            values[name].append(found)
            present[name].append(there)
    if not sum(map(len, values["x"])):
        raise UsageError(f"{file.name} holds no results")
    x, x_there = np.concatenate(values.pop("x")), np.concatenate(present.pop("x"))
    if not x_there.all():
        raise UsageError(f"{file.name} has a line without x")
    filled = {name: np.concatenate(each) for name, each in present.items()}
    return [
        Results(name, x[filled[name]], np.concatenate(each)[filled[name]])
        for name, each in values.items()
        if filled[name].any()
    ]


def _columns(file: CsvFile) -> dict[str, str]:
    """Return for x and each column of results the column that holds it."""
    names = list(dict.fromkeys(name.removesuffix(BITS) for name in file.header))
    if "x" not in names:
        raise UsageError(f"{file.name} has no column 'x'; it has: {', '.join(file.header)}")
    if len(names) == 1:
        raise UsageError(f"{file.name} has no column of results beside x")
    return {name: name + BITS if name + BITS in file.header else name for name in names}


def _cells(
    file: CsvFile, block: Sequence[CsvRow], column: str, number_format: Format
) -> tuple[Array, Mask]:
    """Return the numbers in a column of some lines, and where there are any."""
    import numpy as np

    from gelu_cli.arithmetic.rounding import nearest

    index = file.header.index(column)
    words = [line.cells[index] for line in block]
    there = np.array([bool(word) for word in words], dtype=bool)
    if column.endswith(BITS) or not there.all() or any(map(PATTERN.match, words)):
        return _one_by_one(file, block, column, number_format), there
    try:
        floats = np.array(list(map(float, words)), dtype=np.float64)
    except ValueError:
        return _one_by_one(file, block, column, number_format), there
    rounded, ties = nearest(number_format, floats)
    for i in np.flatnonzero(ties).tolist():  # the number as typed may be on one side
        rounded[i] = _rounded(words[i], number_format)
    return rounded, there


def _one_by_one(
    file: CsvFile, block: Sequence[CsvRow], column: str, number_format: Format
) -> Array:
    import numpy as np

    index = file.header.index(column)

    def parse(word: str) -> float:
        pattern = PATTERN.fullmatch(word)
        if pattern and (column.endswith(BITS) or len(pattern[1]) == number_format.width // 4):
            return _from_pattern(int(pattern[1], 16), word, number_format)
        if column.endswith(BITS) or pattern:
            raise UsageError(f"'{word}' is no bit pattern, e.g. {number_format.hexadecimal(1.0)}")
        return _rounded(word, number_format)

    cells = (file.read(line, column, parse) if line.cells[index] else 0.0 for line in block)
    return np.fromiter(cells, dtype=np.float64, count=len(block))


def _from_pattern(bits: int, word: str, number_format: Format) -> float:
    if bits >> number_format.width:
        raise UsageError(f"'{word}' has more than the {number_format.width} bits of a result")
    return number_format.number(bits)


def _rounded(word: str, number_format: Format) -> float:
    number = parse_number(word)
    if isinstance(number, Fraction):
        return number_format.exactly(number)
    return number_format.from_float(number)


def read_every_result(path: str, number_format: Format) -> tuple[Array, Array]:
    """Return every bit pattern of a format as x, and the results that a file has for them.

    The file is raw, little-endian, or .npy: bit patterns, or floats that the format has. Raises
    `UsageError` for another number of results.
    """
    import numpy as np

    from gelu_cli.arithmetic.patterns import numbers

    count = 1 << number_format.width
    if path.endswith(".npy"):
        got = _from_npy(path, number_format)
    else:
        got = numbers(number_format, _raw(path, number_format).astype(np.int64))
    if len(got) != count:
        raise UsageError(
            f"'{path}' holds {len(got)} results; every {number_format.name} makes {count}"
        )
    return numbers(number_format, np.arange(count, dtype=np.int64)), got


def _raw(path: str, number_format: Format) -> np.ndarray[tuple[int], np.dtype[np.unsignedinteger]]:
    import numpy as np

    size = number_format.width // 8
    whole = size << number_format.width
    try:
        with nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb") as file:
            data = file.read(whole + 1)
    except OSError as error:
        raise UsageError(f"cannot read '{path}': {error.strerror}") from None
    if len(data) != whole:
        raise UsageError(
            f"'{path}' has {'more' if len(data) > whole else len(data)} bytes; every "
            f"{number_format.name} in its order makes {whole}"
        )
    return np.frombuffer(data, dtype=f"<u{size}")


def _from_npy(path: str, number_format: Format) -> Array:
    import numpy as np

    from gelu_cli.arithmetic.patterns import numbers
    from gelu_cli.arithmetic.rounding import nearest
    from gelu_cli.cli.input.npy import load_npy

    array = load_npy(path).reshape(-1)
    size = number_format.width // 8
    if array.dtype.kind in "uiV" and array.dtype.itemsize == size:
        bits = np.ascontiguousarray(array).view(f"<u{size}").astype(np.int64)
        return numbers(number_format, bits)
    if array.dtype.kind != "f":
        raise UsageError(
            f"'{path}' holds {array.dtype}: neither floats nor {8 * size}-bit patterns"
        )
    with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
        got = array.astype(np.float64)
    rounded, _ = nearest(number_format, got)
    strange = np.flatnonzero((rounded != got) & ~np.isnan(got))
    if len(strange):
        raise UsageError(f"'{path}': {got[strange[0]]!r} is no {number_format.name}")
    return got
