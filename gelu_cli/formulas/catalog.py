"""Forms by their names.

`exact`, an alias, a published set, or `tanh:c=0.044` with parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache
from pkgutil import get_data
from tomllib import loads
from types import MappingProxyType
from typing import Any

from gelu_cli.errors import unknown
from gelu_cli.formulas.entries import form_of
from gelu_cli.formulas.form import Form

FIRST = ("exact", "tanh", "sigmoid")
"""The forms most asked for lead every list; the others follow by name."""

FUNCTIONS = ("logistic", "tanh_fn", "erf", "Phi", "normal_pdf")
"""Functions that are not forms of GELU; they are found by name all the same."""


@cache
def read_table(file: str, package: str = "gelu_cli.formulas") -> dict[str, Any]:
    """Read a TOML file of a package.

    >>> list(read_table("models.toml"))[:3]
    ['exact', 'tanh', 'sigmoid']
    """
    return loads((get_data(package, file) or b"").decode())


@cache
def _registered(name: str) -> Form:
    return form_of(name, read_table("forms.toml")[name])


@cache
def all_forms() -> Mapping[str, Form]:
    """Return every form that one would choose by name.

    Published ones are not among them.

    >>> list(all_forms())[:4]
    ['exact', 'tanh', 'sigmoid', 'elu']
    """
    others = sorted({*read_table("forms.toml")} - {*FIRST, *FUNCTIONS})
    return MappingProxyType({name: _registered(name) for name in (*FIRST, *others)})


@cache
def all_functions() -> Mapping[str, Form]:
    """Return the functions that forms are made of.

    >>> list(all_functions())
    ['logistic', 'tanh_fn', 'erf', 'Phi', 'normal_pdf']
    """
    return MappingProxyType({name: _registered(name) for name in FUNCTIONS})


@cache
def published_forms() -> Mapping[str, Form]:
    """Return the published sets that no parameters of another form give.

    >>> published_forms()["puma"].definition[:21]
    '0 for x < −4, a cubic'
    """
    entries = read_table("published.toml")
    own = {name: entry for name, entry in entries.items() if "form" not in entry}
    return MappingProxyType({name: form_of(name, entry) for name, entry in own.items()})


@cache
def by_any_name() -> Mapping[str, str]:
    """Return the names of forms and functions by any name, in lower case.

    >>> by_any_name()["ndtr"]
    'Phi'
    """
    entries = read_table("forms.toml").items()
    aliases = {alias: name for name, entry in entries for alias in entry.get("aliases", ())}
    return {**{name.lower(): name for name, _ in entries}, **aliases}


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
    word, known = name.lower().replace(" ", "_"), by_any_name()
    if word in known:
        form = _registered(known[word])
    elif word in published_forms():
        form = published_forms()[word]
    else:
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
