"""Where the entries of a budget stand in its file.

No reader of TOML says so: tomllib has values alone, and tomlkit, which --tighten writes with, keeps
what stands between them, but no lines.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import NamedTuple

TOKEN = re.compile(
    r'"""(?:\\.|(?!""").)*"{3,5}'  # up to two quotes of the text stand before the closing ones
    r"|'''(?:(?!''').)*'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*"
    r"|[][{}\n]",
    re.DOTALL,
)
"""What can hold a bracket or the end of a line, or is one."""


class Place(NamedTuple):
    """The line on which a table begins, and that of each of its keys."""

    line: int
    keys: dict[str, int]

    def of(self, key: str) -> int:
        """Return the line of a key, or of the table if that is not known."""
        return self.keys.get(key, self.line)


class Statement(NamedTuple):
    """A header or a key with its value, from its first line on."""

    text: str
    line: int


def places(text: str, name: str) -> tuple[Place, list[Place]]:
    r"""Return where a TOML document's own keys stand, and where the tables of one array of it do.

    The text is known to be TOML.

    >>> places('a = 1\n[[b]]  # [[b]]\nc = "[[b]]"\n[[b]]\n', "b")
    (Place(line=1, keys={'a': 1, 'b': 2}), [Place(line=2, keys={'c': 3}), Place(line=4, keys={})])
    """
    top, found = Place(1, {}), list[Place]()
    current = top
    for statement in _statements(text):
        ((key, value),) = tomllib.loads(statement.text).items()
        if not statement.text.startswith("["):
            current.keys[key] = statement.line
        elif key != name:
            current = Place(statement.line, {})
            top.keys[key] = statement.line
        elif isinstance(value, list):
            current = Place(statement.line, {})
            found.append(current)
            top.keys.setdefault(key, statement.line)
        else:  # a table in the last one
            inner = next(iter(value), "")
            (found[-1] if found else top).keys.setdefault(inner, statement.line)
            current = Place(statement.line, {})
    return top, found


def _statements(text: str) -> Iterator[Statement]:
    text = text.replace("\r\n", "\n") + "\n"
    line = first = 1
    depth = start = 0
    for token in TOKEN.finditer(text):
        sign = token[0]
        line += sign.count("\n")
        depth += (sign in ("[", "{")) - (sign in ("]", "}"))
        if sign == "\n" and not depth:
            statement = text[start : token.start()].strip()
            if statement and not statement.startswith("#"):
                yield Statement(statement, first)
            start, first = token.end(), line
