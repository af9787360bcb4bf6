"""The best constants of a family, their error as printed, and the proof."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal
from functools import partial
from typing import NamedTuple

from flint import fmpq

from gelu_cli.calculus.averages import Normal, Uniform, root_mean_square_error
from gelu_cli.calculus.suprema import error_sup
from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.fitting.families import STARTS, Family
from gelu_cli.fitting.mean_square import least_mean_square
from gelu_cli.fitting.minimax import Optimum, least_error
from gelu_cli.fitting.newton import NOT_FOUND
from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers import FLOAT64, Decimals, Rounded, Target, round_fraction, rounding_to
from gelu_cli.numbers.rounding import exact_ball, round_ball, working

FLOAT64_DIGITS = 17
"""Constants are float64s up to as many digits."""

SAME = 1 + 2.0**-20
"""A largest error that exceeds its peaks by more is elsewhere."""

UNPROVED = f"best of {STARTS} starts"


class Point(NamedTuple):
    """A point at which the error of the best real constants is largest."""

    x: Rounded
    error: Rounded


class Best(NamedTuple):
    """The best constants of a family.

    Attributes
    ----------
    form
        The form with the constants as they are printed, under a label that has them.
    parameters
        The constants by name, float64s, or decimals if more than 17 digits are asked for.
    error
        The criterion of `form`, correctly rounded.
    lower_bound
        No constants have a smaller one; rounded down. None without a proof.
    proof
        `equioscillation`, `convex` or `best of N starts`.
    points
        Where the error is largest; none for a mean square.
    """

    form: Form
    parameters: Mapping[str, Rounded]
    error: Rounded
    lower_bound: Rounded | None
    proof: str
    points: Sequence[Point] = ()


def constants_target(digits: int | None) -> Target:
    """Return the rounding of constants."""
    return Decimals(digits) if digits and digits > FLOAT64_DIGITS else FLOAT64


def best_by_sup(family: Family, digits: int | None = None) -> Best:
    """Find the constants whose largest error over the range is least.

    Raises
    ------
    UsageError
        If no constants are best.
    ComputationError
        If none are found.

    Examples
    --------
    >>> from gelu_cli.fitting.families import family_of
    >>> from gelu_cli.formulas import find_form
    >>> best = best_by_sup(family_of(find_form("tanh"), quantity="gate"))
    >>> best.parameters, best.error, best.proof
    ({'c': 0.04471491122763249}, 0.00017892131094522117, 'equioscillation')
    """
    if "d" in family.free and family.form.name == "tanh" and math.inf in (-family.low, family.high):
        raise UsageError(
            "d of 'tanh' has no best value on the real axis: the nearest members have d < 0, and "
            "their argument turns back far out; take a range, like --range -4:4"
        )
    optimum = least_error(family, constants_target(digits).bits_needed)
    best = _best(family, optimum, "equioscillation", digits, partial(sup_of, family))
    if float(best.error) > SAME * max(float(abs(p.error)) for p in optimum.peaks):
        if not family.rules.edge:
            raise ComputationError(NOT_FOUND)
        raise UsageError(
            f"the largest error, {float(best.error):.6g}, is where no free constant matters; take "
            f"another --range, or fit {family.rules.edge}"
        )
    return best


def best_by_rms(family: Family, of: Normal | None, digits: int | None = None) -> Best:
    """Find the constants whose root mean square error is least.

    For X ~ N(M, S²), or uniform over the finite range of the family if `of` is None.

    Raises
    ------
    UsageError
        If no constants are best.
    ComputationError
        If none are found.
    """
    least = least_mean_square(family, of, constants_target(digits).bits_needed)
    return _best(family, least, "convex", digits, lambda form, to: rms_of(family, form, of, to))


def _best(
    family: Family,
    optimum: Optimum,
    proof: str,
    digits: int | None,
    error_of: Callable[[Form, Target], Rounded],
) -> Best:
    """Round constants and their error; a lower bound is rounded down."""
    to, to_constants = rounding_to(digits), constants_target(digits)
    constants = [round_fraction(to_constants, value) for value in optimum.values]
    form = family.named(constants)
    bound = None if optimum.bound is None else down(to, optimum.bound)
    return Best(
        form,
        dict(zip(family.free, constants, strict=True)),
        error_of(form, to),
        bound,
        UNPROVED if bound is None else proof,
        [
            Point(*(round_fraction(to, exact_ball(y)) for y in (p.x, p.error)))
            for p in optimum.peaks
        ],
    )


def sup_of(family: Family, form: Form, to: Target) -> Rounded:
    """Return the largest error of a form over a range, correctly rounded."""
    return error_sup(family.comparison(form), family.low, family.high, to).value


def rms_of(family: Family, form: Form, of: Normal | None, to: Target) -> Rounded:
    """Return the root mean square error of a form, correctly rounded."""
    over = of or Uniform(family.low, family.high)
    return root_mean_square_error(family.comparison(form), over, to)


def constants_in_use(family: Family, digits: int | None = None) -> dict[str, Rounded] | None:
    """Return the published constants of a family, rounded like the best ones.

    None if nobody has.

    >>> from gelu_cli.fitting.families import family_of
    >>> from gelu_cli.formulas import find_form
    >>> constants_in_use(family_of(find_form("tanh"), ["a", "c"]))
    {'a': 0.7978845608028654, 'c': 0.044715}
    """
    if not family.rules.published:
        return None
    to, found = constants_target(digits), {}
    with working(to.bits_needed + 64):
        for each in family.form.parameters:
            exact = None if each.exact is None else round_ball(to, each.exact())
            found[each.name] = round_fraction(to, each.default) if exact is None else exact
    return {name: found[name] for name in family.free}


def down(to: Target, value: fmpq) -> Rounded:
    """Return the largest number that is not above a positive fraction.

    >>> down(Decimals(3), fmpq(2, 3))
    Decimal('0.666')
    """
    result = round_fraction(to, value)
    if to_fraction(result) <= value:  # type: ignore[arg-type]
        return result
    if isinstance(result, Decimal):
        return result.next_minus(Context(prec=len(result.as_tuple().digits)))
    return math.nextafter(result, 0.0)
