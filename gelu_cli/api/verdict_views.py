"""Views of kernel errors: unrounded rows, tables, pictures.

A region is an interval of x, such as ½ ≤ x < 1; for pairs (x, up) it is an interval of each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gelu_cli.accuracy import Measured, Result
from gelu_cli.accuracy import Verdict as Found
from gelu_cli.accuracy.regions import Place
from gelu_cli.accuracy.tally import COUNTS, Tally
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers import Decimals, find_format, round_fraction, rounding_to
from gelu_cli.output.pictures import LARGEST, Axis, Picture
from gelu_cli.output.tables import Table

if TYPE_CHECKING:
    from gelu_cli.api.records import Record

Row: TypeAlias = Mapping[str, Any]
"""Cells by column, not rounded. Tables show only the columns in `VIEWS` or `OF_TWO`."""

VIEWS = {
    "summary": "kernel dtype form quantity inputs exhaustive max_ulp max_ulp_x max_ulp_up "
    "max_ulp_x_bits max_ulp_up_bits mean_ulp over_half_ulp over_1_ulp misrounded wrong_nan "
    "wrong_inf wrong_sign wrong_zero wrong_special non_monotone max_ordinal max_ordinal_x "
    "max_ordinal_up max_abs_error max_abs_x max_abs_up max_rel_error rms_error noise_ratio "
    "unrepeatable differ differ_share nearer",
    "regions": "kernel low high up_low up_high inputs max_ulp max_ulp_x max_ulp_up mean_ulp "
    "over_1_ulp",
    "worst": "kernel x x_bits up up_bits got want exact ulp ordinal",
    "profile": "kernel bound low high share left_out",
    "criteria": "kernel criterion inputs verdict found threshold x up",
    "plot": "kernel low high up_low up_high max_ulp",
}
"""Columns of each view; the first view is the default."""

OF_TWO = {
    "regions": "low high up_low up_high inputs differ nearer_a nearer_b max_ulp_a max_ulp_b",
    "worst": "x up a b want a_ulp b_ulp",
}
"""Columns of these two views if two kernels are compared; other views are as in `VIEWS`."""

SMALL = (
    *("kernel", "inputs", "max_ulp", "max_ulp_x", "max_ulp_up", "over_1_ulp"),
    *("misrounded", "wrong_nan", "wrong_inf", "wrong_sign", "wrong_zero", "differ", "nearer"),
    *("x", "up", "a", "b", "got", "want", "ulp", "a_ulp", "b_ulp"),
)
"""Columns that a terminal shows; a column `wrong_…` only if a count in the column is not 0."""

HEADINGS = {"max_ulp_x": "at x", "max_ulp_up": "and up", "wrong_nan": "wrong NaN"}
MARKED = {
    "max_ulp": "max ULP ≥",
    "max_abs_error": "max abs error ≥",
    "max_rel_error": "max rel error ≥",
    "rms_error": "RMS error ≈",
    "noise_ratio": "noise ratio ≈",
}
"""Headings of lower bounds (≥) and estimates (≈); without a mark if every input is measured."""

CONSTANTS, RESULTS = ("bound", "threshold"), ("got", "want", "a", "b")
INPUT = re.compile(r"(max_\w+_)?(x|up)|(up_)?(low|high)")
"""Columns of constants; columns of results. INPUT matches the names of columns of inputs."""

CERTAIN = {"max_abs_error": 6, "max_rel_error": 6, "mean_ulp": 6, "share": 11, "found": 10}
CERTAIN |= {"rms_error": 4, "noise_ratio": 4, "differ_share": 4}
"""Numbers of certain digits: float64s sum the values, or choose the input of a maximum."""

FLOAT64_DIGITS = 17
ENDS = ("low", "high", "up_low", "up_high")

FAR, LINEAR, LINEAR_ULP = 100.0, 0.01, 0.01
"""Axes of inputs end at ±FAR and are linear up to ±LINEAR, axes of errors up to LINEAR_ULP."""

# Rows


def rows_of(verdicts: Sequence[Found], view: str) -> list[Row]:
    """List the rows of a view, for one kernel after another."""
    named: list[Row] = []
    for found in verdicts:
        rows: list[Any]
        bits, pairs = found.question.dtype.hexadecimal, found.question.glu is not None
        if view == "summary":
            rows = [_summary(found)]
        elif view == "regions":
            rows = [_ends(place) | _errors(found, tally) for place, tally in found.places()]
        elif view == "worst":
            spelt = [{"x_bits": bits(each.x), "up_bits": bits(each.up)} for each in found.worst()]
            rows = [each._asdict() | more for each, more in zip(found.worst(), spelt, strict=True)]
        else:
            names: Any = {"profile": found.profile, "criteria": found.criteria, "plot": found.peaks}
            rows = [each._asdict() for each in names[view]()]
        cells = ({k: v for k, v in row.items() if pairs or is_first(k)} for row in rows)
        named += [{"kernel": found.label, **each} for each in cells]
    return named


def is_first(column: str) -> bool:
    """Return False for a column that only kernels of two inputs have."""
    return "up" not in column.split("_")


def _summary(found: Found) -> Row:
    question, total = found.question, found.total
    special, unrepeatable = found.special, found.unrepeatable
    ordinal, absolute, relative = map(found.extreme, ("ordinal", "abs", "rel"))
    return {
        "dtype": question.dtype.name,
        "form": question.form.label,
        "quantity": question.quantity,
        "exhaustive": ("yes" if found.exhaustive else "no") if found.complete else "partial",
        **_errors(found, total),
        "wrong_special": None if special is None else len(special),
        "non_monotone": found.non_monotone,
        "max_ordinal": ordinal and ordinal.ordinal,
        **_inputs("max_ordinal_", ordinal),
        "max_abs_error": absolute and absolute.absolute,
        **_inputs("max_abs_", absolute),
        "max_rel_error": relative and relative.relative,
        **_inputs("max_rel_", relative),
        "rms_error": found.rms_error,
        "noise_ratio": found.noise_ratio,
        "lost_share": found.lost_share,
        "unrepeatable": None if unrepeatable is None else len(unrepeatable),
        "notes": found.notes,
    }


def _ends(place: Place) -> dict[str, Any]:
    return dict(zip(ENDS, place.order, strict=False))


def _errors(found: Found, tally: Tally) -> dict[str, Any]:
    """Make the cells that the summary and a region have in common."""
    largest, bits = found.largest(tally), found.question.dtype.hexadecimal
    return {
        **{name: tally[name] for name in COUNTS},
        "max_ulp": largest and largest.ulp,
        **_inputs("max_ulp_", largest),
        "max_ulp_x_bits": largest and bits(largest.x),
        "max_ulp_up_bits": largest and bits(largest.up),
        "mean_ulp": found.mean_ulp(tally),
    }


def _inputs(prefix: str, single: Result | None) -> Row:
    return {f"{prefix}x": single and single.x, f"{prefix}up": single and single.up}


def rows_of_two(found: Measured, view: str) -> list[Row]:
    """List the rows of a view, for two compared kernels."""
    a, b = found.verdicts
    rows: list[Row] = []
    total = found.total
    if view == "worst":
        for _, x, up, *got in total.worst[: a.keep].tolist():
            mine, its = a.result(x, up, got[0]), b.result(x, up, got[1])
            row = {"x": x, "up": up, "a": mine.got, "b": its.got, "want": mine.want}
            rows.append({**row, "a_ulp": mine.ulp, "b_ulp": its.ulp})
    elif view == "regions":
        for place in sorted(found.differences, key=lambda each: each.order):
            largest = [each.largest(each.regions[place]) for each in (a, b)]
            errors = {f"max_ulp_{n}": e and e.ulp for n, e in zip("ab", largest, strict=True)}
            rows.append({**_ends(place), **vars(found.differences[place]), **errors})
    else:
        rows = rows_of([a, b], view)
    if view == "summary":
        of_both = {"differ": total.differ, "differ_share": total.differ_share}
        both = zip(rows, (total.nearer_a, total.nearer_b), strict=True)
        rows = [{**row, **of_both, "nearer": each} for row, each in both]
    return rows


# Tables


def cell_of(record: Record, column: str, value: Any) -> Any:
    """Round a number by the rule for its column; keep texts and counts."""
    digits = record.digits
    if value is None or isinstance(value, str | int) or column in CONSTANTS:
        return value
    if INPUT.fullmatch(column) or column in RESULTS:  # different numbers stay different
        if not value or not isfinite(value) or digits is None or digits > FLOAT64_DIGITS:
            return value
        of = record.question["result" if column in RESULTS else "dtype"]
        return Decimal(find_format(of).shortest(value, digits))
    if (number := exactly(value)) is None:
        return float(value)
    if most := CERTAIN.get(column):
        cell = Decimals(min(digits or most, most)).exactly(number)
        near = float(cell)  # may be 0 or infinite
        return near if not digits and isfinite(near) and bool(near) == bool(cell) else cell
    cell = round_fraction(rounding_to(digits), to_fraction(number))
    return Decimals(FLOAT64_DIGITS).exactly(number) if cell in (inf, -inf) else cell


def exactly(value: Any) -> Fraction | None:
    """Convert a number to a fraction; return None if it is not finite.

    >>> exactly(0.5), exactly(Decimal("2e400")) == 2 * 10**400, exactly(inf), exactly(None)
    (Fraction(1, 2), True, None, None)
    """
    try:
        return Fraction(value)
    except (TypeError, ValueError, OverflowError):  # None, NaN, infinities
        return None


def table_of(record: Record, view: str, rows: Sequence[Row] | None = None) -> Table:
    """Make the table of a view, from `rows` or from all rows of the view."""
    columns = (VIEWS | (OF_TWO if record.two else {}))[view]
    some = record.rows(view) if rows is None else rows
    known = some[0] if some else columns  # some columns are for two kernels or for pairs
    names = [each for each in columns.split() if each in known and (record.pairs or is_first(each))]
    marked = {name: text.rstrip(" ≥≈" * record.exhaustive) for name, text in MARKED.items()}
    return Table.of_rows(
        f"Errors of {record.subject}: {view}",
        names,
        [{name: cell_of(record, name, row.get(name)) for name in names} for row in some],
        1 if view == "summary" else 2,
        HEADINGS | marked,
    )


def on_screen(record: Record) -> list[Table]:
    """Make the tables of a terminal: few columns, and the worst inputs.

    For one kernel show three inputs, one of them with the largest error; for two compared kernels
    the first three; for several kernels one input each, with the kernel's largest error.
    """
    several, rows = len(record.kernels) > 1, record.rows("worst")
    worst = rows[:3]
    if not record.two:  # show the largest error of each kernel
        by_kernel = filter(None, (each.rows("worst") for each in record.each()))
        largest = [max(some, key=lambda row: row["ulp"] or 0) for some in by_kernel]
        if several or not all(row in worst for row in largest):
            worst = [*([] if several else worst[:2]), *largest]
    tables = []
    for table in (table_of(record, "summary"), table_of(record, "worst", worst)):
        columns = {
            name: table.columns[name]
            for name in SMALL
            if name in table.columns
            and name != ("inputs" if several else "kernel")
            and (any(table.columns[name]) or not name.startswith("wrong_"))
        }
        tables += [Table(table.title, columns, 1, table.headings)] * bool(len(table))
    return tables


# Pictures


def picture_of(record: Record, limit: Fraction | None = None) -> Picture:
    """Draw the largest error in each part of an axis, from the view `plot`.

    A part is an interval of inputs; inputs beyond ±100 count in the outermost parts. For pairs draw
    a map for each kernel. `limit` is a bound in ULP.
    """
    title = f"Largest errors of {record.subject}"
    rows: dict[str, list[Row]] = {row["kernel"]: [] for row in record.kernels}
    for row in record.rows("plot"):
        if None in row.values():
            continue
        rows.setdefault(row["kernel"], []).append(row)
    every = [row for each in rows.values() for row in each]
    x = _edges(every, "low", "high")
    beyond = f"; beyond ±{FAR:g} in the outermost parts"
    names = ("gate", "up") if record.question.get("glu") else ("x", "upstream")
    axes = [Axis(name + beyond, LINEAR) for name in names]
    if record.pairs:
        up = _edges(every, "up_low", "up_high")
        maps = {name: _largest(each, x, up) for name, each in rows.items()}
        return Picture(title, x, maps, axes[0], axes[1], y=up)
    steps = {name: np.repeat(_largest(each, x, np.arange(2))[0], 2) for name, each in rows.items()}
    levels = {"½ ULP": 0.5}
    if limit is not None:
        bound = float(min(limit, Fraction(LARGEST)))
        levels[f"bound: {bound:g} ULP"] = bound
    errors = Axis("largest error in ULP", LINEAR_ULP)
    return Picture(title, np.repeat(x, 2)[1:-1], steps, axes[0], errors, levels)


def _edges(rows: Sequence[Row], low: str, high: str) -> np.ndarray:
    """List the ends of the parts of an axis, clipped at ±100."""
    ends = np.unique([row.get(name, 0.0) for row in rows for name in (low, high)])
    near = np.unique(np.clip(ends, -FAR, FAR))
    return near if len(near) > 1 else ends


def _largest(rows: Sequence[Any], x: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Find the largest error in each part; NaN for a part without inputs."""
    errors = np.full((len(up) - 1, len(x) - 1), nan)
    for row in rows:
        place = _part(up, row.get("up_low", 0)), _part(x, row["low"])
        errors[place] = np.fmax(errors[place], row["max_ulp"])
    return errors


def _part(edges: np.ndarray, low: float) -> int:
    """Find the index of the part that holds the numbers just above `low`."""
    return int(np.clip(np.searchsorted(edges, low, "right") - 1, 0, len(edges) - 2))
