"""Programs in C, a function of one number and one of arrays around it, and in Python, of arrays."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.code.families import Program

LINE = 96
"""The longest line of text at the top of a file."""

TYPES = {"float64": ("double", "", "DBL_MAX"), "float32": ("float", "f", "FLT_MAX")}
"""The type of a format in C, the suffix of its numbers and functions, and its largest number."""

IN_C = {"exp": "exp", "abs": "fabs", "min": "fmin", "max": "fmax"}
IN_NUMPY = {"exp": "np.exp", "abs": "np.abs", "min": "np.minimum", "max": "np.maximum"}
NUMBER = r"(?<![\w.])\d+(\.\d+)?"

BFLOAT16 = """\
static float from_bfloat16(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &wide, sizeof x);
    return x;
}

/* To nearest, ties to even; a NaN stays one. */
static uint16_t to_bfloat16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (x != x)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
"""

FLOAT16 = """\
static float from_float16(uint16_t bits)
{
    uint32_t magnitude = bits & 0x7fff;
    float x = (float)magnitude * 0x1p-24f; /* subnormal */
    if (magnitude >= 0x0400) {
        uint32_t wide = (magnitude << 13) + (magnitude < 0x7c00 ? 0x38000000 : 0x70000000);
        memcpy(&x, &wide, sizeof x);
    }
    return bits & 0x8000 ? -x : x;
}

/* To nearest, ties to even; a NaN stays one. */
static uint16_t to_float16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return (uint16_t)(sign | 0x7e00);
    if (magnitude >= 0x477ff000) /* half way from the largest number to 2^16, or beyond */
        return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000) { /* subnormal: the sum has the unit 2^-24 in its last place */
        float sum = fabsf(x) + 0.5f;
        memcpy(&bits, &sum, sizeof bits);
        return (uint16_t)(sign | (bits - 0x3f000000));
    }
    return (uint16_t)(sign | ((magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13));
}
"""

CONVERSIONS = {"bfloat16": BFLOAT16, "float16": FLOAT16}
"""From and to the formats that C has not: bit patterns, and floats."""

IN_PYTHON = '''\
"""

import numpy as np


@np.errstate(over="ignore", under="ignore")
def gelu(x):
    """Return the results for an array."""'''


class Function(NamedTuple):
    """A program of the form `label` on arrays of `dtype`, computed in a format as wide or wider."""

    program: Program
    label: str
    dtype: Format
    computed_in: Format
    note: str

    def heading(self, file: str, *commands: str) -> Iterator[str]:
        """Yield the lines at the top of a file: what this is, and how to build and judge it."""
        formats = self.dtype.name
        if self.computed_in is not self.dtype:
            formats += f", computed in {self.computed_in.name}"
        said = [f"GELU as {self.program.formula}, in {formats}."]
        if self.note:
            said += ["", *self.note.splitlines()]
        for line in said:
            yield from textwrap.wrap(
                line, LINE, break_long_words=False, break_on_hyphens=False
            ) or [""]
        yield ""
        judged = f"{file}:gelu --dtype {self.dtype.name} --form {self.label}"
        yield from (f"    {command}" for command in (*commands, f"gelu sweep {judged}"))

    def statements(
        self, functions: Mapping[str, str], largest: str, choice: str
    ) -> Iterator[tuple[str, str, str]]:
        """Yield the name, right-hand side and comment of each statement; a result has no name.

        A `choice` is how a language writes {yes} where a {condition} holds, else {no}.
        """
        for line in self.program.statements:
            statement, _, comment = line.partition("  # ")
            name, _, right = statement.rpartition(" = ")
            right = right.removeprefix("return ")
            for function, spelled in functions.items():
                right = re.sub(rf"\b{function}\(", f"{spelled}(", right)
            right = right.replace("LARGEST", largest)
            if parts := re.fullmatch("(?P<yes>.*) if (?P<condition>.*) else (?P<no>.*)", right):
                right = choice.format(**parts.groupdict())
            yield name, right, comment


def c(function: Function) -> Iterator[str]:
    """Yield the lines of a file in C."""
    program, name = function.program, function.dtype.name
    kind, suffix, largest = TYPES[function.computed_in.name]
    conversion = CONVERSIONS.get(name, "")
    build = "cc -O2 -shared -fPIC -o libgelu.so gelu.c -lm"
    first, *others = function.heading("./libgelu.so", build)
    yield f"/* {first}"
    yield from (f" * {line}".rstrip() for line in others)
    yield " */"
    if any("LARGEST" in statement for statement in program.statements):
        yield "#include <float.h>"
    headers = ["math", "stddef", *(("stdint", "string") if conversion else ())]
    yield from (f"#include <{header}.h>" for header in headers)
    yield ""
    if conversion:
        yield conversion
    yield f"static {kind} gelu_of({kind} x)"
    yield "{"
    for constant in program.constants:
        number = constant.text(function.computed_in) + suffix
        meaning = f" /* {constant.meaning} */" if constant.meaning else ""
        yield f"    const {kind} {constant.name} = {number};{meaning}"
    spelled = {short: f"{long}{suffix}" for short, long in IN_C.items()}
    choice = "{condition} ? {yes} : {no}"
    for result, right, comment in function.statements(spelled, largest, choice):
        # A number is one of the type: 1 is 1.0f.
        typed = re.sub(NUMBER, lambda n: n[0] + ("" if n[1] else ".0") + suffix, right)
        left = f"{kind} {result} =" if result else "return"
        yield f"    {left} {typed};" + (f" /* {comment} */" if comment else "")
    yield "}"
    yield ""
    element, result = kind, "gelu_of(x[i])"
    if conversion:
        element, result = "uint16_t", f"to_{name}(gelu_of(from_{name}(x[i])))"
    yield f"void gelu(const {element} *x, {element} *y, size_t n)"
    yield "{"
    yield "    for (size_t i = 0; i < n; i++)"
    yield f"        y[i] = {result};"
    yield "}"


def python(function: Function) -> Iterator[str]:
    """Yield the lines of a file in Python."""
    kind, narrow = function.computed_in.name, function.dtype is not function.computed_in
    yield '"""' + "\n".join(function.heading("gelu.py"))
    yield IN_PYTHON
    if narrow:
        yield f"    dtype, x = x.dtype, x.astype(np.{kind})"
    else:
        yield f"    x = np.asarray(x, np.{kind})"
    for constant in function.program.constants:
        meaning = f"  # {constant.meaning}" if constant.meaning else ""
        yield f"    {constant.name} = {constant.text(function.computed_in)}{meaning}"
    choice = "np.where({condition}, {yes}, {no})"
    for name, right, comment in function.statements(IN_NUMPY, f"np.finfo(np.{kind}).max", choice):
        if name:
            yield f"    {name} = {right}" + (f"  # {comment}" if comment else "")
        elif narrow:
            yield f"    y = {right}"
            yield "    return y.astype(dtype)"
        else:
            yield f"    return {right}"
