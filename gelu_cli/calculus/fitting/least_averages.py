"""The least average error: searched, balanced until its digits are settled, and bounded."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction

from gelu_cli.arithmetic import Result
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.calculus.fitting.averages import Nearest, balanced_on_average, nearest_on_average
from gelu_cli.calculus.fitting.criteria import Criterion
from gelu_cli.calculus.fitting.families import Family
from gelu_cli.calculus.fitting.fitted import (
    FLOAT64_DIGITS,
    Best,
    comparison_of,
    constants_rounding,
)
from gelu_cli.calculus.fitting.least_suprema import least_supremum
from gelu_cli.calculus.fitting.proofs import below, rounded_down
from gelu_cli.calculus.fitting.refinement import NotFoundError
from gelu_cli.calculus.fitting.refusals import check_values
from gelu_cli.calculus.fitting.settling import all_known, within
from gelu_cli.calculus.fitting.starts import STARTS, TRIES, starts_of
from gelu_cli.calculus.integrals import Normal
from gelu_cli.errors import ComputationError
from gelu_cli.stages import tell
from gelu_cli.values.evaluate import rounding_to

MORE_DIGITS = 6
LAST_DIGITS = 1 << 14


def least_average(family: Family, criterion: Criterion, digits: int | None) -> Best:
    """Return the member whose average error is least; raises `ComputationError` without one."""
    normal, absolute = criterion.normal, criterion.name == "mean"
    convex = set(family.free) <= family.form.fit.linear
    starts = starts_of(family)[: 1 if convex else STARTS]
    tell("best constants, searching")
    tries = [nearest_on_average(family, start, normal, absolute) for start in starts]
    tries.sort(key=lambda each: each.error)
    check_values(family, tries[0].values)
    if tries[0].is_member:
        best = least_supremum(family, Criterion("sup"), digits)
        if best.lower_bound == 0:
            error = criterion.error(comparison_of(family, best.constants), rounding_to(digits))
            return best._replace(criterion=criterion, error=error, points=())
    for nearest in tries[:TRIES]:
        with suppress(NotFoundError, ZeroDivisionError):  # a singular matrix
            values, constants = _rounded_average(family, nearest, normal, absolute, digits)
            error = criterion.error(comparison_of(family, constants), rounding_to(digits))
            if convex:
                bound = _average_bound(family, criterion, values, digits)
                return Best(family, criterion, constants, error, bound, "bound")
            return Best(family, criterion, constants, error, None, f"best of {len(starts)} starts")
    raise ComputationError("no best constants are found; take another criterion, or fewer --free")


def _average_bound(
    family: Family, criterion: Criterion, values: Sequence[Fraction], digits: int | None
) -> Result:
    """Return the least average, rounded down: an average of a convex function has one minimum.

    At values of so many digits the error is that of the best ones to twice as many.
    """
    more = Decimals(max(digits or 0, FLOAT64_DIGITS) + MORE_DIGITS)
    least = criterion.error(family.comparison(values), more)
    return rounded_down(Fraction(below(least)), rounding_to(digits))


def _rounded_average(
    family: Family, nearest: Nearest, normal: Normal, absolute: bool, digits: int | None
) -> tuple[list[Fraction], list[Result]]:
    """Solve with ever more digits until the constants are settled."""
    rounding, wanted = constants_rounding(digits), max(digits or 0, FLOAT64_DIGITS)
    while wanted <= LAST_DIGITS:
        tell(f"best constants, {wanted} digits")
        values, share = balanced_on_average(family, nearest, normal, absolute, wanted)
        constants: list[Result] | None = all_known(
            [within(value, abs(value) * share, rounding) for value in values]
        )
        if constants is not None:
            return values, constants
        wanted *= 2
    raise NotFoundError
