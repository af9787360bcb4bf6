"""What a budget judges: the figures of one kernel, over any regions of x."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from math import inf, isfinite, isinf, isnan
from typing import NamedTuple

from gelu_cli.old.arithmetic.formats import Format, find_format
from gelu_cli.old.budgets.entries import (
    AT_INFINITY,
    ERRORS,
    FIGURES,
    MAX_ORDINAL,
    MAX_ULP,
    NOISE,
    Bound,
    Names,
)
from gelu_cli.old.formulas import canonical
from gelu_cli.old.sweeping.implementations import Kernel
from gelu_cli.old.sweeping.records import Record, Row
from gelu_cli.old.sweeping.regions import Region, region_between
from gelu_cli.old.sweeping.tally import Tally
from gelu_cli.old.sweeping.truth import Question
from gelu_cli.old.sweeping.verdict import Verdict

KEPT = 26
"""How many of the largest errors are looked at, as in a verdict."""

LARGEST = (MAX_ULP, MAX_ORDINAL, *ERRORS, NOISE)
"""The figures of which regions together have the largest; the others are counts, and add up."""

BROKEN = ("wrong_nan", "wrong_inf", "wrong_sign")
"""Counts of results that no kernel should have, however few digits are right."""


class Found(NamedTuple):
    """A figure, where it was found if that is one input, and what is to be said of it there."""

    value: Bound
    x: float | None = None
    said: str = ""
    """What stands for the value where that is no number."""

    up: float = 1.0
    """The second input there, of a kernel that has two."""


@dataclass(frozen=True)
class KernelFigures:
    """The figures of one kernel; those of a sample, which is not `exhaustive`, are lower bounds.

    `columns` are the figures that tables have of it, `covered` how many inputs of each region were
    judged, and in `AT_INFINITY` those that lie in none. `over` returns a figure over some regions,
    or None if it is not known there.
    """

    names: Names
    dtype: Format
    exhaustive: bool
    inputs: int
    columns: Sequence[str]
    covered: Mapping[Region, int]
    over: Callable[[str, frozenset[Region]], Found | None]

    def is_whole(self, scope: frozenset[Region]) -> bool:
        """Return whether all numbers of all of the regions were judged."""
        return self.exhaustive and all(
            self.covered.get(region, 0) >= size(region, self.dtype)
            for region in scope - {AT_INFINITY}
        )


def is_broken(figure: str, value: Bound, result: str) -> bool:
    """Return whether a figure is one of a broken kernel, with results in a format of that name.

    It has a wrong NaN, infinity or sign, or an error beyond 2^p ULP, p the precision of the format.

    >>> is_broken("max_ulp", 255.5, "bfloat16"), is_broken("max_ulp", inf, "bfloat16")
    (False, True)
    """
    if figure == MAX_ULP:
        return value > 1 << find_format(result).precision
    return figure in BROKEN and value > 0


def size(region: Region, number_format: Format) -> int:
    """Return how many numbers of a format are in a region.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> size(Region(-1, 4.0, 8.0), FORMATS["bfloat16"])
    128
    """
    bits = number_format.bits
    end = bits(number_format.largest) + 1 if isinf(region.high) else bits(region.high)
    return end - bits(region.low)


def names_of(kernel: str, question: Question) -> Names:
    """Return the names of figures: a kernel, and what its results should be."""
    formats = question.dtype.name, question.result.name
    glu = question.gating.name if question.gating else ""
    return Names(kernel, *formats, canonical(question.form.label), question.quantity, glu)


def named(kernel: Kernel) -> tuple[Names, Format]:
    """Return the names of what a kernel's figures will be, and the format of x."""
    return names_of(kernel.implementation.name, kernel.question), kernel.question.dtype


def figures_of(verdict: Verdict) -> KernelFigures:
    """Return the figures of a verdict, with those of its results in other surroundings."""
    question, inputs = verdict.question, verdict.total.inputs
    verdict = replace(verdict, regions=_by_x(verdict))
    verdicts = [verdict, *([verdict.changes.judged] if verdict.changes else [])]
    left = "non_monotone" if question.gating else "" if question.may_overflow else "saturated"
    return KernelFigures(
        names_of(verdict.name, question),
        question.dtype,
        verdict.exhaustive,
        inputs,
        [each for each in FIGURES if each != left],
        _covered(inputs, {region: tally.inputs for region, tally in verdict.regions.items()}),
        cache(partial(_in_scope, verdicts)),
    )


def figures_of_record(record: Record) -> list[KernelFigures]:
    """Return the figures of each kernel of a record."""
    return [
        figures_of_rows(
            each, record.rows("summary", each.name)[0], record.rows("regions", each.name)
        )
        for each in record.verdicts
    ]


