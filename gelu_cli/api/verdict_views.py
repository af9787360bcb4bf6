"""Tables of errors of kernels: one for each view of sweep and check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from gelu_cli.old.sweeping import rows
from gelu_cli.old.sweeping.exact_errors import JudgedResult, judged_result
from gelu_cli.old.sweeping.truth import Question
from gelu_cli.old.sweeping.verdict import Verdict as Found
from gelu_cli.output.tables import Cell, Table

Row: TypeAlias = Mapping[str, Cell]

SHOWN = 3
"""Worst inputs on a terminal."""

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
    "exhaustive": "each input", "max_ulp": "max ULP", "max_ulp_x": "at x", "max_ulp_up": "and up",
    "max_ulp_x_bits": "x bits", "max_ulp_up_bits": "up bits", "mean_ulp": "mean ULP",
    "over_half_ulp": "over ½ ULP", "over_1_ulp": "over 1 ULP", "wrong_nan": "wrong NaN",
    "non_monotone": "non-monotone", "max_ordinal_x": "ordinal at x", "max_ordinal_up": "and up",
    "max_abs_error": "max |error|", "max_abs_x": "|error| at x", "max_abs_up": "and up",
    "max_rel_error": "max relative", "rms_error": "RMS error", "ulp": "ULP", "up_low": "ups from",
    "up_high": "to", "bound": "within ULP",
}  # fmt: skip
AT_LEAST = {
    "max_ulp": "max ULP ≥", "max_abs_error": "max |error| ≥", "max_rel_error": "max relative ≥",
    "rms_error": "RMS error ≈", "noise_ratio": "noise ratio ≈", "share": "share ≤",
}  # fmt: skip
"""Headings of a sample: other inputs may have larger errors."""

ULP = (
    "|got − y|/ulp(y), y the exact value, ulp(y) = 2^(max(⌊log₂|y|⌋, emin) − p + 1); "
    "ordinal: steps in the format from got to y rounded"
)
DRAWS = (
    "RMS error: √E(got − y)² for x from {normal}; noise ratio: that over the same of correctly "
    "rounded results; max relative: of normal y"
)
CRITERIA = (
    "found: what is measured, of {normal} the probability that a draw fails; atol and rtol: what "
    "passes against the exact values"
)
LATER: Row = dict.fromkeys(("wrong_special", "unrepeatable", "left_out"))
"""Columns that are not measured yet."""


def columns_of(view: str, question: Question) -> list[str]:
    """List the columns of a view; those of second inputs are for pairs alone."""
    names = COLUMNS[view].split()
    return names if question.gating else [each for each in names if "up" not in each.split("_")]


def table_of(
    view: str, found: Sequence[Found], digits: int | None = None, most: int | None = None
) -> Table:
    """Make a view; `most` bounds the worst inputs of each kernel."""
    question = found[0].question
    cells = [row for each in found for row in rows_of(view, each, digits, most)]
    return Table.of_rows(
        TITLES[view].format(formats=formats_of(question)),
        columns_of(view, question),
        cells,
        1 if view == "summary" else 2,
        headings_of(found),
        _meanings(view, question),
    )


def rows_of(
    view: str, found: Found, digits: int | None = None, most: int | None = None
) -> Iterator[Row]:
    """Yield the rows of a view on one kernel."""
    question = found.question
    numbers = rows.Numbers(digits, question.dtype, question.result)
    if view == "worst":
        made: Iterator[Row] = (
            rows.result_row(found, numbers, each) for each in worst_of(found, most)
        )
    else:
        made = rows.ROWS[view](found, numbers, most)
    for row in made:
        named = {"kernel": row["routine"], "form": question.form.label, **LATER, **row}
        yield named | ({"non_monotone": None} if question.gating else {})


def worst_of(found: Found, most: int | None = None) -> list[JudgedResult]:
    """List one failure of each kind, the largest errors, other failures.

    A failure is a NaN or an infinity that is wrong, or missing.
    """
    question = found.question
    failed = [found.judged(each) for each in found.failures]
    first = {_is_nan(each.got) != _is_nan(each.want): each for each in reversed(failed)}
    kinds = [each for each in failed if any(each is one for one in first.values())]
    errors = [judged_result(question, e.x, e.got, e, e.up) for e in found.errors(found.total)]
    others = [each for each in failed if not any(each is one for one in kinds)]
    return [*kinds, *errors, *others][:most]


def _is_nan(number: float) -> bool:
    return number != number


def on_screen(found: Sequence[Found], digits: int | None) -> list[Table]:
    """Make the tables of a terminal: few columns, and three worst inputs."""
    alone = len(found) == 1
    keys = [] if alone else ["kernel"]
    whole = table_of("summary", found, digits)
    names = ["inputs"] * alone + ["max_ulp", "max_ulp_x", "max_ulp_up"] + ["mean_ulp"] * alone
    counts = ("wrong_nan", "wrong_inf", "wrong_sign", "wrong_zero")
    names += ["over_1_ulp", "misrounded", *(each for each in counts if any(whole.columns[each]))]
    worst = table_of("worst", found, digits, max(1, SHOWN // len(found)))
    return [_part(whole, keys, names), _part(worst, keys, ["x", "up", "got", "want", "ulp"])]


def _part(table: Table, keys: Sequence[str], names: Sequence[str]) -> Table:
    """Take some columns, those of them that the table has."""
    shown = {each: table.columns[each] for each in [*keys, *names] if each in table.columns}
    return Table(table.title, shown, len(keys) or 1, table.headings)


def formats_of(question: Question) -> str:
    """Name the format of x and of results, or both."""
    return " → ".join(dict.fromkeys((question.dtype.name, question.result.name)))


def headings_of(found: Sequence[Found]) -> dict[str, str]:
    """List headings; those of a sample say that errors are lower bounds."""
    bounds = {} if all(each.exhaustive for each in found) else AT_LEAST
    headings = HEADINGS | bounds
    if found[0].question.gating and found[0].question.names[1] != "up":
        headings |= {"up": "upstream", "max_ulp_up": "upstream", "up_low": "upstreams from"}
    return headings


def _meanings(view: str, question: Question) -> dict[str, str]:
    normal = str(question.normal)
    meanings = {
        "summary": {"ulp": ULP, "draws": DRAWS.format(normal=normal)},
        "profile": {"share": f"of {normal}"},
        "criteria": {"criteria": CRITERIA.format(normal=normal)},
    }
    return meanings.get(view, {"ulp": ULP})
