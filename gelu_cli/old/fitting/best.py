"""The best constants of a form, to the digits asked for, with what proves them.

They are searched in float64, enclosed with ever more bits until their digits are told, and bounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import NamedTuple

from gelu_cli.errors import ComputationError, UsageError, unknown
from gelu_cli.old.arithmetic import Result, Rounding
from gelu_cli.old.arithmetic.balls import exactly, working
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.calculus.comparison import End
from gelu_cli.old.calculus.integrals import check_sigma
from gelu_cli.old.calculus.stretches import check_range
from gelu_cli.old.fitting import CRITERIA
from gelu_cli.old.fitting.averages import Average, Stationary, stationary
from gelu_cli.old.fitting.bounds import alternation_bound, below, covering_bound, rounded_down
from gelu_cli.old.fitting.families import (
    FLOAT64_DIGITS,
    Best,
    Criterion,
    Family,
    Point,
    constants_rounding,
)
from gelu_cli.old.fitting.newton import GUARD, NotFoundError, Optimum, all_told, refined
from gelu_cli.old.fitting.refusals import (
    check_bounded,
    check_family,
    check_found,
    check_values,
    free_parameters,
)
from gelu_cli.old.fitting.search import (
    STARTS,
    TRIES,
    Found,
    least_largest_error,
    nearest_on_average,
    starts_of,
)
from gelu_cli.old.formulas import Form
from gelu_cli.old.stages import tell
from gelu_cli.old.values.evaluate import rounded_constant, rounding_to

LAST_BITS = 1 << 14
"""With more bits nothing is tried."""

MOST_COVERED = 2
"""Boxes of more parameters are too many to be covered in a few seconds."""

SPARE, MORE_DIGITS = 20, 6
"""Bits beyond a rounding's own that an average's constants have at first; digits of a bound."""


def family_of(
    form: Form, free: Sequence[str], target: Form, quantity: str, criterion: Criterion
) -> Family:
    """Return the family to fit; without free parameters named it is the one usually fitted.

    Raises `UsageError` for parameters that the form has not, or that are set, and where none is
    left to fit.
    """
    names = free_parameters(form, free)
    return Family(form, names, target, quantity, criterion.name == "relative")


def best_constants(family: Family, criterion: Criterion, digits: int | None = None) -> Best:
    """Return the constants of a family that make a criterion least.

    Raises `UsageError` where there are none, `ComputationError` where they are not found.

    >>> from gelu_cli.old.formulas import find_form
    >>> gate = Family(find_form("tanh"), ("c",), find_form("exact"), "gate")
    >>> best = best_constants(gate, Criterion("sup"))
    >>> best.constants, best.error, best.proof
    ([0.04471491122763249], 0.00017892131094522117, 'alternation')
    """
    if criterion.name not in CRITERIA:
        raise unknown("criterion", criterion.name, CRITERIA)
    check_range(criterion.low, criterion.high)
    check_sigma(criterion.normal.sigma)
    check_family(family, criterion)
    itself = _target_itself(family, criterion, digits)
    if itself:
        return itself
    find = _least_average if criterion.is_average else _least_supremum
    return find(family, criterion, digits)


def _target_itself(family: Family, criterion: Criterion, digits: int | None) -> Best | None:
    """Return the constants of the target, if it is a member by its name."""
    form, target, rounding = family.form, family.target, constants_rounding(digits)
    kept = set(form.settings) - set(family.free)
    if form.name != target.name or any(form.settings[k] != target.settings[k] for k in kept):
        return None

    def setting(name: str) -> Result:
        return rounded_constant(lambda a: target.settings_in(a)[name], rounding)

    constants = list(map(setting, family.free))
    comparison = family.comparison_as_printed(constants)
    same = all(comparison.form.chosen.get(name) == target.chosen.get(name, target.settings[name])
               for name in family.free)  # fmt: skip
    zero = rounding_to(digits).exactly(Fraction(0))
    error = zero if same else criterion.error(comparison, rounding_to(digits))
    return Best(family, criterion, constants, error, zero, "bound")


class _Solved(NamedTuple):
    """Constants as they are printed, where the error is largest, and what proves them."""

    constants: Sequence[Result]
    points: Sequence[Point]
    bound: Fraction | None = None
    proof: str = f"best of {STARTS} starts"
    scope: str = ""


def _least_supremum(family: Family, criterion: Criterion, digits: int | None) -> Best:
    """Return the member whose largest error is least; raises `UsageError` where there is none."""
    founds: list[Found] = []
    for start in starts_of(family):
        tell(f"best constants, search {len(founds) + 1} of {STARTS}")
        founds.append(least_largest_error(family, start, *_span(family, criterion)))
        if len(founds) in (1, STARTS):  # one is enough if it is proved
            solved = _solved(family, criterion, founds, digits)
            if solved and solved.bound is not None:
                break
    if solved is None and any(found.is_member for found in founds):
        raise UsageError(
            "on --range the error can be made as small as float64's own: it is too small to tell "
            f"{' and '.join(family.free)} apart; take a wider one"
        )
    if solved is None:
        raise ComputationError(
            "no best constants are found; take another range, another criterion, or fewer --free"
        )
    rounding, proof = rounding_to(digits), solved.proof
    comparison = family.comparison_as_printed(solved.constants)
    error = criterion.error(comparison, rounding)
    check_bounded(family, criterion, error)
    bound = None if solved.bound is None else rounded_down(solved.bound, rounding)
    edge = family.form.fit.edge
    if edge and edge not in family.free:  # beyond it all members have the same errors
        end, (low, high) = family.form.settings[edge], (criterion.low, criterion.high)
        parts = [part for part in ((low, min(-end, high)), (max(end, low), high))
                 if part[0] < part[1]]  # fmt: skip
        beyond = max((criterion._replace(low=start, high=stop).error(comparison, rounding)
                      for start, stop in parts), default=None)  # fmt: skip
        if beyond and (bound is None or below(beyond) > bound):
            bound, proof = below(beyond), "bound" if beyond == error else proof
    return Best(
        family, criterion, solved.constants, error, bound, proof, solved.points, solved.scope
    )


def _span(family: Family, criterion: Criterion) -> tuple[End, End]:
    """Return the part of the range that decides.

    Of a form and a target with G(x) + G(−x) = 1 the errors at ±x are equal in size, and the
    relative one is the larger one where x < 0. Beyond an edge that is set no parameter matters.
    """
    low, high, edge = criterion.low, criterion.high, family.form.fit.edge
    if edge and edge not in family.free:
        low, high = max(low, -family.form.settings[edge]), min(high, family.form.settings[edge])
    if not (family.form.symmetric and family.target.symmetric):
        return low, high
    if family.relative:
        return (low, min(high, Fraction(0))) if -low >= high else (low, high)
    if high <= 0:
        return -high, -low
    return (Fraction(0), max(-low, high)) if low < 0 else (low, high)


def _solved(
    family: Family, criterion: Criterion, founds: Sequence[Found], digits: int | None
) -> _Solved | None:
    """Return the best of what searches have found that can be refined, and what proves it."""
    ordered = sorted(founds, key=lambda found: found.error)
    check_found(family, criterion, ordered[0])
    for found in ordered[:TRIES]:
        with suppress(NotFoundError):
            return _enclosed(family, criterion, found, digits)
    return None


def _enclosed(family: Family, criterion: Criterion, found: Found, digits: int | None) -> _Solved:
    """Refine what was found with ever more bits until constants and points are told."""
    rounding, fine = rounding_to(digits), constants_rounding(digits)
    precision = GUARD + 2 * fine.precision
    while precision <= LAST_BITS:
        tell(f"best constants, {precision} bits")
        with working(precision):
            optimum = refined(family, found)
            constants = all_told(optimum.values, fine)
            xs = all_told([peak.x for peak in optimum.peaks], rounding)
            errors = all_told([peak.error for peak in optimum.peaks], rounding)
            if constants is not None and xs is not None and errors is not None:
                weights = [float(peak.weight) for peak in optimum.peaks]
                points = list(map(Point, xs, errors, weights))
                return _proved(family, criterion, optimum, _Solved(constants, points))
        precision *= 2
    raise NotFoundError


def _proved(family: Family, criterion: Criterion, optimum: Optimum, solved: _Solved) -> _Solved:
    """Return constants with a lower bound of the error of every member, and what proves it."""
    if not optimum.peaks:
        return solved._replace(bound=Fraction(0), proof="bound")
    bound = alternation_bound(family, optimum)
    if bound is not None:
        return solved._replace(bound=bound, proof="alternation")
    if len(family.free) > MOST_COVERED:
        return solved
    tell("best constants, looking for a bound")
    found = covering_bound(family, optimum, *_span(family, criterion))
    if found is None:
        return solved
    return solved._replace(bound=found[0], proof="bound", scope=found[1])


def _least_average(family: Family, criterion: Criterion, digits: int | None) -> Best:
    """Return the member whose average error is least; raises `ComputationError` without one."""
    normal, absolute = criterion.normal, criterion.name == "mean"
    rounding = rounding_to(digits)
    convex = set(family.free) <= family.form.fit.linear
    tell("best constants, searching")
    tries = [nearest_on_average(family, start, normal, absolute)
             for start in starts_of(family)[: 1 if convex else STARTS]]  # fmt: skip
    tries.sort(key=lambda each: each.error)
    check_values(family, tries[0].values)
    if tries[0].is_member:
        best = _least_supremum(family, Criterion("sup"), digits)
        if best.lower_bound == 0:
            error = criterion.error(family.comparison_as_printed(best.constants), rounding)
            return best._replace(criterion=criterion, error=error, points=())
    for nearest in tries[:TRIES]:
        with suppress(NotFoundError):
            sizes = [Fraction(abs(value) or 1) for value in nearest.values]
            average = Average(family, normal, absolute, sizes, Fraction(nearest.error))
            found, constants = _told_average(average, nearest, constants_rounding(digits))
            error = criterion.error(family.comparison_as_printed(constants), rounding)
            bound, proof = None, f"best of {STARTS} starts"
            if convex:  # an average of ½e² = ½rms², or of |e|, falls by `slack` at most
                more = Decimals(max(digits or 0, FLOAT64_DIGITS) + MORE_DIGITS)
                near = Fraction(below(criterion.error(family.comparison(found.member), more)))
                slack = average.unit * exactly(found.slack)
                least = near - (slack if absolute else 2 * slack / near)
                bound, proof = rounded_down(least, rounding), "bound"
            return Best(family, criterion, constants, error, bound, proof)
    raise ComputationError("no best constants are found; take another criterion, or fewer --free")


def _told_average(
    average: Average, nearest: Found, rounding: Rounding
) -> tuple[Stationary, list[Result]]:
    """Solve with ever more bits until the constants are told."""
    bits = rounding.precision + SPARE
    while bits <= LAST_BITS:
        tell(f"best constants, {bits} bits")
        found = stationary(average, nearest.values, bits)
        with working(bits + SPARE):
            constants = all_told(found.values, rounding)
        if constants is not None:
            return found, constants
        bits *= 2
    raise NotFoundError
