"""Figures beside the bounds of a budget: which are kept, and which known failures have vanished."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import NamedTuple

from gelu_cli.budgets.entries import MAX_ULP, Bound, Entry, shown_bound
from gelu_cli.budgets.figures import Found, KernelFigures, is_broken, is_whole
from gelu_cli.sweeping.regions import Region
from gelu_cli.sweeping.rows import above, shown


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

    @property
    def due(self) -> str:
        """What should hold: max_ulp ≤ 2."""
        return f"{self.figure} ≤ {shown_bound(self.bound)}"


class Vanished(NamedTuple):
    """A known failure with figures that fail no longer."""

    kernel: str
    figures: Sequence[str]
    file: str
    line: int
    """Where what can go stands: the entry, or the first of its bounds."""

    said: str
    """What fails no longer, and which lines can go."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.said}"


@dataclass(frozen=True)
class Judgement:
    """What a budget says of figures; true if every bound is kept.

    >>> kept = Checked("f", "misrounded", 2.0, True, "misrounded 1 keeps 2", "b.toml", 3)
    >>> bool(Judgement([kept], [])), bool(Judgement([kept._replace(holds=False)], []))
    (True, False)
    """

    checked: Sequence[Checked]
    """Each figure that has a bound."""

    vanished: Sequence[Vanished]
    """The known failures that no longer fail, and which lines can go."""

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
    scope: frozenset[Region]
    known: Sequence[Entry]
    """The known failures within its range, which are outside of it."""

    @property
    def bound(self) -> Bound:
        """The most that the figure may be."""
        return self.entry.bounds[self.figure]

    def keeps(self, found: Found) -> bool:
        """Return whether a figure keeps the bound."""
        return found.value <= self.bound

    @property
    def where(self) -> str:
        """Where it holds, in words after a sentence."""
        ranges = dict.fromkeys(each.range or "what is known" for each in self.known)
        within = f" in {self.entry.range}" if self.entry.range else ""
        return within + (f" outside {', '.join(ranges)}" if ranges else "")


def held(entries: Sequence[Entry], figures: KernelFigures) -> Iterator[Held]:
    """Yield where each bound holds that is for some figures.

    A known failure holds in all of its range; another entry in what is left of its own by known
    failures that bound the same figure. What was not swept is left out.
    """
    ours = [entry for entry in entries if entry.matches(figures.names)]
    swept = frozenset(figures.covered())
    for entry in ours:
        own = entry.scope(figures.dtype)
        for figure in entry.bounds:
            known = [] if entry.known else known_failures(ours, figure, own, figures)
            scope = own.difference(*(each.scope(figures.dtype) for each in known))
            if scope & swept:
                yield Held(entry, figure, scope, known)


def known_failures(
    entries: Sequence[Entry], figure: str, scope: frozenset[Region], figures: KernelFigures
) -> list[Entry]:
    """Return the known failures of a figure in a scope."""
    return [
        each
        for each in entries
        if each.known and figure in each.bounds and each.scope(figures.dtype) & scope
    ]


def judge(entries: Sequence[Entry], figures: KernelFigures) -> Judgement:
    """Return what entries say of the figures of one kernel."""
    checked, unknown = [], []
    for each in held(entries, figures):
        found = figures(each.figure, each.scope)
        if found is None:
            where = f"{each.entry.at(each.figure)}: {figures.names.kernel}"
            unknown.append(f"{where}: {each.figure}{each.where} is not known and not judged")
        else:
            checked.append(_checked(each, figures, found))
    return Judgement(checked, list(_vanished(entries, figures)), unknown)


def _checked(each: Held, figures: KernelFigures, found: Found) -> Checked:
    entry, key, holds = each.entry, each.figure, each.keeps(found)
    doubtful = entry.known or is_broken(key, found.value, figures.names.result)
    if not holds:
        bound = shown_bound(each.bound) if found.value < inf else f"every {MAX_ULP}"
        verdict = f"exceeds {bound}{each.where}"
    elif entry.file and doubtful and not entry.reason:
        key, holds = "reason", False
        verdict = f'is accepted{each.where} without a reason: write one, reason = "…"'
    else:
        verdict = f"keeps {shown_bound(each.bound)}{each.where}"
    kernel, place = figures.names.kernel, entry.place.of(key)
    said = f"{kernel}: {each.figure} {_shown(found, each)} {verdict}"
    if entry.file:
        said = f"{entry.at(key)}: {said}"
    return Checked(kernel, each.figure, each.bound, holds, said, entry.file, place)


def _shown(found: Found, each: Held) -> str:
    """Return a figure and where it is, with enough digits to see whether it keeps the bound."""
    at = "" if found.x is None else f" at x = {found.x!r}"
    if not isinstance(found.value, Fraction | int):
        value, comma, right = found.said.partition(", ")
        return f"{value}{at}{comma}{right}"
    if each.keeps(found) or not isinstance(each.bound, Fraction):
        return f"{shown(Fraction(found.value), 6)}{at}"
    return f"{above(each.bound, Fraction(found.value))}{at}"


def _vanished(entries: Sequence[Entry], figures: KernelFigures) -> Iterator[Vanished]:
    """Yield the known failures that no longer fail: without them every general bound is kept.

    Where not every input was judged, one may fail at an input that nobody has looked at.
    """
    kernel = figures.names.kernel
    for entry in entries:
        if not (entry.known and entry.matches(figures.names)):
            continue
        if not is_whole(figures, entry.scope(figures.dtype)):
            continue
        gone = [figure for figure in entry.bounds if _is_gone(entry, figure, entries, figures)]
        if not gone:
            continue
        lines = sorted(entry.place.of(figure) for figure in gone)
        what = f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"
        line = lines[0]
        if len(gone) == len(entry.bounds):
            what, line = "the entry", entry.place.line
        where = f" in {entry.range}" if entry.range else ""
        end = "" if entry.is_for_one() else " if no other sweep needs it"
        failing = f"{kernel}: {', '.join(gone)}{where}: this known failure fails no longer"
        yield Vanished(kernel, gone, entry.file, line, f"{failing}: {what} can go{end}")


def _is_gone(entry: Entry, figure: str, entries: Sequence[Entry], figures: KernelFigures) -> bool:
    """Return whether a known failure is none any more: what would hold without it is kept."""
    scope = entry.scope(figures.dtype)
    found = figures(figure, scope)
    if found is None:
        return False
    if found.value == 0:
        return True
    others = [each for each in entries if each is not entry]
    general = [
        each
        for each in held(others, figures)
        if each.figure == figure and each.scope & scope and not each.entry.known
    ]
    if general:
        again = ((each, figures(figure, each.scope)) for each in general)
        return all(got is not None and each.keeps(got) for each, got in again)
    known = [each for each in others if each.known and each.matches(figures.names)]
    if any(figure in each.bounds and each.scope(figures.dtype) & scope for each in known):
        return False
    return figure == MAX_ULP and found.value <= Fraction(1, 2)
