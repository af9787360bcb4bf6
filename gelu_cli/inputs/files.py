"""Columns of files: text, CSV, Markdown, JSON, .npy; `-` is stdin."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from gelu_cli.errors import UsageError

NPY = b"\x93NUMPY"
COMMENT = re.compile(r"^[ \t]*#.*", re.MULTILINE)
NUMBER = re.compile(r"[-+.−\d]|(?:inf|infinity|nan)\b", re.IGNORECASE)
MARKDOWN = re.compile(r"^[ \t]*\|", re.MULTILINE)
RULE = re.compile(r"[\s|:-]*")
BAR, ESCAPED = re.compile(r"(?<!\\)\|"), re.compile(r"\\([!-/:-@\[-`{-~])")


class Source(NamedTuple):
    """The bytes of a file, and its name in messages."""

    name: str
    data: bytes


@dataclass(frozen=True)
class Columns:
    """The columns of a file; `columns["x"]` are cells.

    Attributes
    ----------
    name
        What messages call the file.
    cells
        The cells of each column by its heading, as typed.
    lines
        The line of each row, or its number from 1 where rows are not lines.
    place
        What messages have between the file and a line.
    """

    name: str
    cells: Mapping[str, list[str]]
    lines: Sequence[int]
    place: str = ":"

    def __getitem__(self, name: str) -> list[str]:
        if name not in self.cells:
            known = ", ".join(filter(None, self.cells))
            raise UsageError(f"{self.name} has no column '{name}'; name one of {known}")
        return self.cells[name]

    def parsed(self, name: str, parse: Callable[[str], Any]) -> list[Any]:
        """Parse the cells of a column; an error names the row.

        >>> Columns("a.csv", {"x": ["1", "2"]}, [2, 3]).parsed("x", int)
        [1, 2]
        """
        found = []
        for line, cell in zip(self.lines, self[name], strict=True):
            try:
                found.append(parse(cell))
            except UsageError as error:
                raise UsageError(f"{self.name}{self.place}{line}: {error}") from None
        return found

    def at_once(self, name: str) -> Any:
        """Convert decimals to float64s; None if another cell is among them."""
        import numpy as np

        try:
            return np.array(self[name], dtype=np.float64)
        except ValueError:
            return None


def read_source(source: str) -> Source:
    """Read a file, or stdin for `-`."""
    try:
        if source != "-":
            return Source(source, Path(source).read_bytes())
        return Source("stdin", sys.stdin.buffer.read() if sys.stdin else b"")
    except OSError as error:
        raise UsageError(f"cannot read '{source}': {error.strerror}; name another") from None


def load(file: Source) -> Any:
    """Load the array of a .npy file."""
    import numpy as np

    try:
        return np.load(BytesIO(file.data), allow_pickle=False)
    except Exception:  # numpy hands the header to Python's parser
        raise UsageError(f"{file.name} is not a whole .npy of numbers; write it anew") from None


def read_columns(file: Source) -> Columns:
    """Read the columns of a file, whose layout its first line shows.

    A list of numbers is a column x; a .npy has columns x and "".
    """
    name = file.name
    if file.data.startswith(NPY):
        return _array(load(file), name)
    text = file.data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    if "\0" in text or "\ufffd" in text:
        raise UsageError(f"{name} is neither UTF-8 nor .npy; to results add --all or --inputs")
    lines = (COMMENT.sub("", text) if "#" in text else text).split("\n")
    first = next(filter(None, map(str.strip, lines)), "")
    if first.startswith(("[", "{")):
        return _json(text, name)
    if not first or NUMBER.match(first):
        words = [line.partition("#")[0].replace(",", " ").split() for line in lines]
        cells = [word for line in words for word in line]
        return Columns(name, {"x": cells}, [at for at, line in enumerate(words, 1) for _ in line])
    is_markdown = "|" in text and MARKDOWN.search(text)
    rows = _markdown(lines) if is_markdown else _delimited(lines, first, name)
    (_, header), *body = rows
    names = [" ".join(each.split()) or f"column {at}" for at, each in enumerate(header, 1)]
    if len({*names}) < len(names):
        raise UsageError(f"{name} has a column twice ({', '.join(names)}); rename one")
    for at, row in body:
        if len(row) != len(names):
            found = f"the row has {len(row)} of {len(names)} cells"
            raise UsageError(f"{name}:{at}: {found}; fill or quote them, with decimal points")
    columns = {each: [row[at].strip() for _, row in body] for at, each in enumerate(names)}
    return Columns(name, columns, [at for at, _ in body])


def _delimited(lines: Sequence[str], header: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of CSV or its like, each with the line it ends in."""
    delimiter = next((each for each in "\t;," if each in header), " ")
    ended = (f"{line}\n" for line in lines)
    rows = csv.reader(ended, delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        yield from ((rows.line_num, row) for row in rows if any(row))
    except csv.Error as error:
        raise UsageError(f"{name}:{rows.line_num}: {error}; close each quote") from None


def _markdown(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a table between bars; text may be around it."""
    for at, line in enumerate(map(str.strip, lines), 1):
        if line.startswith("|") and not RULE.fullmatch(line):
            cells = BAR.split(line.removeprefix("|").removesuffix("|"))
            yield at, [ESCAPED.sub(r"\1", cell) for cell in cells]


def _json(text: str, name: str) -> Columns:
    """Read an array of numbers, or of objects, each a row, digit by digit."""
    remedy = 'write [1, 2] or [{"x": 1, "exact": 0.8}, …]'
    try:
        found = json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name} is not JSON ({error}); {remedy}") from None
    if not isinstance(found, list):
        raise UsageError(f"{name} is not an array; {remedy}")
    rows = [row if isinstance(row, dict) else {"x": row} for row in found]
    names = dict.fromkeys(key for row in rows or [{"x": None}] for key in row)
    cells = {key: ["" if row.get(key) is None else str(row[key]) for row in rows] for key in names}
    return Columns(name, cells, range(1, 1 + len(rows)), ", row ")


def _array(array: Any, name: str) -> Columns:
    """Read two columns x and values; of another shape each number is an x."""
    if array.dtype.kind not in "fiub":
        raise UsageError(f"{name} holds {array.dtype}, not numbers; save it as float32")
    pairs = array.ndim == 2 and array.shape[1] == 2
    texts = [[*map(str, each.astype(object))] for each in (array.T if pairs else [array.ravel()])]
    cells = dict(zip(("x", ""), texts, strict=False))
    return Columns(name, cells, range(1, 1 + len(texts[0])), ", row ")
