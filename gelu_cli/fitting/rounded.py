"""The best constants among the numbers of a format: rounding the best real ones is not the best.

All numbers of the format are searched by branch and bound (`covering`): what is left of them is
compared exactly. Where that takes too long, or for an average, neighbours of the rounded constants
are searched, as long as one of them is better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import isfinite, prod
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy import special

from gelu_cli.arithmetic import Result, mpf
from gelu_cli.arithmetic.format_arrays import Array, ordinal
from gelu_cli.arithmetic.formats import FLOAT64, Format
from gelu_cli.arithmetic.interval import interval_arithmetic
from gelu_cli.calculus.comparison import Comparison
from gelu_cli.fitting.covering import Box, Covering, Cut, left_over
from gelu_cli.fitting.families import Best, Criterion, Family, as_printed
from gelu_cli.fitting.references import Reference, references
from gelu_cli.forms import Form
from gelu_cli.stages import tell
from gelu_cli.values.evaluate import rounding_to

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

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> from gelu_cli.fitting.best import best_constants
    >>> from gelu_cli.forms import find_form
    >>> sigmoid = Family(find_form("sigmoid"), ("beta",), find_form("exact"), "value")
    >>> best = best_constants(sigmoid, Criterion("sup"))
    >>> (rounded,) = constants_in(best, FORMATS["bfloat16"])
    >>> rounded.naive, rounded.best, rounded.proof
    ((1.7734375,), (1.7734375,), 'bound')
    """
    found = [
        _best_in(family, values, best, number_format, digits)
        for family, values in ways(best, number_format)
    ]
    return sorted(found, key=lambda each: float(each.error))


def ways(best: Best, number_format: Format) -> list[tuple[Family, list[Fraction]]]:
    """Return the form from its parameters, and from their products, each with the best values.

    What is not free is rounded to the format.
    """
    form, free = best.family.form, best.family.free
    values = _exact_settings(form)
    values |= zip(free, (Fraction(as_printed(each)) for each in best.constants), strict=True)
    found = [_way(best.family, form, free, values, number_format)]
    expanded = form.fit.expanded
    if expanded and _is_free_expanded(expanded, free, values):
        products = {each.name: _product(each.name, values) for each in expanded.parameters}
        also_free = tuple(name for name in products if products[name] and _last(name) in free)
        found.append(_way(best.family, expanded, also_free, products, number_format))
    return found


def _exact_settings(form: Form) -> dict[str, Fraction]:
    """Return the parameters; a default that is no fraction to twice the bits of a float64."""
    a = interval_arithmetic(2 * FLOAT64.precision)
    settings = {**form.settings}
    for each in form.parameters:
        if each.exact and each.name not in form.chosen:
            settings[each.name] = mpf.to_fraction(each.default_in(a).middle)
    return settings


def _is_free_expanded(expanded: Form, free: Sequence[str], values: Mapping[str, Fraction]) -> bool:
    """Return whether products of parameters are free with them: none is tied to another."""
    last = [_last(each.name) for each in expanded.parameters]
    first = last[0]
    return any(name in free for name in last[1:]) and all(
        name in free or not values[name] or first not in free for name in last[1:]
    )


def _last(name: str) -> str:
    return name.rpartition(PRODUCT)[2]


def _product(name: str, values: Mapping[str, Fraction]) -> Fraction:
    return prod((values[factor] for factor in name.split(PRODUCT)), start=Fraction(1))


def _way(
    family: Family,
    form: Form,
    free: tuple[str, ...],
    values: Mapping[str, Fraction],
    number_format: Format,
) -> tuple[Family, list[Fraction]]:
    defaults = {each.name: each.default for each in form.parameters}
    fixed = {
        name: Fraction(number_format.exactly(value))
        for name, value in values.items()
        if name not in free and (value or defaults[name])
    }
    settings = (f"{name}={float(value)!r}" for name, value in fixed.items())
    label = ":".join([form.typed_name, *settings])
    member = form.with_settings(label, fixed)
    return family._replace(form=member, free=free), [values[name] for name in free]


def _best_in(
    family: Family,
    values: Sequence[Fraction],
    real: Best,
    number_format: Format,
    digits: int | None,
) -> Rounded:
    """Return the best constants for one way to write a form, and what others make of it."""
    criterion, published = real.criterion, None
    if real.family.form.fit.published:
        in_use = _exact_settings(real.family.form)
        published = tuple(number_format.exactly(_product(name, in_use)) for name in family.free)
    naive = tuple(number_format.exactly(value) for value in values)
    tell(f"constants in {number_format.name}, neighbours")
    search = _Search(family, criterion, number_format, _covering(family, values, criterion))
    near, tried = search.descend(naive)
    best, proof = min((near, naive), key=search.error), f"best of {tried} neighbours"
    if not criterion.is_average and len(values) <= SEARCHED:
        tell(f"constants in {number_format.name}, all numbers")
        found = search.best_of_all(best)
        best, proof = (found, PROVED) if found else (best, proof)

    def error(numbers: Numbers) -> Result:
        return criterion.error(_comparison(family, numbers), rounding_to(digits))

    return Rounded(
        number_format, family, naive, best, error(naive), error(best), proof,
        published, error(published) if published else None,
    )  # fmt: skip


