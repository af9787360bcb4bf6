"""Tables of errors of kernels: one for each view of sweep and check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import TypeAlias

from gelu_cli.api.bounds import WRONG
from gelu_cli.old.sweeping import rows
from gelu_cli.old.sweeping.exact_errors import JudgedResult, judged_result
from gelu_cli.old.sweeping.truth import Question
from gelu_cli.old.sweeping.verdict import Verdict as Found
from gelu_cli.output.tables import Cell, Table

Row: TypeAlias = Mapping[str, Cell]

SHOWN = 3
"""Worst inputs on a terminal."""

SMALL_SUMMARY = ("max_ulp", "max_ulp_x", "max_ulp_up", "mean_ulp", "over_1_ulp", "misrounded")
SMALL_WORST = ("x", "up", "got", "want", "ulp")

COLUMNS = {
    "summary": "kernel dtype form quantity inputs exhaustive max_ulp max_ulp_x max_ulp_up "
    "max_ulp_x_bits max_ulp_up_bits mean_ulp over_half_ulp over_1_ulp misrounded wrong_nan "
    "wrong_inf wrong_sign wrong_zero wrong_special non_monotone max_ordinal max_ordinal_x "
    "max_ordinal_up max_abs_error max_abs_x max_abs_up max_rel_error rms_error noise_ratio "
    "unrepeatable",
    "regions": "kernel low high up_low up_high inputs max_ulp max_ulp_x max_ulp_up mean_ulp "
    "over_1_ulp",
    "worst": "kernel x x_bits up up_bits got want exact ulp ordinal",
    "profile": "kernel bound low high share left_out",
    "criteria": "kernel criterion inputs verdict found threshold x up",
    "plot": "kernel low high up_low up_high max_ulp",
}
VIEWS = tuple(COLUMNS)
"""The first is the default; `plot` has the steps of the picture."""

TITLES = {
    "summary": "Errors of results in {formats}",
    "regions": "Errors by region of x",
    "worst": "The worst inputs",
    "profile": "Inputs around 0 with all errors within a bound",
    "criteria": "Other people's checks of the same results",
    "plot": "The largest error in each part of the inputs",
}
HEADINGS = {
    "max_ulp_x": "at x",
    "max_ulp_up": "and up",
    "over_half_ulp": "over ½ ULP",
    "bound": "within ULP",
}
LOWER_BOUNDS = ("max_ulp", "max_ordinal", "max_abs_error", "max_rel_error")
ESTIMATES = ("mean_ulp", "rms_error", "noise_ratio")
"""Columns of which a sample knows a lower bound, or an estimate."""

ULP = {
    "ulp": "|got − y|/ulp(y), y the exact value, ulp(y) = 2^(max(⌊log₂|y|⌋, emin) − p + 1); "
    "ordinal: steps in the format from got to y rounded"
}
MEANINGS = {
    "summary": {
        **ULP,
        "draws": "RMS error: √E(got − y)² for x from {normal}; noise ratio: that over the same of "
        "correctly rounded results; max relative: of normal y",
    },
    "profile": {"share": "of {normal}"},
    "criteria": {
        "found": "what is measured, of {normal} the probability that a draw fails; of atol and "
        "rtol, what passes against the exact values"
    },
    "plot": {**ULP, "map": "-o map.png draws these errors"},
}
LATER: Row = dict.fromkeys(("wrong_special", "unrepeatable", "left_out"))
"""Columns that are not measured yet."""


def table_of(
    view: str, found: Sequence[Found], digits: int | None = None, most: int | None = None
) -> Table:
    """Make a view; `most` bounds the worst inputs of each kernel."""
    question, meanings = found[0].question, MEANINGS.get(view, ULP)
    names = COLUMNS[view].split()
    return Table.of_rows(
        TITLES[view].format(formats=formats_of(question)),
        [name for name in names if question.gating or "up" not in name.split("_")],
        [row for each in found for row in rows_of(view, each, digits, most)],
        1 if view == "summary" else 2,
        headings_of(found),
        {word: text.format(normal=question.normal) for word, text in meanings.items()},
    )


def rows_of(
    view: str, found: Found, digits: int | None = None, most: int | None = None
) -> Iterator[Row]:
    """Yield the rows of a view on one kernel."""
    question = found.question
    numbers = rows.Numbers(digits, question.dtype, question.result)
    made = rows.ROWS[view](found, numbers, most)
    if view == "worst":
        made = (rows.result_row(found, numbers, each) for each in worst_of(found, most))
    for row in made:
        named = {"kernel": row["routine"], "form": question.form.label, **LATER, **row}
        yield named | ({"non_monotone": None} if question.gating else {})


def worst_of(found: Found, most: int | None = None) -> list[JudgedResult]:
    """List a failing infinity and NaN, the largest errors, other failures."""
    failed = [found.judged(each) for each in found.failures]
    nans = [each for each in failed if isnan(each.got)]
    others = [each for each in failed if not isnan(each.got)]
    question, largest = found.question, found.errors(found.total)
    errors = [judged_result(question, each.x, each.got, each, each.up) for each in largest]
    return [*others[:1], *nans[:1], *errors, *others[1:], *nans[1:]][:most]


def on_screen(found: Sequence[Found], digits: int | None) -> list[Table]:
    """Make the tables of a terminal: few columns, and three worst inputs."""
    keys = ["kernel"] * (len(found) > 1)
    summary = table_of("summary", found, digits)
    worst = table_of("worst", found, digits, max(1, SHOWN // len(found)))
    wrong = [each for each in (*WRONG, "wrong_zero") if any(summary.columns[each])]
    return [
        _part(summary, [*(keys or ["inputs"]), *SMALL_SUMMARY, *wrong]),
        _part(worst, [*keys, *SMALL_WORST]),
    ]


def _part(table: Table, names: Sequence[str]) -> Table:
    """Take those of some columns that the table has."""
    columns = {each: table.columns[each] for each in names if each in table.columns}
    return Table(table.title, columns, 1, table.headings)


def formats_of(question: Question) -> str:
    """Name the format of x and of results, or both."""
    return " → ".join(dict.fromkeys((question.dtype.name, question.result.name)))


def headings_of(found: Sequence[Found]) -> dict[str, str]:
    """List headings; a sample has lower bounds (≥) and estimates (≈)."""
    if all(each.exhaustive for each in found):
        return HEADINGS
    marks = dict.fromkeys(LOWER_BOUNDS, "≥") | dict.fromkeys(ESTIMATES, "≈")
    names = Table("", dict.fromkeys(marks, ()))
    return HEADINGS | {name: f"{names.heading(name)} {mark}" for name, mark in marks.items()}
