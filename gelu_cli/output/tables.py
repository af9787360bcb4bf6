"""Tables, and their renderers: CSV, JSON, Markdown, LaTeX, terminal.

A renderer is a function (table, stream); `RENDERERS` has one for each value of `--format`.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from io import StringIO
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

if TYPE_CHECKING:
    import numpy as np

Cell: TypeAlias = float | int | Decimal | str | None
"""A float64, a count, a text, or a Decimal with correct digits; None is an empty cell."""

Column: TypeAlias = "Sequence[Cell] | np.ndarray"

ROWS_AT_ONCE = 1 << 14
DIGITS_OF_JSON = 17
"""Decimals of more digits, or outside the normal range of float64, are strings in JSON."""

LATEX_SIGNS = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "′": "$'$",
        "″": "$''$",
        "−": "$-$",
        "·": r"$\cdot$",
        "√": r"$\surd$",
        "Φ": r"$\Phi$",
        "φ": r"$\varphi$",
        "σ": r"$\sigma$",
        "β": r"$\beta$",
        "π": r"$\pi$",
        "≤": r"$\le$",
        "≥": r"$\ge$",
        "∞": r"$\infty$",
        "²": "$^2$",
        "³": "$^3$",
        "½": r"$\frac12$",
        "~": r"$\sim$",
        "^": r"\textasciicircum{}",
        "≈": r"$\approx$",
        "×": r"$\times$",
    }
)
"""LaTeX of characters in headings and definitions that pdflatex cannot typeset as they are."""

SUFFIXES = {".txt": "table", ".csv": "csv", ".json": "json", ".md": "markdown", ".tex": "latex"}
FOR_PEOPLE = ("table", "markdown", "latex")
"""Formats whose numbers have 6 digits unless --digits says otherwise."""


@dataclass(frozen=True)
class Table:
    """Columns by name, all of one length.

    A terminal shows `title` above the table and below it `meanings`: words in the table, each with
    its meaning. CSV and JSON use the names in `columns`; the first `keys` columns identify a row.
    People see `headings`; if a column has no entry there, its heading is made from its name.
    """

    title: str
    columns: Mapping[str, Column]
    keys: int = 1
    headings: Mapping[str, str] = field(default_factory=dict)
    meanings: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_rows(
        cls,
        title: str,
        names: str | Iterable[str],
        rows: Iterable[Mapping[str, Cell]],
        keys: int = 1,
        headings: Mapping[str, str] | None = None,
        meanings: Mapping[str, str] | None = None,
    ) -> Table:
        """Make a table of rows; `names` lists its columns, as text or sequence.

        >>> Table.of_rows("", "x y", [{"x": 1, "y": 2.5, "z": 0}]).columns
        {'x': [1], 'y': [2.5]}
        """
        rows = list(rows)
        listed = names.split() if isinstance(names, str) else list(names)
        columns = {name: [row[name] for row in rows] for name in listed}
        return cls(title, columns, keys, headings or {}, meanings or {})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def heading(self, name: str) -> str:
        """Look up the heading of a column."""
        return self.headings.get(name, name.replace("_", " ").replace("ulp", "ULP"))

    def rows(self) -> Iterator[tuple[Cell, ...]]:
        """Yield rows of Python numbers and texts."""
        columns = self.columns.values()
        lists = (each.tolist() if hasattr(each, "tolist") else each for each in columns)
        return zip(*lists, strict=True)

    def dicts(self) -> list[dict[str, Cell]]:
        """List the rows as dictionaries by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows()]


