"""Results in files without text: beside a file of inputs, for every bit pattern, or in columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from gelu_cli.arithmetic.formats import Format
from gelu_cli.cli.input.npy import MAGIC, NpyArray
from gelu_cli.cli.input.patterns import SHOWN, require_format
from gelu_cli.cli.input.results import (
    Choose,
    Column,
    every_name,
    read_results,
    result_columns,
    sorted_results,
)
from gelu_cli.cli.input.stored import (
    StoredNumbers,
    decoded,
    require_numbers,
    stored_numbers,
    unsigned,
)
from gelu_cli.cli.input.streams import name_of, opened
from gelu_cli.cli.input.tables.headings import BITS
from gelu_cli.cli.input.tables.table import Table, read_table
from gelu_cli.errors import UsageError
from gelu_cli.values.points import BULK

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gelu_cli.arithmetic.format_arrays import Array
    from gelu_cli.sweeping.sorted_results import SortedResults, SpillFile
    from gelu_cli.sweeping.truth import Question


TEXT = (".csv", ".tsv", ".txt", ".json")
"""How the names of files end that hold text."""


class ResultFile(NamedTuple):
    """A file of results, and where their inputs are."""

    path: str
    every: bool = False
    """Whether it has a result for every bit pattern."""

    inputs: str | None = None
    """The file where x is, if it has results alone."""


def check_file(file: ResultFile, number_format: Format) -> None:
    """Raise `UsageError` where the inputs are said twice, or every pattern is too many."""
    if file.every and file.inputs is not None:
        raise UsageError("--all and --inputs both say what x is; leave one of them out")
    if file.every and number_format.width > 16:
        raise UsageError("--all is for the 16- and 8-bit formats; for others give --inputs FILE")


def read_columns(
    file: ResultFile,
    number_format: Format,
    result: Format,
    question: Callable[[str], Question],
    spill: SpillFile,
    table_of: Callable[[str], Table] = read_table,
    choose: Choose = every_name,
) -> list[Column]:
    """Return the results in a file of any kind; a file without columns is one without a name.

    `question` says what is due in a column of a name, "" for the one without; it is asked before
    rows are read.
    """
    path, formats = file.path, (number_format, result)
    if file.every:
        return [Column("", question(""), read_every_result(path, *formats, spill))]
    if file.inputs is not None:
        due = question("")
        return [Column("", due, read_results_at(path, file.inputs, *formats, spill))]
    if holds_array(path):
        return read_array_columns(path, *formats, question, spill, choose)
    return read_results(table_of(path), *formats, question, spill, choose)


class EveryNumber(NamedTuple):
    """What every bit pattern of a format stands for, in their order."""

    number_format: Format

    @property
    def name(self) -> str:
        """What it is called in a message."""
        return f"every {self.number_format.name} in its order"

    @property
    def length(self) -> int:
        """How many there are."""
        return 1 << self.number_format.width

    def blocks(self, size: int) -> Iterator[Array]:
        """Yield the numbers in blocks of so many."""
        import numpy as np

        from gelu_cli.arithmetic.format_arrays import numbers

        for first in range(0, self.length, size):
            bits = np.arange(first, min(first + size, self.length), dtype=np.int64)
            yield numbers(self.number_format, bits)


def read_every_result(
    path: str, number_format: Format, result: Format, spill: SpillFile
) -> SortedResults:
    """Return the results that a file, or stdin for `-`, has for every bit pattern of a format.

    Raises `UsageError` for a file of text, another number of results, or what are none.
    """
    _refuse_text(path, "results with --all")
    with opened(path) as stream:
        return _taken(EveryNumber(number_format), stored_numbers(stream, path, result), spill)


def read_results_at(
    path: str, inputs: str, number_format: Format, result: Format, spill: SpillFile
) -> SortedResults:
    """Return the results that a file has at the inputs in another; one of the two may be `-`.

    Raises `UsageError` for a file of text, where there are not as many of both, or what are none.
    """
    if path == inputs == "-":
        raise UsageError("FILE and --inputs are both stdin; name a file for one of them")
    _refuse_text(inputs, "inputs")
    _refuse_text(path, "results beside --inputs")
    with opened(inputs) as x_stream, opened(path) as stream:
        x = stored_numbers(x_stream, inputs, number_format)
        return _taken(x, stored_numbers(stream, path, result), spill)


def _refuse_text(path: str, role: str) -> None:
    """Raise `UsageError` for a file that is text by its name, where text is not read."""
    if path.lower().endswith(TEXT):
        raise UsageError(
            f"'{path}' is text, but {role} are .npy or raw; a table with x and results needs "
            "neither --inputs nor --all"
        )


def _taken(x: StoredNumbers | EveryNumber, got: StoredNumbers, spill: SpillFile) -> SortedResults:
    import numpy as np

    if None not in (x.length, got.length) and x.length != got.length:
        raise _uneven(x, got, str(x.length), str(got.length))
    results = sorted_results(spill)
    blocks = zip_longest(x.blocks(BULK), got.blocks(BULK), fillvalue=np.empty(0))
    for points, values in blocks:
        if len(points) != len(values):
            seen = [len(results) + len(block) for block in (points, values)]
            ends = [str(n) if n == min(seen) else f"over {min(seen)}" for n in seen]
            raise _uneven(x, got, str(x.length or ends[0]), str(got.length or ends[1]))
        results.add(points, values)
    if not len(results):
        raise UsageError(f"{got.name} holds no results")
    return results


def _uneven(
    x: StoredNumbers | EveryNumber, got: StoredNumbers, inputs: str, results: str
) -> UsageError:
    many = "s" * (results != "1")
    return UsageError(f"{got.name} holds {results} result{many} for {inputs} inputs: {x.name}")


def holds_array(path: str) -> bool:
    """Return whether a file is a .npy file: by its name, or stdin (`-`) by its first bytes."""
    if path != "-":
        return path.endswith(".npy")
    with opened(path) as stream:
        peek = getattr(stream, "peek", None)
        return peek is not None and peek(len(MAGIC)).startswith(MAGIC)


def read_array_columns(
    path: str,
    number_format: Format,
    result: Format,
    question: Callable[[str], Question],
    spill: SpillFile,
    choose: Choose = every_name,
) -> list[Column]:
    """Return the results in a .npy file that has their inputs as well, or stdin for `-`.

    `question` says what is due in a column of a name; it is asked before rows are read.

    It is an array of two columns, x and results, which have no name; or a structured one with a
    field x, and others that are named as the columns of a table are.
    """
    name = name_of(path)
    with opened(path) as stream:
        array = NpyArray(stream, name)
        record, sources = _record(array, name, choose)
        for field in record.names or ():
            its_format = number_format if field.removesuffix(BITS) == "x" else result
            require_numbers(record[field], its_format, f"column '{field}' of {name}")
        x_source = sources.pop("x")
        share = len(sources)
        columns = [Column(c, question(c), sorted_results(spill, share)) for c in sources]
        first = 1
        for block in array.blocks(BULK):
            rows = block.view(record)
            if first == 1 and x_source != "x" and "x" in (record.names or ()):
                require_format(_pairs(rows[:SHOWN], x_source), number_format, name)
            x = decoded(rows[x_source], number_format, name, first)
            for column, source in zip(columns, sources.values(), strict=True):
                column.results.add(x, decoded(rows[source], result, name, first))
            first += len(rows)
    if first == 1:
        raise UsageError(f"{name} holds no results")
    return columns


def _pairs(rows: NDArray[Any], patterns: str) -> list[tuple[str, str]]:
    """Return the x of some rows and their patterns, as a table has them."""
    bits = rows[patterns]
    if bits.dtype.kind == "f":
        return []
    digits = 2 * bits.dtype.itemsize
    pairs = zip(rows["x"].tolist(), unsigned(bits).tolist(), strict=True)
    return [(str(x), f"0x{each:0{digits}x}") for x, each in pairs]


def _record(array: NpyArray, name: str, choose: Choose) -> tuple[np.dtype[Any], dict[str, str]]:
    """Return what a row is, and for x and each column of results the field that holds it."""
    import numpy as np

    if array.dtype.names:
        return array.dtype, result_columns(array.dtype.names, name, choose)
    if len(array.shape) != 2 or array.shape[1] != 2:
        raise UsageError(
            f"{name} is no array of two columns, x and results: --inputs FILE names a file with x, "
            "--all says that there is a result for every bit pattern"
        )
    return np.dtype([("x", array.dtype), ("results", array.dtype)]), {"x": "x", "": "results"}
