"""The best constants among the numbers of a format: rounding the best real ones is not the best.

All numbers of the format are searched by branch and bound (`covering`): what is left of them is
compared exactly. Where that takes too long, or for an average, neighbours of the rounded constants
are searched, as long as one of them is better.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import isfinite, prod
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy import special

from gelu_cli.old.arithmetic import Result, mpf
from gelu_cli.old.arithmetic.format_arrays import Array, ordinal
from gelu_cli.old.arithmetic.formats import FLOAT64, Format
from gelu_cli.old.arithmetic.interval import IntervalArithmetic
from gelu_cli.old.calculus.comparison import Comparison
from gelu_cli.old.fitting.covering import Box, Covering, Cut, Reference, left_over, references
from gelu_cli.old.fitting.families import Best, Criterion, Family, as_printed
from gelu_cli.old.formulas import Form
from gelu_cli.old.stages import tell
from gelu_cli.old.values.evaluate import rounding_to

PRODUCT = "·"
"""Between the factors of a constant that is a product of parameters: a·c."""

SEARCHED = 3
"""Families of up to so many parameters are searched as a whole."""

MOST_BOXES = 12000
MOST_LEFT = 40
"""So many members at most are compared exactly."""

NEAR, NEAR_IN_PAIRS = 2, 1
"""How many numbers away neighbours are: all of a few parameters, or one or two of many."""

QUANTILES = 801

PROVED = "bound"

Numbers: TypeAlias = tuple[float, ...]


class Rounded(NamedTuple):
    """Constants of a format for one way to write a form, all of which a kernel has to hold.

    `naive` are the best real constants, rounded; `best` are those with the least error, and
    `published` those in use, rounded, if there are any. What is not fitted is rounded, too. `proof`
    is `PROVED` if no others are better.
    """

    number_format: Format
    family: Family
    naive: Numbers
    best: Numbers
    error_naive: Result
    error: Result
    proof: str
    published: Numbers | None = None
    error_published: Result | None = None

    @property
    def is_proved(self) -> bool:
        """Whether no other numbers of the format have a smaller error."""
        return self.proof == PROVED

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fitted constants."""
        return self.family.free

    @property
    def fixed(self) -> dict[str, float]:
        """The other constants that are not 0."""
        chosen = self.family.form.chosen
        return {name: float(value) for name, value in chosen.items()
                if value and name not in self.family.free}  # fmt: skip

    def constants(self, values: Numbers) -> dict[str, float]:
        """Return all constants of a kernel that are not 0 by name, fitted and fixed."""
        given = {**self.fixed, **dict(zip(self.names, values, strict=True))}
        return {name: given[name] for name in sorted(given)}

    @property
    def form(self) -> Form:
        """The form with the best constants, exactly."""
        return self.family.named_member(self.best)


def constants_in(best: Best, number_format: Format, digits: int | None = None) -> list[Rounded]:
    """Return the best constants in a format, for each way to write the form, the best way first.

    Constants that are not fitted are rounded to the format.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> from gelu_cli.old.fitting.best import best_constants
    >>> from gelu_cli.old.formulas import find_form
    >>> sigmoid = Family(find_form("sigmoid"), ("beta",), find_form("exact"), "value")
    >>> best = best_constants(sigmoid, Criterion("sup"))
    >>> (rounded,) = constants_in(best, FORMATS["bfloat16"])
    >>> rounded.naive, rounded.best, rounded.proof
    ((1.7734375,), (1.7734375,), 'bound')
    """
    form, free = best.family.form, best.family.free
    usual = _exact_settings(form)
    given = (Fraction(as_printed(each)) for each in best.constants)
    values = {**usual, **dict(zip(free, given, strict=True))}
    written = [(form, free, values)]
    expanded = form.fit.expanded
    if expanded and _is_free_expanded(expanded, free, values):
        products = {each.name: _product(each.name, values) for each in expanded.parameters}
        also_free = (name for name in products if products[name] and _last(name) in free)
        written.append((expanded, tuple(also_free), products))

    found = []
    for way, names, all_values in written:
        family = best.family._replace(
            form=_with_fixed(way, names, all_values, number_format), free=names
        )
        published = None
        if form.fit.published:
            published = tuple(number_format.exactly(_product(name, usual)) for name in names)
        naive = tuple(number_format.exactly(all_values[name]) for name in names)
        floats = [float(all_values[name]) for name in names]
        search = _Search(family, best.criterion, number_format, floats)
        numbers, proof = search.best_from(naive)

        def error(member: Numbers, search: _Search = search) -> Result:
            return best.criterion.error(search.comparison(member), rounding_to(digits))

        found.append(Rounded(
            number_format, family, naive, numbers, error(naive), error(numbers), proof,
            published, error(published) if published else None,
        ))  # fmt: skip
    return sorted(found, key=lambda each: float(each.error))


