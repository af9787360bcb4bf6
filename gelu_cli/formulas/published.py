"""Published constants, and models with the forms that they compute.

A set is an entry of `published.toml`, a model a line of `models.toml`.
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


def models_named(word: str) -> list[Model]:
    """List the models whose names begin with a word, the shortest first.

    >>> [model.name for model in models_named("gemma")]
    ['Gemma', 'Gemma 2', 'Gemma 3']
    """
    found = [model for model in all_models() if model.name.lower().startswith(word.lower())]
    return sorted(found, key=lambda model: len(model.name))
