"""Forms: definitions, parameters, aliases, published sets, models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gelu_cli.api.results import Answer, Result, Results
from gelu_cli.errors import UsageError
from gelu_cli.formulas import Form, all_forms, all_functions
from gelu_cli.formulas.catalog import (
    Model,
    PublishedSet,
    all_models,
    all_sets,
    models_named,
    users_of,
)
from gelu_cli.inputs.names import FormLike, to_form
from gelu_cli.output.tables import Table, to_short_text

LISTED = "name definition parameters aliases used_by"
PUBLISHED = "name form definition claims source"


@dataclass(frozen=True, kw_only=True)
class FormInfo(Result):
    """Properties of a form, as texts; a property that a form lacks is empty.

    Attributes
    ----------
    name, definition, since, source
        Name, formula, year and source of the form.
    parameters
        Parameters and their values, `c=0.044715 a=√(2/π)`.
    aliases, used_by
        Other names, separated by spaces; frameworks and models that compute the form. Both are
        empty for a form whose parameters are set.
    gate
        The text `f(x) = x·G(x)` if the form has a gate G.
    models
        Models that compute the form with these parameters.
    """

    name: str
    definition: str
    parameters: str
    aliases: str
    used_by: str
    gate: str
    models: str
    since: str
    source: str


@dataclass(frozen=True, kw_only=True)
class ListedModel(Result):
    """A model, its form, its year, and the file or paper that names the form."""

    name: str
    form: str
    since: int
    source: str


def forms(name: FormLike | None = None) -> Any:
    """List the forms, describe one form, or list models.

    Parameters
    ----------
    name
        A form, an alias, a form with parameters (`"tanh:c=0.044"`), a published set of constants,
        or the first letters of models' names. None lists all forms.

    Returns
    -------
    Results[FormInfo], FormInfo or Results[ListedModel]
        All forms, with views `functions`, `models` and `published`; or the form `name`, with views
        `models` and `published`; or the models whose names begin with `name`.

    Raises
    ------
    UsageError
        If no form, set or model has this name.

    Examples
    --------
    >>> [form.name for form in forms()][:3]
    ['exact', 'tanh', 'sigmoid']
    >>> forms("gelu_new").definition[:20], forms("CLIP")[0].form
    ('½x·(1 + tanh(a·(x + ', 'sigmoid')
    """
    if name is None:
        views = {
            "forms": lambda: _forms("Forms", all_forms().values()),
            "functions": lambda: _forms("Functions", all_functions().values()),
            "models": lambda: _models(all_models()),
            "published": lambda: _published(all_sets().values()),
        }
        found = [FormInfo(**_properties(each)) for each in all_forms().values()]
        return Results(found, Answer(views))
    try:
        return _about(to_form(name))
    except UsageError:
        if not isinstance(name, str):
            raise
        if published := all_sets().get(name.lower().replace(" ", "_")):
            note = f"{published.name} is {published.form.label} ({published.source})"
            return _about(published.form, note)
        if not (models := models_named(name) if name else []):
            raise
    listed = [ListedModel(**each._asdict()) for each in models]
    return Results(listed, Answer({"models": lambda: _models(models)}))


def _properties(form: Form) -> dict[str, Any]:
    """Describe a form; with set parameters, `aliases` and `used_by` are empty."""
    symbols = {each.name: each.text for each in form.parameters if each.name not in form.chosen}
    settings = {each.name: float(form.settings[each.name]) for each in form.parameters}
    typed = form.label.partition(":")[0]
    own = typed.lower().replace(" ", "_")
    aliases = [name for name in (form.name, *form.aliases) if name.lower() != own]
    return {
        "name": form.label,
        "definition": form.definition,
        "parameters": " ".join(
            f"{name}={symbols.get(name) or to_short_text(x)}" for name, x in settings.items()
        ),
        "aliases": "" if form.chosen else " ".join(aliases),
        "used_by": "" if form.chosen else form.used_by,
        "gate": "f(x) = x·G(x)" if form.has_gate else "",
        "models": ", ".join(model.name for model in users_of(form)),
        "since": str(form.since or ""),
        "source": f"of {typed}: {form.source}" if form.chosen else form.source,
    }


def _about(form: Form, note: str = "") -> FormInfo:
    """Make the result for a form, with its models and published constants."""
    properties = _properties(form)
    rows = [{"property": name, "value": text} for name, text in properties.items() if text]
    sets = [each for each in all_sets().values() if each.form.function == form.function]
    views = {
        "about": lambda: Table.of_rows(form.label, "property value", rows),
        "models": lambda: _models(users_of(form)),
        "published": lambda: _published(sets),
    }
    return FormInfo(**properties, answer=Answer(views, notes=[note] if note else []))


def _forms(title: str, several: Iterable[Form]) -> Table:
    return Table.of_rows(title, LISTED, map(_properties, several))


def _models(several: Sequence[Model]) -> Table:
    return Table.of_rows("Models", Model._fields, (each._asdict() for each in several))


def _published(sets: Iterable[PublishedSet]) -> Table:
    rows = [
        {
            "name": each.name,
            "form": each.form.label,
            "definition": each.form.definition if each.is_own_form else "",
            "claims": "; ".join(each.claims),
            "source": each.source,
        }
        for each in sets
    ]
    return Table.of_rows("Published constants", PUBLISHED, rows)
