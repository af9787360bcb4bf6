"""What a comparison of two kernels has found, as reports: where they differ, which is right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import inf, isfinite, isnan
from typing import TYPE_CHECKING

from gelu_cli.old.answers.sweep import DECIDING, FIGURES, View, facts_of
from gelu_cli.old.answers.words import of_comparison
from gelu_cli.old.sweeping.rows import (
    PICTURE,
    RMS_DIGITS,
    Cell,
    Cells,
    Numbers,
    ends_of,
    short_text,
    summary_rows,
)

# Numerical libraries are imported late: help lists the views.
if TYPE_CHECKING:
    from gelu_cli.old.comparison.differences import Comparison
    from gelu_cli.old.report import Report

TITLE = "Two kernels compared"


def compare_views(
    found: Comparison, digits: int | None, worst: int
) -> Mapping[str, Callable[[], Report]]:
    """Return the tables of a comparison, by name; the first is the default.

    Numbers have so many digits, or are float64s; `worst` inputs of each kind are listed.
    """

    def report(name: str) -> Report:
        view = TABLES[name]
        said = {"a": found.a.name, "b": found.b.name}
        if name == "summary":
            said |= _differences(found)
        return view.report(
            found.a.question,
            lambda numbers: view.rows(found, numbers, worst),
            {**said, **facts_of(found.verdicts)},
            digits,
            exhaustive=found.a.exhaustive,
            words=of_comparison(found) if name == "summary" else (),
        )

    return {name: partial(report, name) for name in TABLES}


def _differences(found: Comparison) -> dict[str, str]:
    """Return in words where two kernels differ, and which is right more often."""
    total, names = found.total, [verdict.name for verdict in found.verdicts]
    if not total.differ:
        return {"differ": f"at none of {total.inputs:,} inputs: the same bits everywhere"}
    share = 100 * total.differ / total.inputs
    region, there = max(found.by_x.items(), key=lambda item: item[1].differ)
    low, high = region.ends
    of = "with gates " if found.a.question.gating else ""
    a, b = total.nearer_a, total.nearer_b
    nearer = f"each at {a:,} of these inputs"
    if a != b:
        (most, more), (least, less) = sorted(zip((a, b), names, strict=True), reverse=True)
        nearer = f"{more} at {most:,} of these inputs, {less} at {least:,}"
        neither = total.differ - a - b
        nearer += f", neither at {neither:,}" if neither else ""
    said = {
        "differ": f"at {total.differ:,} of {total.inputs:,} inputs ({share:.3g} %), "
        f"{there.differ:,} of them {of}from {low:g} to {high:g}",
        "nearer": nearer,
    }
    if found.seen.first:
        x, of_a, of_b, _, up = found.seen.first
        question, dtype = found.a.question, found.a.question.dtype
        inputs = {"x": x, "up": up} if question.gating else {"x": x}
        texts = {name: short_text(each, dtype) for name, each in inputs.items()}
        where = [f"{name} = {texts[name]} ({dtype.hexadecimal(inputs[name])})" for name in inputs]
        results = {"a": of_a, "b": of_b, "right": question.at(up).want(x)}
        got = [f"{name} {short_text(y, question.result)}" for name, y in results.items()]
        said["first difference"] = f"{', '.join(where)}: {', '.join(got)}"
    return said


# The tables


def _summary(found: Comparison, numbers: Numbers, worst: int) -> Iterator[Cells]:
    total = found.total
    nearer = (total.nearer_a, total.share_a), (total.nearer_b, total.share_b)
    for verdict, (count, share) in zip(found.verdicts, nearer, strict=True):
        (cells,) = summary_rows(verdict, numbers, None)
        cells = {**cells, "name": verdict.name, "differ": total.differ, "nearer": count}
        drawn = found.a.exhaustive or not found.a.question.gating
        yield {**cells, "nearer_share": numbers.in_few(share, RMS_DIGITS) if drawn else None}


def _regions(found: Comparison, numbers: Numbers, worst: int) -> Iterator[Cells]:
    for region, count in sorted(found.regions.items(), key=lambda item: item[0].place):
        cells: dict[str, Cell] = {
            **ends_of(region, numbers), "inputs": count.inputs, "differ": count.differ,
            "nearer_a": count.nearer_a, "nearer_b": count.nearer_b,
            "max_difference": numbers.float64(count.largest),
        }  # fmt: skip
        for side, verdict in zip("ab", found.verdicts, strict=True):
            tally = verdict.regions[region]
            largest = next(iter(verdict.errors(tally)), None)
            cells[f"max_ulp_{side}"] = numbers.exact(largest and largest.ulp)
            cells[f"max_ulp_{side}_x"] = numbers.x(largest and largest.x)
            cells[f"max_ulp_{side}_up"] = numbers.x(largest and largest.up)
            cells[f"mean_ulp_{side}"] = numbers.mean(tally)
        yield cells


def _worst(found: Comparison, numbers: Numbers, worst: int) -> Iterator[Cells]:
    """Yield the worst inputs of both, of a, of b, and then those with the largest differences."""
    bits = found.a.question.dtype.bits
    judged = [
        {(bits(each.x), bits(each.up)): each.got for each in verdict.total.listed}
        for verdict in found.verdicts
    ]
    of_a, of_b = (
        {(bits(each.x), bits(each.up)): (each.x, each.up) for each in verdict.worst[:worst]}
        for verdict in found.verdicts
    )
    points = of_a | of_b
    listed = {
        "both": [place for place in points if place in of_a and place in of_b],
        "a": [place for place in points if place not in of_b],
        "b": [place for place in points if place not in of_a],
    }
    for name, places in listed.items():
        for place in places:
            (x, up), others = points[place], found.others.get(place, (None, None))
            a, b = (of.get(place, other) for of, other in zip(judged, others, strict=True))
            yield {"worst_of": name, **_row(found, numbers, x, a, b, up)}
    for each in found.seen.largest[:worst]:
        yield {"worst_of": "difference", **_row(found, numbers, *each[:3], each.up)}


def _row(
    found: Comparison, numbers: Numbers, x: float, a: float | None, b: float | None, up: float
) -> Cells:
    """Return the row of one input; the difference of two results is |a − b|/ulp(y).

    It is infinite if one of two different results is no number.
    """
    from fractions import Fraction

    question = found.a.question.at(up)
    want, exact = question.want(x), question.exactly(x)
    of_a, of_b = (
        None if got is None else verdict.error_at(x, got, up)
        for verdict, got in zip(found.verdicts, (a, b), strict=True)
    )
    difference: Cell = None
    if a is not None and b is not None:
        difference = 0.0 if a == b or (isnan(a) and isnan(b)) else inf
        if isfinite(a) and isfinite(b):
            apart = abs(Fraction(a) - Fraction(b))
            difference = numbers.exact(apart / question.unit(x, exact))
    return {
        "x": numbers.x(x), "x_bits": numbers.x_bits(x),
        "up": numbers.x(up), "up_bits": numbers.x_bits(up),
        "a": numbers.result(a), "a_bits": numbers.result_bits(a),
        "b": numbers.result(b), "b_bits": numbers.result_bits(b),
        "want": numbers.result(want), "want_bits": numbers.result_bits(want),
        "exact": numbers.exact(exact),
        "a_ulp": numbers.exact(of_a and of_a.ulp), "b_ulp": numbers.exact(of_b and of_b.ulp),
        "difference": difference,
    }  # fmt: skip


def _first(found: Comparison, numbers: Numbers, worst: int) -> Iterator[Cells]:
    if found.seen.first:
        yield _row(found, numbers, *found.seen.first[:3], found.seen.first.up)


RESULT = "x x_bits up up_bits a a_bits b b_bits want want_bits exact a_ulp b_ulp difference"

TABLES: Mapping[str, View] = {
    "summary": View(
        "the figures of each, how many results differ, how often each is nearer the truth",
        "Two kernels compared in {formats}",
        f"name {FIGURES} differ nearer {DECIDING} nearer_share",
        _summary,
        keys=1,
    ),
    "regions": View(
        "the same by region of x",
        "By region of x",
        "low high up_low up_high inputs differ nearer_a nearer_b max_ulp_a max_ulp_a_x "
        "max_ulp_a_up max_ulp_b max_ulp_b_x max_ulp_b_up "
        "mean_ulp_a mean_ulp_b max_difference",
        _regions,
    ),
    "worst": View(
        "the worst inputs of both, of each, and the largest differences",
        "The worst inputs, and the largest differences",
        f"worst_of {RESULT}",
        _worst,
    ),
    "first": View(
        "the first input, in the order of bit patterns, where they differ",
        "The first difference",
        RESULT,
        _first,
        keys=1,
    ),
}

VIEWS: Mapping[str, str] = {
    **{name: view.words for name, view in TABLES.items()},
    PICTURE: "a picture of the errors of both over x, and of their difference",
    "all": "all tables",
}
"""The views of a comparison, each in a few words: the tables, and what `answers.plot` draws."""
