"""Where curves cross each other, or the axis: brackets between two certain signs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from gelu_cli.arithmetic import Arithmetic, Real
from gelu_cli.arithmetic.floats import FLOATS
from gelu_cli.arithmetic.interval import Interval, interval_arithmetic
from gelu_cli.arithmetic.rational import RATIONAL
from gelu_cli.calculus.stretches import Curve, Place, Stretch, grid, piece_of
from gelu_cli.forms import ORDERS, Form

NOISE = 2.0**-40
"""A difference of floats relatively below this has a sign that cannot be trusted."""

FIRST_PRECISION, LAST_PRECISION = 64, 1024

Bracket: TypeAlias = tuple[Fraction, Fraction]


def curve_of(form: Form, stretch: Stretch, name: str) -> Curve:
    """Return a quantity of a form on a stretch as a curve."""
    piece, order = piece_of(form, stretch), ORDERS[name]
    return lambda a, x: getattr(form.on_piece(piece, a, x, order), name)


def zero(a: Arithmetic, x: Real) -> Real:
    """Return 0: the axis, as a curve."""
    return a.rational(0)


def enclosed(curve: Curve) -> Callable[[Interval], Interval]:
    """Return a curve as a function of enclosures, at the precision that these have."""

    def function(x: Interval) -> Interval:
        y: Interval = curve(interval_arithmetic(x.precision), x)
        return y

    return function


def vanishes(curve: Curve, stretch: Stretch) -> bool:
    """Return whether a curve is the constant 0: a polynomial that is 0 at each of many points."""
    return all(curve(RATIONAL, Fraction(x)) == 0 for x in grid(stretch)[:8])


def crossings(u: Curve, v: Curve, stretch: Stretch) -> Iterator[Bracket]:
    """Yield brackets around the points in a stretch where u − v changes its sign.

    Where the floats of u and v are too near to each other to tell, only the ends of the stretch
    are looked at more closely: a sign that changes in between shows on either side.
    """
    points = grid(stretch)
    signs = {x: _float_sign(u, v, x) for x in points}
    for end in (points[0], points[-1]):
        signs[end] = signs[end] or sign_at(lambda a, x: u(a, x) - v(a, x), Place.of(end))
    for (x, here), (y, there) in pairwise((x, found) for x, found in signs.items() if found):
        if here != there:
            yield Fraction(x), Fraction(y)


def _float_sign(u: Curve, v: Curve, x: float) -> int:
    """Return the sign of u − v at x where floats can tell, else 0."""
    try:
        left, right = u(FLOATS, x), v(FLOATS, x)
    except ArithmeticError:
        return 0
    if not abs(left - right) > NOISE * max(abs(left), abs(right)):
        return 0
    return 1 if left > right else -1


def sign_at(curve: Curve, place: Place) -> int:
    """Return the sign of a curve at a place; 0 where it is 0, or within 2**−1000 of it."""
    precision = FIRST_PRECISION
    while precision <= LAST_PRECISION:
        a = interval_arithmetic(precision)
        y: Interval = curve(a, place.position(a))
        if y.sign:
            return y.sign
        precision *= 4
    return 0
