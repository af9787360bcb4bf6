"""Columns `x` and `x_bits` side by side: whether the patterns are of the format asked for."""

from __future__ import annotations

import math
from collections.abc import Iterable

from gelu_cli.arithmetic.formats import FORMATS, Format
from gelu_cli.cli.input.cells import parse_cell
from gelu_cli.errors import UsageError

SHOWN = 64
"""Lines: a file has one format from its first line on."""


def require_format(pairs: Iterable[tuple[str, str]], number_format: Format, name: str) -> None:
    """Raise `UsageError` where patterns are x in another format, and not in this one.

    Patterns that are x in no format pass: they are taken before x.

    >>> require_format([("1.0", "0x3c00")], FORMATS["bfloat16"], "a.csv")
    Traceback (most recent call last):
    gelu_cli.errors.UsageError: a.csv has x_bits of float16, not of bfloat16; write --dtype float16
    """
    numbers = [pair for pair in pairs if _is_number(pair[0])]
    fitting = [each for each in FORMATS.values() if all(_stands_for(*p, each) for p in numbers)]
    if fitting and number_format not in fitting:
        meant = fitting[0].name
        raise UsageError(
            f"{name} has x_bits of {meant}, not of {number_format.name}; write --dtype {meant}"
        )


def _is_number(word: str) -> bool:
    """Return whether a cell is a number: a NaN has many patterns, an unread cell none."""
    try:
        return not math.isnan(parse_cell(word, FORMATS["float64"]))
    except UsageError:
        return False


def _stands_for(word: str, pattern: str, number_format: Format) -> bool:
    return number_format.hexadecimal(parse_cell(word, number_format)) == pattern.lower()
