"""What can be evaluated: one short file for each family of forms, which it lists as `FORMS`."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from importlib import import_module
from pkgutil import get_data
from types import MappingProxyType
from typing import Any

from gelu_cli.errors import unknown
from gelu_cli.old.formulas.form import CANCELLING, OF_GATES, ORDERS, QUANTITIES, Form, Values
from gelu_cli.old.registry import module_names

__all__ = [
    "CANCELLING",
    "OF_GATES",
    "ORDERS",
    "QUANTITIES",
    "Form",
    "Values",
    "all_forms",
    "all_functions",
    "by_any_name",
    "canonical",
    "find_form",
    "read_table",
    "typed_form",
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


@cache
def all_functions() -> Mapping[str, Form]:
    """Return the functions that forms are made of; they are found by name, and are no forms.

    >>> list(all_functions())
    ['logistic', 'tanh_fn', 'erf', 'Phi', 'normal_pdf']
    """
    from gelu_cli.old.formulas.functions import FUNCTIONS

    return MappingProxyType({each.name: each for each in FUNCTIONS})


def find_form(name: str) -> Form:
    """Return the form or function of that name or alias, a published one too, in any case.

    A blank is read as an underscore, `mlx precise`. The form is called by the name as it is given.
    Raises `UsageError` where there is none.

    >>> find_form("GELU_new").name, find_form("GELU_new").label
    ('tanh', 'GELU_new')
    >>> find_form("puma").name
    'puma'
    """
    from gelu_cli.old.formulas.published import published_forms  # which reads a file

    word, known = name.lower().replace(" ", "_"), by_any_name()
    form = known.get(word) or published_forms().get(word)
    if form is None:
        raise unknown("form", name, [*known, *published_forms()])
    return form if name == form.name else form._replace(typed=name)


@cache
def by_any_name() -> Mapping[str, Form]:
    """Return every form and function by its names, in lower case; none of the published ones.

    >>> by_any_name()["ndtr"].name
    'Phi'
    """
    known = (*all_forms().values(), *all_functions().values())
    names = {form.name.lower(): form for form in known}
    return {**names, **{alias: form for form in known for alias in form.aliases}}


def typed_form(label: str) -> Form:
    """Return a form with its parameters set as typed, to decimals or quotients.

    Raises `UsageError` as `find_form` and `Form.with_settings` do.

    >>> typed_form("hard:slope=1").settings["slope"]
    Fraction(1, 1)
    """
    name, *typed = label.split(":")
    pairs = (setting.split("=") for setting in typed)
    settings = {parameter: Fraction(value) for parameter, value in pairs}
    form = find_form(name)
    return form.with_settings(label, settings) if settings else form


def canonical(label: str) -> str:
    """Return the label of a form with its name in place of an alias; raises as `find_form` does.

    >>> canonical("quick_gelu:beta=1.6"), canonical("exact")
    ('sigmoid:beta=1.6', 'exact')
    """
    name, colon, settings = label.partition(":")
    return f"{find_form(name).name}{colon}{settings}"


def read_table(file: str) -> dict[str, Any]:
    """Return what a TOML file of this room holds.

    >>> list(read_table("models.toml"))[:3]
    ['exact', 'tanh', 'sigmoid']
    """
    from tomllib import loads

    return loads((get_data(__name__, file) or b"").decode())
