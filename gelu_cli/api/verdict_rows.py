"""Rows on kernels, in exact numbers: one function for each view."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from gelu_cli.accuracy.exact_errors import Result as Single
from gelu_cli.accuracy.measure import Measured
from gelu_cli.accuracy.regions import Place
from gelu_cli.accuracy.tally import Tally
from gelu_cli.accuracy.verdict import Verdict as Found
from gelu_cli.api.verdict_cells import Row

ENDS = ("low", "high", "up_low", "up_high")
WRONG = {"wrong_nan": "wrong NaNs", "wrong_inf": "wrong infinities", "wrong_sign": "wrong signs"}
"""Counts of results that break every bound."""

LISTED = 3
"""Inputs that a note lists."""


def rows_of(view: str, found: Found) -> list[Row]:
    """List the rows of a view on one kernel."""
    pairs, make = found.question.glu is not None, ROWS[view]
    return [{"kernel": found.label, **_inputs_of(row, pairs)} for row in make(found)]


def _inputs_of(row: Row, pairs: bool) -> Row:
    """Drop second inputs of kernels that have one."""
    return {name: cell for name, cell in row.items() if pairs or "up" not in name.split("_")}


def input_names(pairs: bool, quantity: str) -> tuple[str, ...]:
    """Name the inputs of kernels.

    >>> input_names(True, "value"), input_names(False, "gradient")
    (('gate', 'up'), ('x',))
    """
    if not pairs:
        return ("x",)
    return ("x", "upstream") if quantity == "gradient" else ("gate", "up")


def place_of(names: tuple[str, ...], row: Row, prefix: str = "") -> str:
    """Print the inputs in a row; the names of their columns have a prefix.

    >>> place_of(("gate", "up"), {"max_ulp_x": 1.0, "max_ulp_up": -0.5}, "max_ulp_")
    'gate = 1.0, up = -0.5'
    """
    found = zip(names, (row.get(f"{prefix}{each}") for each in ("x", "up")), strict=False)
    return ", ".join(f"{name} = {float(x)!r}" for name, x in found if x is not None) or "an input"


def _summary(found: Found) -> Iterator[Row]:
    question, total, worst = found.question, found.total, found.largest()
    every = "yes" if found.exhaustive else "no"
    ordinal, absolute, relative = map(found.extreme, ("ordinal", "abs", "rel"))
    yield {
        "dtype": question.dtype.name,
        "form": question.form.label,
        "quantity": question.quantity,
        "exhaustive": every if found.complete else "partial",
        **_of_tally(found, total),
        **{name: total[name] for name in ("over_half_ulp", "misrounded", *WRONG, "wrong_zero")},
        "wrong_special": None if found.special is None else len(found.special),
        "non_monotone": found.non_monotone,
        "max_ordinal": ordinal and ordinal.ordinal,
        **_inputs("max_ordinal_", ordinal),
        "max_abs_error": absolute and absolute.absolute,
        **_inputs("max_abs_", absolute),
        "max_rel_error": relative and relative.relative,
        **_inputs("_max_rel_", relative),
        "rms_error": found.rms_error,
        "noise_ratio": found.noise_ratio,
        "unrepeatable": None if found.unrepeatable is None else len(found.unrepeatable),
        "_max_ulp_relative": worst and worst.relative,
        "_saturated": total["saturated"],
        "_lost_share": found.lost_share,
        "_notes": [*_notes(found)],
    }


def _notes(found: Found) -> Iterator[str]:
    """Yield what the reader should know of a kernel."""
    yield from found.notes
    if found.unrepeatable is not None and len(found.unrepeatable):
        rows, question = found.unrepeatable, found.question
        names = input_names(question.glu is not None, question.quantity)
        places = [place_of(names, {"x": row["x"], "up": row["up"]}) for row in rows[:LISTED]]
        count = f"results change from call to call at {len(rows):,} input{'s'[: len(rows) - 1]}"
        yield f"{count}: {', '.join(places)}"
    if found.complete and (many := found.total["saturated"]):
        results = f"{many:,} results are" if many > 1 else "1 result is"
        beyond = f"the largest {found.question.result.name} where the exact value is beyond"
        yield f"{results} {beyond}, which breaks no bound"


def _of_tally(found: Found, tally: Tally) -> Row:
    """Make the cells that the summary and regions share."""
    largest, bits = found.largest(tally), found.question.dtype.hexadecimal
    return {
        "inputs": tally["inputs"],
        "max_ulp": largest and largest.ulp,
        **_inputs("max_ulp_", largest),
        "max_ulp_x_bits": largest and bits(largest.x),
        "max_ulp_up_bits": largest and bits(largest.up),
        "mean_ulp": found.mean_ulp(tally),
        "over_1_ulp": tally["over_1_ulp"],
    }


def _inputs(prefix: str, single: Single | None) -> Row:
    return {f"{prefix}x": single and single.x, f"{prefix}up": single and single.up}


def _regions(found: Found) -> Iterator[Row]:
    for place, tally in found.places():
        yield {**_ends(place), **_of_tally(found, tally)}


def _ends(place: Place) -> Row:
    """Make the cells with the ends of a region."""
    up = place.up.ends if place.up else (None, None)
    return dict(zip(ENDS, (*place.x.ends, *up), strict=True))


def _worst(found: Found) -> Iterator[Row]:
    bits, pairs = found.question.dtype.hexadecimal, found.question.glu
    for each in found.worst():
        yield {**each._asdict(), "x_bits": bits(each.x), "up_bits": pairs and bits(each.up)}


def _profile(found: Found) -> Iterator[Row]:
    yield from (each._asdict() for each in found.profile())


def _criteria(found: Found) -> Iterator[Row]:
    said = {True: "passes", False: "fails", None: None}
    yield from ({**each._asdict(), "verdict": said[each.passes]} for each in found.criteria())


def _plot(found: Found) -> Iterator[Row]:
    """Yield the largest error in each cell, infinite if a result failed."""
    for x, up, largest in found.peaks():
        yield {**dict(zip(ENDS, (*x, *(up or ())), strict=False)), "max_ulp": largest}


ROWS: Mapping[str, Callable[[Found], Iterator[Row]]] = {
    "summary": _summary,
    "regions": _regions,
    "worst": _worst,
    "profile": _profile,
    "criteria": _criteria,
    "plot": _plot,
}

# Two kernels

COUNTS = ("inputs", "differ", "nearer_a", "nearer_b")


def rows_of_two(view: str, found: Measured) -> list[Row]:
    """List the rows of a view on two kernels."""
    if view in ROWS_OF_TWO:
        pairs = found.verdicts[0].question.glu is not None
        return [_inputs_of(row, pairs) for row in ROWS_OF_TWO[view](found)]
    rows = list(chain.from_iterable(rows_of(view, each) for each in found.verdicts))
    if view != "summary":
        return rows
    total = found.total
    of_both = {"differ": total.differ, "differ_share": total.differ_share}
    nearer = total.nearer_a, total.nearer_b
    return [{**row, **of_both, "nearer": count} for row, count in zip(rows, nearer, strict=True)]


def _regions_of_two(found: Measured) -> Iterator[Row]:
    for place, each in sorted(found.differences.items(), key=lambda item: item[0].order):
        a, b = (one.largest(one.regions[place]) for one in found.verdicts)
        counts = {name: getattr(each, name) for name in COUNTS}
        yield {**_ends(place), **counts, "max_ulp_a": a and a.ulp, "max_ulp_b": b and b.ulp}


def _worst_of_two(found: Measured) -> Iterator[Row]:
    """Yield the inputs with the largest differences."""
    one, other = found.verdicts
    for _, x, up, a, b in found.total.worst[: one.keep].tolist():
        mine, its = one.result(x, up, a), other.result(x, up, b)
        row = {"x": x, "up": up, "a": a, "b": b, "want": mine.want}
        yield {**row, "a_ulp": mine.ulp, "b_ulp": its.ulp}


ROWS_OF_TWO = {"regions": _regions_of_two, "worst": _worst_of_two}
