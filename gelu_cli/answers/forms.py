"""Which forms are there?"""

from __future__ import annotations

from gelu_cli.forms import Form, all_forms
from gelu_cli.report import Column, Report, Row, stream_of


def forms() -> Report:
    """Return a row for each form: name, definition, parameters, aliases and who uses it.

    >>> from gelu_cli.report import read
    >>> [row[0] for row in read(forms())[0]][:3]
    ['exact', 'tanh', 'sigmoid']
    """
    names = ("name", "definition", "parameters", "aliases", "used_by")
    return Report(
        title="Forms",
        columns=[Column(name, name.replace("_", " ")) for name in names],
        stream=stream_of(
            [[_row(form) for form in all_forms().values()]],
            facts={form.name: form.source for form in all_forms().values()},
        ),
    )


def _row(form: Form) -> Row:
    parameters = " ".join(
        f"{each.name}={each.text or _short(each.default)}" for each in form.parameters
    )
    return form.name, form.definition, parameters, " ".join(form.aliases), form.used_by


def _short(value: object) -> str:
    return repr(float(value)).removesuffix(".0")  # type: ignore[arg-type]
