"""Smooth pieces of a form, and the cuts where two of them meet.

On a piece a gate, or a function, is an asymptote plus a tail. The tail tends to 0 and is known to
full *relative* precision; so GELU(60) = 60 − 10⁻⁷⁸² is known on both sides of every tie. The right
half-line follows from the left one by a symmetry, or has pieces of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from flint import fmpq, fmpq_poly

Symmetry = Literal["complementary", "ramp", "even", "odd"]
"""r(−x) of a gate or function r: 1 − r(x); r(x) − x; r(x); −r(x)."""

SYMMETRIES: dict[str, tuple[int, int, int]] = {
    "complementary": (1, 0, -1),
    "ramp": (0, 1, 1),
    "even": (0, 0, 1),
    "odd": (0, 0, -1),
}
"""a, b and s of r(x) = a + b·x + s·r(−x)."""

Holds = Literal["left", "right", "mean"]
"""The piece that holds at a cut: the one to its left or right, or the mean of both."""

Tail = Callable[..., Any]
"""tail(x, **parameters) on every kind of number that `special` takes."""

Polynomial = Callable[..., fmpq_poly]
"""polynomial(**parameters) over the fractions."""


class Cut(NamedTuple):
    """A point at which two pieces meet.

    The signed square x·|x|, since some cuts are roots.
    """

    square: fmpq
    holds: Holds = "left"


def polynomial_of(*coefficients: Any) -> Polynomial:
    """Return a polynomial by its coefficients, the lowest power first."""
    polynomial = fmpq_poly([fmpq(c) for c in coefficients])
    return lambda **parameters: polynomial


NOTHING = polynomial_of(0)


@dataclass(frozen=True)
class Piece:
    """A smooth stretch: polynomial + sign·tail(±x); if gated, x times it.

    With a tail the polynomial is a straight line.
    """

    tail: Tail | None = None
    polynomial: Polynomial = NOTHING
    gated: bool = True
    sign: int = 1
    reflected: bool = False

    def mirrored(self, symmetry: Symmetry) -> Piece:
        """Return the piece at −x of a form with a symmetry."""
        a, b, s = SYMMETRIES[symmetry]

        def image(**parameters: fmpq) -> fmpq_poly:
            return fmpq_poly([a, b]) + s * self.polynomial(**parameters)(fmpq_poly([0, -1]))

        reflected = self.tail is not None and not self.reflected
        return replace(self, polynomial=image, sign=s * self.sign, reflected=reflected)


def mirrored_cuts(cuts: Sequence[Cut]) -> list[Cut]:
    """Return cuts up to 0 together with their mirror images.

    0 is always one of them.
    """
    opposite: dict[Holds, Holds] = {"left": "right", "right": "left", "mean": "mean"}
    left = list(cuts) if cuts and cuts[-1].square == 0 else [*cuts, Cut(fmpq(0))]
    return left + [Cut(-cut.square, opposite[cut.holds]) for cut in reversed(left[:-1])]


def with_zero(pieces: Sequence[Piece], cuts: Sequence[Cut]) -> tuple[tuple[Piece, ...], list[Cut]]:
    """Add the cut at 0 if it is missing.

    The piece around it is cut in two if it is one.
    """
    at = sum(cut.square < 0 for cut in cuts)
    if any(cut.square == 0 for cut in cuts):
        return tuple(pieces), list(cuts)
    if len(pieces) > len(cuts) + 1:
        return tuple(pieces), [*cuts[:at], Cut(fmpq(0)), *cuts[at:]]
    return (
        (*pieces[: at + 1], pieces[at], *pieces[at + 1 :]),
        [*cuts[:at], Cut(fmpq(0)), *cuts[at:]],
    )


def to_fraction(value: str | float | Fraction | fmpq) -> fmpq:
    """Return a number, or a word for one, as a fraction of flint.

    >>> to_fraction("1.702"), to_fraction(0.5)
    (851/500, 1/2)
    """
    if isinstance(value, fmpq):
        return value
    if isinstance(value, (float, int)):
        return fmpq(*value.as_integer_ratio())
    return fmpq(*Fraction(value).as_integer_ratio())


def as_fraction(y: fmpq) -> Fraction:
    """Return a fraction of flint as Python's."""
    return Fraction(int(y.p), int(y.q))


ZERO, ONE = Piece(), Piece(polynomial=polynomial_of(1))
"""Gates of ReLU."""
