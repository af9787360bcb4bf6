"""Forms: definitions, parameters, aliases, published sets, models."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import overload

from gelu_cli.api.results import Answer, Result, Results
from gelu_cli.errors import UsageError
from gelu_cli.inputs.names import FormLike, to_form
from gelu_cli.old.formulas import Form, all_forms, all_functions, canonical
from gelu_cli.old.formulas.form import Parameter
from gelu_cli.old.formulas.models import Model, all_models, models_named, users_of
from gelu_cli.old.formulas.published import Claim, PublishedSet, all_sets
from gelu_cli.output.renderers import to_short_text
from gelu_cli.output.tables import Table

LISTED = "name definition parameters aliases used_by"
PUBLISHED = "name form definition claims source"


@dataclass(frozen=True, kw_only=True)
class ListedForm(Result):
    """A form in the list of all.

    Attributes
    ----------
    name, definition
        Its name and its formula.
    parameters
        Parameters and their defaults, `c=0.044715 a=√(2/π)`.
    aliases
        Other names, separated by spaces.
    used_by
        Frameworks and models that compute the form.
    """

    name: str
    definition: str
    parameters: str
    aliases: str
    used_by: str


@dataclass(frozen=True, kw_only=True)
class FormInfo(ListedForm):
    """A form in full; a property that the form lacks is an empty text.

    Attributes
    ----------
    gate
        How the form is x·G(x), if it is.
    models
        Models that compute the form with these parameters.
    since, source
        Year and source.
    """

    gate: str
    models: str
    since: str
    source: str


@dataclass(frozen=True, kw_only=True)
class ListedModel(Result):
    """A model, its form, its year, and the file or paper that says so."""

    name: str
    form: str
    since: int
    source: str


@overload
def forms(name: None = None) -> Results[ListedForm]: ...
@overload
def forms(name: FormLike) -> FormInfo | Results[ListedModel]: ...
def forms(
    name: FormLike | None = None,
) -> FormInfo | Results[ListedForm] | Results[ListedModel]:
    """List the forms, or describe one.

    Parameters
    ----------
    name
        A form, an alias, a form with parameters (`"tanh:c=0.044"`), a published set of constants
        or a model. Without it all forms are listed.

    Returns
    -------
    Results or FormInfo
        Of all forms, with views `functions`, `models` and `published`; of one form, with views
        `models` and `published`; of several models whose names begin with `name`.

    Raises
    ------
    UsageError
        If nothing has this name.

    Examples
    --------
    >>> [form.name for form in forms()][:3]
    ['exact', 'tanh', 'sigmoid']
    >>> forms("gelu_new").definition[:20], forms("CLIP").name
    ('½x·(1 + tanh(a·(x + ', 'sigmoid')
    """
    if name is None:
        return _all()
    if isinstance(name, Form):
        return _about(name)
    form, note, models = _find(name)
    if len(models) > 1 and models[0].name.lower() != name.lower():
        found = [ListedModel(**each._asdict()) for each in models]
        return Results(found, Answer({"models": lambda: _models(models)}))
    return _about(form, note, models)


def _all() -> Results[ListedForm]:
    """List all forms; functions, models and published sets are other views."""
    views = {
        "forms": lambda: _forms("Forms", all_forms().values()),
        "functions": lambda: _forms("Functions that forms are made of", all_functions().values()),
        "models": lambda: _models(all_models()),
        "published": lambda: _published(all_sets().values()),
    }
    return Results(map(_listed, all_forms().values()), Answer(views))


def _find(word: str) -> tuple[Form, str, Sequence[Model]]:
    """Find the form of a word, with a note and the models it may mean."""
    try:
        return to_form(word), "", []
    except UsageError:
        published = all_sets().get(word.lower().replace(" ", "_"))
        models = models_named(word) if word else []
        if published:
            label = published.form.label
            return published.form, f"{published.name} is {label} ({published.source})", []
        if not models:
            raise
    first = models[0]
    return to_form(first.form), f"{first.name} computes {first.form} ({first.source})", models


def _about(form: Form, note: str = "", models: Sequence[Model] = ()) -> FormInfo:
    """Describe a form; `models` begin with the word that was typed."""
    title, known = form.label, canonical(form.label)
    if known.lower() != title.lower():
        title = f"{title}, another name of {known}"
    sets = [each for each in all_sets().values() if each.form.function == form.function]
    own = form.typed_name.lower().replace(" ", "_")
    properties = {
        "name": form.label,
        "definition": form.definition,
        "gate": _gate(form),
        "parameters": ", ".join(_setting(form, each) for each in form.parameters),
        "aliases": " ".join(name for name in (form.name, *form.aliases) if name.lower() != own),
        "used_by": "" if form.chosen else form.used_by,
        "models": ", ".join(model.name for model in users_of(form)),
        "since": str(form.since or ""),
        "source": f"of {form.typed_name}: {form.source}" if form.chosen else form.source,
    }
    rows = [{"property": name, "value": text} for name, text in properties.items() if text]
    views = {
        "about": lambda: Table.of_rows(title, "property value", rows),
        "models": lambda: _models(models or users_of(form)),
        "published": lambda: _published(sets),
    }
    notes = [note] * bool(note)
    if others := ", ".join(each.name for each in models[1:]):
        notes.append(f"other models whose names begin so: {others}; --view models lists them")
    return FormInfo(**properties, answer=Answer(views, notes=notes))


def _forms(title: str, several: Iterable[Form]) -> Table:
    sources = {form.name: form.source for form in several if form.source}
    rows = (_listed(form).to_dict() for form in several)
    return Table.of_rows(title, LISTED, rows, meanings=sources)


def _listed(form: Form) -> ListedForm:
    return ListedForm(
        name=form.name,
        definition=form.definition,
        parameters=" ".join(f"{each.name}={_default(each)}" for each in form.parameters),
        aliases=" ".join(form.aliases),
        used_by=form.used_by,
    )


def _models(several: Sequence[Model]) -> Table:
    return Table.of_rows("Models", Model._fields, (each._asdict() for each in several))


def _published(sets: Iterable[PublishedSet]) -> Table:
    rows = [
        {
            "name": each.name,
            "form": each.form.label,
            "definition": each.form.definition if each.is_own_form else "",
            "claims": "; ".join(map(_claim, each.claims)),
            "source": each.source,
        }
        for each in sets
    ]
    return Table.of_rows("Published constants", PUBLISHED, rows)


def _claim(claim: Claim) -> str:
    """Write what is claimed of an error.

    >>> [_claim(each) for each in all_sets()["bowling_2009"].claims]
    ['sup error of the gate ≤ 0.00014']
    """
    quantity, low, high, criterion = claim.measure
    sign = "≤" if claim.kind == "bound" else "="
    interval = f" on {float(low):g}:{float(high):g}" if math.isfinite(high - low) else ""
    return f"{criterion} error of the {quantity} {sign} {claim.number}{interval}"


def _gate(form: Form) -> str:
    if not form.has_gate:
        return "none: not written as x·G(x)"
    return "f(x) = x·G(x)" + (", G(x) + G(−x) = 1" if form.symmetric else "")


def _setting(form: Form, parameter: Parameter) -> str:
    """Write a parameter, and its default if that is another."""
    default, chosen = _default(parameter), form.chosen.get(parameter.name)
    if chosen is None or to_short_text(float(chosen)) == default:
        return f"{parameter.name} = {default}"
    return f"{parameter.name} = {to_short_text(float(chosen))} (by default {default})"


def _default(parameter: Parameter) -> str:
    return parameter.text or to_short_text(float(parameter.default))
