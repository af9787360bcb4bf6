"""Why no member of a family can be nearer: lower bounds of its least largest error.

Where the members of a form that differ in n parameters differ, for x > 0, in at most n − 1 changes
of sign, none can have a smaller error at all of n + 1 points at which the errors alternate (de La
Vallée Poussin): the least of the errors at such points is a lower bound, however they were found.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise
from math import nextafter

from gelu_cli.arithmetic import Result, Rounding
from gelu_cli.arithmetic.balls import exactly, sign_of
from gelu_cli.calculus.fitting.families import Family
from gelu_cli.calculus.fitting.newton import Optimum, Peak, middle_of


def alternation_bound(family: Family, optimum: Optimum) -> Fraction | None:
    """Return a lower bound of the largest error of every member; None if alternation gives none.

    A family that ends at an edge, which is free, has a
    contact beyond it: a member with a nearer edge is as far off there, and one with an edge
    farther out has to be near on more of the line.
    """
    fit = family.form.fit
    free = set(family.free)
    if family.quantity not in ("value", "gate") or not family.form.symmetric:
        return None
    if family.relative and family.measured != "gate":  # the target may change its sign
        return None
    peaks = sorted(optimum.peaks, key=_distance)
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


def _distance(peak: Peak) -> Fraction:
    return abs(middle_of(peak.x))


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
