"""A budget after a sweep: bounds are lowered to what was found, and never raised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from itertools import groupby, pairwise
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from gelu_cli.old.budgets.entries import AT_INFINITY, BOUND, ERRORS, NOISE, Bound, Entry, end_text
from gelu_cli.old.budgets.figures import KernelFigures, is_broken
from gelu_cli.old.budgets.judging import held, known_failures
from gelu_cli.old.sweeping.regions import Region, regions

if TYPE_CHECKING:
    from gelu_cli.old.budgets import Budget

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
    found: dict[tuple[int, str], Bound] = {}
    added: list[Entry] = []
    notes = [
        f"{figures.names.kernel}: the figures of a sample are lower bounds: --tighten takes those "
        "of every input alone"
        for figures in swept
        if not figures.exhaustive
    ]
    places = {id(entry): place for place, entry in enumerate(budget.entries)}
    for figures in swept:
        if not figures.exhaustive:
            continue
        for each in held(budget.entries, figures):
            if each.entry.is_own(figures.names) and figures.is_whole(each.scope):
                bound = _rounded_up(figures, each.figure, each.scope)
                place = places[id(each.entry)], each.figure
                if bound is not None:
                    found[place] = max(bound, found.get(place, bound))
        if not any(each.is_own(figures.names) and not each.known for each in budget.entries):
            if scope := _swept_whole(figures):
                added += _new_entries(budget.entries, figures, scope)
            else:
                notes.append(f"{figures.names.kernel}: no region was swept whole, nothing is added")
    lowered = {
        (place, figure): bound
        for (place, figure), bound in found.items()
        if bound < budget.entries[place].bounds[figure]
    }
    text = _with_entries(_with_bounds(budget.text, lowered), added)
    return Tightened(text, len(lowered), len(added), notes)


def _rounded_up(figures: KernelFigures, figure: str, scope: frozenset[Region]) -> Bound | None:
    """Return a figure as a bound that it keeps: an error in ULP in a few digits."""
    found = figures.over(figure, scope)
    if found and found.value == inf and figure in (*ERRORS, NOISE):
        return None  # as of no number, which max_ulp shows
    if found is None or not isinstance(found.value, Fraction):
        return found and found.value
    numerator, denominator = found.value.as_integer_ratio()
    context = Context(prec=DIGITS, rounding=ROUND_CEILING)
    return Fraction(context.divide(Decimal(numerator), Decimal(denominator)))


def _swept_whole(figures: KernelFigures) -> list[Region]:
    """Return the regions that were swept whole, from the lowest one up, if no gap divides them."""
    known = sorted(regions(figures.dtype), key=lambda region: region.ends)
    whole = [region for region in known if figures.is_whole(frozenset([region]))]
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
    failures = []
    for names, run in groupby(whole, lambda each: [*_broken(ours, figures, frozenset([each]))]):
        if names:
            place = frozenset(run)
            failures.append(_entry(figures, place, _broken(ours, figures, place), reason=""))
    # What no region tells, as of a record, or of NaN as an input, fails anywhere.
    if elsewhere := _broken([*ours, *failures], figures, scope):
        failures.append(_entry(figures, scope, elsewhere, reason=""))
    return [_entry(figures, scope, _bounds([*ours, *failures], figures, scope)), *failures]


def _bounds(
    entries: Sequence[Entry], figures: KernelFigures, scope: frozenset[Region]
) -> dict[str, Bound]:
    """Return the figures over what known failures of them leave of some regions, rounded up."""
    bounds = {}
    for figure in figures.columns:
        known = known_failures(entries, figure, scope, figures)
        left = scope.difference(*(each.scope(figures.dtype) for each in known))
        if left & figures.covered.keys():
            bound = _rounded_up(figures, figure, left)
            if bound is not None:
                bounds[figure] = bound
    return bounds


def _broken(
    entries: Sequence[Entry], figures: KernelFigures, scope: frozenset[Region]
) -> dict[str, Bound]:
    """Return what is broken in some regions, by no known failure."""
    bounds = _bounds(entries, figures, scope).items()
    result = figures.names.result
    return {figure: bound for figure, bound in bounds if is_broken(figure, bound, result)}


def _entry(
    figures: KernelFigures,
    scope: frozenset[Region],
    bounds: Mapping[str, Bound],
    reason: str | None = None,
) -> Entry:
    """Return an entry for one kernel that is in no file yet."""
    names = {name: each for name, each in figures.names._asdict().items() if each}
    if figures.names.result == figures.names.dtype:
        del names["result"]
    ends = sorted(region.ends for region in scope - {AT_INFINITY})
    places = "" if AT_INFINITY in scope else f"{end_text(ends[0][0])}:{end_text(ends[-1][1])}"
    return Entry(names, places, reason, bounds)


def _with_bounds(text: str, lowered: Mapping[tuple[int, str], Bound]) -> str:
    """Return a budget with some bounds replaced, by the places of their entries."""
    if not lowered:
        return text
    import tomlkit

    document = tomlkit.parse(text)
    tables = document[BOUND]
    for (place, figure), bound in lowered.items():
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
