"""The best constants of a form, to the digits asked for, with what proves them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

from gelu_cli.arithmetic import mpf
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.arithmetic.interval import Interval, interval_arithmetic
from gelu_cli.calculus.comparison import Comparison, End
from gelu_cli.calculus.fitting.averages import (
    Nearest,
    Normal,
    balanced_on_average,
    nearest_on_average,
)
from gelu_cli.calculus.fitting.covering import covering_bound, in_words, wide_box
from gelu_cli.calculus.fitting.criteria import Criterion, check_criterion
from gelu_cli.calculus.fitting.families import Family
from gelu_cli.calculus.fitting.proofs import alternation_bound, rounded_down
from gelu_cli.calculus.fitting.refinement import NotFoundError, Optimum, Peak, exactly, refined
from gelu_cli.calculus.fitting.refusals import (
    check_bounded,
    check_family,
    check_found,
    check_free,
    check_values,
    nothing_free,
)
from gelu_cli.calculus.fitting.search import MEMBER, Found, least_largest_error
from gelu_cli.errors import ComputationError, GeluError, UsageError
from gelu_cli.forms import Form
from gelu_cli.stages import tell
from gelu_cli.values.evaluate import Result, Rounding, rounded_middle, rounding_to

STARTS = 8
TRIES = 3
"""Searches from so many places, where nothing proves that one is enough; the best are refined."""

SPREAD = 1.0
"""Starts are up to so many octaves away from the constants in use."""

MOST_COVERED = 2
"""Boxes of more parameters are too many to be covered in a few seconds."""

GUARD = 128
LAST_PRECISION = 1 << 14

MORE_DIGITS = 6
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
    Where the target is a member the bound is 0.
    """

    family: Family
    criterion: Criterion
    constants: Sequence[Result]
    error: Result
    lower_bound: Result | None
    proof: str
    points: Sequence[Point] = ()
    scope: str = ""
    """In words, the constants that a bound by covering is for; empty if it is for all."""

    @property
    def parameters(self) -> Mapping[str, Result]:
        """The constants by the names of the parameters."""
        return dict(zip(self.family.free, self.constants, strict=True))

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

    Raises `UsageError` for parameters that the form has not, or that are set, and where none is
    left to fit.
    """
    check_free(form, free)
    usual = form.fit.free or tuple(parameter.name for parameter in form.parameters)
    names = free or [name for name in usual if name not in form.chosen]
    if not names:
        raise nothing_free(form, usual)
    return Family(form, tuple(names), target, quantity, criterion.name == "relative")


def best_constants(family: Family, criterion: Criterion, digits: int | None = None) -> Best:
    """Return the constants of a family that make a criterion least.

    Raises `UsageError` where there are none, `ComputationError` where they are not found.

    >>> from gelu_cli.forms import find_form
    >>> gate = Family(find_form("tanh"), ("c",), find_form("exact"), "gate")
    >>> best = best_constants(gate, Criterion("sup"))
    >>> best.constants, best.error, best.proof
    ([0.04471491122763249], 0.00017892131094522117, 'alternation')
    """
    check_criterion(criterion)
    check_family(family, criterion)
    itself = _target_itself(family, criterion, digits)
    if itself:
        return itself
    if criterion.is_average:
        return _least_average(family, criterion, digits)
    return _least_supremum(family, criterion, digits)


def _target_itself(family: Family, criterion: Criterion, digits: int | None) -> Best | None:
    """Return the constants of the target, if it is a member by its name."""
    form, target, rounding = family.form, family.target, constants_rounding(digits)
    kept = set(form.settings) - set(family.free)
    if form.name != target.name or any(form.settings[k] != target.settings[k] for k in kept):
        return None
    exact = target.settings_in(interval_arithmetic(GUARD + 2 * rounding.precision))
    constants = [rounded_middle(exact[name], rounding) if isinstance(exact[name], Interval)
                 else rounding.exactly(Fraction(exact[name])) for name in family.free]  # fmt: skip
    comparison = _comparison(family, constants)
    same = all(comparison.form.chosen.get(name) == target.chosen.get(name, target.settings[name])
               for name in family.free)  # fmt: skip
    zero = rounding_to(digits).exactly(Fraction(0))
    error = zero if same else criterion.error(comparison, rounding_to(digits))
    return Best(family, criterion, constants, error, zero, "bound")


class Solved(NamedTuple):
    """Constants as they are printed, where the error is largest, and what proves them."""

    constants: Sequence[Result]
    points: Sequence[Point]
    bound: Fraction | None
    proof: str
    scope: str = ""


def _least_supremum(family: Family, criterion: Criterion, digits: int | None) -> Best:
    founds: list[Found] = []
    starts = _starts(family)
    for start in starts:
        tell(f"best constants, search {len(founds) + 1} of {len(starts)}")
        founds.append(least_largest_error(family, start, *_span(family, criterion)))
        solved = _solved(family, criterion, founds, digits) if len(founds) == 1 else None
        if solved and solved.bound is not None:
            break
    else:
        solved = _solved(family, criterion, founds, digits)
    if solved is None:
        raise _not_found(family, founds)
    rounding, proof = rounding_to(digits), solved.proof or f"best of {len(starts)} starts"
    error = criterion.error(_comparison(family, solved.constants), rounding)
    check_bounded(family, error)
    bound = None if solved.bound is None else rounded_down(solved.bound, rounding)
    beyond = _error_beyond(family, criterion, solved.constants, rounding)
    if beyond and (bound is None or beyond > bound):
        bound, proof = beyond, "bound" if beyond == error else proof
    return Best(
        family, criterion, solved.constants, error, bound, proof, solved.points, solved.scope
    )


def _not_found(family: Family, founds: Sequence[Found]) -> GeluError:
    if any(found.is_member for found in founds):
        return UsageError(
            "on --range the error can be made as small as float64's own: it is too small to tell "
            f"{' and '.join(family.free)} apart; take a wider one"
        )
    return ComputationError(
        "no best constants are found: take another range, another criterion, or fewer --free"
    )


def _error_beyond(
    family: Family, criterion: Criterion, constants: Sequence[Result], rounding: Rounding
) -> Result | None:
    """Return the largest error beyond an edge that is set: that of every member."""
    edge = family.form.fit.edge
    if not edge or edge in family.free:
        return None
    end, comparison = family.form.settings[edge], _comparison(family, constants)
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
        first, second = (refined(family, found, bits) for bits in (precision, precision * 3 // 2))
        pairs = zip(first.values, second.values, strict=True)
        constants: list[Result] | None = _all_known([_settled(*pair, fine) for pair in pairs])
        peaks = zip(first.peaks, second.peaks, strict=True)
        points = _all_known([_point(*pair, rounding) for pair in peaks])
        if constants is not None and points is not None:
            return Solved(constants, points, *_proved(family, criterion, second, precision))
        precision *= 2
    raise NotFoundError


def _proved(
    family: Family, criterion: Criterion, optimum: Optimum, precision: int
) -> tuple[Fraction | None, str, str]:
    """Return a lower bound of the error of every member, what proves it, and its `Best.scope`."""
    if not optimum.peaks:
        return Fraction(0), "bound", ""
    bound = alternation_bound(family, optimum, precision)
    if bound is not None:
        return bound, "alternation", ""
    if len(family.free) > MOST_COVERED:
        return None, "", ""
    tell("best constants, looking for a bound")
    bound = covering_bound(family, optimum, *_span(family, criterion), precision)
    if bound is None:
        return None, "", ""
    values = list(map(exactly, optimum.values))
    return bound, "bound", in_words(family, wide_box(family, values))


def _settled(first: Any, second: Any, rounding: Rounding) -> Result | None:
    """Return what a number rounds to that two precisions agree on, or None if they do not.

    A number that is as small as they differ, which are over a hundred bits, is 0.
    """
    one, other = exactly(first), exactly(second)
    return _within(other, 2 * abs(one - other), rounding)


def _within(value: Fraction, margin: Fraction, rounding: Rounding) -> Result | None:
    """Return what all numbers within a margin of a value round to, or None if they differ."""
    if abs(value) <= margin:
        return rounding.exactly(Fraction(0))
    low, high = (mpf.from_fraction(end, GUARD + 2 * rounding.precision, to)
                 for end, to in ((value - margin, mpf.DOWN), (value + margin, mpf.UP)))  # fmt: skip
    return rounding.settle(low, high)


Known = TypeVar("Known")


def _all_known(found: Sequence[Known | None]) -> list[Known] | None:
    """Return what was found, or None if any of it is not known."""
    known = [each for each in found if each is not None]
    return known if len(known) == len(found) else None


def _point(first: Peak, second: Peak, rounding: Rounding) -> Point | None:
    x, error = _settled(first.x, second.x, rounding), _settled(first.error, second.error, rounding)
    return None if x is None or error is None else Point(x, error, float(second.weight))


def _comparison(family: Family, constants: Sequence[Result]) -> Comparison:
    return family.comparison([Fraction(as_printed(each)) for each in constants])


def _starts(family: Family) -> list[list[float]]:
    """Return the constants in use, and others around them: of each, evenly spread octaves."""
    usual = [float(family.form.settings[name]) for name in family.free]
    chance, others = random.Random(0), STARTS - 1
    octaves = [SPREAD * (2 * k / others - 1) for k in range(STARTS) if k != others // 2]
    shuffled = [chance.sample(octaves, others) for _ in usual]
    return [usual, *([value * 2**octave for value, octave in zip(usual, each, strict=True)]
                     for each in zip(*shuffled, strict=True))]  # fmt: skip


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


def _least_average(family: Family, criterion: Criterion, digits: int | None) -> Best:
    normal, absolute = criterion.normal, criterion.name == "mean"
    convex = set(family.free) <= family.form.fit.linear
    starts = _starts(family)[: 1 if convex else STARTS]
    tell("best constants, searching")
    tries = [nearest_on_average(family, start, normal, absolute) for start in starts]
    tries.sort(key=lambda each: each.error)
    check_values(family, tries[0].values)
    if tries[0].error <= MEMBER:  # a member of the family fits it at every point
        best = _least_supremum(family, Criterion("sup"), digits)
        return best._replace(criterion=criterion, points=())
    for nearest in tries[:TRIES]:
        with suppress(NotFoundError, ZeroDivisionError):  # a singular matrix
            values, constants = _rounded_average(family, nearest, normal, absolute, digits)
            error = criterion.error(_comparison(family, constants), rounding_to(digits))
            if convex:
                bound = _average_bound(family, criterion, values, digits)
                return Best(family, criterion, constants, error, bound, "bound")
            return Best(family, criterion, constants, error, None, f"best of {len(starts)} starts")
    raise ComputationError("no best constants are found: take another criterion, or fewer --free")


def _average_bound(
    family: Family, criterion: Criterion, values: Sequence[Fraction], digits: int | None
) -> Result:
    """Return the least average, rounded down: an average of a convex function has one minimum.

    At values of so many digits the error is that of the best ones to twice as many.
    """
    more = Decimals(max(digits or 0, FLOAT64_DIGITS) + MORE_DIGITS)
    least = criterion.error(family.comparison(values), more)
    return rounded_down(Fraction(least), rounding_to(digits))


def _rounded_average(
    family: Family, nearest: Nearest, normal: Normal, absolute: bool, digits: int | None
) -> tuple[list[Fraction], list[Result]]:
    """Solve with ever more digits until the constants are settled."""
    rounding, wanted = constants_rounding(digits), max(digits or 0, FLOAT64_DIGITS)
    while wanted <= LAST_PRECISION:
        tell(f"best constants, {wanted} digits")
        values, share = balanced_on_average(family, nearest, normal, absolute, wanted)
        constants: list[Result] | None = _all_known(
            [_within(value, abs(value) * share, rounding) for value in values]
        )
        if constants is not None:
            return values, constants
        wanted *= 2
    raise NotFoundError
