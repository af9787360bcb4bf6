"""Register forms by decorators.

By a function on the left half-line and a symmetry, or by pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from flint import fmpq

from gelu_cli.formulas.form import Form, Parameter
from gelu_cli.formulas.pieces import (
    Cut,
    Piece,
    Symmetry,
    Tail,
    mirrored_cuts,
    polynomial_of,
    to_fraction,
)

FORMS: dict[str, Form] = {}
"""The forms that one would choose by name, and the functions that they are made of."""

T = TypeVar("T", bound=Tail)


def positive(name: str, default: str) -> Parameter:
    """Return a parameter that must be positive."""
    return Parameter(name, to_fraction(default), 1)


def negative(name: str, default: str) -> Parameter:
    """Return a parameter that must be negative."""
    return Parameter(name, to_fraction(default), -1)


def parameter(name: str, default: str) -> Parameter:
    """Return a parameter of either sign."""
    return Parameter(name, to_fraction(default))


def register(
    name: str,
    definition: str,
    left: Sequence[Piece],
    right: Sequence[Piece] = (),
    cuts: Callable[..., Sequence[Cut]] = lambda **parameters: (),
    symmetry: Symmetry = "complementary",
    **more: Any,
) -> Form:
    """Add a form by its pieces and cuts up to 0.

    `right` or a symmetry makes the others.
    """
    pieces = *left, *(right or (piece.mirrored(symmetry) for piece in reversed(left)))

    def all_cuts(**parameters: fmpq) -> Sequence[Cut]:
        found = list(cuts(**parameters))
        if not right:
            return mirrored_cuts(found)
        return found if found and found[-1].square == 0 else [*found, Cut(fmpq(0))]

    own = not right and symmetry == "complementary" and all(piece.gated for piece in pieces)
    more = {"symmetric": own, **more}
    FORMS[name] = Form(name, definition, pieces, all_cuts, **more)
    return FORMS[name]


def gate(definition: str, *parameters: Parameter, **more: Any) -> Callable[[T], T]:
    """Register x·G(x) by G on the left half-line.

    On the right G(x) = 1 − G(−x).
    """

    def decorate(tail: T) -> T:
        register(tail.__name__, definition, [Piece(tail)], parameters=parameters, **more)
        return tail

    return decorate


def function(
    symmetry: Symmetry,
    definition: str,
    *parameters: Parameter,
    slope: int = 0,
    offset: int = 0,
    name: str = "",
    **more: Any,
) -> Callable[[T], T]:
    """Register f by f − offset − slope·x on the left, and a symmetry."""

    def decorate(tail: T) -> T:
        left = [Piece(tail, polynomial_of(offset, slope), gated=False)]
        more_of = {"symmetry": symmetry, "parameters": parameters, **more}
        register(name or tail.__name__, definition, left, **more_of)
        return tail

    return decorate
