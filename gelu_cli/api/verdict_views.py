"""Tables of errors of kernels: one for each view of sweep and check."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from gelu_cli.accuracy.question import Question
from gelu_cli.accuracy.regions import Place
from gelu_cli.accuracy.tally import Tally
from gelu_cli.accuracy.verdict import Verdict as Found
from gelu_cli.api.bounds import WRONG
from gelu_cli.api.verdict_cells import Cells
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
COUNTED = ("over_half_ulp", "misrounded", "wrong_nan", "wrong_inf", "wrong_sign", "wrong_zero")
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
ESTIMATES = ("rms_error", "noise_ratio")
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


def table_of(
    view: str, found: Sequence[Found], digits: int | None = None, most: int | None = None
) -> Table:
    """Make a view; `most` bounds the worst inputs of each kernel."""
    question, normal, meanings = found[0].question, found[0].normal, MEANINGS.get(view, ULP)
    names = COLUMNS[view].split()
    return Table.of_rows(
        TITLES[view].format(formats=formats_of(question)),
        [name for name in names if question.glu or "up" not in name.split("_")],
        [row for each in found for row in rows_of(view, each, digits, most)],
        1 if view == "summary" else 2,
        headings_of(found),
        {word: text.format(normal=normal) for word, text in meanings.items()},
    )


def rows_of(
    view: str, found: Found, digits: int | None = None, most: int | None = None
) -> Iterator[Row]:
    """Yield the rows of a view on one kernel."""
    cells = Cells(digits, found.question.dtype, found.question.result)
    for row in ROWS[view](found, cells, most):
        yield {"kernel": found.label, **row}


def _summary(found: Found, cells: Cells, most: int | None) -> Iterator[Row]:
    question, of_draws = found.question, (found.rms_error, found.noise_ratio)
    every = "yes" if found.exhaustive else "no"
    counts = [None if each is None else len(each) for each in (found.special, found.unrepeatable)]
    rms, ratio = map(cells.few, ("rms_error", "noise_ratio"), of_draws)
    yield {
        "dtype": question.dtype.name,
        "form": question.form.label,
        "quantity": question.quantity,
        "exhaustive": every if found.complete else "partial",
        **_of_tally(found, found.total, cells),
        **{name: count for name, count in found.counts.items() if name in COUNTED},
        "wrong_special": counts[0],
        "non_monotone": found.non_monotone,
        **_extremes(found, cells),
        "rms_error": rms,
        "noise_ratio": ratio,
        "unrepeatable": counts[1],
    }


def _extremes(found: Found, cells: Cells) -> Row:
    """Make the cells of the largest ordinal, absolute and relative errors."""
    ordinal, absolute, relative = map(found.extreme, ("ordinal", "abs", "rel"))
    return {
        "max_ordinal": ordinal and ordinal.ordinal,
        "max_ordinal_x": cells.x(ordinal and ordinal.x),
        "max_ordinal_up": cells.x(ordinal and ordinal.up),
        "max_abs_error": cells.few("max_abs_error", absolute and absolute.absolute),
        "max_abs_x": cells.x(absolute and absolute.x),
        "max_abs_up": cells.x(absolute and absolute.up),
        "max_rel_error": cells.few("max_rel_error", relative and relative.relative),
    }


def _of_tally(found: Found, tally: Tally, cells: Cells) -> Row:
    """Make the cells that the summary and regions share."""
    largest = found.largest(tally)
    x, up = (largest.x, largest.up) if largest else (None, None)
    return {
        "inputs": tally["inputs"],
        "max_ulp": cells.exact(largest and largest.ulp),
        "max_ulp_x": cells.x(x),
        "max_ulp_x_bits": cells.bits(x),
        "max_ulp_up": cells.x(up),
        "max_ulp_up_bits": cells.bits(up),
        "mean_ulp": cells.few("mean_ulp", found.mean_ulp(tally)),
        "over_1_ulp": tally["over_1_ulp"],
    }


def _regions(found: Found, cells: Cells, most: int | None) -> Iterator[Row]:
    for place, tally in found.places():
        yield {**ends_of(place, cells), **_of_tally(found, tally, cells)}


def ends_of(place: Place, cells: Cells) -> Row:
    """Make the cells that say where a region is."""
    ends = *place.x.ends, *(place.up.ends if place.up else (None, None))
    return dict(zip(("low", "high", "up_low", "up_high"), map(cells.x, ends), strict=True))


def _worst(found: Found, cells: Cells, most: int | None) -> Iterator[Row]:
    for each in found.worst(most):
        yield {
            "x": cells.x(each.x),
            "x_bits": cells.bits(each.x),
            "up": cells.x(each.up),
            "up_bits": cells.bits(each.up) if found.question.glu else None,
            "got": cells.result(each.got),
            "want": cells.result(each.want),
            "exact": cells.exact(each.exact),
            "ulp": cells.exact(each.ulp),
            "ordinal": each.ordinal,
        }


def _profile(found: Found, cells: Cells, most: int | None) -> Iterator[Row]:
    for each in found.profile():
        yield {
            "bound": each.bound,
            "low": cells.x(each.low),
            "high": cells.x(each.high),
            "share": cells.few("share", each.share),
            "left_out": each.left_out,
        }


def _criteria(found: Found, cells: Cells, most: int | None) -> Iterator[Row]:
    for each in found.criteria():
        said = None if each.passes is None else "passes" if each.passes else "fails"
        yield {
            "criterion": each.criterion,
            "inputs": each.inputs,
            "verdict": said,
            "found": cells.of_criterion(each.found, up=each.passes is None),
            "threshold": cells.of_criterion(each.threshold),
            "x": cells.x(each.x),
            "up": cells.x(each.up),
        }


def _plot(found: Found, cells: Cells, most: int | None) -> Iterator[Row]:
    """Yield the largest error in each cell, infinite if a result failed."""
    for x, up, largest in found.peaks():
        ends = zip(("low", "high", "up_low", "up_high"), (*x, *(up or ())), strict=False)
        yield {**dict(ends), "max_ulp": largest}


ROWS: Mapping[str, Callable[[Found, Cells, int | None], Iterator[Row]]] = {
    "summary": _summary,
    "regions": _regions,
    "worst": _worst,
    "profile": _profile,
    "criteria": _criteria,
    "plot": _plot,
}


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
