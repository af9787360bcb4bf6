"""Figures on the command line, X=Y: a table of two columns."""

from __future__ import annotations

import os
from collections.abc import Sequence

from gelu_cli.cli.input.tables.table import Rows, Table
from gelu_cli.errors import UsageError

PAIR_HINT = "write X=Y, e.g. 2=1.9546"


class Pairs(Table):
    """Pairs as a table, whose rows are named by their number."""

    def place(self, number: int) -> str:
        """Return which pair it is, in a message."""
        return f"pair {number}"


def is_pair(word: str) -> bool:
    """Return whether a word is a pair X=Y, and not the name of a file.

    >>> is_pair("-1=-0.158"), is_pair("-"), is_pair("published.csv")
    (True, False, False)
    """
    return "=" in word and not os.path.exists(word)


def pair_of(word: str) -> tuple[str, str]:
    """Return both parts of a pair."""
    x, equals, y = word.partition("=")
    if not equals:
        raise UsageError(f"'{word}' is no pair: {PAIR_HINT}")
    return x, y


def pair_table(words: Sequence[str], column: str) -> Table:
    """Return the table of pairs: x, and a column of that name.

    >>> [*pair_table(["-1=-0.158", "0=0"], "exact").blocks][0].columns
    [('-1', '0'), ('-0.158', '0')]
    """
    pairs = [pair_of(word) for word in words]
    rows = Rows(range(1, len(pairs) + 1), [*zip(*pairs, strict=True)])
    return Pairs("the command line", {"x": 0, column: 1}, iter([rows]))