def _exact_settings(form: Form) -> dict[str, Fraction]:
    """Return the parameters; a default that is no fraction to twice the bits of a float64."""
    a = IntervalArithmetic(2 * FLOAT64.precision)
    settings = {**form.settings}
    for each in form.parameters:
        if each.exact and each.name not in form.chosen:
            settings[each.name] = mpf.to_fraction(each.default_in(a).middle)
    return settings


def _is_free_expanded(expanded: Form, free: Sequence[str], values: Mapping[str, Fraction]) -> bool:
    """Return whether products of parameters are free with them: none is tied to another."""
    first, *others = (_last(each.name) for each in expanded.parameters)
    return any(name in free for name in others) and all(
        name in free or not values[name] or first not in free for name in others
    )


def _last(name: str) -> str:
    return name.rpartition(PRODUCT)[2]


def _product(name: str, values: Mapping[str, Fraction]) -> Fraction:
    return prod((values[factor] for factor in name.split(PRODUCT)), start=Fraction(1))


def _with_fixed(
    form: Form, free: Sequence[str], values: Mapping[str, Fraction], number_format: Format
) -> Form:
    """Return a form whose other parameters are rounded to a format."""
    fixed = {
        each.name: Fraction(number_format.exactly(values[each.name]))
        for each in form.parameters
        if each.name not in free and (values[each.name] or each.default)
    }
    settings = (f"{name}={float(value)!r}" for name, value in fixed.items())
    return form.with_settings(":".join([form.typed_name, *settings]), fixed)


