"""Families: forms that differ only in the values of free constants."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, NamedTuple

from flint import fmpq

from gelu_cli.calculus.averages import Normal, Uniform, root_mean_square_error
from gelu_cli.calculus.curves import Comparison, Stretch, compare, stretches
from gelu_cli.calculus.suprema import error_sup
from gelu_cli.errors import UsageError, unknown
from gelu_cli.formulas import Form, find_form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.rounding import Rounded, Target, less

STARTS = 8
"""Number of searches, each from its own start, unless the first search finds a proved optimum."""

COEFFICIENTS = tuple(f"c{n}" for n in range(1, 16, 2))


class Rules(NamedTuple):
    """Properties of a form that a fit needs.

    Attributes
    ----------
    free
        Parameters that are fitted by default; if empty, all.
    ordered
        `ordered(names, settings)` is True if the difference of any two forms that differ only in
        the n named parameters changes its sign at most n − 1 times for x > 0. Then equioscillation
        proves that a fit is best.
    edge
        Name of the parameter A if the form is max(0, x) for |x| > A; `ordered` does not get this A.
    linear
        Parameters in which the form is linear, so that its mean square error is convex.
    published
        True if the default constants have been published.
    """

    free: tuple[str, ...] = ()
    ordered: Callable[[Collection[str], Mapping[str, fmpq]], bool] = lambda free, settings: True
    edge: str = ""
    linear: Collection[str] = ()
    published: bool = True


def tanh_ordered(free: Collection[str], settings: Mapping[str, fmpq]) -> bool:
    """Apply Descartes' rule of signs to differences of a·(x + c·x³ + d·x⁵).

    For x > 0 a difference α·x + γ·x³ + δ·x⁵ changes its sign less often than it has coefficients
    ≠ 0. If `a` is free and c or d is fixed, γ = c·α or δ = d·α follows from α. So there may be one
    change too many if c < 0 is fixed, or if c is free and d > 0 is fixed.
    """
    d_follows_a = "d" not in free and settings["d"] > 0
    return "a" not in free or not (d_follows_a if "c" in free else settings["c"] < 0)


RULES = {
    "sigmoid": Rules(),
    "hard": Rules(),
    "igelu": Rules(),
    "tanh": Rules(("c",), tanh_ordered),
    "erf_as": Rules((), lambda free, settings: "p" not in free, "", ("a1", "a2", "a3", "a4", "a5")),
    "polynomial": Rules(("A", "c1", "c3", "c5"), edge="A", linear=COEFFICIENTS, published=False),
}
"""Rules by the form's name; for forms without rules equioscillation proves nothing."""

NO_RULES = Rules(ordered=lambda free, settings: False)


@dataclass(frozen=True)
class Family:
    """Forms that differ only in free constants (members), compared with GELU.

    The error is a member minus GELU, in `quantity`. The criterion `sup` is the supremum of |error|
    over [low, high]; `rms` is √E error(X)², X ~ `of`, or uniform on [low, high] if `of` is None.
    """

    form: Form
    free: tuple[str, ...]
    quantity: str = "value"
    criterion: str = "sup"
    low: Any = -math.inf
    high: Any = math.inf
    of: Normal | None = None

    @property
    def rules(self) -> Rules:
        """The rules of the form."""
        return RULES.get(self.form.name, NO_RULES)

    def starts(self) -> list[list[float]]:
        """List starts: default constants, then random multiples (½ to 2) of these."""
        chance = random.Random(0)
        usual = [float(self.form.settings[name]) for name in self.free]
        moved = [[v * 2 ** chance.uniform(-1, 1) for v in usual] for _ in range(STARTS - 1)]
        return [usual, *moved]

    def member(self, values: Sequence[Any]) -> Form:
        """Return the form with these constants.

        Unlike `with_settings`, accept constants that violate `form.needs`, as a search may.
        """
        chosen = {name: to_fraction(value) for name, value in zip(self.free, values, strict=True)}
        for each in self.form.parameters:
            if each.name in chosen:
                each.check(chosen[each.name], self.form.name)
        return replace(self.form, chosen={**self.form.chosen, **chosen})

    def named(self, constants: Sequence[Rounded]) -> Form:
        """Return the form with constants as printed, also in its label.

        >>> Family(find_form("sigmoid"), ("beta",)).named([1.7]).label
        'sigmoid:beta=1.7'
        """
        texts = [str(Decimal(str(each))) for each in constants]
        free = [f"{name}={text}" for name, text in zip(self.free, texts, strict=True)]
        return replace(self.member(texts), typed=":".join([self.form.label, *free]))

    def comparison(self, form: Form) -> Comparison:
        """Pair a member with GELU, to compare `quantity` of the two."""
        return compare(form, find_form("exact"), self.quantity)

    def error(self, form: Form, to: Target) -> Rounded:
        """Return the criterion of a member, correctly rounded."""
        comparison = self.comparison(form)
        if self.criterion == "sup":
            return error_sup(comparison, self.low, self.high, to).value
        return root_mean_square_error(comparison, self.of or Uniform(self.low, self.high), to)

    def parts(self, form: Form) -> list[Stretch]:
        """Cut the range into stretches, intervals on which a member is smooth.

        |error| of a symmetric form is even: for `sup` the stretches cover |x| instead of x.
        """
        low, high = self.low, self.high
        if self.criterion == "sup" and self.form.symmetric and less(low, fmpq(0)):
            farthest = high if less(-low, high) else -low
            low, high = (-high if less(high, fmpq(0)) else fmpq(0)), farthest
        forms = [form, find_form("exact")]
        return stretches(forms, low, high, self.comparison(form).difference)


def family_of(
    form: Form,
    free: Sequence[str] = (),
    quantity: str = "value",
    criterion: str = "sup",
    low: Any = -math.inf,
    high: Any = math.inf,
    of: Normal | None = None,
) -> Family:
    """Make a family of a form: its free constants, criterion and range.

    Raises UsageError if a name in `free` is not a parameter of the form, or the form's label sets
    it; if no parameter is left free; or if `quantity` needs a gate and the form has none.

    >>> family_of(find_form("tanh")).free
    ('c',)
    """
    names = [each.name for each in form.parameters if each.name not in form.chosen]
    for name in free:
        if name not in names:
            raise unknown("parameter", name, names, where=f" to fit in '{form.label}'")
    usual = free or RULES.get(form.name, NO_RULES).free or names
    found = tuple(dict.fromkeys(name for name in usual if name in names))
    if not found:
        raise UsageError(
            f"'{form.label}' has no free parameter; take another form, or set fewer parameters"
        )
    form.require([quantity])
    low, high = (end if math.isinf(end) else to_fraction(end) for end in (low, high))
    return Family(form, found, quantity, criterion, low, high, of)


def of_degree(form: Form, degree: int) -> tuple[Form, list[str]]:
    """Return `polynomial` with a gate of this degree, and its free constants.

    Raises UsageError if the degree is even.
    """
    if degree % 2 == 0:
        raise UsageError(f"--degree {degree} is even; take an odd degree: the gate has odd powers")
    names = COEFFICIENTS[: (degree + 1) // 2]
    beyond = [name for name in ("c3", "c5") if name not in names]
    label = ":".join([form.label, *(f"{name}=0" for name in beyond)])
    cut = form.with_settings(label, {**form.chosen, **dict.fromkeys(beyond, 0)})
    return cut, [name for name in ("A", *names) if name not in form.chosen]
