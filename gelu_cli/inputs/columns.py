"""Columns of files, and the meanings of their headings.

Files are text, CSV, Markdown, JSON or .npy; `-` is stdin. A cell is the text of one entry. Headings
are the column names of `table`, or common notation: "d/dx SiLU".
"""

from __future__ import annotations

import csv
import json
import re
import sys
from array import array
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from gelu_cli.errors import UsageError, briefly
from gelu_cli.formulas import Form, by_any_name, published_forms
from gelu_cli.inputs.names import to_form
from gelu_cli.inputs.numbers import listed

NPY = b"\x93NUMPY"
COMMENT = re.compile(rb"^[ \t]*#.*", re.MULTILINE)
MISSING = {"", "-", "–", "—", "na", "n/a", "null", "none"}
NUMBER = re.compile(r"[-+.−\d]|(?:inf|infinity|nan)\b", re.IGNORECASE)
ROW = re.compile(rb"^[ \t]*\|", re.MULTILINE)
RULE = re.compile(r"[\s|:-]*")
BAR, ESCAPED = re.compile(r"(?<!\\)\|"), re.compile(r"\\([!-/:-@\[-`{-~])")

SIGNS = str.maketrans("’′−–²∂_", "''--2d ", "*$^`") | {ord("Φ"): "Phi"}
WRITTEN = {
    "complement": r"x - (.+)|(.+) complement",
    "gate_gradient": r"(.+) gate(?:'| gradient)",
    "up_gradient": r"(.+) up gradient",
    "mask_variance": r"(.+) mask variance",
    "curvature": r"d2/dx2 (.+)|d2(.+)/dx2|second derivative of (.+)|(.+)''|(.+) curvature",
    "gradient": r"d/dx (.+)|d(.+)/dx|(?:gradient|derivative) of (.+)|(.+)'|"
    r"(.+) (?:grad|gradient|derivative)",
    "gate": r"(.+) gate",
    "value": r"GELU \((.+)\)|(.+?)(?: value)?",
}
"""Patterns of headings by quantity; a group is the form's name; the first match is taken."""

FUNCTIONS = ("tanh(x)", "Tanh(x)", "sigmoid(x)", "Sigmoid(x)", "phi(x)")
"""Headings of functions that share the name of a form: the form `tanh` is not tanh(x)."""


class Source(NamedTuple):
    """The bytes of a file, and its name in messages."""

    name: str
    data: bytes


@dataclass(frozen=True)
class Columns:
    """The columns of a file; `columns["x"]` is a list of cells.

    `cells` maps each heading to the cells of the column, as typed. Messages name a row by `name`,
    `place` and a number. `lines` returns these numbers; by default rows are counted from 1.
    """

    name: str
    cells: Mapping[str, list[str]]
    lines: Callable[[], Iterable[int]] = lambda: range(1, sys.maxsize)
    place: str = ":"

    def __getitem__(self, name: str) -> list[str]:
        if name not in self.cells:
            known = ", ".join(filter(None, self.cells))
            raise UsageError(f"{self.name} has no column '{name}'; name one of {known}")
        return self.cells[name]

    def parsed(self, name: str, parse: Callable[[str], Any], *, gaps: bool = False) -> list[Any]:
        """Parse the cells of a column; an error names the row.

        With `gaps`, cells without a number, such as "-" and "N/A", are None.

        >>> Columns("a.csv", {"x": ["1", "-"]}).parsed("x", int, gaps=True)
        [1, None]
        """
        found = []
        for line, cell in zip(self.lines(), self[name], strict=False):
            try:
                found.append(None if gaps and cell.lower() in MISSING else parse(cell))
            except UsageError as error:
                raise UsageError(f"{self.name}{self.place}{line}: {error}") from None
        return found

    def at_once(self, name: str) -> Any:
        """Convert a column to float64s; None if a cell is not a decimal."""
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
        raise UsageError(f"cannot read '{source}': {error.strerror}; name another file") from None


def load(file: Source) -> Any:
    """Load the array of a .npy file."""
    import numpy as np

    try:
        return np.load(BytesIO(file.data), allow_pickle=False)
    except Exception:  # numpy parses the header as Python code
        raise UsageError(f"{file.name} is not a complete .npy of numbers; save it again") from None


