"""The best constants of a form, to the digits asked for, with what proves them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from gelu_cli.arithmetic import mpf
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.calculus.comparison import End
from gelu_cli.calculus.fitting.averages import balanced_on_average, nearest_on_average
from gelu_cli.calculus.fitting.criteria import Criterion, check_criterion
from gelu_cli.calculus.fitting.families import Family
from gelu_cli.calculus.fitting.proofs import alternation_bound, rounded_down
from gelu_cli.calculus.fitting.refinement import NotFoundError, Optimum, exactly, refined
from gelu_cli.calculus.fitting.refusals import check_family, check_found, check_free
from gelu_cli.calculus.fitting.search import Found, least_largest_error
from gelu_cli.errors import ComputationError
from gelu_cli.forms import Form
from gelu_cli.stages import tell
from gelu_cli.values.evaluate import Result, Rounding, rounding_to

STARTS = 12
"""Searches from so many places, where nothing proves that one is enough."""

SPREAD = 1.0
"""Starts are up to so many octaves away from the constants in use."""

GUARD = 128
LAST_PRECISION = 1 << 14

FLOAT64_DIGITS = 17
"""Up to so many digits constants are float64s, in the fewest digits that tell them."""


class Point(NamedTuple):
    """Where the error is largest, with its sign, and the weight of the point in the balance."""

    x: Result
    error: Result
    weight: float


class Best(NamedTuple):
    """The best constants of a family by a criterion, and the form that they make.

    `constants` are correctly rounded; `error` is that of `form`, which has them as printed.
    Without a proof `lower_bound` is None, and `proof` says how many searches found nothing better.
    """

    family: Family
    criterion: Criterion
    constants: Sequence[Result]
    error: Result
    lower_bound: Result | None
    proof: str
    points: Sequence[Point] = ()

    @property
    def form(self) -> Form:
        """The form with the constants, as they are printed."""
        return self.family.named_member(list(map(as_printed, self.constants)))


def as_printed(constant: Result) -> Decimal:
    """Return the decimal that a constant is printed as."""
    return constant if isinstance(constant, Decimal) else Decimal(repr(constant))


def constants_rounding(digits: int | None) -> Rounding:
    """Return how constants are rounded: to float64s, or to more digits if more are asked for."""
    return Decimals(digits) if digits and digits > FLOAT64_DIGITS else FLOAT64


def family_of(
    form: Form, free: Sequence[str], target: Form, quantity: str, criterion: Criterion
) -> Family:
    """Return the family to fit; without free parameters named it is the one usually fitted.

    Raises `UsageError` for parameters that the form has not, or that are set.
    """
    check_free(form, free)
    usual = form.fit.free or tuple(parameter.name for parameter in form.parameters)
    names = free or [name for name in usual if name not in form.chosen]
    return Family(form, tuple(names), target, quantity, criterion.name == "relative")


def best_constants(family: Family, criterion: Criterion, digits: int | None = None) -> Best:
    """Return the constants of a family that make a criterion least.

    Raises `UsageError` where there are none, `ComputationError` where they are not found.

    >>> from gelu_cli.forms import find_form
    >>> gate = Family(find_form("tanh"), ("c",), find_form("exact"), "gate")
    >>> best = best_constants(gate, Criterion("sup"))
    >>> best.constants, best.error, best.proof
    ([0.04471491122763249], 0.00017892131094521973, 'alternation')
    """
    check_criterion(criterion)
    check_family(family, criterion)
    if criterion.is_average:
        return _least_average(family, criterion, digits)
    return _least_supremum(family, criterion, digits)


def _least_supremum(family: Family, criterion: Criterion, digits: int | None) -> Best:
    found, proof = _searched(family, criterion)
    constants, points, bound = _rounded(family, found, digits)
    comparison = family.comparison([Fraction(as_printed(each)) for each in constants])
    error = criterion.error(comparison, rounding_to(digits))
    return Best(
        family,
        criterion,
        constants,
        error,
        bound,
        proof if bound is None else "alternation",
        points,
    )
