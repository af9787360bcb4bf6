"""What the registries say: all forms in a list, one form in words, and the models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gelu_cli.old.answers import report_of
from gelu_cli.old.formulas import Form, all_forms, all_functions, canonical
from gelu_cli.old.formulas.form import Parameter
from gelu_cli.old.formulas.models import Model, all_models, users_of
from gelu_cli.old.report import Report, Row
from gelu_cli.old.report.numbers import human_text


def forms() -> Report:
    """Return a row for each form: name, definition, parameters, aliases and who uses it.

    >>> from gelu_cli.old.report import read
    >>> [row[0] for row in read(forms())[0]][:3]
    ['exact', 'tanh', 'sigmoid']
    """
    return _listed("Forms", all_forms())


def functions() -> Report:
    """Return the same of each function that forms are made of.

    >>> from gelu_cli.old.report import read
    >>> [row[0] for row in read(functions())[0]]
    ['logistic', 'tanh_fn', 'erf', 'Phi', 'normal_pdf']
    """
    return _listed("Functions that are no GELUs", all_functions())


def _listed(title: str, known: Mapping[str, Form]) -> Report:
    def row(form: Form) -> Row:
        parameters = " ".join(f"{each.name}={_default(each)}" for each in form.parameters)
        return form.name, form.definition, parameters, " ".join(form.aliases), form.used_by

    facts = {form.name: form.source for form in known.values()}
    rows = [row(form) for form in known.values()]
    return report_of(title, "name definition parameters aliases used_by", [rows], facts=facts)


def about(form: Form, named: Sequence[Model] = ()) -> Report:
    """Return what the registry says of a form, a row for each property that it has.

    Where a model was asked for, `named` are the models whose names begin so; the form is that of
    the first.

    >>> from gelu_cli.old.formulas import find_form
    >>> from gelu_cli.old.report import read
    >>> report = about(find_form("swish"))
    >>> report.title, read(report)[0][:2]
    ('swish, another name of silu', [('name', 'swish'), ('definition', 'x·σ(x)')])
    """
    rows = [(name, text) for name, text in _properties(form) if text]
    known = canonical(form.label)
    same = form.label.lower() == known.lower()
    title = form.label if same else f"{form.label}, another name of {known}"
    notes = []
    if named:
        model, *others = named
        title = f"{form.label}, the form of {model.name}"
        notes.append(f"{model.name} computes {model.form} ({model.source})")
        if others:
            names = ", ".join(each.name for each in others)
            notes.append(f"other models whose names begin so: {names}; --view models lists them")
    return report_of(title, "property value", [rows], notes=notes)


def _properties(form: Form) -> Iterator[tuple[str, str]]:
    yield "name", form.label
    yield "definition", form.definition
    yield "gate", _gate(form)
    yield "parameters", ", ".join(_setting(form, each) for each in form.parameters)
    own = form.typed_name.lower().replace(" ", "_")
    names = [name for name in (form.name, *form.aliases) if name.lower() != own]
    yield "aliases", " ".join(names)
    yield "used_by", "" if form.chosen else form.used_by
    yield "models", ", ".join(model.name for model in users_of(form))
    yield "since", str(form.since or "")
    yield "source", f"of {form.typed_name}: {form.source}" if form.chosen else form.source


def _gate(form: Form) -> str:
    if not form.has_gate:
        return "none: it is not written as x·G(x)"
    return "f(x) = x·G(x)" + (", G(x) + G(−x) = 1" if form.symmetric else "")


def _setting(form: Form, parameter: Parameter) -> str:
    """Return the value of a parameter, and its default if that is another."""
    default = f"{parameter.name} = {_default(parameter)}"
    if parameter.name not in form.chosen:
        return default
    chosen = form.chosen[parameter.name]
    return f"{parameter.name} = {human_text(float(chosen))} (by default {_default(parameter)})"


def _default(parameter: Parameter) -> str:
    return parameter.text or human_text(float(parameter.default))


def models(form: Form | None = None, named: Sequence[Model] = ()) -> Report:
    """Return a row for each model that computes a form, or for those named: form, year, source.

    >>> from gelu_cli.old.formulas import find_form
    >>> from gelu_cli.old.report import read
    >>> [row[0] for row in read(models(find_form("quick_gelu")))[0]]
    ['CLIP']
    """
    rows = users_of(form) if form else named or all_models()
    nobody = f"no model that is listed here computes {form.label}" if form and not rows else None
    title = f"Models that compute {form.label}" if form else "Models"
    return report_of(title, Model._fields, [rows], notes=[nobody] if nobody else [])
