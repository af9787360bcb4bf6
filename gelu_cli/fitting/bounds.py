"""Lower bounds of the least largest error: why no member of a family can be nearer.

Where the members of a form that differ in n parameters differ, for x > 0, in at most n − 1 changes
of sign, none can have a smaller error at all of n + 1 points at which the errors alternate (de La
Vallée Poussin): the least of the errors at such points is a lower bound, however they were found.

Where alternation gives none, the box around the best constants is closed at once if 0 lies in the
convex hull of the slopes of |error| for all members in it; the rest is covered (`covering`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise
from math import nextafter

from flint import acb, arb_mat

from gelu_cli.arithmetic import Result, Rounding
from gelu_cli.arithmetic.balls import BALLS, Ball, exactly, real, sign_of
from gelu_cli.calculus.comparison import End
from gelu_cli.fitting.covering import Box, Covering, halves, left_over, wide_box
from gelu_cli.fitting.families import Family
from gelu_cli.fitting.newton import (
    TWICE,
    Jet,
    Optimum,
    Peak,
    constant,
    jet_of,
    middle_of,
    variables,
)
from gelu_cli.fitting.references import Reference, at_peak, piece_beside, references, speeds

MOST_BOXES = 600
SHARES = (Fraction(1, 100), Fraction(1, 1000))
"""By which bounds are to be below the least error, where the best box cannot be closed."""

CLOSED = [Fraction(1, 2**k) for k in (1, 2, 3, 4, 6, 8, 11, 14, 17, 20)]
"""Half-widths, relative to the constants, of the box around the best ones."""


def covering_bound(family: Family, optimum: Optimum, low: End, high: End) -> Fraction | None:
    """Return a lower bound of the largest error of every member in `wide_box`; None without one.

    >>> from math import inf
    >>> from gelu_cli.arithmetic.balls import working
    >>> from gelu_cli.fitting.newton import refined
    >>> from gelu_cli.fitting.search import least_largest_error
    >>> from gelu_cli.forms import find_form
    >>> family = Family(find_form("sigmoid"), ("beta",), find_form("exact"), "gradient")
    >>> with working(200):
    ...     best = refined(family, least_largest_error(family, [1.7], -inf, inf))
    ...     float(covering_bound(family, best, -inf, inf))
    0.02906482505628787
    """
    values = optimum.middles
    if not all(values):
        return None
    points = references(family, list(map(float, values)), low, high, optimum.peaks)
    covering = Covering(family, list(map(float, values)), points, low, high)
    whole = wide_box(family, values)
    closed = _closed(family, optimum)
    if closed:
        box, bound = closed
        if left_over(covering, list(_around(whole, box)), bound, halves, MOST_BOXES) == []:
            return bound
    least = min(abs(middle_of(peak.error)) for peak in optimum.peaks)
    proved = None
    for share in SHARES:
        goal = least * (1 - share)
        if left_over(covering, [whole], goal, halves, MOST_BOXES) != []:
            break
        proved = goal
    return proved


def _around(whole: Box, hole: Box) -> Iterator[Box]:
    """Yield boxes that cover what is in a box and not in one inside it."""
    for i in range(len(whole.low)):
        yield whole.part(i, whole.low[i], hole.low[i])
        yield whole.part(i, hole.high[i], whole.high[i])
        whole = whole.part(i, hole.low[i], hole.high[i])


def _closed(family: Family, optimum: Optimum) -> tuple[Box, Fraction] | None:
    """Return a box around the best member, and a bound for all of it that is about the error."""
    for share in CLOSED:
        ends = (sorted((value * (1 - share), value * (1 + share))) for value in optimum.middles)
        low, high = zip(*ends, strict=True)
        box = Box(low, high)
        bound = _bound_about(family, optimum, box)
        if bound is not None:
            return box, bound
    return None


def _bound_about(family: Family, optimum: Optimum, box: Box) -> Fraction | None:
    """Return a bound for a box around the best member: by the slopes, or by the curvature.

    If 0 is in the convex hull of the slopes of |error| at the contacts, however each of them is
    chosen in the box, then on the way to any other member one of the errors does not fall. With
    one contact of one parameter it does not if |error| is convex there, and has no slope.
    """
    rows, heights = [], []
    for peak in optimum.peaks:
        reference = at_peak(peak)
        if reference is None or _held(family, reference, box) != {peak.contact.pieces.form}:
            return None
        heights.append(_at(family, peak, optimum.middles, reference.x).value)
        rows.append(_at(family, peak, box, reference.x).slopes)
    least = exactly(min((height.lower() for height in heights), key=exactly))
    if len(rows) == len(box.low) + 1:
        return least if _holds_zero(rows) else None
    if len(rows) > 1 or len(box.low) > 1 or optimum.peaks[0].contact.side:
        return None
    return _bound_by_curvature(family, optimum, box, least)


def _at(family: Family, peak: Peak, members: Box | Sequence[Fraction], x: Fraction) -> Jet:
    """Return |error| at x for a member, or for all of a box, with its derivatives."""
    ends = members if isinstance(members, Box) else (members, members)
    given = variables([real(low).union(real(high)) for low, high in zip(*ends, strict=True)])
    error = family.error_at(peak.contact.pieces, TWICE, constant(BALLS, acb(real(x))), given)
    return jet_of(peak.contact.sign * error, len(given))


def _bound_by_curvature(
    family: Family, optimum: Optimum, box: Box, least: Fraction
) -> Fraction | None:
    """Return a bound from an error that is convex in the only parameter, at x as it moves.

    With x = x₀ + m·(value − best), m the speed of the extremum, the second derivative is that of
    the largest error, and the first one is 0 but for rounding.
    """
    (peak,), (best,) = optimum.peaks, optimum.middles
    contact, middle = peak.contact, middle_of(peak.x)
    move = Fraction(*speeds(family, contact.pieces, float(middle), [float(best)]))
    reach = max(box.high[0] - best, best - box.low[0])
    for x in (middle - move * reach, middle + move * reach):
        if not contact.low < x < contact.high:
            return None
        if _held(family, Reference(x), box) != {contact.pieces.form}:
            return None

    def error(low: Fraction, high: Fraction) -> Jet:
        value, speed = variables([real(low).union(real(high))])[0], constant(BALLS, acb(real(move)))
        x = constant(BALLS, acb(real(middle))) + speed * (value - constant(BALLS, acb(real(best))))
        found = family.error_at(contact.pieces, TWICE, x, [value])
        return jet_of(contact.sign * found, 1)

    if not error(box.low[0], box.high[0]).bends[0][0] >= 0:
        return None
    return least - reach * exactly(error(best, best).slopes[0].abs_upper())


def _held(family: Family, reference: Reference, box: Box) -> set[int]:
    return {piece_beside(family.member(corner), reference) for corner in box.corners}


def _holds_zero(rows: list[list[Ball]]) -> bool:
    """Return whether 0 is a sum of n + 1 vectors with positive weights, however they are chosen.

    The weights are the minors with alternating signs, by Cramer's rule.
    """
    signs = [sign_of(arb_mat(rows[:i] + rows[i + 1 :]).det()) for i in range(len(rows))]
    return all(signs) and all(one == -other for one, other in pairwise(signs))


def alternation_bound(family: Family, optimum: Optimum) -> Fraction | None:
    """Return a lower bound of the largest error of every member; None if alternation gives none.

    A family that ends at an edge, which is free, has a contact beyond it: a member with a nearer
    edge is as far off there, and one with an edge farther out has to be near on more of the line.
    """
    fit = family.form.fit
    free = set(family.free)
    if family.quantity not in ("value", "gate") or not family.form.symmetric:
        return None
    if family.relative and family.measured != "gate":  # the target may change its sign
        return None
    peaks = sorted(optimum.peaks, key=lambda peak: abs(middle_of(peak.x)))
    inner = [peak for peak in peaks if not (fit.edge and _is_outer(family, peak))]
    beyond = [peak for peak in peaks if fit.edge and _is_outer(family, peak)]
    if bool(beyond) != (fit.edge in free) or not fit.ordered(
        free - {fit.edge}, family.form.settings
    ):
        return None
    signs = [_side(family, peak) * sign_of(peak.error) for peak in inner]
    needed = len(free - {fit.edge}) + 1
    if len(signs) < needed or any(one != -other for one, other in pairwise(signs)):
        return None
    return min(exactly(peak.error.abs_lower()) for peak in peaks)


def _is_outer(family: Family, peak: Peak) -> bool:
    return peak.contact.pieces.form in (0, len(family.form.pieces) - 1)


def _side(family: Family, peak: Peak) -> int:
    """Return the sign with which a gate that is nearer to its limits, ±x → ∞, adds to the error.

    A value x·G(x) grows on both sides of 0, a gate with G(x) + G(−x) = 1 falls for x < 0.
    """
    left = peak.contact.low < 0
    return -1 if family.measured == "gate" and left else 1


def below(result: Result) -> Result:
    """Return the number before a positive one: what was rounded to this is not below that.

    >>> below(1.0)
    0.9999999999999999
    """
    if isinstance(result, Decimal):
        return result.next_minus(Context(prec=len(result.as_tuple().digits)))
    return nextafter(result, 0.0)


def rounded_down(value: Fraction, rounding: Rounding) -> Result:
    """Return the largest number of a rounding that is not above a positive fraction.

    >>> from gelu_cli.arithmetic.decimals import Decimals
    >>> rounded_down(Fraction(2, 3), Decimals(3))
    Decimal('0.666')
    """
    result = rounding.exactly(value)
    return result if Fraction(result) <= value else below(result)
