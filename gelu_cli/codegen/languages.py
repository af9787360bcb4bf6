"""Programs in C and in Python, with a function of arrays."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pkgutil import get_data

from gelu_cli.codegen.sources import Program, decimal, program_of
from gelu_cli.errors import unknown
from gelu_cli.formulas import Form
from gelu_cli.numbers import FORMATS

LINE = 96
"""The longest line of text at the top of a file."""

TYPES = {"float64": ("double", "", "DBL_MAX"), "float32": ("float", "f", "FLT_MAX")}
"""The type of a format in C, the suffix of its numbers and functions, and its largest number."""

NARROW = ("float16", "bfloat16")
"""Formats that are computed in float32 and rounded once; in C they are bit patterns."""

C_FUNCTIONS = {"exp": "exp", "abs": "fabs", "min": "fmin", "max": "fmax"}
NUMPY_FUNCTIONS = {"exp": "np.exp", "abs": "np.abs", "min": "np.minimum", "max": "np.maximum"}

C = """\
/* {head}
 */
#include <float.h>
#include <math.h>
#include <stddef.h>
{conversion}
static {kind} gelu_of({kind} x)
{{
{body}
}}

void gelu(const {element} *x, {element} *y, size_t n)
{{
    for (size_t i = 0; i < n; i++)
        y[i] = {result};
}}
"""

PYTHON = '''\
"""{head}
"""

import numpy as np


@np.errstate(over="ignore", under="ignore")
def gelu(x):
    """Return the results for an array."""
    dtype, x = np.asarray(x).dtype, np.asarray(x, np.{kind})
{body}
    return y.astype(dtype)
'''


def spelled(
    program: Program, functions: Mapping[str, str], choice: str
) -> Iterator[tuple[str, str, str]]:
    """Yield name, right-hand side and comment of statements; a result is y.

    `choice` is how a language writes {yes} if {condition}, else {no}.
    """
    for line in program.statements:
        statement, _, comment = line.partition("  # ")
        name, _, right = statement.replace("return ", "y = ").partition(" = ")
        for function, word in functions.items():
            right = re.sub(rf"\b{function}\b", word, right)
        if parts := re.fullmatch("(?P<yes>.*) if (?P<condition>.*) else (?P<no>.*)", right):
            right = choice.format(**parts.groupdict())
        yield name, right, comment


def c(program: Program, dtype: str, head: Sequence[str]) -> str:
    """Write a file in C."""
    computed_in = "float64" if dtype == "float64" else "float32"
    kind, suffix, largest = TYPES[computed_in]
    body = [
        f"    const {kind} {name} = {decimal(name, value, FORMATS[computed_in])}{suffix};"
        for name, value in program.constants.items()
    ]
    words = {name: word + suffix for name, word in C_FUNCTIONS.items()} | {"LARGEST": largest}
    for name, right, comment in spelled(program, words, "{condition} ? {yes} : {no}"):
        left = "return" if name == "y" else f"const {kind} {name} ="
        typed = re.sub(r"\b\d+\.\d+", rf"\g<0>{suffix}", right)
        body.append(f"    {left} {typed};" + (f" /* {comment} */" if comment else ""))
    conversion, element, result = "", kind, "gelu_of(x[i])"
    if dtype in NARROW:
        conversion = (get_data("gelu_cli.codegen", f"{dtype}.h") or b"").decode()
        element, result = "uint16_t", f"to_{dtype}(gelu_of(from_{dtype}(x[i])))"
    return C.format(
        head="\n".join(f" * {line}".rstrip() for line in head)[3:],
        conversion=conversion,
        kind=kind,
        body="\n".join(body),
        element=element,
        result=result,
    )


def python(program: Program, dtype: str, head: Sequence[str]) -> str:
    """Write a file in Python."""
    kind = "float64" if dtype == "float64" else "float32"
    body = [
        f"    {name} = {decimal(name, value, FORMATS[kind])}"
        for name, value in program.constants.items()
    ]
    words = {**NUMPY_FUNCTIONS, "LARGEST": f"np.finfo(np.{kind}).max"}
    for name, right, comment in spelled(program, words, "np.where({condition}, {yes}, {no})"):
        body.append(f"    {name} = {right}" + (f"  # {comment}" if comment else ""))
    return PYTHON.format(head="\n".join(head), kind=kind, body="\n".join(body))


LANGUAGES = {"c": c, "python": python}
"""Every language by name, with what writes a program in it."""

COMMANDS = {
    "c": ["cc -O2 -shared -fPIC -o libgelu.so gelu.c -lm", "gelu sweep ./libgelu.so:gelu"],
    "python": ["gelu sweep gelu.py:gelu"],
}
"""How a file is built and measured."""


def code_of(form: Form, language: str, dtype: str = "float32", note: str = "") -> str:
    """Write a file in C or Python with a function `gelu` of arrays.

    Parameters
    ----------
    form
        One that has a program in `programs.toml`.
    language
        `c` or `python`.
    dtype
        `float64`, `float32`, or `float16` and `bfloat16`, which are computed in float32 and rounded
        once; in C they are bit patterns.
    note
        Text for the comment at the top.

    Raises
    ------
    UsageError
        If there is no code of the form, in the language or format, or it cannot hold a constant.

    Examples
    --------
    >>> from gelu_cli.formulas import find_form
    >>> text = code_of(find_form("sigmoid"), "c")
    >>> [line.strip() for line in text.splitlines() if "beta =" in line]
    ['const float beta = 1.702f;']
    """
    program = program_of(form)
    if language not in LANGUAGES:
        raise unknown("language", language, LANGUAGES)
    if dtype not in (*TYPES, *NARROW):
        raise unknown("dtype", dtype, [*TYPES, *NARROW], where=" of a program")
    within = ", computed in float32" if dtype in NARROW else ""
    head = [*textwrap.wrap(f"GELU as {program.formula}, in {dtype}{within}.", LINE), ""]
    head += [*textwrap.wrap(note, LINE, break_long_words=False, break_on_hyphens=False), ""]
    commands = "\n".join(COMMANDS[language]) + f" --dtype {dtype} --form {form.label}"
    return LANGUAGES[language](
        program, dtype, [*head, *textwrap.indent(commands, "    ").split("\n")]
    )
