"""Forms and formats of the old packages, by their labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from gelu_cli.errors import UsageError
from gelu_cli.formulas import Form as NewForm
from gelu_cli.inputs.names import each_of, to_form, to_format
from gelu_cli.old.arithmetic.formats import FORMATS, Format
from gelu_cli.old.formulas import Form, all_forms, by_any_name, find_form
from gelu_cli.old.formulas.published import published_forms

OldFormLike: TypeAlias = str | NewForm | Form
"""A form, or its name with parameters: `tanh:c=0.044`."""


def to_old_form(form: OldFormLike) -> Form:
    """Find an old form by the name that `to_form` takes.

    Raises
    ------
    UsageError
        If there is no such form, or the old rooms do not have it.

    Examples
    --------
    >>> to_old_form("Quick_GELU:beta=1.6").label
    'Quick_GELU:beta=1.6'
    """
    if isinstance(form, Form):
        return form
    found = to_form(form)
    if found.name.lower() not in by_any_name() and found.name not in published_forms():
        known = ", ".join(all_forms())
        raise UsageError(f"this command does not know the form '{found.label}' yet, but {known}")
    old = find_form(found.label.partition(":")[0])
    return old.with_settings(found.label, found.fractions_chosen) if found.chosen else old


def to_old_forms(forms: OldFormLike | Iterable[OldFormLike]) -> list[Form]:
    """Find the old forms of a list, each once."""
    found = {form.label: form for form in map(to_old_form, each_of(forms))}
    if not found:
        raise UsageError("--form names no form; for example --form exact,tanh")
    return list(found.values())


def to_old_format(dtype: object) -> Format:
    """Find an old format by what `to_format` takes.

    >>> to_old_format("bf16").name
    'bfloat16'
    """
    if isinstance(dtype, Format):
        return dtype
    return FORMATS[to_format(dtype).name]
