"""Published constants and approximations: one file for each family, which it lists as `SETS`.

Forms of their own among them are found by name like any other form, but are not listed with those
that one would choose.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType

from gelu_cli.forms.form import Form
from gelu_cli.forms.published.claims import Claim, Measure, PublishedSet
from gelu_cli.registry import module_names

__all__ = ["Claim", "Measure", "PublishedSet", "all_sets", "published_forms"]


FIRST = ("tanh", "sigmoid")
"""The families most asked for come first, as among the forms; the rest follows by name."""


@cache
def all_sets() -> Mapping[str, PublishedSet]:
    """Return every published set by its name.

    >>> all_sets()["megatron"].form.label
    'tanh:a=0.79788456:c=0.044715'
    """
    names = [*FIRST, *(name for name in module_names(__path__) if name not in FIRST)]
    modules = (import_module(f"{__name__}.{name}") for name in names)
    sets = [each for module in modules for each in getattr(module, "SETS", ())]
    return MappingProxyType({each.name: each for each in sets})


@cache
def published_forms() -> Mapping[str, Form]:
    """Return the sets that are forms of their own, which no parameters of another form give.

    >>> published_forms()["puma"].definition[:21]
    '0 for x < −4, a cubic'
    """
    forms = {each.name: each.form for each in all_sets().values() if each.is_own_form}
    return MappingProxyType(forms)
