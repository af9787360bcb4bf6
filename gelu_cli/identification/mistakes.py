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
from gelu_cli.formulas.pieces import Piece, to_fraction, with_zero
from gelu_cli.formulas.special import logistic, normal_cdf, sqrt_two_over_pi

CUBIC = to_fraction("0.044715")


def of_normal(factor: str, less: str, scale: str = "1", *, gated: bool = False) -> list[Piece]:
    """Return m·(Φ(s·x) − l); erf(x/√2) is 2·(Φ(x) − ½)."""
    m, at_left = to_fraction(factor), -to_fraction(factor) * to_fraction(less)

    def tail(x: Any) -> Any:
        return m * normal_cdf(constant(scale) * x)

    left = Piece(tail, gated=gated, offset=at_left)
    return [left, replace(left, offset=at_left + m, sign=-1, reflected=True)]


def square_for_cube() -> list[Piece]:
    """Return the gate σ(2u), u = √(2/π)·(x + c·x²); it tends to 1 at ±∞."""

    def tail(x: Any) -> Any:
        return logistic(-2 * sqrt_two_over_pi() * x * (1 + CUBIC * x))

    return [Piece(tail, offset=1, sign=-1)]


OWN_KINDS: dict[str, Callable[..., Sequence[Piece]]] = {
    **KINDS,
    "of_normal": of_normal,
    "gate_of_normal": lambda *numbers: of_normal(*numbers, gated=True),
    "square_for_cube": square_for_cube,
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
def mistakes() -> Mapping[str, Form]:
    """Return each mistake by its name.

    >>> mistakes()["half_left_out"].definition
    'x·(1 + erf(x/√2))'
    """
    entries = read_table("mistakes.toml", "gelu_cli.identification")
    return {name: _form(name, entry) for name, entry in entries.items()}


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
