"""A lower bound of the largest error where alternation gives none: other constants are covered.

The box around the best constants is closed at once where 0 lies in the convex hull of the slopes of
|error| for all members in it; the rest is covered (`covering`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from gelu_cli.arithmetic import mpf
from gelu_cli.arithmetic.dual import Dual
from gelu_cli.arithmetic.interval import Interval, interval_arithmetic
from gelu_cli.calculus.comparison import End
from gelu_cli.calculus.fitting.boxes import Box, halves, wide_box
from gelu_cli.calculus.fitting.covering import Covering, left_over, slopes_over
from gelu_cli.calculus.fitting.families import Family
from gelu_cli.calculus.fitting.newton import Optimum, Peak, middle_of
from gelu_cli.calculus.fitting.references import (
    Reference,
    at_peak,
    piece_beside,
    references,
    speeds,
    twice,
)

MOST_BOXES = 600
SHARES = (Fraction(1, 100), Fraction(1, 1000))
"""By which bounds are to be below the least error, where the best box cannot be closed."""

CLOSED = [Fraction(1, 2**k) for k in (1, 2, 3, 4, 6, 8, 11, 14, 17, 20)]
"""Half-widths, relative to the constants, of the box around the best ones."""


def covering_bound(
    family: Family, optimum: Optimum, low: End, high: End, precision: int
) -> Fraction | None:
    """Return a lower bound of the largest error of every member in `wide_box`; None without one.

    >>> from math import inf
    >>> from gelu_cli.arithmetic.balls import working
    >>> from gelu_cli.calculus.fitting.newton import refined
    >>> from gelu_cli.calculus.fitting.search import least_largest_error
    >>> from gelu_cli.forms import find_form
    >>> family = Family(find_form("sigmoid"), ("beta",), find_form("exact"), "gradient")
    >>> with working(200):
    ...     best = refined(family, least_largest_error(family, [1.7], -inf, inf))
    >>> float(covering_bound(family, best, -inf, inf, 200))
    0.02906482505628787
    """
    values = optimum.middles
    if not all(values):
        return None
    points = references(family, list(map(float, values)), low, high, optimum.peaks)
    covering = Covering(family, list(map(float, values)), points, low, high)
    whole = wide_box(family, values)
    closed = _closed(family, optimum, values, precision)
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


def _closed(
    family: Family, optimum: Optimum, values: Sequence[Fraction], precision: int
) -> tuple[Box, Fraction] | None:
    """Return a box around the best member, and a bound for all of it that is about the error."""
    for share in CLOSED:
        low, high = zip(*(sorted((value * (1 - share), value * (1 + share))) for value in values),
                        strict=True)  # fmt: skip
        box = Box(low, high)
        bound = _bound_about(family, optimum, values, box, precision)
        if bound is not None:
            return box, bound
    return None


def _bound_about(
    family: Family, optimum: Optimum, values: Sequence[Fraction], box: Box, precision: int
) -> Fraction | None:
    """Return a bound for a box around the best member: by the slopes, or by the curvature.

    If 0 is in the convex hull of the slopes of |error| at the contacts, however each of them is
    chosen in the box, then on the way to any other member one of the errors does not fall. With
    one contact of one parameter it does not if |error| is convex there, and has no slope.
    """
    a = interval_arithmetic(precision)
    best = [a.rational(value) for value in values]
    given = [Interval(a.rational(low).low, a.rational(high).high, precision)
             for low, high in zip(*box, strict=True)]  # fmt: skip
    rows, heights = [], []
    for peak in optimum.peaks:
        pieces, sign = peak.contact.pieces, peak.contact.sign
        reference = at_peak(peak)
        if reference is None or _held(family, reference, box) != {pieces.form}:
            return None
        x = a.rational(reference.x)
        heights.append(sign * family.error_at(pieces, a, x, best))
        rows.append([sign * slope for slope in slopes_over(family, pieces, a, x, given)])
    least = min(mpf.to_fraction(height.low) for height in heights)
    if len(rows) == len(values) + 1:
        return least if _holds_zero(rows) else None
    if len(rows) > 1 or len(values) > 1 or optimum.peaks[0].contact.place is not None:
        return None
    return _bound_by_curvature(family, optimum.peaks[0], values[0], box, least, precision)


def _bound_by_curvature(
    family: Family, peak: Peak, best: Fraction, box: Box, least: Fraction, precision: int
) -> Fraction | None:
    """Return a bound from an error that is convex in the only parameter, at x as it moves.

    With x = x₀ + m·(value − best), m the speed of the extremum, the second derivative is that of
    the largest error, and the first one is 0 but for rounding.
    """
    a, contact = interval_arithmetic(precision), peak.contact
    pieces, middle = contact.pieces, middle_of(peak.x)
    move = Fraction(*speeds(family, pieces, float(middle), [float(best)]))
    reach = max(box.high[0] - best, best - box.low[0])
    for x in (middle - move * reach, middle + move * reach):
        if not contact.low < x < contact.high:
            return None
        if _held(family, Reference(x), box) != {pieces.form}:
            return None
    speed, x0 = a.rational(move), a.rational(middle)

    def error(low: Fraction, high: Fraction) -> Dual:
        value = Interval(a.rational(low).low, a.rational(high).high, precision)
        place = x0 + speed * (value - a.rational(best))
        return twice(family, pieces, a, place, speed, [value], [a.rational(1)])

    curvature = error(box.low[0], box.high[0]).derivative.derivative
    if mpf.sign((contact.sign * curvature).low) < 0:
        return None
    slope = error(best, best).value.derivative
    return least - reach * max(abs(mpf.to_fraction(end)) for end in (slope.low, slope.high))


def _held(family: Family, reference: Reference, box: Box) -> set[int]:
    return {piece_beside(family.member(corner), reference) for corner in box.corners}


def _holds_zero(rows: list[list[Interval]]) -> bool:
    """Return whether 0 is a sum of n + 1 vectors with positive weights, however they are chosen.

    The weights are the minors with alternating signs, by Cramer's rule.
    """
    signs = [_determinant(rows[:i] + rows[i + 1 :]).sign for i in range(len(rows))]
    return all(signs) and all(one == -other for one, other in pairwise(signs))


def _determinant(rows: list[list[Interval]]) -> Interval:
    if len(rows) == 1:
        return rows[0][0]
    first, *others = rows
    terms = [entry * _determinant([row[:j] + row[j + 1 :] for row in others])
             for j, entry in enumerate(first)]  # fmt: skip
    total = terms[0]
    for j, term in enumerate(terms[1:]):
        total = total + term if j % 2 else total - term
    return total
