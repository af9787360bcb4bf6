"""Known mistakes: formulas printed or programmed in place of GELU.

Each is a form, but not a form of GELU; `identify` alone knows it. `mistakes.toml` lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from gelu_cli.formulas import Form, form_of, read_table, typed_form

SCALED = form_of(
    "tanh_scaled",
    {
        "definition": "½x·(1 + tanh(s·(x + 0.044715·x³))), the tanh form with s = √(2/π)",
        "gate": "σ(2·s·x·(1 + 0.044715·x·x))",
        "parameters": {"s": ["√(2/π)", "0.79788456080286535588"]},
        "positive": ["s"],
    },
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
    if "gate" in entry or "value" in entry:
        return form_of(name, entry)
    if name.startswith(SCALED.name):
        form = SCALED.with_settings(name, {"s": name.partition("=")[2]})
    else:
        form = typed_form(entry.get("form", name))
    definition = entry.get("definition", form.definition)
    return replace(form, typed=name, definition=definition, source=entry.get("source", ""))
