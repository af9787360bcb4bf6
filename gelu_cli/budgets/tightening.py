"""A budget after a sweep: bounds are lowered to what was found, and never raised."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from gelu_cli.budgets.entries import AT_INFINITY, BOUND, MAX_ULP, Bound, Entry, end_text
from gelu_cli.budgets.figures import KernelFigures, is_broken, is_whole
from gelu_cli.budgets.judging import held, known_failures
from gelu_cli.budgets.lines import Place
from gelu_cli.sweeping.regions import Region, regions

if TYPE_CHECKING:
    from gelu_cli.budgets import Budget

DIGITS = 4
"""Significant digits to which errors in ULP are rounded up."""

MADE = "# Bounds for gelu sweep and gelu check. A known failure is an entry with a reason.\n"


class Tightened(NamedTuple):
    """A budget's new text, and what is to be said of it."""

    text: str
    lowered: int
    added: int
    notes: Sequence[str]


def tightened(budget: Budget, swept: Sequence[KernelFigures]) -> Tightened:
    """Return a budget with its bounds lowered to what was found, where every input was judged.

    An entry is lowered that is for one kernel alone, in regions that were swept whole. A kernel
    that has no entry of its own gets one; where it is broken, a known failure whose reason is yet
    to be written. Comments, order and reasons are kept.
    """
    exhaustive = [figures for figures in swept if figures.exhaustive]
    lower: dict[int, dict[str, Bound]] = {}
    added: list[Entry] = []
    notes = [
        f"{figures.names.kernel}: the figures of a sample are lower bounds: --tighten takes those "
        "of every input alone"
        for figures in swept
        if not figures.exhaustive
    ]
    for figures in exhaustive:
        for place, figure, bound in _lower_bounds(budget.entries, figures):
            known = lower.setdefault(place, {})
            known[figure] = max(bound, known.get(figure, bound))
        if not any(_is_own(entry, figures) for entry in budget.entries if not entry.known):
            if scope := _swept_whole(figures):
                added += _new_entries(budget.entries, figures, scope)
            else:
                notes.append(f"{figures.names.kernel}: no region was swept whole, nothing is added")
    lowered = [
        (place, figure, bound)
        for place, found in lower.items()
        for figure, bound in found.items()
        if bound < budget.entries[place].bounds[figure]
    ]
    text = _with_bounds(budget.text, lowered) if lowered else budget.text
    return Tightened(_with_entries(text, added), len(lowered), len(added), notes)


def _is_own(entry: Entry, figures: KernelFigures) -> bool:
    return entry.is_for_one() and entry.matches(figures.names)


def _lower_bounds(
    entries: Sequence[Entry], figures: KernelFigures
) -> Iterator[tuple[int, str, Bound]]:
    """Yield what was found where entries have bounds: their places, figures, and rounded up."""
    places = {id(entry): place for place, entry in enumerate(entries)}
    for each in held(entries, figures):
        if _is_own(each.entry, figures) and is_whole(figures, each.scope):
            found = figures(each.figure, each.scope)
            if found is not None:
                yield places[id(each.entry)], each.figure, rounded_up(each.figure, found.value)


def rounded_up(figure: str, value: Bound) -> Bound:
    """Return a figure as a bound that it keeps: an error in ULP in a few digits.

    >>> rounded_up("max_ulp", Fraction(200001, 100000))
    Fraction(2001, 1000)
    """
    if figure != MAX_ULP or not isinstance(value, Fraction):
        return value
    context = Context(prec=DIGITS, rounding=ROUND_CEILING)
    return Fraction(context.divide(Decimal(value.numerator), Decimal(value.denominator)))


def _swept_whole(figures: KernelFigures) -> list[Region]:
    """Return the regions that were swept whole, from the lowest one up, if no gap divides them."""
    number_format = figures.dtype
    whole = [region for region in regions(number_format) if is_whole(figures, frozenset([region]))]
    whole.sort(key=lambda region: region.ends)
    gaps = any(one.ends[1] != other.ends[0] for one, other in pairwise(whole))
    return [] if gaps else whole


