"""Programs in Python: a function of numpy's arrays."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gelu_cli.code.program import Program, Statement

FUNCTIONS = {"exp": "exp", "abs": "abs", "min": "minimum", "max": "maximum"}


def render(program: Program) -> str:
    """Return the file of a program."""
    return "\n".join(_lines(program)) + "\n"


def _lines(program: Program) -> Iterator[str]:
    kind = program.computed_in.name
    first, *others = program.heading(program.sweep("gelu.py"))
    yield f'"""{first}'
    yield from others
    yield '"""'
    yield ""
    yield "import numpy as np"
    yield ""
    yield ""
    yield '@np.errstate(over="ignore", under="ignore")'
    yield "def gelu(x):"
    yield '    """Return the results for an array."""'
    narrow = program.dtype is not program.computed_in
    yield (
        f"    dtype, x = x.dtype, x.astype(np.{kind})"
        if narrow
        else f"    x = np.asarray(x, np.{kind})"
    )
    for name, text, meaning in program.constants():
        yield f"    {name} = {text}{_comment(meaning)}"
    for statement in program.statements():
        yield from (f"    {line}" for line in _statement(statement, program))


def _statement(statement: Statement, program: Program) -> Iterator[str]:
    yes, condition, no = (_spelled(part, program) for part in statement[1:4])
    right = f"np.where({condition}, {yes}, {no})" if condition else yes
    narrow = program.dtype is not program.computed_in
    if statement.name:
        yield f"{statement.name} = {right}{_comment(statement.comment)}"
    elif narrow:
        yield f"y = {right}"
        yield "return y.astype(dtype)"
    else:
        yield f"return {right}"


def _spelled(expression: str, program: Program) -> str:
    for name, function in FUNCTIONS.items():
        expression = re.sub(rf"\b{name}\(", f"np.{function}(", expression)
    return expression.replace("LARGEST", f"np.finfo(np.{program.computed_in.name}).max")


def _comment(text: str) -> str:
    return f"  # {text}" if text else ""
