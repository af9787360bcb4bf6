"""Results in files without text: beside a file of inputs, for every bit pattern, or in columns.

Numbers of a format are stored as bit patterns or floats, raw or in .npy files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.format_arrays import Array, nearest, numbers
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.reading.arrays import read_array
from gelu_cli.old.reading.files import NPY, begins_as, bytes_left, name_of, opened, peek, shrunk
from gelu_cli.old.reading.names import BITS
from gelu_cli.old.reading.results import (
    SHOWN,
    Column,
    Due,
    read_results,
    require_format,
    result_columns,
)
from gelu_cli.old.reading.tables import Table, read_table
from gelu_cli.old.values.points import BULK

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TEXT = (".csv", ".tsv", ".txt", ".json")
"""How the names of files end that hold text."""


class ResultFile(NamedTuple):
    """A file of results, and where their inputs are."""

    path: str
    every: bool = False
    """Whether it has a result for every bit pattern."""

    inputs: str | None = None
    """The file where x is, if it has results alone; of two inputs the pairs."""

    packed: str | None = None
    """How the pairs are in it, one of the `PACKINGS`; else as the shape of an array has them."""

    @property
    def is_bare(self) -> bool:
        """Whether it has results alone."""
        return self.every or self.inputs is not None

    def check(self, number_format: Format, *, pairs: bool = False) -> None:
        """Raise `UsageError` where the inputs are given twice, or every pattern is too many."""
        if self.every and self.inputs is not None:
            raise UsageError("--all and --inputs both say what x is; leave one of them out")
        if self.every and number_format.width > 16:
            raise UsageError(
                "--all is for the 16- and 8-bit formats; for others give --inputs FILE"
            )
        if self.every and pairs and number_format.width > 8:
            raise UsageError("--all of pairs is for 8-bit formats; for others give --inputs FILE")


class Stored(NamedTuple):
    """Numbers of a format in a file: what it is called, how many there are, and they in blocks."""

    name: str
    length: int | None
    """None for a pipe, which does not tell."""

    blocks: Iterator[Array]
    """Of pairs an array of two columns each."""

    shape: tuple[int, ...] = ()


def read_columns(
    file: ResultFile, due: Due, table_of: Callable[[str], Table] = read_table
) -> list[Column]:
    """Return the results in a file of any kind; a file without columns is one without a name."""
    if file.is_bare:
        return [_read_bare(file, due)]
    is_array = file.path.endswith(".npy")
    if file.path == "-":
        with opened("-", unpacks=False) as stream:
            is_array = begins_as(stream, NPY)
    return _read_array(file.path, due) if is_array else read_results(table_of(file.path), due)


def _stored(path: str) -> AbstractContextManager[BinaryIO]:
    """Open a file of raw numbers, which may begin as gzip does."""
    return opened(path, unpacks=path.endswith(".gz"))


def _read_bare(file: ResultFile, due: Due) -> Column:
    """Return the results that a file has at the inputs in another, or at every bit pattern.

    One of the two may be `-`. Raises `UsageError` for a file of text, where there are not as many
    of both, or what are none.
    """
    path, inputs = file.path, file.inputs
    (column,) = due.columns([""])
    if path == inputs == "-":
        raise UsageError("FILE and --inputs are both stdin; name a file for one of them")
    if inputs is None:
        _refuse_text(path, "results with --all")
        with _stored(path) as stream:
            _fill(column, _every(due), stored_numbers(stream, path, due.result))
    else:
        _refuse_text(inputs, "inputs")
        _refuse_text(path, "results beside --inputs")
        with _stored(inputs) as x_stream, _stored(path) as stream:
            size = len(due.inputs)
            x = stored_numbers(x_stream, inputs, due.dtype, BULK * size)
            x = _paired(x, file.packed) if size > 1 else x
            _fill(column, x, stored_numbers(stream, path, due.result))
    return column


def _refuse_text(path: str, role: str) -> None:
    """Raise `UsageError` for a file that is text by its name, where text is not read."""
    if path.lower().endswith(TEXT):
        raise UsageError(
            f"'{path}' is text, but {role} are .npy or raw; a table with x and results needs "
            "neither --inputs nor --all"
        )


def _fill(column: Column, x: Stored, got: Stored) -> None:
    """Fill a column; raises `UsageError` where there are not as many inputs as results."""
    import numpy as np

    results = column.results
    counts = ["" if each.length is None else str(each.length) for each in (x, got)]
    uneven = x.length is not None and got.length is not None and x.length != got.length
    blocks = zip_longest(x.blocks, got.blocks, fillvalue=np.empty(0))
    for points, values in () if uneven else blocks:
        if uneven := len(points) != len(values):
            seen = [len(results) + len(block) for block in (points, values)]
            ends = [str(n) if n == min(seen) else f"over {min(seen)}" for n in seen]
            counts = [count or end for count, end in zip(counts, ends, strict=True)]
            break
        first, *ups = points.T if points.ndim > 1 else [points]
        results.add(first, values, *ups)
    if uneven:
        many, what = "s" * (counts[1] != "1"), "pairs" if results.pairs else "inputs"
        raise UsageError(
            f"{got.name} holds {counts[1]} result{many} for {counts[0]} {what}: {x.name}"
        )
    if not len(results):
        raise UsageError(f"{got.name} holds no results")


def _every(due: Due) -> Stored:
    """Return what every bit pattern, or every pair of them, stands for, in their order."""
    import numpy as np

    width, count = due.dtype.width, len(due.inputs)
    length = 1 << width * count

    def block(at: int) -> Array:
        places = np.arange(at, min(at + BULK, length), dtype=np.int64)
        if count == 1:
            return numbers(due.dtype, places)
        return np.stack([numbers(due.dtype, each) for each in np.divmod(places, 1 << width)], 1)

    name = f"every {'pair of ' * (count > 1)}{due.dtype.name} in its order"
    return Stored(name, length, map(block, range(0, length, BULK)))


def _paired(stored: Stored, packed: str | None) -> Stored:
    """Return numbers as pairs of a gate and an up, which halves have in one array."""
    import numpy as np

    halves = packed == "halves" or (not packed and stored.shape[:1] == (2,) != stored.shape[1:])

    def blocks() -> Iterator[Array]:
        for each in [np.concatenate([np.empty(0), *stored.blocks])] if halves else stored.blocks:
            if len(each) % 2:
                raise UsageError(f"{stored.name} holds no pairs: its numbers are odd in number")
            pairs = each.reshape(2, -1).T if halves else each.reshape(-1, 2)
            yield from (pairs[at : at + BULK] for at in range(0, len(pairs), BULK))

    length = None if (stored.length or 1) % 2 else (stored.length or 0) // 2
    return Stored(stored.name, length, blocks())


def stored_numbers(stream: BinaryIO, path: str, number_format: Format, size: int = BULK) -> Stored:
    """Return the numbers in a stream; `path` is what it is called, or `-`.

    They are in a .npy file, whatever its name is, or raw: little-endian bit patterns and nothing
    else. Raises `UsageError` for an array of anything else, and for half a number at the end.
    """
    name = name_of(path)
    if path.endswith(".npy") or peek(stream).startswith(NPY):
        array = read_array(stream, name)
        require_numbers(array.dtype, number_format, name)
        starts = range(1, array.size + 1, size)
        blocks = (
            decoded(values, number_format, name, first)
            for first, values in zip(starts, array.blocks(size), strict=True)
        )
        return Stored(name, array.size, blocks, array.shape)
    width = number_format.width // 8

    def whole(count: int) -> int:
        """Return how many numbers some bytes are."""
        if count % width:
            raise UsageError(
                f"{name} has {count} bytes: not a whole number of {number_format.name}s, "
                f"which have {width} each"
            )
        return count // width

    left = bytes_left(stream)
    length = None if left is None else whole(left)

    def raw_blocks() -> Iterator[Array]:
        import numpy as np

        count = 0
        while data := stream.read(size * width):
            count += len(data)
            if length is None:
                whole(count)
            elif count % width:
                raise shrunk(name)
            yield numbers(number_format, np.frombuffer(data, f"<u{width}").astype(np.int64))
        if length is not None and count < length * width:
            raise shrunk(name)

    return Stored(name, length, raw_blocks())


def require_numbers(kind: np.dtype[Any], number_format: Format, name: str) -> None:
    """Raise `UsageError` for an array that holds neither floats nor bit patterns of a format."""
    if not _are_patterns(kind, number_format) and (kind.kind != "f" or kind.itemsize > 8):
        raise UsageError(
            f"{name} holds {kind}: neither floats nor {number_format.width}-bit patterns"
        )


def _are_patterns(kind: np.dtype[Any], number_format: Format) -> bool:
    plain = not (kind.names or kind.subdtype)
    return plain and kind.kind in "uiV" and 8 * kind.itemsize == number_format.width


def _unsigned(patterns: NDArray[Any]) -> NDArray[Any]:
    """Return bit patterns as whole numbers from 0 up."""
    kind = f"u{patterns.dtype.itemsize}"
    if patterns.dtype.kind == "V":  # how numpy saves the formats that it lacks
        patterns = patterns.view(f"<{kind}")
    return patterns.astype(kind)


def decoded(values: NDArray[Any], number_format: Format, name: str, first: int) -> Array:
    """Return bit patterns, or floats, as numbers of a format.

    Raises `UsageError` for a float that the format does not have: `first` is the number of the
    first of them in the file.
    """
    import numpy as np

    if _are_patterns(values.dtype, number_format):
        return numbers(number_format, _unsigned(values).astype(np.int64))
    with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
        floats = values.astype(np.float64)
    rounded, _ = nearest(number_format, floats)
    strange = np.flatnonzero((rounded != floats) & ~np.isnan(floats))
    if len(strange):
        raise UsageError(
            f"{name}: {float(floats[strange[0]])!r}, number {first + strange[0]}, is no "
            f"{number_format.name}"
        )
    return floats


def _read_array(path: str, due: Due) -> list[Column]:
    """Return the results in a .npy file that has their inputs as well, or stdin for `-`.

    It is an array of columns, x, up if there are two inputs, and results, which have no name; or a
    structured one with fields for the inputs, and others that are named as columns of a table.
    """
    import numpy as np

    name = name_of(path)
    with opened(path) as stream:
        array = read_array(stream, name)
        width = len(due.inputs) + 1
        record, sources = array.dtype, {**{each: each for each in due.inputs}, "": "results"}
        if record.names:
            sources = result_columns(record.names, name, due.choose, due.inputs)
        elif len(array.shape) == 2 and array.shape[1] == width:
            record = np.dtype([(each, array.dtype) for each in sources.values()])
        else:
            count, listed = ("two", "x") if width == 2 else ("three", "x, up")
            raise UsageError(
                f"{name} is no array of {count} columns, {listed} and results: --inputs FILE names "
                "a file with x, --all says that there is a result for every bit pattern"
            )
        for field in record.names or ():
            its_format = due.dtype if field.removesuffix(BITS) in due.inputs else due.result
            require_numbers(record[field], its_format, f"column '{field}' of {name}")
        inputs = {each: sources.pop(each) for each in due.inputs}
        columns = due.columns(sources)
        first = 1
        for block in array.blocks(BULK // width * width):
            rows = block.view(record)
            for each, source in inputs.items() if first == 1 else ():
                if source != each and each in (record.names or ()):
                    require_format(_words(rows[:SHOWN], each, source), due.dtype, name, source)
            x, *ups = (decoded(rows[each], due.dtype, name, first) for each in inputs.values())
            for column, source in zip(columns, sources.values(), strict=True):
                column.results.add(x, decoded(rows[source], due.result, name, first), *ups)
            first += len(rows)
    if first == 1:
        raise UsageError(f"{name} holds no results")
    return columns


def _words(rows: NDArray[Any], name: str, patterns: str) -> list[tuple[str, str]]:
    """Return an input of some rows and their patterns, as a table has them."""
    bits = rows[patterns]
    if bits.dtype.kind == "f":
        return []
    digits = 2 * bits.dtype.itemsize
    pairs = zip(rows[name].tolist(), _unsigned(bits).tolist(), strict=True)
    return [(str(x), f"0x{each:0{digits}x}") for x, each in pairs]
