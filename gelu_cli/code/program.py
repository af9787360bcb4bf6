"""A program before it is written in a language: what it computes, in which formats, and why."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import NamedTuple

from gelu_cli.arithmetic.formats import Format
from gelu_cli.code.families import Body

LINE = 96


class Statement(NamedTuple):
    """One statement: `name` = `yes`, or where there is a condition `no` if it does not hold.

    Without a name it is the result.
    """

    name: str
    yes: str
    condition: str
    no: str
    comment: str


class Program(NamedTuple):
    """A function from arrays of `dtype` to such arrays, computed in a format as wide or wider."""

    label: str
    body: Body
    dtype: Format
    computed_in: Format
    note: str

    def heading(self, *commands: str) -> Iterator[str]:
        """Yield the lines at the top of a file: what this is, and how to build and judge it."""
        formats = self.dtype.name
        if self.computed_in is not self.dtype:
            formats += f", computed in {self.computed_in.name}"
        yield from _wrapped(f"GELU as {self.body.formula}, in {formats}.")
        if self.note:
            yield ""
            yield from (line for part in self.note.splitlines() for line in _wrapped(part))
        yield ""
        yield from (f"    {command}" for command in commands)

    def sweep(self, file: str) -> str:
        """Return the command that judges the function in a file."""
        return f"gelu sweep --impl {file}:gelu --dtype {self.dtype.name} --target {self.label}"

    def constants(self) -> Iterator[tuple[str, str, str]]:
        """Yield the name, the text and the meaning of every constant."""
        for constant in self.body.constants:
            yield constant.name, constant.text(self.computed_in), constant.meaning

    def statements(self) -> Iterator[Statement]:
        """Yield the statements of the function in their parts."""
        for line in self.body.statements:
            statement, _, comment = line.partition("  # ")
            name, separator, right = statement.partition(" = ")
            if not separator:
                name, right = "", statement.removeprefix("return ")
            parts = re.fullmatch("(.*) if (.*) else (.*)", right)
            yes, condition, no = parts.groups() if parts else (right, "", "")
            yield Statement(name, yes, condition, no, comment)


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, LINE, break_long_words=False, break_on_hyphens=False)
