"""Families: members of a form that differ in free constants."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise, product
from operator import mul
from typing import Any, NamedTuple

from flint import fmpq

from gelu_cli.calculus.curves import Comparison, Stretch, compare, stretches
from gelu_cli.errors import UsageError, unknown
from gelu_cli.formulas import Form, all_forms, find_form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.rounding import Rounded, less

STARTS = 8
"""Searches, if nothing proves that one is enough."""

OCTAVES = 1.0
"""How far the starts are from the constants in use."""

Ordered = Callable[[Collection[str], Mapping[str, fmpq]], bool]


class Rules(NamedTuple):
    """Properties of a form that a fit needs.

    Attributes
    ----------
    free
        Parameters that are fitted unless others are named; empty for all.
    ordered
        True if two members that differ in n of the named parameters differ, for x > 0, in at most
        n − 1 changes of sign: then equioscillation proves a fit.
    edge
        The parameter beyond which, on both sides, no other one matters; not in `ordered`.
    linear
        Parameters in which the form is linear: mean squares are then convex.
    published
        True if the defaults are constants that others have published.
    """

    free: tuple[str, ...] = ()
    ordered: Ordered = lambda free, settings: False
    edge: str = ""
    linear: Collection[str] = ()
    published: bool = True


def always(free: Collection[str], settings: Mapping[str, fmpq]) -> bool:
    """Return True: members of the family are always ordered."""
    return True


def tanh_ordered(free: Collection[str], settings: Mapping[str, fmpq]) -> bool:
    """Apply Descartes' rule of signs to differences of a·(x + c·x³ + d·x⁵).

    Such a difference is x·(α + γ·x² + δ·x⁴): a step in c or d alone, or, with a free, a multiple
    of what is set.
    """
    terms = {"a": fmpq(1), "c": settings["c"], "d": settings["d"]}
    steps = [[fmpq(name == term) for term in terms] for name in free if name != "a"]
    if "a" in free:
        kept = {"a", *terms} - ({*free} - {"a"})
        steps.append([value if name in kept else fmpq(0) for name, value in terms.items()])
    return all(
        changes_of_sign([sum(map(mul, shares, column)) for column in zip(*steps, strict=True)])
        < len(free)
        for shares in product((-1, 0, 1), repeat=len(steps))
        if any(shares)
    )


def changes_of_sign(numbers: Sequence[Any]) -> int:
    """Count the changes of sign; zeros have none.

    >>> changes_of_sign([1, 0, -2, 3])
    2
    """
    signs = [number > 0 for number in numbers if number]
    return sum(one != other for one, other in pairwise(signs))


COEFFICIENTS = tuple(f"c{n}" for n in range(1, 16, 2))
RULES = {
    "sigmoid": Rules(ordered=always),
    "hard": Rules(ordered=always),
    "igelu": Rules(ordered=always),
    "tanh": Rules(("c",), tanh_ordered),
    "erf_as": Rules((), lambda free, settings: "p" not in free, "", ("a1", "a2", "a3", "a4", "a5")),
    "polynomial": Rules(("A", "c1", "c3", "c5"), always, "A", COEFFICIENTS, published=False),
}
"""The rules of forms; of others alternation proves nothing."""


@dataclass(frozen=True)
class Family:
    """Members of a form that differ in free constants, compared with GELU.

    Errors are form − GELU of a quantity, for x from `low` to `high`.
    """

    form: Form
    free: tuple[str, ...]
    quantity: str
    low: Any = -math.inf
    high: Any = math.inf

    @property
    def rules(self) -> Rules:
        """The rules on the constants of the form."""
        return RULES.get(self.form.name, Rules())

    @property
    def signs(self) -> list[int]:
        """The sign that each free constant must have, 0 if it may have either."""
        signs = {each.name: each.sign for each in self.form.parameters}
        return [signs[name] for name in self.free]

    def starts(self) -> list[list[float]]:
        """List the constants in use, and others around, in even octaves."""
        chance, others = random.Random(0), STARTS - 1
        usual = [float(self.form.settings[name]) for name in self.free]
        octaves = [OCTAVES * (2 * k / others - 1) for k in range(STARTS) if k != others // 2]
        moved = [
            [value * 2**octave for octave in chance.sample(octaves, others)] for value in usual
        ]
        return [usual, *map(list, zip(*moved, strict=True))]

    def member(self, values: Sequence[Any]) -> Form:
        """Return the form with these constants.

        Arguments of tanh that turn back far out are allowed: ranges end before.
        """
        chosen = {name: to_fraction(value) for name, value in zip(self.free, values, strict=True)}
        for each in self.form.parameters:
            if each.name in chosen:
                each.check(chosen[each.name], self.form.name)
        return replace(self.form, chosen={**self.form.chosen, **chosen})

    def named(self, constants: Sequence[Rounded]) -> Form:
        """Return the form with constants as printed, under a label with them.

        >>> Family(find_form("sigmoid"), ("beta",), "value").named([1.7]).label
        'sigmoid:beta=1.7'
        """
        decimals = [Decimal(repr(each) if isinstance(each, float) else each) for each in constants]
        free = [f"{one}={number}" for one, number in zip(self.free, decimals, strict=True)]
        member = self.member([to_fraction(str(each)) for each in decimals])
        return replace(member, typed=":".join([self.form.label, *free]))

    def comparison(self, form: Form) -> Comparison:
        """Return a member together with GELU."""
        return compare(form, find_form("exact"), self.quantity)

    def parts(self, form: Form) -> list[Stretch]:
        """Return the smooth parts of the range."""
        return self._between(form, self.low, self.high)

    def deciding(self, form: Form) -> list[Stretch]:
        """Return the smooth parts of the range that decide the largest error.

        Of a symmetric form, whose errors have one size at ±x, only x > 0 is looked at; and nothing
        beyond an edge that is set.
        """
        low, high = self.low, self.high
        if self.form.symmetric and less(low, fmpq(0)):
            flipped = high if less(-low, high) else -low
            low, high = (-high if less(high, fmpq(0)) else fmpq(0)), flipped
        if (edge := self.rules.edge) and edge not in self.free:
            end = form.fractions[edge]
            high = end if less(low, end) and less(end, high) else high
        return self._between(form, low, high)

    def _between(self, form: Form, low: Any, high: Any) -> list[Stretch]:
        forms = [form, find_form("exact")]
        return stretches(forms, low, high, self.comparison(form).difference)


def family_of(
    form: Form,
    free: Sequence[str] = (),
    quantity: str = "value",
    low: Any = -math.inf,
    high: Any = math.inf,
) -> Family:
    """Return the members of a form to fit, on a range.

    Raises
    ------
    UsageError
        If the form has no such parameters, or all of them are set.

    Examples
    --------
    >>> family_of(find_form("tanh")).free
    ('c',)
    """
    form.require([quantity])
    low, high = (end if math.isinf(end) else to_fraction(end) for end in (low, high))
    label, names = form.label, [each.name for each in form.parameters]
    if not names:
        fitted = ", ".join(each.name for each in all_forms().values() if each.parameters)
        raise UsageError(f"'{label}' has no parameters to fit; these have: {fitted}")
    for name in free:
        if name not in names:
            raise unknown("parameter", name, names, where=f" of '{label.partition(':')[0]}'")
        if name in form.chosen:
            raise UsageError(f"{name} is set in '{label}' and free by --free; choose one")
    usual = RULES.get(form.name, Rules()).free or names
    found = tuple(dict.fromkeys(free)) or tuple(name for name in usual if name not in form.chosen)
    if not found:
        fixed = " and ".join(usual)
        raise UsageError(
            f"nothing is left to fit: {fixed} is set in '{label}'; name another one by --free"
        )
    return Family(form, found, quantity, low, high)


def of_degree(form: Form, degree: int) -> tuple[Form, list[str]]:
    """Cut `polynomial` at a degree of the gate; also return the free names.

    Constants that the form's label sets are not free.

    Raises
    ------
    UsageError
        If the degree is even.

    Examples
    --------
    >>> cubic, free = of_degree(find_form("polynomial"), 3)
    >>> cubic.label, free
    ('polynomial:c5=0', ['A', 'c1', 'c3'])
    """
    if degree % 2 == 0:
        raise UsageError(f"--degree {degree} is even: the gate is ½ and odd powers of x; take odd")
    names = COEFFICIENTS[: (degree + 1) // 2]
    beyond = [each.name for each in form.parameters if each.default and each.name not in names]
    beyond.remove("A")
    label = ":".join([form.label, *(f"{name}=0" for name in beyond)])
    cut = form.with_settings(label, {**form.chosen, **dict.fromkeys(beyond, 0)})
    return cut, [name for name in ("A", *names) if name not in form.chosen]
