"""Programs in C, a function of one number and one of arrays around it, and in Python, of arrays."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gelu_cli.arithmetic.formats import Format
from gelu_cli.code.families import Program

LINE = 96
"""The longest line of text at the top of a file."""

TYPES = {"float64": ("double", "", "DBL_MAX"), "float32": ("float", "f", "FLT_MAX")}
"""The type of a format in C, the suffix of its numbers and functions, and its largest number."""

IN_C = {"exp": "exp", "abs": "fabs", "min": "fmin", "max": "fmax"}
IN_NUMPY = {"exp": "np.exp", "abs": "np.abs", "min": "np.minimum", "max": "np.maximum"}

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
        yield from _wrapped(f"GELU as {self.program.formula}, in {formats}.")
        if self.note:
            yield ""
            yield from (line for part in self.note.splitlines() for line in _wrapped(part))
        yield ""
        judged = f"--impl {file}:gelu --dtype {self.dtype.name} --target {self.label}"
        yield from (f"    {command}" for command in (*commands, f"gelu sweep {judged}"))


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, LINE, break_long_words=False, break_on_hyphens=False)


def parts_of(line: str) -> tuple[str, ...]:
    """Return the parts of a statement: name, yes, condition, no and comment.

    The name is what `yes` is called, or where there is a condition, `no` if it does not hold; a
    result has none.

    >>> parts_of("g = h if w < 0 else 1  # less")
    ('g', 'h', 'w < 0', '1', 'less')
    """
    statement, _, comment = line.partition("  # ")
    name, separator, right = statement.partition(" = ")
    if not separator:
        name, right = "", statement.removeprefix("return ")
    parts = re.fullmatch("(.*) if (.*) else (.*)", right)
    return name, *(parts.groups() if parts else (right, "", "")), comment


def c(function: Function) -> Iterator[str]:
    """Yield the lines of a file in C."""
    kind, suffix, largest = TYPES[function.computed_in.name]
    functions = {name: f"{spelled}{suffix}" for name, spelled in IN_C.items()}
    conversion = CONVERSIONS.get(function.dtype.name, "")
    build = "cc -O2 -shared -fPIC -o libgelu.so gelu.c -lm"
    first, *others = function.heading("./libgelu.so", build)
    yield f"/* {first}"
    yield from (f" * {line}".rstrip() for line in others)
    yield " */"
    headers = ["math", "stddef", *(("stdint", "string") if conversion else ())]
    if any("LARGEST" in statement for statement in function.program.statements):
        headers = ["float", *headers]
    yield from (f"#include <{header}.h>" for header in headers)
    yield ""
    if conversion:
        yield conversion
    yield f"static {kind} gelu_of({kind} x)"
    yield "{"
    for constant in function.program.constants:
        number = constant.text(function.computed_in) + suffix
        yield f"    const {kind} {constant.name} = {number};{_in_c_comment(constant.meaning)}"
    for name, *parts, comment in map(parts_of, function.program.statements):
        yes, condition, no = (
            _with_suffixes(_spelled(part, functions, largest), suffix) for part in parts
        )
        right = f"{condition} ? {yes} : {no}" if condition else yes
        left = f"{kind} {name} =" if name else "return"
        yield f"    {left} {right};{_in_c_comment(comment)}"
    yield "}"
    yield ""
    element, result = kind, "gelu_of(x[i])"
    if conversion:
        name = function.dtype.name
        element, result = "uint16_t", f"to_{name}(gelu_of(from_{name}(x[i])))"
    yield f"void gelu(const {element} *x, {element} *y, size_t n)"
    yield "{"
    yield "    for (size_t i = 0; i < n; i++)"
    yield f"        y[i] = {result};"
    yield "}"


def _with_suffixes(expression: str, suffix: str) -> str:
    """Return an expression whose numbers are of a type: 1 is 1.0f."""
    return re.sub(
        r"(?<![\w.])\d+(\.\d+)?",
        lambda number: number[0] + ("" if number[1] else ".0") + suffix,
        expression,
    )


def _in_c_comment(text: str) -> str:
    return f" /* {text} */" if text else ""


def _spelled(expression: str, functions: Mapping[str, str], largest: str) -> str:
    for name, function in functions.items():
        expression = re.sub(rf"\b{name}\(", f"{function}(", expression)
    return expression.replace("LARGEST", largest)


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
        line = f"    {constant.name} = {constant.text(function.computed_in)}"
        yield line + (f"  # {constant.meaning}" if constant.meaning else "")
    for name, *parts, comment in map(parts_of, function.program.statements):
        largest = f"np.finfo(np.{kind}).max"
        yes, condition, no = (_spelled(part, IN_NUMPY, largest) for part in parts)
        right = f"np.where({condition}, {yes}, {no})" if condition else yes
        if name:
            yield f"    {name} = {right}" + (f"  # {comment}" if comment else "")
        elif narrow:
            yield f"    y = {right}"
            yield "    return y.astype(dtype)"
        else:
            yield f"    return {right}"
