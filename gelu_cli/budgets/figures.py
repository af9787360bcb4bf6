"""What a budget judges: the figures of one kernel, over any regions of x."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from math import inf, isinf, isnan
from typing import Any, NamedTuple, Protocol

from gelu_cli.arithmetic.formats import Format, find_format
from gelu_cli.budgets.entries import AT_INFINITY, FIGURES, MAX_ORDINAL, MAX_ULP, Bound, Names
from gelu_cli.forms import canonical
from gelu_cli.sweeping.implementations import Kernel
from gelu_cli.sweeping.metrics import METRICS
from gelu_cli.sweeping.records import Record
from gelu_cli.sweeping.regions import Region, region_between
from gelu_cli.sweeping.tally import Tally
from gelu_cli.sweeping.truth import Question
from gelu_cli.sweeping.verdict import Verdict

KEPT = 26
"""How many of the largest errors are looked at, as in a verdict."""


class Found(NamedTuple):
    """A figure, where it was found if that is one input, and what is to be said of it there."""

    value: Bound
    x: float | None = None
    said: str = ""
    """What stands for the value where that is no number."""


class KernelFigures(Protocol):
    """The figures of one kernel."""

    names: Names
    dtype: Format
    exhaustive: bool
    """Whether every input of the range was judged; figures of a sample are lower bounds."""

    inputs: int
    columns: Sequence[str]
    """The figures that tables have of it."""

    def __call__(self, figure: str, scope: frozenset[Region]) -> Found | None:
        """Return a figure over some regions, or None if it is not known there."""

    def covered(self) -> Mapping[Region, int]:
        """Return how many inputs of each region were judged."""


BROKEN = ("wrong_nan", "wrong_inf", "wrong_sign")
"""Counts of results that no kernel should have, however few digits are right."""


def is_broken(figure: str, value: Bound, result: str) -> bool:
    """Return whether a figure is one of a broken kernel, with results in a format of that name.

    It has a wrong NaN, infinity or sign, or an error beyond 2^p ULP, p the precision of the format.

    >>> is_broken("max_ulp", 255.5, "bfloat16"), is_broken("max_ulp", inf, "bfloat16")
    (False, True)
    """
    if figure == MAX_ULP:
        return value > 1 << find_format(result).precision
    return figure in BROKEN and value > 0


def is_whole(figures: KernelFigures, scope: frozenset[Region]) -> bool:
    """Return whether all numbers of all of the regions were judged."""
    covered = figures.covered()
    return figures.exhaustive and all(
        covered.get(region, 0) >= size(region, figures.dtype) for region in scope - {AT_INFINITY}
    )


def size(region: Region, number_format: Format) -> int:
    """Return how many numbers of a format are in a region.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> size(Region(-1, 4.0, 8.0), FORMATS["bfloat16"])
    128
    """
    if isinf(region.high):
        end = number_format.bits(number_format.largest) + 1
    else:
        end = number_format.bits(region.high)
    return end - number_format.bits(region.low)


def names_of(kernel: str, question: Question) -> Names:
    """Return the names of figures: a kernel, and what its results should be."""
    formats = question.dtype.name, question.result.name
    return Names(kernel, *formats, canonical(question.form.label), question.quantity)


def named(kernel: Kernel) -> tuple[Names, Format]:
    """Return the names of what a kernel's figures will be, and the format of x."""
    return names_of(kernel.implementation.name, kernel.question), kernel.question.dtype


class FiguresOfVerdict:
    """The figures of a verdict, with those of its results in other surroundings."""

    def __init__(self, verdict: Verdict) -> None:
        self.names = names_of(verdict.name, verdict.question)
        self.dtype = verdict.question.dtype
        self.exhaustive = verdict.exhaustive
        self.inputs = verdict.total.inputs
        overflow = verdict.question.may_overflow
        self.columns: Sequence[str] = [each for each in FIGURES if overflow or each != "saturated"]
        around = verdict.changes
        self._verdict = verdict
        verdicts = [verdict, *([around.judged] if around else [])]
        self._find = cache(partial(_in_scope, verdicts))

    def __call__(self, figure: str, scope: frozenset[Region]) -> Found:
        """Return a figure over some regions."""
        return self._find(figure, scope)

    def covered(self) -> Mapping[Region, int]:
        """Return how many inputs of each region were judged."""
        regions = self._verdict.regions
        return _with_limits(self.inputs, {each: regions[each].inputs for each in regions})


def _with_limits(inputs: int, regions: Mapping[Region, int]) -> Mapping[Region, int]:
    """Return the numbers of inputs by region, with those that lie in no region."""
    limits = inputs - sum(regions.values())
    return {**regions, AT_INFINITY: limits} if limits else regions


