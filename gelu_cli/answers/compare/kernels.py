"""What a comparison of two kernels has found, as reports: where they differ, which is right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import inf, isfinite, isnan
from typing import TYPE_CHECKING

from gelu_cli.answers.sweep import View, facts_of, summary_headings
from gelu_cli.sweeping.rows import PICTURE, Cell, Cells, Numbers, short_text, summary_rows

# Numerical libraries are imported late: help lists the views.
if TYPE_CHECKING:
    from gelu_cli.comparison.differences import Both, Comparison
    from gelu_cli.report import Report

TITLE = "Two kernels compared"
FIRST = "first difference"


def compare_views(
    found: Comparison, digits: int | None, worst: int
) -> Mapping[str, Callable[[], Report]]:
    """Return the tables of a comparison, by name; the first is the default.

    Numbers have so many digits, or are float64s; `worst` inputs of each kind are listed.
    """
    return {name: partial(_report, name, found, digits, worst) for name in TABLES}


def _report(name: str, found: Comparison, digits: int | None, worst: int) -> Report:
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
    )


def _differences(found: Comparison) -> dict[str, str]:
    """Return in words where two kernels differ, and which is right more often."""
    total, names = found.total, [verdict.name for verdict in found.verdicts]
    if not total.differ:
        return {"differ": f"at none of {total.inputs:,} inputs: the same bits everywhere"}
    share = 100 * total.differ / total.inputs
    region, most = max(found.regions.items(), key=lambda item: item[1].differ)
    low, high = region.ends
    said = {
        "differ": f"at {total.differ:,} of {total.inputs:,} inputs ({share:.3g} %), "
        f"{most.differ:,} of them from {low:g} to {high:g}",
        "nearer": _nearer(names, total.nearer_a, total.nearer_b, total.differ),
    }
    if found.first:
        x, a, b, _ = found.first
        dtype, result = found.a.question.dtype, found.a.question.result
        right = found.a.question.want(x)
        said[FIRST] = (
            f"x = {short_text(x, dtype)} ({dtype.hexadecimal(x)}): a {short_text(a, result)}, "
            f"b {short_text(b, result)}, right {short_text(right, result)}"
        )
    return said


def _nearer(names: list[str], of_a: int, of_b: int, differ: int) -> str:
    """Say which of two is nearer the truth more often."""
    counts = {names[0]: of_a, names[1]: of_b}
    if of_a == of_b:
        return f"each at {of_a:,} of these inputs"
    more, less = sorted(names, key=lambda name: -counts[name])
    neither = differ - of_a - of_b
    rest = f", neither at {neither:,}" if neither else ""
    return f"{more} at {counts[more]:,} of these inputs, {less} at {counts[less]:,}{rest}"


# The tables


def _summary_headings() -> dict[str, str]:
    headings = summary_headings()
    del headings["routine"]
    by_jax = {"max_ulp_jax": headings.pop("max_ulp_jax")}
    return {"name": "name", **headings, "differ": "differ", "nearer": "nearer", **by_jax}


def _summary(found: Comparison, numbers: Numbers, worst: int) -> Iterator[Cells]:
    total = found.total
    for verdict, nearer in zip(found.verdicts, (total.nearer_a, total.nearer_b), strict=True):
        (cells,) = summary_rows(verdict, numbers, None)
        yield {**cells, "name": verdict.name, "differ": total.differ, "nearer": nearer}


_REGIONS = {
    "low": "low", "high": "high", "inputs": "inputs", "differ": "differ", "nearer_a": "nearer: a",
    "nearer_b": "nearer: b", "max_ulp_a": "max ULP of a", "max_ulp_a_x": "at x (a)",
    "max_ulp_b": "max ULP of b", "max_ulp_b_x": "at x (b)", "mean_ulp_a": "mean ULP of a",
    "mean_ulp_b": "mean ULP of b", "max_difference": "largest difference, ULP",
}  # fmt: skip


def _regions(found: Comparison, numbers: Numbers, worst: int) -> Iterator[Cells]:
    for region, count in sorted(found.regions.items(), key=lambda item: item[0].ends):
        low, high = map(numbers.x, region.ends)
        cells: dict[str, Cell] = {
            "low": low, "high": high, "inputs": count.inputs, "differ": count.differ,
            "nearer_a": count.nearer_a, "nearer_b": count.nearer_b,
            "max_difference": numbers.float64(count.largest),
        }  # fmt: skip
        for side, verdict in zip("ab", found.verdicts, strict=True):
            tally = verdict.regions[region]
            largest = next(iter(verdict.errors(tally)), None)
            cells[f"max_ulp_{side}"] = numbers.exact(largest and largest.ulp)
            cells[f"max_ulp_{side}_x"] = numbers.x(largest and largest.x)
            cells[f"mean_ulp_{side}"] = numbers.mean(tally)
        yield cells


_RESULT = {
    "x": "x", "x_bits": "x bits", "a": "a", "a_bits": "a bits", "b": "b", "b_bits": "b bits",
    "want": "want", "want_bits": "want bits", "exact": "exact", "a_ulp": "ULP of a",
    "b_ulp": "ULP of b", "difference": "difference, ULP",
}  # fmt: skip


def _worst(found: Comparison, numbers: Numbers, worst: int) -> Iterator[Cells]:
    """Yield the worst inputs of both, of a, of b, and then those with the largest differences."""
    bits = found.a.question.dtype.bits
    of_each = [[each.x for each in verdict.worst[:worst]] for verdict in found.verdicts]
    points = {bits(x): x for each in of_each for x in each}
    of_bits = [{bits(x) for x in each} for each in of_each]
    listed = {
        "both": [place for place in points if place in of_bits[0] & of_bits[1]],
        "a": [place for place in points if place in of_bits[0] - of_bits[1]],
        "b": [place for place in points if place in of_bits[1] - of_bits[0]],
    }
    for name, places in listed.items():
        for place in places:
            yield {"worst_of": name, **_row(found, numbers, *_both(found, points[place]))}
    for each in found.seen.largest[:worst]:
        yield {"worst_of": "difference", **_row(found, numbers, *each[:3])}


def _both(found: Comparison, x: float) -> Both:
    """Return the results of both at one of the worst inputs of either; as judged where they are."""
    from gelu_cli.comparison.differences import Both

    judged: list[dict[float, float]] = [
        {each.x: each.got for each in verdict.total.worst} | dict(verdict.failures)
        for verdict in found.verdicts
    ]
    asked = found.others.get(found.a.question.dtype.bits(x), Both(x, None, None))
    return Both(x, judged[0].get(x, asked.a), judged[1].get(x, asked.b))


def _row(found: Comparison, numbers: Numbers, x: float, a: float | None, b: float | None) -> Cells:
    """Return the row of one input."""
    question = found.a.question
    want = question.want(x)
    errors = [
        None if got is None else verdict.error_at(x, got)
        for verdict, got in zip(found.verdicts, (a, b), strict=True)
    ]
    return {
        "x": numbers.x(x),
        "x_bits": numbers.x_bits(x),
        "a": numbers.result(a),
        "a_bits": numbers.result_bits(a),
        "b": numbers.result(b),
        "b_bits": numbers.result_bits(b),
        "want": numbers.result(want),
        "want_bits": numbers.result_bits(want),
        "exact": numbers.exact(question.exactly(x)),
        "a_ulp": numbers.exact(errors[0] and errors[0].ulp),
        "b_ulp": numbers.exact(errors[1] and errors[1].ulp),
        "difference": _difference(found, numbers, x, a, b),
    }


def _difference(
    found: Comparison, numbers: Numbers, x: float, a: float | None, b: float | None
) -> Cell:
    """Return |a − b|/ulp(y), infinite if one of two different results is no number."""
    from fractions import Fraction

    if a is None or b is None:
        return None
    question = found.a.question
    if isfinite(a) and isfinite(b):
        apart = abs(Fraction(a) - Fraction(b))
        return numbers.exact(apart / question.unit(x, question.exactly(x)))
    return 0.0 if a == b or (isnan(a) and isnan(b)) else inf


def _first(found: Comparison, numbers: Numbers, worst: int) -> Iterator[Cells]:
    if found.first:
        yield _row(found, numbers, *found.first[:3])


TABLES: Mapping[str, View] = {
    "summary": View(
        "the figures of each, how many results differ, how often each is nearer the truth",
        "Two kernels compared in {formats}",
        _summary_headings,
        _summary,
        keys=1,
    ),
    "regions": View("the same by region of x", "By region of x", lambda: _REGIONS, _regions),
    "worst": View(
        "the worst inputs of both, of each, and the largest differences",
        "The worst inputs, and the largest differences",
        lambda: {"worst_of": "worst of", **_RESULT},
        _worst,
    ),
    "first": View(
        "the first input, in the order of bit patterns, where they differ",
        "The first difference",
        lambda: _RESULT,
        _first,
        keys=1,
    ),
}

VIEWS: Mapping[str, str] = {
    **{name: view.words for name, view in TABLES.items()},
    PICTURE: "a picture of the errors of both over x, and of their difference",
}
"""The views of a comparison, each in a few words: the tables, and what `answers.plot` draws."""
