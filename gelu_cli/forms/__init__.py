"""What can be evaluated: one short file for each family of forms, which it lists as `FORMS`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType

from gelu_cli.errors import unknown
from gelu_cli.forms.form import CANCELLING, OF_GATES, ORDERS, QUANTITIES, Form, Values
from gelu_cli.registry import module_names

__all__ = [
    "CANCELLING",
    "OF_GATES",
    "ORDERS",
    "QUANTITIES",
    "Form",
    "Values",
    "all_forms",
    "canonical",
    "find_form",
]

FIRST = ("exact", "tanh", "sigmoid")
"""The forms most asked for lead every list; the rest follow by name."""


@cache
def all_forms() -> Mapping[str, Form]:
    """Return every form that one would choose by its name; those only published are no part of it.

    >>> list(all_forms())[:4]
    ['exact', 'tanh', 'sigmoid', 'elu']
    """
    modules = (import_module(f"{__name__}.{name}") for name in module_names(__path__))
    forms = {form.name: form for module in modules for form in getattr(module, "FORMS", ())}
    order = [*FIRST, *sorted(set(forms) - set(FIRST))]
    return MappingProxyType({name: forms[name] for name in order})


def find_form(name: str) -> Form:
    """Return the form of that name or alias, a published one too, in upper or lower case.

    It is called by the name as it is given. Raises `UsageError` where there is none.

    >>> find_form("GELU_new").name, find_form("GELU_new").label
    ('tanh', 'GELU_new')
    >>> find_form("puma").name
    'puma'
    """
    word, forms = name.lower(), all_forms()
    if word in forms:
        return forms[word].called(name)
    aliases = {alias: form for form in forms.values() for alias in form.aliases}
    if word in aliases:
        return aliases[word].called(name)
    from gelu_cli.forms.published import published_forms  # whose files read the forms here

    published = published_forms()
    if word in published:
        return published[word].called(name)
    raise unknown("form", name, [*forms, *aliases, *published])


def canonical(label: str) -> str:
    """Return the label of a form with its name in place of an alias; raises as `find_form` does.

    >>> canonical("quick_gelu:beta=1.6"), canonical("exact")
    ('sigmoid:beta=1.6', 'exact')
    """
    name, colon, settings = label.partition(":")
    return f"{find_form(name).name}{colon}{settings}"