def read_columns(file: Source, only: str | None = None) -> Columns:
    """Read the columns of a file in any of these layouts.

    A list of numbers is the column x. Two columns of a .npy are x and the values, headed "". If
    `only` names a column, the other columns of the result may be empty.
    """
    name = file.name
    if file.data.startswith(NPY):
        return _array(load(file), name)
    data = re.sub(rb"\r\n?", b"\n", file.data.removeprefix(BOM_UTF8))
    if b"\0" in data or "\ufffd" in data.decode(errors="replace"):
        remedy = "save it as one of them, or add --inputs for raw results"
        raise UsageError(f"{name} is neither UTF-8 text nor .npy; {remedy}")
    data = COMMENT.sub(b"", data) if b"#" in data else data
    first = next(filter(None, map(str.strip, _lines(data))), "")
    if first.startswith(("[", "{")):
        return _json(file)
    if first.startswith("\\") or first.endswith("\\\\"):
        raise UsageError(f"{name} is LaTeX, which is not read; write CSV or Markdown")
    is_markdown = b"|" in data and ROW.search(data)
    if not is_markdown and NUMBER.match(first):
        words = re.sub(rb"#.*", b"", data).replace(b",", b" ")
        return Columns(
            name,
            {"x": words.decode().split()},
            lambda: (at for at, line in enumerate(_lines(words), 1) for _ in line.split()),
        )
    rows = _markdown(data) if is_markdown else _delimited(data, first, name)
    header = next(rows, None)
    if header is None:
        raise UsageError(f"{name} is empty; write one number per line, or a table with a column x")
    names = [" ".join(each.split()) or f"column {at}" for at, each in enumerate(header[1], 1)]
    if len({*names}) < len(names):
        raise UsageError(f"{name} has a column twice ({', '.join(names)}); rename one")
    cells: dict[str, list[str]] = {each: [] for each in names}
    kept = [(at, cells[each]) for at, each in enumerate(names) if only in (None, each)]
    lines = array("L")
    for at, row in rows:
        if len(row) != len(names):
            fault = f"the number of cells is {len(row)}, not {len(names)} as in the first row"
            raise UsageError(f"{name}:{at}: {fault}; fill or quote cells, write 0.5 for 0,5")
        lines.append(at)
        for place, column in kept:
            column.append(row[place].strip())
    return Columns(name, cells, lambda: lines)


def _lines(data: bytes) -> Iterator[str]:
    """Yield lines one by one: a list would take three times the file's memory."""
    return TextIOWrapper(BytesIO(data), "utf-8")


