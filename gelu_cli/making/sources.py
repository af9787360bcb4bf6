"""Forms as programs in C and Python: functions of float32 arrays.

`programs.toml` has the constants and the statements of each form; no statement cancels.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from gelu_cli.errors import UsageError, unknown
from gelu_cli.formulas import Form, read_table
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers import FORMATS, round_fraction

FLOAT32 = FORMATS["float32"]

SQRT_2 = Fraction(math.isqrt(2 << 600), 1 << 300)
"""√2 to 300 bits."""

OWN_K: Mapping[str, Callable[[Mapping[str, Fraction]], Fraction]] = {
    "hard": lambda settings: 3 / settings["slope"],
    "igelu": lambda settings: -settings["b"] * SQRT_2,
    "erf_as": lambda settings: SQRT_2 / 2,
}
"""The constant k by form, as a function of the parameters."""

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

COMMANDS = {
    "c": "cc -O2 -shared -fPIC -o libgelu.so gelu.c -lm\ngelu sweep ./libgelu.so:gelu",
    "python": "gelu sweep gelu.py:gelu",
}
"""Commands that build and measure a file, by language."""


class Program(NamedTuple):
    """A function: its formula for the reader, constants, and statements."""

    formula: str
    constants: Mapping[str, Fraction]
    statements: Sequence[str]


def all_programs() -> Mapping[str, Any]:
    """Return the programs, by the name of the form."""
    return read_table("programs.toml", "gelu_cli.making")


def program_of(form: Form) -> Program:
    """Return the program of a form; raise UsageError if there is none."""
    programs = all_programs()
    if form.name not in programs:
        raise UsageError(f"there is no code of '{form.label}'; take one of {', '.join(programs)}")
    entry, values = programs[form.name], form.settings
    if form.name in OWN_K:
        values["k"] = values["k_rest"] = OWN_K[form.name](values)
    powers = list(entry.get("powers", ()))
    while powers[1:] and not values[powers[-1]]:
        powers.pop()
    exponents = range(entry.get("first", 0), 16, 2)
    terms = [f"{c}*x^{n}" if n > 1 else f"{c}*x" for c, n in zip(powers, exponents)]  # noqa: B905
    polynomial = horner(powers, entry["variable"]) if powers else ""
    statements = entry["statements"].strip().replace("{horner}", polynomial).splitlines()
    constants = {name: values[name] for name in [*entry["constants"], *powers]}
    return Program(entry["formula"].replace("{terms}", " + ".join(terms)), constants, statements)


def horner(names: Sequence[str], variable: str) -> str:
    """Write a polynomial by Horner's rule, the lowest power first.

    >>> horner(["c1", "c3", "c5"], "s")
    '(c1 + s * (c3 + s * c5))'
    """
    first, *others = names
    return f"({first} + {variable} * {horner(others, variable)})" if others else first


def number(name: str, value: Fraction) -> Fraction:
    """Round a constant to float32.

    A, the edge beyond which `polynomial` is relu(x), is rounded down, other constants to nearest.
    k_rest is k minus the rounded k. Raises UsageError if a constant overflows or underflows to 0.
    """
    nearest = rounded(value)
    if math.isinf(nearest) or (value and not nearest):
        raise UsageError(
            f"a constant, about {float(value):.3g}, is beyond float32; take other parameters"
        )
    found = Fraction(nearest)
    if name == "k_rest":
        return Fraction(rounded(value - found))
    if name == "A" and found > value:
        return Fraction(FLOAT32.number(FLOAT32.bits(nearest) - 1))
    return found


def rounded(value: Fraction) -> float:
    """Round a fraction to float32."""
    return float(round_fraction(FLOAT32, to_fraction(value)))


def decimal(name: str, value: Fraction) -> str:
    """Write a decimal that gives the float32, even if it is read as float64.

    >>> [decimal("c", Fraction(c)) for c in ("0.044715", "1/3")]
    ['0.044715', '0.33333334']
    """
    found = float(number(name, value))
    text = f"{found:.17g}"
    if Fraction(text) != value:
        text = FLOAT32.shortest(found)
    return text if {*text} & {*".e"} else f"{text}.0"


def spelled(
    program: Program, functions: Mapping[str, str], choice: str
) -> Iterator[tuple[str, str, str]]:
    """Yield name, right-hand side and comment of statements; the result is y.

    `choice` is the text of a choice in the language: {yes} if {condition}, else {no}.
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
"""Functions that write the file of a program, by language."""


def code_of(form: Form, language: str, note: str = "") -> str:
    """Write a file in C or Python with a function `gelu` of float32 arrays.

    `language` is `c` or `python`; `note` is text for the comment at the top.

    Raises UsageError if the form has no program in `programs.toml`, the language is unknown, or a
    constant is beyond float32.

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