def _new_entries(
    entries: Sequence[Entry], figures: KernelFigures, whole: Sequence[Region]
) -> list[Entry]:
    """Return an entry for a kernel, and a known failure for each place where it is broken."""
    ours = [each for each in entries if each.matches(figures.names)]
    scope = frozenset(whole)
    if len(whole) == len(regions(figures.dtype)):
        scope |= {AT_INFINITY}

    def broken(region: Region) -> list[str]:
        return [*_broken(ours, figures, frozenset([region]))]

    failures = []
    for names, run in groupby(whole, broken):
        if names:
            place = frozenset(run)
            failures.append(_entry(figures, place, _broken(ours, figures, place), reason=""))
    # What no region tells, as of a record, or of NaN as an input, fails anywhere.
    if elsewhere := _broken([*ours, *failures], figures, scope):
        failures.append(_entry(figures, scope, elsewhere, reason=""))
    return [_entry(figures, scope, _unknown([*ours, *failures], figures, scope)), *failures]


def _broken(
    entries: Sequence[Entry], figures: KernelFigures, scope: frozenset[Region]
) -> dict[str, Bound]:
    """Return what is broken in some regions, by no known failure."""
    result = figures.names.result
    return {
        figure: bound
        for figure, bound in _unknown(entries, figures, scope).items()
        if is_broken(figure, bound, result)
    }


def _unknown(
    entries: Sequence[Entry], figures: KernelFigures, scope: frozenset[Region]
) -> dict[str, Bound]:
    """Return the figures over what known failures of them leave of some regions, rounded up."""
    bounds = {}
    for figure in figures.columns:
        known = known_failures(entries, figure, scope, figures)
        left = scope.difference(*(each.scope(figures.dtype) for each in known))
        if left & figures.covered().keys() and (found := figures(figure, left)) is not None:
            bounds[figure] = rounded_up(figure, found.value)
    return bounds


def _entry(
    figures: KernelFigures,
    scope: frozenset[Region],
    bounds: Mapping[str, Bound],
    reason: str | None = None,
) -> Entry:
    """Return an entry for one kernel that is in no file yet."""
    names = figures.names._asdict()
    if figures.names.result == figures.names.dtype:
        del names["result"]
    ends = sorted(region.ends for region in scope - {AT_INFINITY})
    places = "" if AT_INFINITY in scope else f"{end_text(ends[0][0])}:{end_text(ends[-1][1])}"
    return Entry("", Place(0, {}), names, places, reason, bounds)


def _with_bounds(text: str, lowered: Iterable[tuple[int, str, Bound]]) -> str:
    """Return a budget with some bounds replaced, by the places of their entries."""
    import tomlkit

    document = tomlkit.parse(text)
    tables = document[BOUND]
    for place, figure, bound in lowered:
        tables[place][figure] = tomlkit.value(_number(bound))
    return tomlkit.dumps(document)


def _with_entries(text: str, added: Sequence[Entry]) -> str:
    """Return a budget with entries at its end."""
    if not added:
        return text
    import tomlkit

    end = "\r\n" if "\r\n" in text else "\n"
    text = text or MADE
    for entry in added:
        said = {**entry.match, "range": entry.range or None, "reason": entry.reason}
        lines = [f"{key} = {tomlkit.item(each).as_string()}"
                 for key, each in said.items() if each is not None]  # fmt: skip
        lines += [f"{figure} = {_number(bound)}" for figure, bound in entry.bounds.items()]
        gap = end if text.endswith("\n") else 2 * end
        text += gap + end.join([f"[[{BOUND}]]", *lines]) + end
    return text


def _number(bound: Bound) -> str:
    """Return a bound as TOML has it."""
    if not isinstance(bound, Fraction):
        return str(bound)
    exact = (Decimal(bound.numerator) / Decimal(bound.denominator)).normalize()
    return f"{exact:f}" if -6 < exact.adjusted() < 7 else f"{exact:e}"
