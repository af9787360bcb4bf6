"""Published constants and approximations.

Each set is an entry of `published.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from gelu_cli.formulas.catalog import published_forms, read_table, typed_form
from gelu_cli.formulas.form import Form


class PublishedSet(NamedTuple):
    """Constants in print: their form, their source, and what is claimed."""

    name: str
    form: Form
    source: str
    claims: list[str]

    @property
    def is_own_form(self) -> bool:
        """True if no other form with parameters gives it."""
        return self.form.name == self.name


@cache
def all_sets() -> Mapping[str, PublishedSet]:
    """Return every published set by its name.

    >>> all_sets()["megatron"].form.label
    'tanh:a=0.79788456:c=0.044715'
    """
    sets = {}
    for name, entry in read_table("published.toml").items():
        form = typed_form(entry["form"]) if "form" in entry else published_forms()[name]
        sets[name] = PublishedSet(name, form, entry["source"], entry.get("claims", []))
    return MappingProxyType(sets)
