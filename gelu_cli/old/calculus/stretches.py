"""The real line cut where a function is not smooth, and a grid on every stretch of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic import Arithmetic, Curve, Real
from gelu_cli.old.arithmetic.exact import RATIONAL, Exact, unknown
from gelu_cli.old.formulas import Form
from gelu_cli.old.formulas.form import signed_root, signed_square


class Place(NamedTuple):
    """An end of a stretch, ±√|square|: a point as typed, a kink, or a stand-in for ±∞."""

    square: Fraction
    infinite: bool = False

    @classmethod
    def of(cls, x: Fraction | float, forms: Sequence[Form] = ()) -> Place:
        """Return the place x; for ±∞ one at which the forms have reached their limits."""
        if isinstance(x, Fraction) or math.isfinite(x):
            return cls(signed_square(Fraction(x)))
        exponent = max((form.limit_exponent for form in forms), default=100)
        return cls(Fraction(int(math.copysign(1, x)) << 2 * exponent), infinite=True)

    def position(self, a: Arithmetic) -> Real:
        """Return where the place is."""
        return signed_root(a, self.square)

    @property
    def exact(self) -> Exact:
        """The place as a number that every arithmetic takes."""
        number: Exact = self.position(RATIONAL)
        return number

    @property
    def rational(self) -> Fraction | None:
        """The place as a fraction, if it is one."""
        return self.exact if isinstance(self.exact, Fraction) else None

    def __float__(self) -> float:
        if self.infinite:
            return math.inf if self.square > 0 else -math.inf
        if self.rational is not None:  # its square may be beyond float64
            return float(self.rational)
        return math.copysign(math.sqrt(abs(self.square)), self.square)


class Stretch(NamedTuple):
    """The line from one place to the next, on which every form is a single piece."""

    low: Place
    high: Place


def check_range(low: Fraction | float, high: Fraction | float) -> None:
    """Raise `UsageError` for a range that is empty."""
    if not low < high:
        raise UsageError(
            f"the range {float(low):g}:{float(high):g} is empty; write the lower end first"
        )


def stretches(low: Place, high: Place, forms: Sequence[Form]) -> list[Stretch]:
    """Return the stretches from low to high, cut at 0 and where the forms have kinks.

    >>> from gelu_cli.old.formulas import find_form
    >>> cuts = stretches(Place.of(-10), Place.of(4), [find_form("hard")])
    >>> [round(float(stretch.high), 3) for stretch in cuts]
    [-1.763, 0.0, 1.763, 4.0]
    """
    squares = {Fraction(0), *(kink.square for form in forms for kink in form.kinks)}
    places = [low, *(cut for cut in map(Place, sorted(squares)) if low < cut < high), high]
    return [Stretch(*pair) for pair in pairwise(places)]


def piece_of(form: Form, stretch: Stretch) -> int:
    """Return which piece of a form holds on a stretch."""
    return form.piece_from(stretch.low.square)


def curve_of(form: Form, stretch: Stretch, name: str) -> Curve:
    """Return a quantity of a form on a stretch as a curve."""
    return form.curve(piece_of(form, stretch), name)


def vanishes(curve: Curve) -> bool:
    """Return whether a curve is known to be 0 at every x, as nothing is known of x but its name.

    >>> vanishes(lambda a, x: a.exp(2 * x) - a.exp(x + x)), vanishes(lambda a, x: x * x)
    (True, False)
    """
    return bool(curve(RATIONAL, unknown("x")) == 0)


def curves_on_line(form: Form, name: str) -> list[tuple[Stretch, Curve]]:
    """Return a quantity of a form as curves on the stretches of the whole line."""
    whole = stretches(Place.of(-math.inf, [form]), Place.of(math.inf, [form]), [form])
    return [(stretch, curve_of(form, stretch, name)) for stretch in whole]


UNIFORM = 256
FINE, COARSE = 24, 4
"""Points in an octave of |x|: from 1/16 to 32, and elsewhere."""

FARTHEST = 2.0**60
OCTAVES = 40
NEAREST = 30
"""The octaves towards a kink, as far as they are looked at."""

LEAST = 2.0**-1022
"""Below it a float times 2^(1/24) may be rounded back to itself."""


def grid(stretch: Stretch) -> list[float]:
    """Return points in ascending order inside a stretch, dense on every scale of |x|.

    An error of these forms changes on the scale of 1 near 0 and of |x| elsewhere, or, with
    extreme parameters, on another scale that the octaves meet as well.
    """
    low, high = (min(max(float(end), -FARTHEST), FARTHEST) for end in stretch)
    finite = not (stretch.low.infinite or stretch.high.infinite)
    points = {low + (high - low) * k / UNIFORM for k in range(1, UNIFORM) if finite}
    largest = max(abs(low), abs(high))
    smallest = max(min(abs(low), abs(high)), min(1.0, largest) * 2.0**-OCTAVES, LEAST)
    side = -1 if high <= 0 else 1
    x = smallest
    while x < largest:
        points.add(side * x)
        x *= 2 ** (1 / (FINE if 2**-4 <= x <= 2**5 else COARSE))
    for k in range(10, NEAREST):
        near = (high - low) * 2.0**-k
        points.update((low + near, high - near))
    return sorted(x for x in points if low < x < high)
