"""Known mistakes: formulas printed or programmed in place of GELU.

Each is a form, but not a form of GELU; `identify` alone knows it. `mistakes.toml` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from gelu_cli.formulas import Form, read_table, typed_form
from gelu_cli.formulas.kinds import KINDS, constant
from gelu_cli.formulas.pieces import Piece, polynomial_of, to_fraction, with_zero
from gelu_cli.formulas.special import normal_cdf


def of_normal(factor: str, less: str, scale: str = "1", *, gated: bool = False) -> list[Piece]:
    """Return m·(Φ(s·x) − l); erf(x/√2) is 2·(Φ(x) − ½)."""
    m, at_left = to_fraction(factor), -to_fraction(factor) * to_fraction(less)

    def tail(x: Any) -> Any:
        return m * normal_cdf(constant(scale) * x)

    left = Piece(tail, polynomial_of(at_left), gated=gated)
    line = polynomial_of(at_left + m)
    return [left, replace(left, polynomial=line, sign=-1, reflected=True)]


OWN_KINDS: dict[str, Callable[..., Sequence[Piece]]] = {
    **KINDS,
    "of_normal": of_normal,
    "gate_of_normal": lambda *numbers: of_normal(*numbers, gated=True),
}


@cache
def mistakes() -> Mapping[str, Form]:
    """Return each mistake by its name.

    >>> mistakes()["complement"].definition
    'x·(1 − Φ(x)): the other tail'
    """
    entries = read_table("mistakes.toml", "gelu_cli.identification")
    return {name: _form(name, entry) for name, entry in entries.items()}


def _form(name: str, entry: Mapping[str, Any]) -> Form:
    """Return a form by its pieces, or with its parameters."""
    definition = entry["definition"] + (f" ({entry['source']})" if "source" in entry else "")
    if "pieces" not in entry:
        return replace(typed_form(entry.get("form", name)), typed=name, definition=definition)
    kind, *texts = entry["pieces"]
    pieces, cuts = with_zero(OWN_KINDS[kind](*texts), [])
    return Form(name, definition, pieces, lambda: cuts)
