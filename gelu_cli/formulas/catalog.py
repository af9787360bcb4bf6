"""Forms by their names, published constants, and who uses them.

A name is `exact`, an alias, a published set, or `tanh:c=0.044` with parameters. A set is an entry
of `published.toml`, a model a line of `models.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache
from pkgutil import get_data
from tomllib import loads
from types import MappingProxyType
from typing import Any, NamedTuple

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


class Model(NamedTuple):
    """A model with its form's label, the year of its release, and a source.

    A source names a file of a repository on GitHub, and there the setting or the function, or it
    names a paper and its section.
    """

    name: str
    form: str
    since: int
    source: str


@cache
def all_models() -> tuple[Model, ...]:
    """Return every model, by form in the order of the forms, then by year.

    >>> all_models()[0].name
    'BERT (Google, 2018)'
    """
    return tuple(
        Model(name, form, since, source)
        for form, models in read_table("models.toml").items()
        for name, since, source in models
    )


def users_of(form: Form) -> list[Model]:
    """List the models that compute a form with its parameters.

    >>> [model.name for model in users_of(typed_form("mish"))]
    ['YOLOv4']
    """
    return [model for model in all_models() if typed_form(model.form).function == form.function]


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9.]", "", name.lower())


def models_named(word: str) -> list[Model]:
    """List the models whose names begin with a word, the shortest first.

    Case, blanks and hyphens do not matter.

    >>> [model.name for model in models_named("gemma")]
    ['Gemma', 'Gemma 2', 'Gemma 3']
    """
    found = [model for model in all_models() if _letters(model.name).startswith(_letters(word))]
    return sorted(found, key=lambda model: len(model.name))
