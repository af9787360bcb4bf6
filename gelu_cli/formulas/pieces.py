"""Smooth pieces of a form, and the cuts where two of them meet.

On a piece the gate G of a form x·G(x), or the value of another form, is an asymptote plus a tail.
The tail tends to 0 and has full *relative* precision: GELU(60) ≈ 60 − 7·10⁻⁷⁸³ is certified < 60.
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
"""a, b and s in r(x) = a + b·x + s·r(−x), where r is a gate or, without a gate, the value."""

OPPOSITE = {"left": "right", "right": "left", "mean": "mean"}
"""`Cut.holds` of a cut at x, and `Cut.holds` of the mirrored cut at −x."""

Tail = Callable[..., Any]
"""tail(x, **parameters); x is of any type that the functions of `special` take."""

Polynomial = Callable[..., fmpq_poly]
"""polynomial(**parameters), with fractions as coefficients."""


class Cut(NamedTuple):
    """A point x at which two pieces meet.

    `square` is x·|x|, a fraction even if x is a square root. `holds` says what holds at x: the
    "left" or "right" piece, or the "mean" of both.
    """

    square: fmpq
    holds: str = "left"


@dataclass(frozen=True)
class Piece:
    """A smooth piece: polynomial + sign·tail(x); if gated, x times this sum.

    The tail is taken at −x if `reflected`. If there is a tail, the polynomial is a straight line.
    """

    tail: Tail | None
    polynomial: Polynomial
    gated: bool = True
    sign: int = 1
    reflected: bool = False

    def mirrored(self, symmetry: str) -> Piece:
        """Return the mirror image of the piece, at −x, by a symmetry."""
        a, b, s = SYMMETRIES[symmetry]

        def image(**parameters: fmpq) -> fmpq_poly:
            return fmpq_poly([a, b]) + s * self.polynomial(**parameters)(fmpq_poly([0, -1]))

        return replace(self, polynomial=image, sign=s, reflected=self.tail is not None)


def with_zero(cuts: Sequence[Cut]) -> list[Cut]:
    """Return cuts in ascending order, with a cut at 0."""
    return sorted(cuts if any(cut.square == 0 for cut in cuts) else [*cuts, Cut(fmpq(0))])


def mirrored(cuts: Sequence[Cut]) -> list[Cut]:
    """Append mirror images to cuts that ascend to a cut at 0."""
    images = [Cut(-cut.square, OPPOSITE[cut.holds]) for cut in reversed(cuts[:-1])]
    return [*cuts, *images]


def to_fraction(value: str | float | Fraction | fmpq) -> fmpq:
    """Convert a number, or the text of a number, to a fraction of flint.

    >>> to_fraction("1.702"), to_fraction(0.5)
    (851/500, 1/2)
    """
    if isinstance(value, fmpq):
        return value
    exact = Fraction(value) if isinstance(value, str) else value
    return fmpq(*exact.as_integer_ratio())


def as_fraction(y: fmpq) -> Fraction:
    """Convert a fraction of flint to one of Python."""
    return Fraction(int(y.p), int(y.q))
