"""The least largest error: searched in float64, enclosed until its digits are told, and proved."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import NamedTuple

from gelu_cli.arithmetic import Result, Rounding
from gelu_cli.arithmetic.balls import working
from gelu_cli.calculus.comparison import End
from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.fitting.bounds import alternation_bound, below, covering_bound, rounded_down
from gelu_cli.fitting.covering import in_words, wide_box
from gelu_cli.fitting.families import Best, Criterion, Family, Point, constants_rounding
from gelu_cli.fitting.newton import GUARD, NotFoundError, Optimum, Peak, all_known, refined, told
from gelu_cli.fitting.refusals import check_bounded, check_found
from gelu_cli.fitting.search import TRIES, Found, least_largest_error, starts_of
from gelu_cli.stages import tell
from gelu_cli.values.evaluate import rounding_to

MOST_COVERED = 2
"""Boxes of more parameters are too many to be covered in a few seconds."""

LAST_PRECISION = 1 << 14


class Solved(NamedTuple):
    """Constants as they are printed, where the error is largest, and what proves them."""

    constants: Sequence[Result]
    points: Sequence[Point]
    bound: Fraction | None
    proof: str
    scope: str = ""


def least_supremum(family: Family, criterion: Criterion, digits: int | None) -> Best:
    """Return the member whose largest error is least; raises `UsageError` where there is none."""
    founds: list[Found] = []
    starts = starts_of(family)
    for start in starts:
        tell(f"best constants, search {len(founds) + 1} of {len(starts)}")
        founds.append(least_largest_error(family, start, *_span(family, criterion)))
        solved = _solved(family, criterion, founds, digits) if len(founds) == 1 else None
        if solved and solved.bound is not None:
            break
    else:
        solved = _solved(family, criterion, founds, digits)
    if solved is None and any(found.is_member for found in founds):
        raise UsageError(
            "on --range the error can be made as small as float64's own: it is too small to tell "
            f"{' and '.join(family.free)} apart; take a wider one"
        )
    if solved is None:
        raise ComputationError(
            "no best constants are found; take another range, another criterion, or fewer --free"
        )
    rounding, proof = rounding_to(digits), solved.proof or f"best of {len(starts)} starts"
    error = criterion.error(family.comparison_as_printed(solved.constants), rounding)
    check_bounded(family, criterion, error)
    bound = None if solved.bound is None else rounded_down(solved.bound, rounding)
    beyond = _error_beyond(family, criterion, solved.constants, rounding)
    if beyond and (bound is None or below(beyond) > bound):
        bound, proof = below(beyond), "bound" if beyond == error else proof
    return Best(
        family, criterion, solved.constants, error, bound, proof, solved.points, solved.scope
    )


def _error_beyond(
    family: Family, criterion: Criterion, constants: Sequence[Result], rounding: Rounding
) -> Result | None:
    """Return the largest error beyond an edge that is set: that of every member."""
    edge = family.form.fit.edge
    if not edge or edge in family.free:
        return None
    end, comparison = family.form.settings[edge], family.comparison_as_printed(constants)
    parts = (criterion.low, min(-end, criterion.high)), (max(end, criterion.low), criterion.high)
    beyond = [criterion._replace(low=low, high=high).error(comparison, rounding)
              for low, high in parts if low < high]  # fmt: skip
    return max(beyond, default=None)


def _solved(
    family: Family, criterion: Criterion, founds: Sequence[Found], digits: int | None
) -> Solved | None:
    """Return the best of what searches have found that can be refined."""
    ordered = sorted(founds, key=lambda found: found.error)
    check_found(family, criterion, ordered[0])
    for found in ordered[:TRIES]:
        with suppress(NotFoundError):
            return _rounded(family, criterion, found, digits)
    return None


def _rounded(family: Family, criterion: Criterion, found: Found, digits: int | None) -> Solved:
    """Refine what was found with ever more bits until constants and points are settled."""
    rounding, fine = rounding_to(digits), constants_rounding(digits)
    precision = GUARD + 2 * fine.precision
    while precision <= LAST_PRECISION:
        tell(f"best constants, {precision} bits")
        with working(precision):
            optimum = refined(family, found)
            constants: list[Result] | None = all_known([told(v, fine) for v in optimum.values])
            points = all_known([_point(peak, rounding) for peak in optimum.peaks])
            if constants is not None and points is not None:
                return Solved(constants, points, *_proved(family, criterion, optimum))
        precision *= 2
    raise NotFoundError


def _proved(
    family: Family, criterion: Criterion, optimum: Optimum
) -> tuple[Fraction | None, str, str]:
    """Return a lower bound of the error of every member, what proves it, and its `Best.scope`."""
    if not optimum.peaks:
        return Fraction(0), "bound", ""
    bound = alternation_bound(family, optimum)
    if bound is not None:
        return bound, "alternation", ""
    if len(family.free) > MOST_COVERED:
        return None, "", ""
    tell("best constants, looking for a bound")
    bound = covering_bound(family, optimum, *_span(family, criterion))
    if bound is None:
        return None, "", ""
    return bound, "bound", in_words(family, wide_box(family, optimum.middles))


def _point(peak: Peak, rounding: Rounding) -> Point | None:
    x, error = told(peak.x, rounding), told(peak.error, rounding)
    return None if x is None or error is None else Point(x, error, float(peak.weight))


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