def _delimited(data: bytes, header: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of CSV or TSV, each with the number of its last line."""
    delimiter = next((each for each in "\t;," if each in header), " ")
    lines = map(str.strip, _lines(data)) if delimiter == " " else _lines(data)
    rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        yield from ((rows.line_num, row) for row in rows if any(row))
    except csv.Error as error:
        raise UsageError(f"{name}:{rows.line_num}: {error}; close each quote") from None


def _markdown(data: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a Markdown table; text around the table is skipped."""
    for at, line in enumerate(map(str.strip, _lines(data)), 1):
        if line.startswith("|") and not RULE.fullmatch(line):
            cells = BAR.split(line.removeprefix("|").removesuffix("|"))
            yield at, [ESCAPED.sub(r"\1", cell) for cell in cells]


def _json(file: Source) -> Columns:
    """Read a list of numbers or of row objects; numbers stay texts."""
    remedy = 'write [1, 2] or [{"x": 1, "exact": 0.8}, …]'
    try:
        found = json.loads(file.data, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file.name} is not JSON ({error}); {remedy}") from None
    if not isinstance(found, list):
        raise UsageError(f"{file.name} is not an array; {remedy}")
    rows = [row if isinstance(row, dict) else {"x": row} for row in found]
    names = dict.fromkeys(key for row in rows or [{"x": None}] for key in row)
    cells = {key: ["" if row.get(key) is None else str(row[key]) for row in rows] for key in names}
    return Columns(file.name, cells, place=", row ")


def _array(array: Any, name: str) -> Columns:
    """Read x and values from two columns; any other array is a list of x."""
    if array.dtype.kind not in "fiub":
        raise UsageError(f"{name} holds {array.dtype}, not numbers; save it as float32")
    pairs = array.ndim == 2 and array.shape[1] == 2
    texts = [[*map(str, each.astype(object))] for each in (array.T if pairs else [array.ravel()])]
    return Columns(name, dict(zip(("x", ""), texts, strict=False)), place=", row ")


class Meaning(NamedTuple):
    """Content of a column: a quantity of a form; if `form` is None, x or up."""

    form: Form | None
    quantity: str
    bits: bool = False

    @property
    def name(self) -> str:
        """The name that `table` gives the column, without `_bits`."""
        if self.form is None or self.quantity == "value":
            return self.form.label if self.form else self.quantity
        return f"{self.form.label}_{self.quantity}"


def meaning_of(heading: str) -> Meaning | None:
    """Understand a heading; None if it names neither an input nor a form.

    >>> [meaning_of(each).name for each in ("x_bits", "gelu'(x)", "d/dx SiLU", "x - tanh")]
    ['x', 'gelu_gradient', 'SiLU_gradient', 'tanh_complement']
    >>> meaning_of("remark") is None
    True
    """
    text = re.sub(r"('+)\(x\)", r"(x)\1", heading.replace("″", "''").translate(SIGNS).strip())
    text, bits = text.removesuffix(" bits"), text.endswith(" bits")
    if text.lower() in ("x", "up"):
        return Meaning(None, text.lower(), bits)
    for quantity, pattern in WRITTEN.items():
        if match := re.fullmatch(pattern, text, re.IGNORECASE):
            name = match[match.lastindex or 0].strip()
            known = name.removesuffix("(x)").replace(" ", "_")
            word = known.partition(":")[0].lower()
            if name in FUNCTIONS or word not in {**by_any_name(), **published_forms()}:
                return None
            return Meaning(to_form(known), quantity, bits)
    return None


def understand(
    columns: Columns,
    rename: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
    form: Form | None = None,
    quantity: str | None = None,
) -> dict[str, Meaning]:
    """Find what each column of a file holds, except columns to `ignore`.

    `rename` has words NAME=MEANING. `form` and `quantity` override the heading of the only
    column besides x; a column headed "" holds values of `exact`.
    """
    renamed, ignored = {}, listed(ignore)
    for word in listed(rename):
        name, _, meant = word.partition("=")
        if not (meaning := meaning_of(meant)):
            raise UsageError(f"--rename {word} names no quantity; write e.g. grad=tanh_gradient")
        renamed[name] = meaning
    for name in (*renamed, *ignored):
        columns[name]
    names = [name for name in columns.cells if name not in ignored]
    found = {name: renamed.get(name) or meaning_of(name or "exact") for name in names}
    others = [name for name, each in found.items() if each is None or each.form]
    if form or quantity:
        if len(others) > 1:
            several = f"one column besides x, but {columns.name} has {', '.join(others)}"
            raise UsageError(f"--form and --quantity need {several}; add --ignore NAME")
        for name in others:
            own = found[name] or Meaning(to_form("exact"), "value")
            found[name] = own._replace(form=form or own.form, quantity=quantity or own.quantity)
    for name, each in found.items():
        if each is None:
            fault = f"column {briefly(name)} of {columns.name} is not understood"
            word = quote(name)
            remedy = f"--column {word} if it is x, --rename {word}=FORM, or --ignore {word}"
            raise UsageError(f"{fault}; add {remedy}")
    return {name: each for name, each in found.items() if each}


def input_column(meanings: Mapping[str, Meaning], columns: Columns, name: str) -> str:
    """Find the column of an input; bit patterns are preferred to numbers."""
    by_bits = {each.bits: key for key, each in meanings.items() if each[:2] == (None, name)}
    if not by_bits:
        has = f"{columns.name} has no column {name}, but {', '.join(columns.cells)}"
        raise UsageError(f"{has}; add --rename NAME={name}")
    return by_bits.get(True) or by_bits[False]
