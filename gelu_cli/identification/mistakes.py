"""Known mistakes: formulas printed or programmed in place of GELU.

Each is a form, but not a form of GELU; `identify` alone knows it. `mistakes.toml` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from gelu_cli.formulas import Form, find_form, read_table, typed_form
from gelu_cli.formulas.entries import SCALE, tanh
from gelu_cli.formulas.kinds import KINDS, both_halves, constant
from gelu_cli.formulas.pieces import Piece, Tail, polynomial_of, to_fraction, with_zero
from gelu_cli.formulas.special import (
    exp,
    logistic,
    normal_cdf,
    normal_density,
    sqrt_two_over_pi,
)

CUBIC = to_fraction("0.044715")


def of_normal(factor: str, less: str, scale: str = "1", *, gated: bool = False) -> list[Piece]:
    """Return m·(Φ(s·x) − l); erf(x/√2) is 2·(Φ(x) − ½)."""
    m, at_left = to_fraction(factor), -to_fraction(factor) * to_fraction(less)

    def tail(x: Any) -> Any:
        return m * normal_cdf(constant(scale) * x)

    left = Piece(tail, polynomial_of(at_left), gated=gated)
    line = polynomial_of(at_left + m)
    return [left, replace(left, polynomial=line, sign=-1, reflected=True)]


def square_for_cube() -> list[Piece]:
    """Return the gate σ(2u), u = √(2/π)·(x + c·x²); it tends to 1 at ±∞."""

    def tail(x: Any) -> Any:
        return logistic(-2 * sqrt_two_over_pi() * x * (1 + CUBIC * x))

    return [Piece(tail, polynomial_of(1), sign=-1)]


def half(left: Tail) -> list[Piece]:
    """Return a function with g(x) + g(−x) = 1, from its left half."""
    return [replace(piece, gated=False) for piece in both_halves(left)]


def density_without_x() -> list[Piece]:
    """Return Φ + φ, on the right 1 − (Φ(−x) − φ(x))."""
    left = Piece(lambda x: normal_cdf(x) + normal_density(x), gated=False)
    tail = lambda x: normal_cdf(-x) - normal_density(x)  # noqa: E731
    return [left, Piece(tail, polynomial_of(1), gated=False, sign=-1)]


def slope_of_tanh(square: str, scale: str) -> list[Piece]:
    """Return σ + 2x·σ(1 − σ)·s·(1 + n·x²); tanh has s = √(2/π), n = 3c."""

    def left(x: Any) -> Any:
        gate = tanh(x, CUBIC, sqrt_two_over_pi(), 0)
        slope = constant(scale) * (1 + to_fraction(square) * x * x)
        return gate + 2 * x * gate * (1 - gate) * slope

    return half(left)


OWN_KINDS: dict[str, Callable[..., Sequence[Piece]]] = {
    **KINDS,
    "of_normal": of_normal,
    "gate_of_normal": lambda *numbers: of_normal(*numbers, gated=True),
    "square_for_cube": square_for_cube,
    "minus_density": lambda: half(lambda x: normal_cdf(x) - x * normal_density(x)),
    "density_without_x": density_without_x,
    "density_without_root": lambda: half(lambda x: normal_cdf(x) + x * exp(x * x / -2)),
    "slope_of_tanh": slope_of_tanh,
}

SCALED = Form(
    "tanh_scaled",
    "½x·(1 + tanh(s·(x + 0.044715·x³))), the tanh form with s = √(2/π)",
    tuple(both_halves(lambda x, s: tanh(x, CUBIC, s, 0))),
    find_form("tanh").cuts_at,
    (SCALE._replace(name="s"),),
)
"""The tanh form with its first constant free."""


@cache
def mistakes() -> Mapping[str, tuple[Form, str]]:
    """Return each mistake by its name, with the quantity it was meant to be.

    The quantity "" means any.

    >>> form, meant = mistakes()["minus_density"]
    >>> form.definition, meant
    ('Φ(x) − x·φ(x)', 'gradient')
    """
    entries = read_table("mistakes.toml", "gelu_cli.identification")
    return {name: (_form(name, entry), entry.get("of", "")) for name, entry in entries.items()}


def _form(name: str, entry: Mapping[str, Any]) -> Form:
    source = entry.get("source", "")
    if "pieces" in entry:
        kind, *texts = entry["pieces"]
        pieces, cuts = with_zero(OWN_KINDS[kind](*texts), [])
        return Form(name, entry["definition"], pieces, lambda: cuts, source=source)
    if name.startswith(SCALED.name):
        form = SCALED.with_settings(name, {"s": name.partition("=")[2]})
    else:
        form = typed_form(entry.get("form", name))
    definition = entry.get("definition", form.definition)
    return replace(form, typed=name, definition=definition, source=source)
