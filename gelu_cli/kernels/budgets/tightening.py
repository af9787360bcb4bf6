"""A budget after a sweep: bounds are lowered to what was found, and never raised."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from gelu_cli.kernels.budgets.entries import (
    AT_INFINITY,
    BOUND,
    MAX_ULP,
    Bound,
    Entry,
    end_text,
)
from gelu_cli.kernels.budgets.figures import KernelFigures, is_whole
from gelu_cli.kernels.budgets.judging import held, known_failures
from gelu_cli.kernels.regions import Region, regions

if TYPE_CHECKING:
    from gelu_cli.kernels.budgets import Budget

DIGITS = 4
"""Errors in ULP are rounded up to so many digits."""

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
    that has no entry of its own gets one. Comments, order and reasons are kept.
    """
    exhaustive = [figures for figures in swept if figures.exhaustive]
    lower: dict[int, dict[str, Bound]] = {}
    added, notes = [], [_sampled(figures) for figures in swept if not figures.exhaustive]
    for figures in exhaustive:
        for place, figure, bound in _lower_bounds(budget.entries, figures):
            known = lower.setdefault(place, {})
            known[figure] = max(bound, known.get(figure, bound))
        if not any(_is_own(entry, figures) for entry in budget.entries if not entry.reason):
            scope = _swept_whole(figures)
            if scope:
                added.append(_new_entry(budget.entries, figures, scope))
            else:
                notes.append(f"{figures.names.kernel}: no region was swept whole, nothing is added")
    lower = {place: _below(budget.entries[place], found) for place, found in lower.items()}
    text = _with_bounds(budget.text, lower) if any(lower.values()) else budget.text
    return Tightened(_with_entries(text, added), sum(map(len, lower.values())), len(added), notes)


def _sampled(figures: KernelFigures) -> str:
    return (
        f"{figures.names.kernel}: the figures of a sample are lower bounds: --tighten takes those "
        "of every input alone"
    )


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


def _below(entry: Entry, found: Mapping[str, Bound]) -> dict[str, Bound]:
    return {figure: bound for figure, bound in found.items() if bound < entry.bounds[figure]}


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


def _new_entry(
    entries: Sequence[Entry], figures: KernelFigures, whole: Sequence[Region]
) -> dict[str, str | Bound]:
    """Return an entry for a kernel: its names, its range if it is not all, and what was found."""
    names = figures.names._asdict()
    if figures.names.result == figures.names.dtype:
        del names["result"]
    entry: dict[str, str | Bound] = dict(names)
    scope = frozenset([*whole, AT_INFINITY])
    if len(whole) < len(regions(figures.dtype)):
        ends = whole[0].ends[0], whole[-1].ends[1]
        entry["range"] = ":".join(map(end_text, ends))
        scope = frozenset(whole)
    ours = [each for each in entries if each.matches(figures.names)]
    for figure in figures.columns:
        known = known_failures(ours, figure, scope, figures)
        left = scope.difference(*(each.scope(figures.dtype) for each in known))
        if left and (found := figures(figure, left)) is not None:
            entry[figure] = rounded_up(figure, found.value)
    return entry


def _with_bounds(text: str, lower: Mapping[int, Mapping[str, Bound]]) -> str:
    """Return a budget with some bounds replaced, by the places of their entries."""
    import tomlkit

    document = tomlkit.parse(text)
    tables = document[BOUND]
    for place, bounds in lower.items():
        for figure, bound in bounds.items():
            tables[place][figure] = tomlkit.value(_number(bound))
    return tomlkit.dumps(document)


def _with_entries(text: str, added: Sequence[Mapping[str, str | Bound]]) -> str:
    """Return a budget with entries at its end."""
    if not added:
        return text
    import tomlkit

    end = "\r\n" if "\r\n" in text else "\n"
    text = text or MADE
    for entry in added:
        lines = [f"[[{BOUND}]]"]
        for key, value in entry.items():
            said = tomlkit.item(value).as_string() if isinstance(value, str) else _number(value)
            lines.append(f"{key} = {said}")
        gap = end if text.endswith("\n") else 2 * end
        text += gap + end.join(lines) + end
    return text


def _number(bound: Bound) -> str:
    """Return a bound as TOML has it."""
    if not isinstance(bound, Fraction):
        return str(bound)
    exact = (Decimal(bound.numerator) / Decimal(bound.denominator)).normalize()
    return f"{exact:f}" if -6 < exact.adjusted() < 7 else f"{exact:e}"
