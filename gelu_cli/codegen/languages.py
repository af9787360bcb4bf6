"""Programs in C and in Python, with a function of arrays of float32s."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from gelu_cli.codegen.sources import Program, decimal, program_of
from gelu_cli.errors import unknown
from gelu_cli.formulas import Form

LINE = 96
"""The longest line of text at the top of a file."""

C_WORDS = {"exp": "expf", "abs": "fabsf", "min": "fminf", "max": "fmaxf", "LARGEST": "FLT_MAX"}
NUMPY_WORDS = {
    "exp": "np.exp",
    "abs": "np.abs",
    "min": "np.minimum",
    "max": "np.maximum",
    "LARGEST": "np.finfo(np.float32).max",
}

C = """\
/* {head}
 */
#include <float.h>
#include <math.h>
#include <stddef.h>

static float gelu_of(float x)
{{
{body}
}}

void gelu(const float *x, float *y, size_t n)
{{
    for (size_t i = 0; i < n; i++)
        y[i] = gelu_of(x[i]);
}}
"""

PYTHON = '''\
"""{head}
"""

import numpy as np


@np.errstate(over="ignore", under="ignore")
def gelu(x):
    """Return the results for an array."""
    dtype, x = np.asarray(x).dtype, np.asarray(x, np.float32)
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


def c(program: Program, head: Sequence[str]) -> str:
    """Write a file in C."""
    body = [
        f"    const float {name} = {decimal(name, value)}f;"
        for name, value in program.constants.items()
    ]
    for name, right, comment in spelled(program, C_WORDS, "{condition} ? {yes} : {no}"):
        left = "return" if name == "y" else f"const float {name} ="
        typed = re.sub(r"\b\d+\.\d+", r"\g<0>f", right)
        body.append(f"    {left} {typed};" + (f" /* {comment} */" if comment else ""))
    lines = "\n".join(f" * {line}".rstrip() for line in head)[3:]
    return C.format(head=lines, body="\n".join(body))


def python(program: Program, head: Sequence[str]) -> str:
    """Write a file in Python."""
    body = [f"    {name} = {decimal(name, value)}" for name, value in program.constants.items()]
    for name, right, comment in spelled(program, NUMPY_WORDS, "np.where({condition}, {yes}, {no})"):
        body.append(f"    {name} = {right}" + (f"  # {comment}" if comment else ""))
    return PYTHON.format(head="\n".join(head), body="\n".join(body))


LANGUAGES = {"c": c, "python": python}
"""Every language by name, with what writes a program in it."""

COMMANDS = {
    "c": "cc -O2 -shared -fPIC -o libgelu.so gelu.c -lm\ngelu sweep ./libgelu.so:gelu",
    "python": "gelu sweep gelu.py:gelu",
}
"""Commands that build and measure a file, by its language."""


def code_of(form: Form, language: str, note: str = "") -> str:
    """Write a file in C or Python with a function `gelu` of float32 arrays.

    Parameters
    ----------
    form
        One that has a program in `programs.toml`.
    language
        `c` or `python`.
    note
        Text for the comment at the top.

    Raises
    ------
    UsageError
        If there is no code of the form, or in the language, or float32 cannot hold a constant.

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
    head = [*textwrap.wrap(f"GELU as {program.formula}, in float32.", LINE), ""]
    head += [*textwrap.wrap(note, LINE, break_long_words=False, break_on_hyphens=False), ""]
    commands = f"{COMMANDS[language]} --dtype float32 --form {form.label}"
    return LANGUAGES[language](program, [*head, *textwrap.indent(commands, "    ").split("\n")])
