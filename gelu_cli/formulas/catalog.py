"""Forms by their names.

`exact`, an alias, a published set, or `tanh:c=0.044` with parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache, lru_cache
from pkgutil import get_data
from types import MappingProxyType
from typing import Any

import gelu_cli.formulas.kinked  # noqa: F401  registers its forms
from gelu_cli.errors import unknown
from gelu_cli.formulas.entries import FUNCTIONS
from gelu_cli.formulas.form import Form
from gelu_cli.formulas.register import FORMS

FIRST = ("exact", "tanh", "sigmoid")
"""The forms most asked for lead every list; the others follow by name."""


@cache
def all_forms() -> Mapping[str, Form]:
    """Return every form that one would choose by name.

    Published ones are not among them.

    >>> list(all_forms())[:4]
    ['exact', 'tanh', 'sigmoid', 'elu']
    """
    order = [*FIRST, *sorted(set(FORMS) - {*FIRST, *FUNCTIONS})]
    return MappingProxyType({name: FORMS[name] for name in order})


@cache
def all_functions() -> Mapping[str, Form]:
    """Return the functions that forms are made of.

    >>> list(all_functions())
    ['logistic', 'tanh_fn', 'erf', 'Phi', 'normal_pdf']
    """
    return MappingProxyType({name: FORMS[name] for name in FUNCTIONS})


@cache
def by_any_name() -> Mapping[str, Form]:
    """Return forms and functions by their names and aliases, in lower case.

    >>> by_any_name()["ndtr"].name
    'Phi'
    """
    names = {form.name.lower(): form for form in FORMS.values()}
    return {**names, **{alias: form for form in FORMS.values() for alias in form.aliases}}


@lru_cache(1024)
def find_form(name: str) -> Form:
    """Return the form or function with a name or alias in any case.

    Published approximations have names too. A blank is read as an underscore. The label of the form
    is the name as it was given.

    Raises
    ------
    UsageError
        If there is none.

    Examples
    --------
    >>> find_form("GELU_new").name, find_form("GELU_new").label
    ('tanh', 'GELU_new')
    """
    from dataclasses import replace

    from gelu_cli.formulas.published import published_forms  # which reads a file

    word, known = name.lower().replace(" ", "_"), by_any_name()
    form = known.get(word) or published_forms().get(word)
    if form is None:
        raise unknown("form", name, [*known, *published_forms()])
    return form if name == form.name else replace(form, typed=name)


@lru_cache(1024)
def labelled(name: str, label: str, settings: tuple[tuple[str, Fraction], ...]) -> Form:
    """Return a form with a label and parameters, the same object each time."""
    form = find_form(label.partition(":")[0] or name)
    return form.with_settings(label, dict(settings)) if settings else form


def typed_form(label: str) -> Form:
    """Return a form by its label; parameters are decimals or quotients.

    >>> typed_form("hard:slope=1").settings["slope"]
    Fraction(1, 1)
    """
    name, *typed = label.split(":")
    pairs = (setting.split("=") for setting in typed)
    settings = {parameter: Fraction(value) for parameter, value in pairs}
    return labelled(name, label, tuple(settings.items()))


def canonical(label: str) -> str:
    """Return the label of a form with its name in place of an alias.

    >>> canonical("quick_gelu:beta=1.6"), canonical("exact")
    ('sigmoid:beta=1.6', 'exact')
    """
    name, colon, settings = label.partition(":")
    return f"{find_form(name).name}{colon}{settings}"


def read_table(file: str, package: str = "gelu_cli.formulas") -> dict[str, Any]:
    """Read a TOML file of a package.

    >>> list(read_table("models.toml"))[:3]
    ['exact', 'tanh', 'sigmoid']
    """
    from tomllib import loads

    return loads((get_data(package, file) or b"").decode())