def figures_of_rows(verdict: Verdict, summary: Row, rows: Sequence[Row]) -> KernelFigures:
    """Return the figures that a record has of a kernel: the rows of its summary and its regions.

    Over some regions it knows no more than their rows tell. Results in other surroundings are
    known as a verdict, and not by region.
    """
    question, exhaustive = verdict.question, verdict.exhaustive and verdict.complete
    around = verdict.changes.judged if verdict.changes else None
    by_region = defaultdict[Region, list[Row]](list)
    for row in rows:
        region = region_between(question.dtype, row["low"], row["high"])
        if region:  # which has a row for each region of second inputs
            by_region[region].append(row)
    counts = {region: sum(row["inputs"] for row in found) for region, found in by_region.items()}
    covered = _covered(summary["inputs"], counts)

    def over(figure: str, scope: frozenset[Region]) -> Found | None:
        whole = scope >= covered.keys()
        some = [row for each in scope & by_region.keys() for row in by_region[each]]
        rows = [summary] if whole else some
        if figure not in LARGEST and not summary.get(figure, 1):
            return Found(0)  # as in all regions together
        if any(figure not in row for row in rows):
            return None
        if figure not in LARGEST:
            return Found(sum(row[figure] for row in rows))
        if figure != MAX_ORDINAL and (summary["wrong_nan"] or summary["wrong_inf"]):
            return Found(inf, None, "nan or inf") if whole else None  # no row says where
        if around and not whole:
            return None
        found = [
            _found(row[figure], None if x is None else float(x), 1.0 if up is None else float(up))
            for row in rows
            for x, up in [[row.get(f"{figure.removesuffix('_error')}_{of}") for of in ("x", "up")]]
            if row[figure] is not None
        ]
        more = _in_scope([around], figure, scope) if around and figure != NOISE else None
        return _largest(figure, [*found, *([more] if more else [])])

    names, columns = names_of(verdict.name, question), [each for each in FIGURES if each in summary]
    given = question.dtype, exhaustive, summary["inputs"], columns, covered
    return KernelFigures(names, *given, over)


def _covered(inputs: int, regions: Mapping[Region, int]) -> Mapping[Region, int]:
    limits = inputs - sum(regions.values())
    return {**regions, AT_INFINITY: limits} if limits else regions


def _found(value: float, x: float | None = None, up: float = 1.0) -> Found:
    return Found(inf, x, "inf", up) if isinf(value) else Found(Fraction(value), x, up=up)


def _largest(figure: str, found: Iterable[Found]) -> Found | None:
    nothing = None if figure in (*ERRORS, NOISE) else Found(0)
    return max(found, key=lambda each: each.value, default=nothing)


def _in_scope(verdicts: Sequence[Verdict], figure: str, scope: frozenset[Region]) -> Found | None:
    """Return a figure of verdicts over some regions, None if no result has one.

    Counts are those of the first verdict, and so is the noise ratio.
    """
    if figure not in LARGEST:
        return Found(_tally(verdicts[0], scope).counts[figure])
    found = [(verdict, _tally(verdict, scope)) for verdict in verdicts]
    if figure == MAX_ORDINAL:  # of results that are numbers
        errors = [verdict.error_at(*tally.furthest[1:]) for verdict, tally in found if tally.judged]
        ordinals = (Found(error.ordinal, error.x, up=error.up) for error in errors if error)
        return _largest(figure, ordinals)
    for verdict, tally in found:
        if tally.failures:  # a wrong NaN or infinity is beyond any error
            first = verdict.judged(tally.failures[0])
            said = f"{first.got!r}, where {first.want!r} is right,"
            return Found(inf, first.x, said, first.up)
    if figure == NOISE:
        ratio = found[0][1].drawn.noise_ratio
        return None if isnan(ratio) else _found(ratio)
    if figure in ERRORS:
        name = ERRORS[figure]
        farthest = [(verdict.farthest_error(name, tally), verdict.farthest(name, tally))
                  for verdict, tally in found]  # fmt: skip
        return _largest(figure, (Found(*size, up=at.up) for at, size in farthest if at and size))
    worst = (verdict.errors(tally)[0] for verdict, tally in found if tally.worst)
    return _largest(figure, (Found(error.ulp, error.x, up=error.up) for error in worst))


def _by_x(verdict: Verdict) -> dict[Region, Tally]:
    """Return what a verdict has found by the region of x, for all second inputs together."""
    if not verdict.question.gating:
        return verdict.regions
    found: dict[Region, Tally] = {}
    for region, tally in verdict.regions.items():
        found.setdefault(region._replace(up=None), Tally()).add(tally, KEPT)
    return found


def _tally(verdict: Verdict, scope: frozenset[Region]) -> Tally:
    """Return what a verdict has found in some regions; steps out of them are not counted."""
    total = verdict.total
    regions = verdict.regions
    if scope >= {*regions, AT_INFINITY}:
        return total
    merged = Tally()
    for region, tally in regions.items():
        if region in scope:
            merged.add(tally, KEPT)
        else:
            merged.ends = None  # the next one is no neighbour
    if AT_INFINITY in scope:  # a verdict has what lies in no region in its total alone
        numbers = _tally(verdict, frozenset(regions))
        limits = Tally(
            inputs=total.inputs - numbers.inputs,
            judged=total.judged - numbers.judged,
            counts={name: total.counts[name] - numbers.counts[name] for name in total.counts},
            worst=[entry for entry in total.worst if _is_limit(entry.x, entry.up)],
            farthest={
                name: each for name, each in total.farthest.items() if _is_limit(each[1], each[3])
            },
            failures=[entry for entry in total.failures if _is_limit(entry.x, entry.up)],
        )
        merged.add(limits, KEPT)
    return merged


def _is_limit(x: float, up: float) -> bool:
    return not (isfinite(x) and isfinite(up))