class _Search:
    """A search among the numbers of a format; exact errors are computed once."""

    def __init__(
        self, family: Family, criterion: Criterion, number_format: Format, values: Sequence[float]
    ) -> None:
        self._family = family
        self._criterion = criterion
        self._format = number_format
        self._known: dict[Numbers, float] = {}
        low, high = criterion.low, criterion.high
        if criterion.is_average:
            mean, sigma = map(float, criterion.normal)
            x = mean + sigma * special.ndtri((np.arange(QUANTILES) + 0.5) / QUANTILES)
            points = [Reference(Fraction(each)) for each in x]
        else:
            points = references(family, values, low, high)
        self._covering = Covering(family, values, points, low, high)

    def best_from(self, naive: Numbers) -> tuple[Numbers, str]:
        """Return the best numbers that are found from some, and what proves them."""
        tell(f"constants in {self._format.name}, neighbours")
        near, tried = self._descended(naive)
        best, proof = min((near, naive), key=self.error), f"best of {tried} neighbours"
        if not self._criterion.is_average and len(naive) <= SEARCHED:
            tell(f"constants in {self._format.name}, all numbers")
            found = self._best_of_all(best)
            best, proof = (found, PROVED) if found else (best, proof)
        return best, proof

    def comparison(self, numbers: Numbers) -> Comparison:
        """Return a member beside the target."""
        family = self._family
        return Comparison(family.named_member(numbers), family.target, family.quantity)

    def error(self, numbers: Numbers) -> float:
        """Return the error of a member, and look at other members where it is largest, too."""
        if numbers not in self._known:
            comparison, criterion = self.comparison(numbers), self._criterion
            if criterion.is_average:
                self._known[numbers] = float(criterion.error(comparison, FLOAT64))
            else:
                value, x, _ = criterion.extreme(comparison, FLOAT64)
                self._known[numbers] = float(value)
                if isfinite(x) and criterion.low < x < criterion.high:
                    self._covering = self._covering.with_reference(Reference(Fraction(x)))
        return self._known[numbers]

    def _heights(self, members: Sequence[Numbers]) -> Array:
        """Return what the criterion makes of members, about."""
        size = np.abs(self._covering.errors([tuple(map(Fraction, each)) for each in members]))
        heights: Array
        if not self._criterion.is_average:
            heights = np.nanmax(size, axis=1)
        elif self._criterion.name == "mean":
            heights = np.mean(size, axis=1)
        else:
            heights = np.sqrt(np.mean(size**2, axis=1))
        return heights

    def _descended(self, start: Numbers) -> tuple[Numbers, int]:
        """Go to the best neighbour while it is better; return it, and how many were looked at."""
        here, tried = start, 0
        (height,) = self._heights([here])
        while True:
            members = _neighbours(here, self._format)
            found = self._heights(members)
            tried += len(members)
            i = int(np.nanargmin(found))
            if not found[i] < height:
                return here, tried
            here, height = members[i], found[i]

    def _best_of_all(self, best: Numbers) -> Numbers | None:
        """Return the best members of all; None if the search takes too long."""
        largest, least = Fraction(self._format.largest), Fraction(_at(self._format, 1))
        ends = {0: (-largest, largest), 1: (least, largest), -1: (-largest, -least)}
        everything = Box(*zip(*(ends[sign] for sign in self._family.signs), strict=True))
        goal, cut = Fraction(self.error(best)), between(self._format)
        left = left_over(self._covering, [everything], goal, cut, MOST_BOXES)
        while left and len(self._known) <= MOST_LEFT:
            members = [tuple(map(float, box.low)) for box in left]
            one = members[int(np.argmin(self._heights(members)))]
            if self.error(one) < self.error(best):
                best, goal = one, Fraction(self.error(one))
            boxes = [box for box, member in zip(left, members, strict=True) if member != one]
            left = left_over(self._covering, boxes, goal, cut, MOST_BOXES)
        return best if left == [] else None


def _neighbours(member: Numbers, number_format: Format) -> list[Numbers]:
    """Return the numbers next to some that have the same signs, and the numbers themselves."""
    n = len(member)
    steps: Iterable[tuple[int, ...]] = product(range(-NEAR, NEAR + 1), repeat=n)
    if n > SEARCHED:
        near = (-NEAR_IN_PAIRS, NEAR_IN_PAIRS)
        moves = [{i: by} for i in range(n) for by in range(-NEAR, NEAR + 1) if by]
        moves += [{i: by, j: and_by} for i, j in combinations(range(n), 2)
                  for by in near for and_by in near]  # fmt: skip
        steps = [tuple(move.get(i, 0) for i in range(n)) for move in moves]
    moved = (
        tuple(step_from(number_format, value, by) for value, by in zip(member, move, strict=True))
        for move in steps
    )
    return [each for each in moved if all((isfinite(v) and v * u > 0) or v == u
                                          for v, u in zip(each, member, strict=True))]  # fmt: skip


def step_from(number_format: Format, value: float, steps: int) -> float:
    """Return the number of a format so many places above one, or below it.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> step_from(FORMATS["bfloat16"], 1.0, 1), step_from(FORMATS["bfloat16"], 1.0, -1)
    (1.0078125, 0.99609375)
    """
    return _at(number_format, ordinal(number_format, value) + steps)


def _at(number_format: Format, place: int) -> float:
    number = number_format.number(abs(place))
    return -number if place < 0 else number


def between(number_format: Format) -> Cut:
    """Return how what is between two numbers of a format is cut: halfway along the numbers."""

    def cut(low: Fraction, high: Fraction) -> list[tuple[Fraction, Fraction]]:
        first, last = (ordinal(number_format, float(end)) for end in (low, high))
        if first == last:
            return []
        middle = (first + last) // 2
        end, start = (Fraction(_at(number_format, place)) for place in (middle, middle + 1))
        return [(low, end), (start, high)]

    return cut
