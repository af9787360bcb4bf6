"""How a form is programmed: a function in C or Python with its constants, where nothing cancels."""

from __future__ import annotations

from gelu_cli.errors import UsageError, unknown
from gelu_cli.old.arithmetic.formats import FORMATS, Format
from gelu_cli.old.code.families import FACTORED, FAMILIES
from gelu_cli.old.code.languages import Function, c, python
from gelu_cli.old.formulas import Form

__all__ = ["LANGUAGES", "code_of"]

LANGUAGES = {"c": c, "python": python}
"""Every language by name, with what yields the lines of a program in it."""

COMPUTED_IN = {
    "float64": "float64", "float32": "float32", "float16": "float32", "bfloat16": "float32",
}  # fmt: skip
"""The formats that programs have, with the one in which each is computed."""


def code_of(
    form: Form, language: str, dtype: Format, *, note: str = "", factored: bool = False
) -> str:
    """Return a file in "c" or "python" with a function `gelu` that computes a form.

    The function maps arrays of `dtype`, float64, float32, float16 or bfloat16, to such arrays.
    Numbers of 16 bits are computed in float32 and rounded once; in C they are bit patterns. The
    constants are the form's, in decimals that read back as the nearest numbers. `note` goes to the
    comment at the top. `factored` writes the argument of the tanh form as a·x + b·x³, b = a·c.

    Raises `UsageError` for a form, language or format that has no code, and for constants that the
    format cannot hold.

    >>> from gelu_cli.old.formulas import find_form
    >>> text = code_of(find_form("sigmoid"), "c", FORMATS["float32"])
    >>> [line.strip() for line in text.splitlines() if "beta =" in line]
    ['const float beta = 1.702f;']
    """
    families = FACTORED if factored else FAMILIES
    if form.name not in families:
        raise UsageError(f"there is no code of '{form.label}'; take one of {', '.join(families)}")
    if language not in LANGUAGES:
        raise unknown("language", language, LANGUAGES)
    if dtype.name not in COMPUTED_IN:
        raise UsageError(f"there is no code in {dtype.name}; take one of {', '.join(COMPUTED_IN)}")
    program, computed_in = families[form.name](form), FORMATS[COMPUTED_IN[dtype.name]]
    lines = LANGUAGES[language](Function(program, form.label, dtype, computed_in, note))
    return "\n".join(lines) + "\n"
