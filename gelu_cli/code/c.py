"""Programs in C: a function of one number, and one of arrays around it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gelu_cli.code.program import Program, Statement

TYPES = {"float64": "double", "float32": "float"}
SUFFIXES = {"double": "", "float": "f"}
FUNCTIONS = {"exp": "exp", "abs": "fabs", "min": "fmin", "max": "fmax"}
LARGEST = {"double": "DBL_MAX", "float": "FLT_MAX"}

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


def render(program: Program) -> str:
    """Return the file of a program."""
    return "\n".join(_lines(program)) + "\n"


def _lines(program: Program) -> Iterator[str]:
    kind = TYPES[program.computed_in.name]
    conversion = CONVERSIONS.get(program.dtype.name, "")
    build = "cc -O2 -shared -fPIC -o libgelu.so gelu.c -lm"
    first, *others = program.heading(build, program.sweep("./libgelu.so"))
    yield f"/* {first}"
    yield from (f" * {line}".rstrip() for line in others)
    yield " */"
    headers = ["math", "stddef", *(("stdint", "string") if conversion else ())]
    if any("LARGEST" in statement for statement in program.body.statements):
        headers = ["float", *headers]
    yield from (f"#include <{header}.h>" for header in headers)
    yield ""
    if conversion:
        yield conversion
    yield f"static {kind} gelu_of({kind} x)"
    yield "{"
    for name, text, meaning in program.constants():
        yield f"    const {kind} {name} = {text}{SUFFIXES[kind]};{_comment(meaning)}"
    yield from (f"    {_statement(each, kind)}" for each in program.statements())
    yield "}"
    yield ""
    element, result = kind, "gelu_of(x[i])"
    if conversion:
        name = program.dtype.name
        element, result = "uint16_t", f"to_{name}(gelu_of(from_{name}(x[i])))"
    yield f"void gelu(const {element} *x, {element} *y, size_t n)"
    yield "{"
    yield "    for (size_t i = 0; i < n; i++)"
    yield f"        y[i] = {result};"
    yield "}"


def _statement(statement: Statement, kind: str) -> str:
    yes, condition, no = (_spelled(part, kind) for part in statement[1:4])
    right = f"{condition} ? {yes} : {no}" if condition else yes
    left = f"{kind} {statement.name} =" if statement.name else "return"
    return f"{left} {right};{_comment(statement.comment)}"


def _spelled(expression: str, kind: str) -> str:
    """Return an expression with the functions and the numbers of a type."""
    suffix = SUFFIXES[kind]
    for name, function in FUNCTIONS.items():
        expression = re.sub(rf"\b{name}\(", f"{function}{suffix}(", expression)
    expression = expression.replace("LARGEST", LARGEST[kind])
    return re.sub(
        r"(?<![\w.])\d+(\.\d+)?",
        lambda number: number[0] + ("" if number[1] else ".0") + suffix,
        expression,
    )


def _comment(text: str) -> str:
    return f" /* {text} */" if text else ""
