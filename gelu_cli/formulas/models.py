"""Models and the forms that they compute, by `models.toml`."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from gelu_cli.formulas.catalog import read_table, typed_form
from gelu_cli.formulas.form import Form


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