def _comparison(family: Family, numbers: Numbers) -> Comparison:
    return Comparison(family.named_member(numbers), family.target, family.quantity)


def _covering(family: Family, values: Sequence[Fraction], criterion: Criterion) -> Covering:
    """Return points for a criterion: all over the range, or quantiles."""
    floats, (low, high) = list(map(float, values)), (criterion.low, criterion.high)
    if criterion.is_average:
        mean, sigma = map(float, criterion.normal)
        x = mean + sigma * special.ndtri((np.arange(QUANTILES) + 0.5) / QUANTILES)
        return Covering(family, floats, [Reference(Fraction(each)) for each in x], low, high)
    return Covering(family, floats, references(family, floats, low, high), low, high)


def _neighbours(member: Numbers, number_format: Format) -> list[Numbers]:
    """Return the numbers next to some that have the same signs, and the numbers themselves."""
    n = len(member)
    steps = product(range(-NEAR, NEAR + 1), repeat=n) if n <= SEARCHED else _few_at_once(n)
    moved = (
        tuple(step_from(number_format, value, by) for value, by in zip(member, move, strict=True))
        for move in steps
    )
    return [each for each in moved if all((isfinite(v) and v * u > 0) or v == u
                                          for v, u in zip(each, member, strict=True))]  # fmt: skip


def _few_at_once(n: int) -> list[tuple[int, ...]]:
    moves = [{i: by} for i in range(n) for by in range(-NEAR, NEAR + 1) if by]
    near = (-NEAR_IN_PAIRS, NEAR_IN_PAIRS)
    moves += [{i: by, j: and_by} for i, j in combinations(range(n), 2)
              for by in near for and_by in near]  # fmt: skip
    return [tuple(move.get(i, 0) for i in range(n)) for move in moves]


def step_from(number_format: Format, value: float, steps: int) -> float:
    """Return the number of a format so many places above one, or below it.

    >>> from gelu_cli.arithmetic.formats import FORMATS
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


class _Search:
    """A search among the numbers of a format; exact errors are computed once."""

    def __init__(
        self, family: Family, criterion: Criterion, number_format: Format, covering: Covering
    ) -> None:
        self._family = family
        self._criterion = criterion
        self._format = number_format
        self._covering = covering
        self._known: dict[Numbers, float] = {}

    def heights(self, members: Sequence[Numbers]) -> Array:
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

    def descend(self, start: Numbers) -> tuple[Numbers, int]:
        """Go to the best neighbour while it is better; return it, and how many were looked at."""
        here, tried = start, 0
        (height,) = self.heights([here])
        while True:
            members = _neighbours(here, self._format)
            found = self.heights(members)
            tried += len(members)
            i = int(np.nanargmin(found))
            if not found[i] < height:
                return here, tried
            here, height = members[i], found[i]

    def error(self, numbers: Numbers) -> float:
        """Return the error of a member, and look at other members where it is largest, too."""
        if numbers not in self._known:
            comparison = _comparison(self._family, numbers)
            if self._criterion.is_average:
                self._known[numbers] = float(self._criterion.error(comparison, FLOAT64))
            else:
                extreme = self._criterion.extreme(comparison, FLOAT64)
                self._known[numbers] = float(extreme.value)
                if self._is_inside(float(extreme.x)):
                    self._covering = self._covering.with_reference(Reference(Fraction(extreme.x)))
        return self._known[numbers]

    def _is_inside(self, x: float) -> bool:
        return isfinite(x) and self._criterion.low < x < self._criterion.high

    def best_of_all(self, best: Numbers) -> Numbers | None:
        """Return the best members of all; None if the search takes too long."""
        goal = Fraction(self.error(best))
        cut = between(self._format)
        left = left_over(self._covering, [self._everything()], goal, cut, MOST_BOXES)
        while left and len(self._known) <= MOST_LEFT:
            members = [tuple(map(float, box.low)) for box in left]
            one = members[int(np.argmin(self.heights(members)))]
            if self.error(one) < self.error(best):
                best, goal = one, Fraction(self.error(one))
            boxes = [box for box, member in zip(left, members, strict=True) if member != one]
            left = left_over(self._covering, boxes, goal, cut, MOST_BOXES)
        return best if left == [] else None

    def _everything(self) -> Box:
        signs = {each.name: each.sign for each in self._family.form.parameters}
        largest = Fraction(self._format.largest)
        least = Fraction(_at(self._format, 1))
        ends = {0: (-largest, largest), 1: (least, largest), -1: (-largest, -least)}
        low, high = zip(*(ends[signs[name]] for name in self._family.free), strict=True)
        return Box(low, high)
