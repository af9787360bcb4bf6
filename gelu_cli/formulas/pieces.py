"""Smooth pieces of a form, and the cuts where two of them meet.

On a piece a gate, or a function, is an asymptote plus a tail. The tail tends to 0 and is known to
full *relative* precision; so GELU(60) = 60 − 10⁻⁷⁸² is known on both sides of every tie.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

from flint import fmpq, fmpq_poly

SYMMETRIES: dict[str, tuple[int, int, int]] = {
    "complementary": (1, 0, -1),
    "ramp": (0, 1, 1),
    "even": (0, 0, 1),
    "odd": (0, 0, -1),
}
"""a, b and s of r(x) = a + b·x + s·r(−x), r a gate or function."""

OPPOSITE = {"left": "right", "right": "left", "mean": "mean"}
"""The piece that holds at a cut, its left or right one or the mean of both; seen in a mirror."""

Tail = Callable[..., Any]
"""tail(x, **parameters) on every kind of number that `special` takes."""

Polynomial = Callable[..., fmpq_poly]
"""polynomial(**parameters) over the fractions."""


class Cut(NamedTuple):
    """A point at which two pieces meet.

    The signed square x·|x|, since some cuts are roots.
    """

    square: fmpq
    holds: str = "left"


@dataclass(frozen=True)
class Piece:
    """A smooth stretch: polynomial + sign·tail(±x); if gated, x times it.

    With a tail the polynomial is a straight line.
    """

    tail: Tail | None
    polynomial: Polynomial
    gated: bool = True
    sign: int = 1
    reflected: bool = False

    def mirrored(self, symmetry: str) -> Piece:
        """Return the piece at −x of a form with a symmetry."""
        a, b, s = SYMMETRIES[symmetry]

        def image(**parameters: fmpq) -> fmpq_poly:
            return fmpq_poly([a, b]) + s * self.polynomial(**parameters)(fmpq_poly([0, -1]))

        return replace(self, polynomial=image, sign=s, reflected=self.tail is not None)


def with_zero(cuts: Sequence[Cut]) -> list[Cut]:
    """Return cuts and 0 in ascending order."""
    return sorted(cuts if any(cut.square == 0 for cut in cuts) else [*cuts, Cut(fmpq(0))])


def mirrored(cuts: Sequence[Cut]) -> list[Cut]:
    """Return cuts up to 0, which is the last, with their mirror images."""
    images = [Cut(-cut.square, OPPOSITE[cut.holds]) for cut in reversed(cuts[:-1])]
    return [*cuts, *images]


def to_fraction(value: str | float | Fraction | fmpq) -> fmpq:
    """Return a number, or a word for one, as a fraction of flint.

    >>> to_fraction("1.702"), to_fraction(0.5)
    (851/500, 1/2)
    """
    if isinstance(value, fmpq):
        return value
    exact = Fraction(value) if isinstance(value, str) else value
    return fmpq(*exact.as_integer_ratio())


def as_fraction(y: fmpq) -> Fraction:
    """Return a fraction of flint as Python's."""
    return Fraction(int(y.p), int(y.q))
