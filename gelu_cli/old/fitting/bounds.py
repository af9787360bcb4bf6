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

from flint import arb_mat

from gelu_cli.old.arithmetic import Result, Rounding
from gelu_cli.old.arithmetic.balls import exactly, real, sign_of
from gelu_cli.old.arithmetic.dual import Dual
from gelu_cli.old.calculus.comparison import End
from gelu_cli.old.fitting.covering import (
    SPREAD,
    Box,
    Covering,
    Reference,
    at_peak,
    left_over,
    references,
    speeds,
)
from gelu_cli.old.fitting.families import Family
from gelu_cli.old.fitting.newton import TWICE, Jet, Optimum, Peak, constant, jet, middle_of

MOST_BOXES = 600
SHARES = (Fraction(1, 100), Fraction(1, 1000))
"""By which bounds are to be below the least error, where the best box cannot be closed."""

CLOSED = [Fraction(1, 2**k) for k in (1, 2, 3, 4, 6, 8, 11, 14, 17, 20)]
"""Half-widths, relative to the constants, of the box around the best ones."""


def covering_bound(
    family: Family, optimum: Optimum, low: End, high: End
) -> tuple[Fraction, str] | None:
    """Return a lower bound of the largest error of every member in a box, and the box in words.

    None without one. The box has constants up to `SPREAD` times as large, and down to a share of
    1/`SPREAD`, or to as large ones of the other sign where they may have either.

    >>> from math import inf
    >>> from gelu_cli.old.arithmetic.balls import working
    >>> from gelu_cli.old.fitting.newton import refined
    >>> from gelu_cli.old.fitting.search import least_largest_error
    >>> from gelu_cli.old.formulas import find_form
    >>> family = Family(find_form("sigmoid"), ("beta",), find_form("exact"), "gradient")
    >>> with working(200):
    ...     best = refined(family, least_largest_error(family, [1.7], -inf, inf))
    ...     bound, scope = covering_bound(family, best, -inf, inf)
    >>> float(bound), scope
    (0.02906482505628787, 'beta from -27.1 to 27.1')
    """
    values = optimum.middles
    if not all(values):
        return None
    floats = list(map(float, values))
    points = references(family, floats, low, high, optimum.peaks)
    covering = Covering(family, floats, points, low, high)
    ends = [sorted((SPREAD * value, value / SPREAD if sign else -SPREAD * value))
            for value, sign in zip(values, family.signs, strict=True)]  # fmt: skip
    whole = Box(*zip(*ends, strict=True))
    scope = ", ".join(f"{name} from {float(start):.3g} to {float(end):.3g}"
                      for name, (start, end) in zip(family.free, ends, strict=True))  # fmt: skip
    for share in CLOSED:
        box = Box(*zip(*(sorted((value * (1 - share), value * (1 + share))) for value in values),
                       strict=True))  # fmt: skip
        bound = _bound_about(family, optimum, box)
        if bound is not None:
            if left_over(covering, [*_around(whole, box)], bound, halves, MOST_BOXES) == []:
                return bound, scope
            break
    least = min(abs(middle_of(peak.error)) for peak in optimum.peaks)
    proved = None
    for share in SHARES:
        goal = least * (1 - share)
        if left_over(covering, [whole], goal, halves, MOST_BOXES) != []:
            break
        proved = goal, scope
    return proved


def halves(low: Fraction, high: Fraction) -> list[tuple[Fraction, Fraction]]:
    """Cut in the middle, or in that of the logarithms where the ends are of different sizes.

    >>> halves(Fraction(1), Fraction(64))
    [(Fraction(1, 1), Fraction(8, 1)), (Fraction(8, 1), Fraction(64, 1))]
    """
    middle = (low + high) / 2
    if low * high > 0 and not Fraction(1, 4) <= low / high <= 4:
        size = Fraction(float(abs(low)) ** 0.5 * float(abs(high)) ** 0.5)
        middle = size if low > 0 else -size
    elif low < 0 < high:
        middle = Fraction(0)
    return [(low, middle), (middle, high)]


