"""Names that users type: forms, quantities, formats, choices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from gelu_cli.errors import UsageError, unknown
from gelu_cli.formulas import OF_GATES, QUANTITIES, Form, find_form, labelled
from gelu_cli.inputs.numbers import finite, listed
from gelu_cli.numbers import Format, find_format

FormLike: TypeAlias = str | Form
"""A form, or its name with parameters: `tanh:c=0.044`."""

SMALLEST, LARGEST = 10**-6, 10**6
"""Least and largest |parameter| besides 0: searches for extrema rely on these limits."""


def to_form(form: FormLike) -> Form:
    """Find a form by its name and set its parameters.

    >>> to_form("Quick_GELU:beta=1.6").label
    'Quick_GELU:beta=1.6'
    """
    if isinstance(form, Form):
        return form
    if not isinstance(form, str):
        raise UsageError(f"{form!r} is not a form; give a name, for example 'tanh'")
    name, *settings = form.split(":")
    found, values = find_form(name), {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or key in values:
            raise UsageError(f"'{form}' sets '{setting}'; write NAME:PARAM=VALUE, each PARAM once")
        values[key] = finite(value, f"{key} of '{form}'")
        if values[key] and not SMALLEST <= abs(values[key]) <= LARGEST:
            raise UsageError(f"{key} of '{form}' is {value}; give 0 or a size from 1e-6 to 1e6")
    return labelled(name, form, tuple(values.items())) if values else found


def each_of(values: Any) -> Iterator[Any]:
    """Yield the members of a list; split texts at commas.

    >>> [*each_of("exact,tanh")], [*each_of(["exact,tanh", 1])]
    (['exact', 'tanh'], ['exact', 'tanh', 1])
    """
    alone = isinstance(values, str | Form | Format) or not isinstance(values, Iterable)
    for each in [values] if alone else values:
        yield from listed(each) if isinstance(each, str) else [each]


def to_forms(forms: FormLike | Iterable[FormLike]) -> list[Form]:
    """Find the forms of a list, each once."""
    found = {form.label: form for form in map(to_form, each_of(forms))}
    if not found:
        raise UsageError("--form names no form; write e.g. --form exact,tanh")
    return list(found.values())


def to_quantities(words: str | Sequence[str], forms: Sequence[Form]) -> list[str]:
    """List quantities, each once; `all` is every quantity that all forms have."""
    gated = all(form.has_gate for form in forms)
    every = [name for name in QUANTITIES if gated or name not in OF_GATES]
    names = [name for word in listed(words) for name in (every if word == "all" else [word])]
    for name in names:
        choose("quantity", name, [*QUANTITIES, "all"])
    for form in forms:
        form.require(names)
    return list(dict.fromkeys(names))


def to_format(dtype: object) -> Format:
    """Find a floating-point format by its name or a dtype object.

    >>> import numpy as np
    >>> to_format("bf16").name, to_format(np.float32).name
    ('bfloat16', 'float32')
    """
    if isinstance(dtype, Format):
        return dtype
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
    return find_format(name.removeprefix("torch."))


def choose(kind: str, word: str, known: Iterable[str]) -> str:
    """Return a word; raise UsageError unless it is one of `known`."""
    known = list(known)
    if str(word) not in known:
        raise unknown(kind, str(word), known)
    return word
