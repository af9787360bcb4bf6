"""Known mistakes: formulas printed or programmed in place of GELU.

Each is a form, but not a form of GELU; `identify` alone knows it. `mistakes.toml` lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from gelu_cli.formulas import Form, form_of, read_table, typed_form


@cache
def mistakes() -> Mapping[str, Form]:
    """Return each mistake by its name.

    >>> mistakes()["complement"].definition
    'x·(1 − Φ(x)): the other tail'
    """
    entries = read_table("mistakes.toml", "gelu_cli.identification")
    return {name: _form(name, entry) for name, entry in entries.items()}


def _form(name: str, entry: Mapping[str, Any]) -> Form:
    """Return a form by its formula, or with its parameters."""
    definition = entry["definition"] + (f" ({entry['source']})" if "source" in entry else "")
    if "gate" in entry or "value" in entry:
        return replace(form_of(name, entry), definition=definition)
    return replace(typed_form(entry.get("form", name)), typed=name, definition=definition)