def _around(whole: Box, hole: Box) -> Iterator[Box]:
    """Yield boxes that cover what is in a box and not in one inside it."""
    for i in range(len(whole.low)):
        yield whole.part(i, whole.low[i], hole.low[i])
        yield whole.part(i, hole.high[i], whole.high[i])
        whole = whole.part(i, hole.low[i], hole.high[i])


def _bound_about(family: Family, optimum: Optimum, box: Box) -> Fraction | None:
    """Return a bound for a box around the best member: by the slopes, or by the curvature.

    If 0 is in the convex hull of the slopes of |error| at the contacts, however each of them is
    chosen in the box, then on the way to any other member one of the errors does not fall. Its
    weights are the minors with alternating signs, by Cramer's rule. With one contact of one
    parameter no error falls if |error| is convex there, and has no slope.
    """
    rows, heights = [], []
    for peak in optimum.peaks:
        reference = at_peak(peak)
        if reference is None or _held(family, reference, box) != {peak.contact.pieces.form}:
            return None
        heights.append(_at(family, peak, optimum.middles, reference.x).value)
        rows.append(list(_at(family, peak, box, reference.x).slopes))
    least = exactly(min((height.lower() for height in heights), key=exactly))
    if len(rows) == len(box.low) + 1:
        minors = (arb_mat(rows[:i] + rows[i + 1 :]).det() for i in range(len(rows)))
        signs = list(map(sign_of, minors))
        holds = all(signs) and all(one == -other for one, other in pairwise(signs))
        return least if holds else None
    if len(rows) > 1 or len(box.low) > 1 or optimum.peaks[0].contact.side:
        return None
    return _bound_by_curvature(family, optimum, box, least)


def _at(family: Family, peak: Peak, members: Box | Sequence[Fraction], x: Fraction) -> Jet:
    """Return |error| at x for a member, or for all of a box, with its derivatives."""
    ends = members if isinstance(members, Box) else (members, members)
    values = [real(low).union(real(high)) for low, high in zip(*ends, strict=True)]
    pieces, sign = peak.contact.pieces, peak.contact.sign
    place = constant(real(x))
    return jet(lambda given: sign * family.error_at(pieces, TWICE, place, given), values)


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

    def error(given: list[Dual]) -> Dual:
        x = constant(real(middle)) + constant(real(move)) * (given[0] - constant(real(best)))
        signed: Dual = contact.sign * family.error_at(contact.pieces, TWICE, x, given)
        return signed

    if not jet(error, [real(box.low[0]).union(real(box.high[0]))]).bends[0][0] >= 0:
        return None
    return least - reach * exactly(jet(error, [real(best)]).slopes[0].abs_upper())


def _held(family: Family, reference: Reference, box: Box) -> set[int]:
    return {reference.piece_of(family.member(corner)) for corner in box.corners}


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
    outer = (0, len(family.form.pieces) - 1) if fit.edge else ()
    peaks = sorted(optimum.peaks, key=lambda peak: abs(middle_of(peak.x)))
    inner = [peak for peak in peaks if peak.contact.pieces.form not in outer]
    inside = free - {fit.edge}
    if (len(inner) < len(peaks)) != (fit.edge in free):
        return None
    if not fit.ordered(inside, family.form.settings):
        return None
    # A gate with G(x) + G(−x) = 1 falls for x < 0, a value x·G(x) grows on both sides of 0, where
    # the gate goes to its limits.
    falls = family.measured == "gate"
    signs = [sign_of(peak.error) * (-1 if falls and peak.contact.low < 0 else 1) for peak in inner]
    if len(signs) <= len(inside) or any(one != -other for one, other in pairwise(signs)):
        return None
    return min(exactly(peak.error.abs_lower()) for peak in peaks)


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

    >>> from gelu_cli.old.arithmetic.decimals import Decimals
    >>> rounded_down(Fraction(2, 3), Decimals(3))
    Decimal('0.666')
    """
    result = rounding.exactly(value)
    return result if Fraction(result) <= value else below(result)
