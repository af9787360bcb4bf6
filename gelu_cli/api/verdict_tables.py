"""Tables on kernels: the columns, titles and headings of each view."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gelu_cli.api.verdict_cells import Row
from gelu_cli.output.tables import Table

if TYPE_CHECKING:
    from gelu_cli.api.records import Record

SHOWN = 3
"""Worst inputs on a terminal."""

SMALL_SUMMARY = (
    *("max_ulp", "max_ulp_x", "max_ulp_up", "mean_ulp", "over_1_ulp", "misrounded"),
    *("wrong_nan", "wrong_inf", "wrong_sign", "wrong_zero", "differ", "nearer"),
)
SMALL_WORST = ("kernel", "x", "up", "a", "b", "got", "want", "ulp", "a_ulp", "b_ulp")
"""Columns on a terminal; those of wrong results only if there are any."""

ULP = {
    "ulp": "|got − y|/ulp(y), y the exact value, ulp(y) = 2^(max(⌊log₂|y|⌋, emin) − p + 1); "
    "ordinal: steps in the format from got to y rounded"
}


class View(NamedTuple):
    """Title, columns and explanations of a view."""

    title: str
    columns: str
    meanings: Mapping[str, str] = ULP


VIEWS = {
    "summary": View(
        "Errors of results in {formats}",
        "kernel dtype form quantity inputs exhaustive max_ulp max_ulp_x max_ulp_up max_ulp_x_bits "
        "max_ulp_up_bits mean_ulp over_half_ulp over_1_ulp misrounded wrong_nan wrong_inf "
        "wrong_sign wrong_zero wrong_special non_monotone max_ordinal max_ordinal_x "
        "max_ordinal_up max_abs_error max_abs_x max_abs_up max_rel_error rms_error noise_ratio "
        "unrepeatable",
        {
            **ULP,
            "draws": "RMS error: √E(got − y)² for x from {normal}; noise ratio: that over the same "
            "of correctly rounded results; max rel error: of normal y",
        },
    ),
    "regions": View(
        "Errors by region of x",
        "kernel low high up_low up_high inputs max_ulp max_ulp_x max_ulp_up mean_ulp over_1_ulp",
    ),
    "worst": View("The worst inputs", "kernel x x_bits up up_bits got want exact ulp ordinal"),
    "profile": View(
        "Inputs around 0 with all errors within a bound",
        "kernel bound low high share left_out",
        {"share": "of {normal}"},
    ),
    "criteria": View(
        "Other people's checks of the same results",
        "kernel criterion inputs verdict found threshold x up",
        {
            "found": "what is measured, of {normal} the probability that a draw fails; of atol and "
            "rtol, what passes against the exact values"
        },
    ),
    "plot": View(
        "The largest error in each part of the inputs",
        "kernel low high up_low up_high max_ulp",
        {**ULP, "map": "-o map.png draws these errors"},
    ),
}
"""Views of a sweep; the first is the default, and `plot` has the steps of the picture."""

VIEWS_OF_TWO = {
    "summary": VIEWS["summary"]._replace(
        columns=f"{VIEWS['summary'].columns} differ differ_share nearer"
    ),
    "regions": View(
        "Differences by region of x",
        "low high up_low up_high inputs differ nearer_a nearer_b max_ulp_a max_ulp_b",
        {},
    ),
    "worst": View("Inputs that differ most", "x up a b want a_ulp b_ulp", {}),
    "plot": VIEWS["plot"],
}

HEADINGS = {
    "max_ulp_x": "at x",
    "max_ulp_up": "and up",
    "over_half_ulp": "over ½ ULP",
    "wrong_nan": "wrong NaN",
    "rms_error": "RMS error",
    "bound": "within ULP",
    **{f"nearer_{name}": f"nearer: {name}" for name in "ab"},
    **{f"max_ulp_{name}": f"max ULP of {name}" for name in "ab"},
    **{f"{name}_ulp": f"ULP of {name}" for name in "ab"},
}
MARKS = {
    **dict.fromkeys(("max_ulp", "max_ordinal", "max_abs_error", "max_rel_error"), "≥"),
    **dict.fromkeys(("rms_error", "noise_ratio"), "≈"),
}
"""Columns of which a sample has a lower bound, or an estimate."""


def table_of(record: Record, view: str, rows: Sequence[Row] | None = None) -> Table:
    """Make a view, or the part of it that has some of its rows."""
    title, columns, meanings = (VIEWS | (VIEWS_OF_TWO if record.two else {}))[view]
    names = [each for each in columns.split() if record.pairs or "up" not in each.split("_")]
    words = {"formats": record.formats, "normal": record.normal}
    headings = dict(HEADINGS)
    if not record.exhaustive:
        plain = Table("", dict.fromkeys(MARKS, ()))
        headings |= {name: f"{plain.heading(name)} {mark}" for name, mark in MARKS.items()}
    cells = map(record.cells.row, record.rows(view) if rows is None else rows)
    return Table.of_rows(
        title.format(**words),
        names,
        [{name: row.get(name) for name in names} for row in cells],
        1 if view == "summary" else 2,
        headings,
        {word: text.format(**words) for word, text in meanings.items()},
    )


def on_screen(record: Record) -> list[Table]:
    """Make the tables of a terminal: few columns, and three worst inputs."""
    summary, several = table_of(record, "summary"), len(record.kernels) > 1
    shown = ["kernel" if several else "inputs", *SMALL_SUMMARY]
    if record.two:
        shown.remove("mean_ulp")
    first = [each for each in shown if not each.startswith("wrong_") or any(summary.columns[each])]
    tables = [_part(summary, first)]
    if rows := list(_worst(record)):
        worst = table_of(record, "worst", rows)
        tables.append(_part(worst, SMALL_WORST if several else SMALL_WORST[1:]))
    return tables


def _worst(record: Record) -> Iterator[Row]:
    """Yield three of the worst inputs, of each kernel the largest error."""
    by_kernel: dict[str, list[Row]] = {}
    for row in record.rows("worst"):
        by_kernel.setdefault(row.get("kernel", ""), []).append(row)
    for rows in by_kernel.values():
        first = rows[: max(1, SHOWN // len(by_kernel))]
        largest = max(rows, key=lambda row: row.get("ulp") or 0)
        yield from first if largest in first else [*first[:-1], largest]


def _part(table: Table, names: Sequence[str]) -> Table:
    """Take those of some columns that the table has."""
    columns = {each: table.columns[each] for each in names if each in table.columns}
    return Table(table.title, columns, 1, table.headings)
