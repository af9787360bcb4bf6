"""Figures beside the bounds of a budget: which are kept, and which known failures have vanished."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import NamedTuple

from gelu_cli.old.budgets.entries import Bound, Entry, Names, shown_bound
from gelu_cli.old.budgets.figures import Found, KernelFigures, is_broken
from gelu_cli.old.sweeping.regions import Region
from gelu_cli.old.sweeping.rows import above, shown


class Checked(NamedTuple):
    """A figure beside one bound."""

    kernel: str
    figure: str
    bound: Bound
    holds: bool
    said: str
    """What was found, with the file and the line of the bound."""

    file: str
    line: int

    def __str__(self) -> str:
        return self.said

    @property
    def due(self) -> str:
        """What should hold: max_ulp ≤ 2."""
        return f"{self.figure} ≤ {shown_bound(self.bound)}"


@dataclass(frozen=True)
class Judgement:
    """What a budget says of figures; true if every bound is kept.

    >>> kept = Checked("f", "misrounded", 2.0, True, "misrounded 1 keeps 2", "b.toml", 3)
    >>> bool(Judgement([kept], [])), bool(Judgement([kept._replace(holds=False)], []))
    (True, False)
    """

    checked: Sequence[Checked]
    """Each figure that has a bound."""

    vanished: Sequence[Checked]
    """The figures of known failures that fail no longer."""

    unknown: Sequence[str] = ()
    """The bounds on figures that are not known, a sentence each: a record has some alone."""

    def __bool__(self) -> bool:
        return not self.breaches

    def __str__(self) -> str:
        return "\n".join(each.said for each in self.breaches) or "every bound is kept"

    @property
    def breaches(self) -> list[Checked]:
        """The bounds that are exceeded."""
        return [each for each in self.checked if not each.holds]


class Held(NamedTuple):
    """Where a bound of an entry holds for figures."""

    entry: Entry
    figure: str
    bound: Bound
    scope: frozenset[Region]
    where: str
    """The same in words, after a sentence."""


def held(entries: Sequence[Entry], figures: KernelFigures) -> Iterator[Held]:
    """Yield where each bound holds that is for some figures.

    A known failure holds in all of its range; another entry in what is left of its own by known
    failures that bound the same figure. What was not swept is left out.
    """
    ours = [entry for entry in entries if entry.matches(figures.names)]
    for entry in ours:
        own = entry.scope(figures.dtype)
        for figure, bound in entry.bounds.items():
            known = [] if entry.known else known_failures(ours, figure, own, figures)
            scope = own.difference(*(each.scope(figures.dtype) for each in known))
            if scope & figures.covered.keys():
                where = f" in {entry.range}" if entry.range else ""
                if known:
                    outside = dict.fromkeys(each.range or "what is known" for each in known)
                    where += f" outside {', '.join(outside)}"
                yield Held(entry, figure, bound, scope, where)


def known_failures(
    entries: Sequence[Entry], figure: str, scope: frozenset[Region], figures: KernelFigures
) -> list[Entry]:
    """Return the known failures of a figure in a scope, of entries that are for these figures."""
    known = [each for each in entries if each.known and figure in each.bounds]
    return [each for each in known if each.scope(figures.dtype) & scope]


def judge(entries: Sequence[Entry], figures: KernelFigures) -> Judgement:
    """Return what entries say of the figures of one kernel."""
    checked, unknown = [], []
    for each in held(entries, figures):
        found = figures.over(each.figure, each.scope)
        if found is None:
            where = f"{each.entry.at(each.figure)}: " if each.entry.file else ""
            where += figures.names.kernel
            unknown.append(f"{where}: {each.figure}{each.where} is not known and not judged")
        else:
            checked.append(_checked(each, figures.names, found))
    return Judgement(checked, [*_vanished(entries, figures)], unknown)


def _checked(each: Held, names: Names, found: Found) -> Checked:
    entry, key, holds = each.entry, each.figure, found.value <= each.bound
    doubtful = entry.known or is_broken(key, found.value, names.result)
    at = "" if found.x is None else f" at x = {found.x!r}"
    at += f", up = {found.up!r}" * bool(at and names.glu)
    if not isinstance(found.value, Fraction | int):
        value, comma, right = found.said.partition(", ")
        at += comma + right
    elif holds or not isinstance(each.bound, Fraction):
        value = shown(Fraction(found.value), 6)
    else:
        value = above(each.bound, Fraction(found.value))
    if not holds:
        bound = shown_bound(each.bound) if found.value < inf else f"every {each.figure}"
        verdict = f"exceeds {bound}{each.where}"
    elif entry.file and doubtful and not entry.reason:
        key, holds = "reason", False
        verdict = f'is accepted{each.where} without a reason: write one, reason = "…"'
    else:
        verdict = f"keeps {shown_bound(each.bound)}{each.where}"
    place = f"{entry.at(key)}: " if entry.file else ""
    said = f"{place}{names.kernel}: {each.figure} {value}{at} {verdict}"
    return Checked(names.kernel, each.figure, each.bound, holds, said, entry.file, entry.line(key))


def _vanished(entries: Sequence[Entry], figures: KernelFigures) -> Iterator[Checked]:
    """Yield the known failures that no longer fail: the figure is 0, or all other bounds are kept.

    Where not every input was judged, one may fail at an input that nobody has looked at.
    """
    kernel = figures.names.kernel
    for entry in entries:
        if not (entry.known and entry.matches(figures.names)):
            continue
        scope = entry.scope(figures.dtype)
        others = [*held([each for each in entries if each is not entry], figures)]
        where = f" in {entry.range}" if entry.range else ""
        for figure, bound in entry.bounds.items() if figures.is_whole(scope) else ():
            found = figures.over(figure, scope)
            general = [
                (each.bound, figures.over(figure, each.scope)) for each in others
                if each.figure == figure and each.scope & scope and not each.entry.known
            ]  # fmt: skip
            kept = general and all(got and got.value <= most for most, got in general)
            if found and (found.value == 0 or kept):
                what = f"{entry.at(figure)}: {kernel}: {figure}{where}"
                said = f"{what}: this known failure fails no longer"
                yield Checked(kernel, figure, bound, True, said, entry.file, entry.line(figure))
