"""The least average error: searched, balanced until its digits are settled, and bounded."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

from gelu_cli.arithmetic import Result
from gelu_cli.arithmetic.balls import exactly, working
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.calculus.fitting.averages import Nearest, nearest_on_average
from gelu_cli.calculus.fitting.criteria import Criterion
from gelu_cli.calculus.fitting.families import Family
from gelu_cli.calculus.fitting.fitted import (
    FLOAT64_DIGITS,
    Best,
    comparison_of,
    constants_rounding,
)
from gelu_cli.calculus.fitting.least_suprema import least_supremum
from gelu_cli.calculus.fitting.newton import NotFoundError, all_known, told
from gelu_cli.calculus.fitting.proofs import below, rounded_down
from gelu_cli.calculus.fitting.refusals import check_values
from gelu_cli.calculus.fitting.starts import STARTS, TRIES, starts_of
from gelu_cli.calculus.fitting.stationary import Average, Stationary, stationary
from gelu_cli.errors import ComputationError
from gelu_cli.stages import tell
from gelu_cli.values.evaluate import rounding_to

MORE_DIGITS = 6
SPARE, LAST_BITS = 20, 1 << 14
"""Bits beyond a rounding's own that a constant has at first, and at last."""


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
        with suppress(NotFoundError):
            sizes = [Fraction(abs(value) or 1) for value in nearest.values]
            average = Average(family, normal, absolute, sizes, Fraction(nearest.error))
            found, constants = _rounded_average(average, nearest, digits)
            error = criterion.error(comparison_of(family, constants), rounding_to(digits))
            if convex:
                bound = _average_bound(family, criterion, average, found, digits)
                return Best(family, criterion, constants, error, bound, "bound")
            return Best(family, criterion, constants, error, None, f"best of {len(starts)} starts")
    raise ComputationError("no best constants are found; take another criterion, or fewer --free")


def _average_bound(
    family: Family, criterion: Criterion, average: Average, found: Stationary, digits: int | None
) -> Result:
    """Return the least average of a convex function, rounded down."""
    more = Decimals(max(digits or 0, FLOAT64_DIGITS) + MORE_DIGITS)
    near = Fraction(below(criterion.error(family.comparison(found.member), more)))
    slack = average.unit * exactly(found.slack)  # of E|e|, or of ½E e² = ½rms²
    least = near - slack if average.absolute else near - 2 * slack / near
    return rounded_down(least, rounding_to(digits))


def _rounded_average(
    average: Average, nearest: Nearest, digits: int | None
) -> tuple[Stationary, list[Result]]:
    """Solve with ever more bits until the constants are told."""
    rounding = constants_rounding(digits)
    bits = rounding.precision + SPARE
    while bits <= LAST_BITS:
        tell(f"best constants, {bits} bits")
        found = stationary(average, nearest.values, bits)
        with working(bits + SPARE):
            constants: list[Result] | None = all_known([told(v, rounding) for v in found.values])
        if constants is not None:
            return found, constants
        bits *= 2
    raise NotFoundError
