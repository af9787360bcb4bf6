"""How tables are laid out: CSV and its like, Markdown, objects of JSON, Parquet and Feather.

Each layout is a generator of blocks: the numbers of rows in the file, and the cells of each row as
text. The first row has the names of the columns. A block without rows is a pause in the stream.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import chain
from typing import Any, BinaryIO, NamedTuple, TypeAlias

from gelu_cli.errors import UsageError
from gelu_cli.old.reading.names import column_names, is_position
from gelu_cli.old.reading.numbers import is_point


class Rows(NamedTuple):
    """Rows of equal width: the number of each in the file, and their cells, row by row."""

    numbers: Sequence[int]
    width: int
    cells: Sequence[str]

    def column(self, place: int) -> list[str]:
        """Return the cells of one column, as typed."""
        return [*map(str.strip, self.cells[place :: self.width])]

    def __bool__(self) -> bool:
        return len(self.numbers) > 0


Block: TypeAlias = tuple[Sequence[int], list[list[str]]] | Rows

LONGEST_LINE = 1 << 22
"""Characters of a row, or of a line: 100,000 columns of 40 characters each."""

LONG = 1 << 16
"""Characters of a line that may be cut before it ends."""

SHOWN = 40
"""Characters of what is too long that a message shows."""

COMMENT = "#"
COMMENT_START = re.compile(rf"\s*{COMMENT}(?! *[,;\t])")
"""How a comment begins, and not a table whose first column is called `#`."""

LEADING = re.compile(rf"(?:[^\S\n]*(?:{COMMENT}(?! *[,;\t])[^\n]*)?\n)*+")
"""Lines that are blank or comments."""

DELIMITERS = ",\t;"
WHITE_SPACE = " "
QUOTED = re.compile(r'"[^"]*"')

BAR = "|"
CELL = re.compile(r"((?:[^|\\]|\\.|\\$)*)(?:\||$)")
ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
RULE = re.compile(r":?-+:?")
MARKS = ("**", "__", "*", "_", "`", "$")
"""What may stand around a whole cell of Markdown."""

OBJECTS = re.compile(r"\s*(?:\{|\[\s*[{\]])")
LIST = re.compile(r'\[\s*(?:[-+.\d"\[]|null|NaN|Infinity)')
NUMERIC = "+-.0123456789\N{MINUS SIGN}"
BETWEEN = re.compile(r"[\s,\[\]]*")
ROW_OF_JSON = '{"x": 1, …}'
"""What a row of a table is in JSON."""

PARQUET, FEATHER = b"PAR1", (b"ARROW1", b"FEA1")
AT_ONCE = 1 << 15
"""Rows of a Parquet or Feather file that are made text at once."""


class Beginning(NamedTuple):
    """Text from its first line on that is neither blank nor a comment."""

    first: str
    """What has come of that line, and perhaps of the next ones."""

    comment: str
    """The last comment before it."""

    number: int
    """The number of that line in the file."""

    rest: Iterator[str]

    @property
    def texts(self) -> Iterator[str]:
        """The text from that line on, as it arrives."""
        return chain([self.first], self.rest)

    @property
    def is_numeric(self) -> bool:
        """Whether it begins as numbers do."""
        return self.first.lstrip()[0] in NUMERIC

    @property
    def is_delimited(self) -> bool:
        """Whether it is neither Markdown nor JSON."""
        return not OBJECTS.match(self.first) and self.first.lstrip()[0] != BAR

    def refuse_json(self, name: str) -> None:
        """Raise `UsageError` where it begins as an array of JSON does that is no table."""
        if LIST.match(self.first.lstrip()):
            raise UsageError(
                f"line {self.number} of {name}: an array of JSON is a table if each row is an "
                f"object: {ROW_OF_JSON}; or write the numbers alone, without brackets"
            )

    @property
    def header(self) -> list[str]:
        """The names of columns, if the comment is a list of them, as numpy writes it."""
        words = re.split(f"[{DELIMITERS}]", self.comment.removeprefix(COMMENT))
        names = [word.strip() for word in words]
        are_names = len(names) > 1 and "x" in names and not any(len(n.split()) != 1 for n in names)
        return names if are_names and self.is_numeric else []

    def with_first_line(self, name: str) -> tuple[Beginning, bool]:
        """Return the beginning, and whether it is of a list of numbers, which a table is not.

        Where its first sign does not tell, its whole first line does; raises `UsageError` where
        that is a header without x.
        """
        self.refuse_json(name)
        if not self.is_delimited or self.header:
            return self, False
        if self.is_numeric:
            return self, True
        first = self.first
        while "\n" not in first and (text := next(self.rest, None)) is not None:
            first += text
            if len(first) > LONGEST_LINE:
                raise too_long(self.number, first, name, "a line of a CSV", LONGEST_LINE)
        line = first.partition("\n")[0].removesuffix("\r")
        lines = [] if line.count('"') % 2 else [line]
        rows = cells_of(lines, [self.number], delimiter_of(line), name)
        cells = [cell.strip() for row in rows for cell in row]
        has_x = "x" in column_names(cells)
        if not has_x and len(cells) > 1 and any(cells) and not any(map(is_point, cells)):
            names = ", ".join(cells)
            raise UsageError(
                f"{name} has no column 'x'; it has: {names}; pick one with --column NAME"
            )
        return self._replace(first=first), not has_x

    def blocks(self, name: str, column: str = "x") -> Iterator[Block]:
        """Yield the rows of the table that begins so, of which a `column` is to be read."""
        if OBJECTS.match(self.first):
            return objects(self.texts, self.number, name)
        self.refuse_json(name)
        if not self.is_delimited:
            return markdown(self.texts, self.number, name)
        rows = delimited(self.texts, self.number, name, column)
        return chain([([self.number - 1], [self.header])], rows) if self.header else rows


def begin(texts: Iterator[str]) -> Beginning | None:
    """Return how a text begins, as soon as its first signs tell its layout; None if it is blank."""
    begun, comment, number, in_comment = [""], "", 1, False
    for text in chain(texts, [None]):
        begun.append(text or "")
        if in_comment and text is not None and "\n" not in text:
            continue  # a comment goes on
        held = "".join(begun)
        end = LEADING.match(held).end()  # type: ignore[union-attr]
        comment = held[:end].strip().rpartition("\n")[2].strip() or comment
        number += held.count("\n", 0, end)
        held = held[end:]
        begun, in_comment = [held], COMMENT_START.match(held) is not None
        if held.strip() and not in_comment and (held.strip() != "[" or text is None):
            return Beginning(held, comment, number, texts)
    return None


def whole_lines(
    texts: Iterator[str], number: int, name: str, cut: Callable[[int, str], int] | None = None
) -> Iterator[tuple[int, str]]:
    """Yield the whole lines that have arrived, with the number of the first; "" for a pause.

    If they may be `cut`, that says of a long line, before it has ended, where it may end.
    """
    begun, length = [""], 0
    for arrived in texts:
        text, end = arrived, arrived.rfind("\n") + 1
        if cut and not end and length + len(text) > LONG:
            text = "".join([*begun, text])
            begun, length, end = [], 0, cut(number, text)
        if end:
            whole = "".join([*begun, text[:end]])
            begun, length = [], 0
            yield number, whole
            number += whole.count("\n")
        begun.append(text[end:])
        length += len(text) - end
        if length > LONGEST_LINE:
            raise too_long(number, "".join(begun), name, "a line of a CSV", LONGEST_LINE)
        if not text:
            yield number, ""
    if rest := "".join(begun):
        if cut:
            cut(number, rest)
        yield number, rest


def too_long(number: int, text: str, name: str, kind: str, longest: int) -> UsageError:
    """Return the error for what does not end within some number of characters."""
    return UsageError(
        f"line {number} of {name}: '{text[:SHOWN]}…' is not {kind}: "
        f"it has more than {longest:,} characters"
    )


def delimited(texts: Iterator[str], number: int, name: str, column: str = "x") -> Iterator[Block]:
    """Yield the rows of a CSV or the like, each a line, or more where a quoted cell goes on.

    The first line tells the delimiter: a comma, a tab, a semicolon, or white space if it has none
    of them and names the column that is due. A row has the number of its last line.
    """
    delimiter = ""
    quoted: list[str] = []  # the lines so far of a row with a quoted cell
    length, width = 0, 0
    for first, arrived in whole_lines(texts, number, name):
        text = arrived.replace("\r\n", "\n")
        lines = text.removesuffix("\n").split("\n") if text else []
        numbers: Sequence[int] = range(first, first + len(lines))
        if quoted or '"' in text or COMMENT in text:
            of_text, lines, numbers = lines, [], []
            for at, line in enumerate(of_text, first):
                if not quoted and COMMENT_START.match(line):
                    continue
                goes_on = bool(quoted) ^ (line.count('"') % 2 == 1)
                quoted.append(line)
                length += len(line) + 1
                if goes_on and length > LONGEST_LINE:
                    raise UsageError(
                        f"line {at} of {name}: a quoted cell does not end within "
                        f"{LONGEST_LINE:,} characters"
                    )
                if not goes_on:
                    lines.append("\n".join(quoted))
                    numbers.append(at)
                    quoted, length = [], 0
        if not delimiter:
            delimiter = delimiter_of(next(filter(str.strip, lines), ""), column)
        if width and (cells := _plain_cells(text, lines, delimiter, width)):
            yield Rows(numbers, width, cells)
            continue
        for part in () if not lines else (slice(None),) if width else (slice(1), slice(1, None)):
            rows = cells_of(lines[part], numbers[part], delimiter, name)
            there = [
                row for row in zip(numbers[part], rows, strict=True) if any(map(str.strip, row[1]))
            ]
            if there:
                width = width or len(there[0][1])  # the header is to be judged first
                found, cells_of_rows = zip(*there, strict=True)
                yield found, [*cells_of_rows]
        if not text:
            yield [], []
    if quoted:
        raise UsageError(f"{name} ends inside a quoted cell")


def _plain_cells(
    text: str, lines: Sequence[str], delimiter: str, width: int
) -> Sequence[str] | None:
    """Return the cells of rows in which nothing is quoted or missing, None if there is more."""
    if not lines or any(sign in text for sign in '"\r' + COMMENT) or delimiter == WHITE_SPACE:
        return None
    if {line.count(delimiter) for line in lines} != {width - 1}:
        return None
    cells = delimiter.join(lines).split(delimiter)
    if max(map(len, lines)) > csv.field_size_limit() or not all(map(str.strip, cells[::width])):
        return None
    return cells


def delimiter_of(line: str, column: str = "x") -> str:
    """Return what stands between the cells of a first line, nothing if it has none.

    >>> [delimiter_of(*each) for each in (("a b",), ("a x",), ("a b", "2"), ("a b;c", "2"))]
    [',', ' ', ' ', ';']
    """
    if not line.strip():
        return ""
    line = QUOTED.sub("", line)
    found = max(DELIMITERS, key=line.count)
    words = line.split()
    are_words = len(words) > 1 and (column in words or is_position(column))
    return WHITE_SPACE if found not in line and are_words else found


def cells_of(
    lines: Sequence[str], numbers: Sequence[int], delimiter: str, name: str
) -> list[list[str]]:
    """Return the cells of the rows that lines are; raises `UsageError` for what is no row."""
    if delimiter == WHITE_SPACE:
        return [line.split() for line in lines]
    reader = partial(csv.reader, delimiter=delimiter or DELIMITERS[0], strict=True)
    with suppress(csv.Error):
        rows = [*reader(lines)]
        if len(rows) == len(lines):
            return rows
    rows = []
    for number, line in zip(numbers, lines, strict=True):
        try:
            rows += reader([line])
        except csv.Error:
            why = f"a cell has more than {csv.field_size_limit():,} characters"
            if "\r" in line:
                why = "a carriage return stands within it; lines end in LF or CRLF"
            elif len(line) <= csv.field_size_limit():
                why = "a cell goes on behind its closing quote"
            raise UsageError(f"line {number} of {name}: not a line of a CSV: {why}") from None
    return rows


def markdown(texts: Iterator[str], number: int, name: str) -> Iterator[Block]:
    """Yield the rows of a table of Markdown, as GitHub has them: each is a line in bars."""
    for first, text in whole_lines(texts, number, name):
        numbers, rows = [], []
        for at, line in enumerate(map(str.strip, text.split("\n")), first):
            if line and not line.startswith(BAR):
                raise UsageError(
                    f"line {at} of {name}: not a row of a Markdown table, which begins with '|'"
                )
            cells = [_plain(cell) for cell in CELL.findall(line[1:].removesuffix(BAR))[:-1]]
            if any(cells) and not all(map(RULE.fullmatch, cells)):
                numbers.append(at)
                rows.append(cells)
        if rows or not text:
            yield numbers, rows


def _plain(cell: str) -> str:
    cell = cell.strip()
    for mark in MARKS:
        if len(cell) > 2 * len(mark) and cell.startswith(mark) and cell.endswith(mark):
            cell = cell.removeprefix(mark).removesuffix(mark)
    return ESCAPED.sub(r"\1", cell)


def objects(texts: Iterator[str], number: int, name: str) -> Iterator[Block]:
    """Yield the rows of objects of JSON, in an array or one after the other.

    The names in the first one are the columns. A row has the number of the line it begins in.
    """
    columns: list[str] | None = None
    begun = ""
    for text in texts:
        begun += text
        if "}" not in text and "]" not in text and len(begun) <= LONGEST_LINE:
            if not text:
                yield [], []
            continue
        numbers, rows, end = list[int](), list[list[str]](), 0
        while True:
            start = BETWEEN.match(begun, end).end()  # type: ignore[union-attr]
            number += begun.count("\n", end, start)
            value, end = _object(begun, start, number, name)
            if value is None:
                break
            if columns is None:
                columns = [*value]
                _refuse_columns(value, number, name)
                yield [number], [columns]
            cells = [value.pop(column, "") for column in columns]
            if value:
                raise UsageError(
                    f"line {number} of {name} has '{next(iter(value))}', "
                    "which the first object has not"
                )
            numbers.append(number)
            rows.append([each if isinstance(each, str) else json.dumps(each) for each in cells])
            number += begun.count("\n", start, end)
        begun = begun[end:]
        yield numbers, rows
    start = BETWEEN.match(begun).end()  # type: ignore[union-attr]
    _object(begun, start, number + begun.count("\n", 0, start), name, ended=True)


def _object(
    text: str, start: int, number: int, name: str, *, ended: bool = False
) -> tuple[dict[str, Any] | None, int]:
    """Return the object that begins at `start`, and where it ends; None if more is to come."""
    if start == len(text):
        return None, start
    try:
        value, end = _as_typed().raw_decode(text, start)
    except json.JSONDecodeError as error:
        may_go_on = error.msg.startswith("Unterminated") or error.pos >= len(text.rstrip())
        if may_go_on and len(text) - start <= LONGEST_LINE and not ended:
            return None, start
        why = "it does not end" if ended and may_go_on else error.msg.lower()
    except RecursionError:
        why = "it is nested too deeply"
    except UsageError as error:
        why = str(error)
    else:
        if isinstance(value, dict):
            return value, end
        why = f"it is {str(value)[:SHOWN]}"
    raise UsageError(
        f"line {number} of {name}: not an object of JSON, as each row of a table is: {why}"
    )


@cache
def _as_typed() -> json.JSONDecoder:
    """Return what leaves numbers as text, with all the digits they have."""

    def fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise UsageError(f"it has '{twice}' twice")
        return found

    return json.JSONDecoder(
        object_pairs_hook=fields, parse_float=str, parse_int=str, parse_constant=str
    )


def _refuse_columns(value: Mapping[str, Any], number: int, name: str) -> None:
    """Raise `UsageError` for an object that has whole columns, as pandas writes a table."""
    nested = [field for field, each in value.items() if isinstance(each, list | dict)]
    if nested and ("x" in nested or len(nested) == len(value)):
        kind = "a list" if isinstance(value[nested[0]], list) else "an object"
        raise UsageError(
            f"line {number} of {name}: '{nested[0]}' is {kind}: each row of a table is an object "
            f"of its own, {ROW_OF_JSON} (in pandas: to_json(orient='records'))"
        )


def arrow(stream: BinaryIO, start: bytes, name: str) -> Iterator[Block]:
    """Yield the rows of a Parquet or Feather file, numbered from 1; null is an empty cell.

    Unsigned integers in a column NAME_bits are bit patterns, as `gelu table --bits` writes them.
    """
    try:
        import pyarrow as pa
        from pyarrow import feather, parquet
    except ImportError:
        raise UsageError(
            f"{name} is Parquet or Feather, which pyarrow reads: pip install pyarrow"
        ) from None
    from io import BytesIO

    content = stream if stream.seekable() else BytesIO(stream.read())
    try:
        if start.startswith(PARQUET):
            file = parquet.ParquetFile(content)
            names, batches = file.schema_arrow.names, file.iter_batches(AT_ONCE)
        else:
            table = feather.read_table(content, memory_map=False)
            names, batches = table.schema.names, table.to_batches(AT_ONCE)
        yield [0], [names]
        number = 1
        for batch in batches:
            columns = map(_texts, names, batch.columns)
            rows = [list(row) for row in zip(*columns, strict=True)]
            yield range(number, number + len(rows)), rows
            number += len(rows)
    except (pa.ArrowException, ValueError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the system's own
        raise UsageError(
            f"cannot read {name}: its Parquet or Feather data are damaged or cut off; write it anew"
        ) from None


def _texts(column: str, cells: Any) -> list[str]:
    """Return the cells of a column of Arrow's as text."""
    kind, values = str(cells.type), cells.to_pylist()
    if column.endswith("_bits") and kind.startswith("uint"):
        digits = int(kind[4:]) // 4
        return ["" if value is None else f"0x{value:0{digits}x}" for value in values]
    return ["" if value is None else str(value) for value in values]