def as_csv(table: Table, out: TextIO) -> None:
    """Write CSV, with the shortest decimals that read back as the float64s."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.columns)
    columns: list[Any] = list(table.columns.values())
    is_array = [hasattr(column, "tolist") for column in columns]
    if any(is_array) and is_array == sorted(is_array):  # lists, then arrays
        first = is_array.index(True)
        _arrays_as_csv(columns[:first], columns[first:], out)
    else:
        writer.writerows(map(to_text, row) for row in table.rows())


def _arrays_as_csv(keys: Sequence[Column], arrays: Sequence[np.ndarray], out: TextIO) -> None:
    """Write rows of keys and float64s in blocks, faster than csv.writer."""
    import numpy as np

    for start in range(0, len(arrays[0]), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        lines = _lines(np.column_stack([array[rows] for array in arrays]))
        if keys:
            cells = zip(*(key[rows] for key in keys), strict=True)
            lines = [_keys_as_csv(*row) + line for row, line in zip(cells, lines, strict=True)]
        out.write("\n".join(lines) + "\n")


def _lines(block: np.ndarray) -> list[str]:
    """Format rows by orjson, with numbers as repr() writes them: 2e-05."""
    import numpy as np
    import orjson

    size = np.abs(block)
    other = ~np.isfinite(block) | ((size >= 1e-5) & (size < 1e-4))
    plain = np.where(other, np.nan, block)  # orjson writes null for NaN
    text = orjson.dumps(plain, option=orjson.OPT_SERIALIZE_NUMPY)[2:-2].decode()
    if other.any():
        cells = map(to_text, block[other].tolist())
        text = re.sub("null", lambda _: next(cells), text)
    return re.sub(r"e-(?=\d\b)", "e-0", text).split("],[")


@lru_cache(typed=True)
def _keys_as_csv(*cells: Cell) -> str:
    """Write the first cells of a row, quoted if necessary."""
    text = StringIO()
    csv.writer(text, lineterminator="").writerow(map(to_text, cells))
    return f"{text.getvalue()},"


def as_json(table: Table, out: TextIO) -> None:
    """Write an array of objects, one per line."""
    lines = (json.dumps(row, ensure_ascii=False, allow_nan=False) for row in json_rows(table))
    out.write("[\n" + ",\n".join(lines) + "\n]\n")


def json_rows(table: Table) -> list[dict[str, Any]]:
    """List the rows as objects for JSON."""
    return [{name: to_json(cell) for name, cell in row.items()} for row in table.dicts()]


def as_markdown(table: Table, out: TextIO) -> None:
    """Write a GitHub Markdown table, with numbers aligned to the right."""
    rules = ["---:" if is_numeric(column) else ":---" for column in table.columns.values()]
    for cells in ([*map(table.heading, table.columns)], rules, *table.rows()):
        shown = (re.sub(r"([\\|`*_<\[$])", r"\\\1", to_short_text(cell)) for cell in cells)
        out.write(f"| {' | '.join(shown)} |\n")


def as_latex(table: Table, out: TextIO) -> None:
    """Write a LaTeX table, with the rules of booktabs."""
    columns = "".join("r" if is_numeric(each) else "l" for each in table.columns.values())
    head = " & ".join(_to_latex(table.heading(name)) for name in table.columns)
    out.write(f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{head} \\\\\n\\midrule\n")
    out.writelines(" & ".join(map(_to_latex, row)) + " \\\\\n" for row in table.rows())
    out.write("\\bottomrule\n\\end{tabular}\n")


def _to_latex(cell: Cell) -> str:
    """Typeset a number in math mode, 2e-05 as 2 × 10⁻⁵; escape a text."""
    if isinstance(cell, str):
        return cell.translate(LATEX_SIGNS)
    mantissa, e, power = to_short_text(cell).partition("e")
    mantissa = mantissa.replace("inf", r"\infty").replace("NaN", r"\mathrm{NaN}")
    factor = rf" \times 10^{{{int(power)}}}" if e else ""
    return f"${mantissa}{factor}$" if mantissa else ""


def as_table(table: Table, out: TextIO) -> None:
    """Write a table as a terminal shows it."""
    from gelu_cli.output.terminal import print_table

    print_table(table, out)


RENDERERS: dict[str, Callable[[Table, TextIO], None]] = {
    "table": as_table,
    "csv": as_csv,
    "json": as_json,
    "markdown": as_markdown,
    "latex": as_latex,
}
"""Functions that write a table, by the value of --format."""


def is_numeric(column: Column) -> bool:
    """Return True if no text is among the first 1000 cells of a column."""
    if hasattr(column, "dtype"):
        return bool(column.dtype.kind in "fiu")
    return not any(isinstance(cell, str) for cell in column[:1000])


def to_text(cell: Cell) -> str:
    """Format a cell for programs: a float64 in as few digits as identify it.

    >>> [to_text(cell) for cell in (0.1, -0.0, float("inf"), Decimal("1.50E-7"), None)]
    ['0.1', '-0.0', 'inf', '1.50e-07', '']
    """
    if cell is None:
        return ""
    if isinstance(cell, Decimal):
        return decimal_text(cell)
    return "NaN" if cell != cell else str(cell)


def to_short_text(cell: Cell) -> str:
    """Format a cell for people.

    >>> to_short_text(-3.0), to_short_text(0.5), to_short_text(65280)
    ('-3', '0.5', '65280')
    """
    return cell if isinstance(cell, str) else to_text(cell).removesuffix(".0")


def decimal_text(number: Decimal) -> str:
    """Format a decimal with all digits, and an exponent like a float's.

    >>> [decimal_text(Decimal(text)) for text in ("0.500", "1.25E+8", "-0", "0.0000031", "NaN")]
    ['0.500', '1.25e+08', '-0', '3.1e-06', 'NaN']
    """
    if not number.is_finite():
        return to_text(float(number))
    if number.is_zero() or ("E" not in str(number) and number.adjusted() >= -5):
        return f"{number:f}"
    mantissa, _, exponent = f"{number:e}".partition("e")
    return f"{mantissa}e{int(exponent):+03d}"


def to_json(cell: Any) -> Any:
    """Convert for JSON; NaN, ∞, long, tiny, huge decimals become strings.

    >>> [to_json(cell) for cell in (float("-inf"), Decimal("0.500"), Decimal("2e-323"), None)]
    ['-Infinity', 0.5, '2e-323', None]
    """
    if isinstance(cell, Decimal):
        is_normal = not cell or 2.0**-1022 <= abs(float(cell)) < math.inf
        if cell.is_finite() and not (is_normal and len(cell.as_tuple().digits) <= DIGITS_OF_JSON):
            return decimal_text(cell)
        cell = float(cell)
    if isinstance(cell, float) and not math.isfinite(cell):
        return "NaN" if cell != cell else "Infinity" if cell > 0 else "-Infinity"
    return cell