class FiguresOfRows:
    """The figures that a record has of a kernel: the rows of its summary and its regions.

    Over some regions it knows no more than their rows tell. Results in other surroundings are
    known as a verdict, and not by region.
    """

    def __init__(
        self,
        names: Names,
        number_format: Format,
        exhaustive: bool,
        summary: Mapping[str, Any],
        rows: Sequence[Mapping[str, Any]],
        around: Verdict | None = None,
    ) -> None:
        self.names, self.dtype, self.exhaustive = names, number_format, exhaustive
        self.inputs = summary["inputs"]
        self.columns: Sequence[str] = [figure for figure in FIGURES if figure in summary]
        self._summary, self._around = summary, around
        found = ((region_between(number_format, row["low"], row["high"]), row) for row in rows)
        self._rows = {region: row for region, row in found if region}

    def __call__(self, figure: str, scope: frozenset[Region]) -> Found | None:
        """Return a figure over some regions, None where the rows do not tell it."""
        whole = scope >= self.covered().keys()
        rows = [self._summary] if whole else [self._rows[each] for each in scope & {*self._rows}]
        if figure not in LARGEST and not self._summary.get(figure, 1):
            return Found(0)  # as in all regions together
        if any(figure not in row for row in rows):
            return None
        if figure not in LARGEST:
            return Found(sum(row[figure] for row in rows))
        if figure == MAX_ULP and (self._summary["wrong_nan"] or self._summary["wrong_inf"]):
            return Found(inf, None, "nan or inf") if whole else None  # no row says where
        places = ((row[figure], row.get(f"{figure}_x")) for row in rows)
        found = [
            Found(Fraction(value), None if x is None else float(x))
            for value, x in places
            if value is not None
        ]
        if self._around:
            if not whole:
                return None
            found.append(_in_scope([self._around], figure, scope))
        return _largest(found)

    def covered(self) -> Mapping[Region, int]:
        """Return how many inputs of each region were judged."""
        return _with_limits(self.inputs, {each: row["inputs"] for each, row in self._rows.items()})


def figures_of_record(record: Record) -> list[FiguresOfRows]:
    """Return the figures of each kernel of a record."""
    return [
        FiguresOfRows(
            names_of(verdict.name, verdict.question),
            verdict.question.dtype,
            verdict.exhaustive and verdict.complete,
            record.rows("summary", verdict.name)[0],
            record.rows("regions", verdict.name),
            verdict.changes.judged if verdict.changes else None,
        )
        for verdict in record.verdicts
    ]


def _max_ulp(found: Sequence[tuple[Verdict, Tally]]) -> Found:
    """Return the largest error in ULP; a wrong NaN or infinity is beyond any."""
    for verdict, tally in found:
        if tally.failures:
            x, got = tally.failures[0]
            return Found(inf, x, f"{got!r}, where {verdict.question.want(x)!r} is right,")
    worst = (verdict.errors(tally)[0] for verdict, tally in found if tally.worst)
    return _largest(Found(error.ulp, error.x) for error in worst)


def _max_ordinal(found: Sequence[tuple[Verdict, Tally]]) -> Found:
    """Return the largest ordinal distance of results that are numbers."""
    furthest = (verdict.error_at(*tally.furthest[1:]) for verdict, tally in found if tally.judged)
    return _largest(Found(error.ordinal, error.x) for error in furthest if error)


def _in_scope(verdicts: Sequence[Verdict], figure: str, scope: frozenset[Region]) -> Found:
    """Return a figure of verdicts over some regions; counts are those of the first."""
    if figure not in LARGEST:
        return Found(tally_over(verdicts[0], scope).counts[figure])
    return LARGEST[figure]([(verdict, tally_over(verdict, scope)) for verdict in verdicts])


LARGEST = {MAX_ULP: _max_ulp, MAX_ORDINAL: _max_ordinal}
"""The figures of which regions together have the largest; the others are counts, and add up."""


def _largest(found: Iterable[Found]) -> Found:
    return max(found, key=lambda each: each.value, default=Found(0))


def tally_over(verdict: Verdict, scope: frozenset[Region]) -> Tally:
    """Return what a verdict has found in some regions; steps out of them are not counted."""
    if scope >= {*verdict.regions, AT_INFINITY}:
        return verdict.total
    merged = Tally()
    for region, tally in verdict.regions.items():
        if region in scope:
            merged.add(tally, KEPT)
        else:
            merged.ends = None  # the next one is no neighbour
    if AT_INFINITY in scope:
        merged.add(_at_infinity(verdict), KEPT)
    return merged


def _at_infinity(verdict: Verdict) -> Tally:
    """Return what was found at NaN and the infinities, which a verdict has in its total alone."""
    total = verdict.total
    elsewhere = tally_over(verdict, frozenset(verdict.regions))
    return Tally(
        inputs=total.inputs - elsewhere.inputs,
        judged=total.judged - elsewhere.judged,
        counts={
            metric.name: total.counts[metric.name] - elsewhere.counts[metric.name]
            for metric in METRICS
        },
        worst=[entry for entry in total.worst if isinf(entry.x)],
        failures=[entry for entry in total.failures if isinf(entry.x) or isnan(entry.x)],
    )
