"""Arguments for a function of the user's own: NAME=VALUE, where the value has a type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from gelu_cli.errors import UsageError

CONSTANTS = {"true": True, "false": False, "none": None}
QUOTES = ('"', "'")


def parse_argument(word: str) -> tuple[str, Any]:
    """Return the name and the value that a word like `approximate=tanh` has.

    The value is true, false or none in any case, else a number as Python reads it, else text.
    Quotes around it make it text, and are no part of it.

    >>> [parse_argument(word)[1] for word in ("a=False", "a=0x10", "a=1e-3", "a=tanh", "a='1'")]
    [False, 16, 0.001, 'tanh', '1']
    """
    name, equals, value = word.partition("=")
    if not equals or not name.isidentifier():
        raise UsageError(f"--kwarg '{word}' must be NAME=VALUE, e.g. approximate=tanh")
    return name, _typed(value)


def _typed(text: str) -> Any:
    if len(text) >= 2 and text[0] in QUOTES and text[-1] == text[0]:
        return text[1:-1]
    if text.lower() in CONSTANTS:
        return CONSTANTS[text.lower()]
    readers: list[Callable[[str], int | float]] = [partial(int, base=0), int, float]
    if "0x" in text.lower():  # without it, `face` would be a hexadecimal float
        readers.append(float.fromhex)
    for read in readers:
        try:
            return read(text)
        except (ValueError, OverflowError):
            pass
    return text


def arguments_of(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return arguments by name; raises `UsageError` for one that has two values."""
    arguments = dict(pairs)
    if len(arguments) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"--kwarg gives '{twice}' more than once; leave one of them out")
    return arguments


def label(function: str, arguments: Mapping[str, Any]) -> str:
    """Return what a function with arguments is called in an answer, as a call of Python.

    >>> label("mykernel.py:gelu", {"approximate": "tanh", "fast": True})
    "mykernel.py:gelu(approximate='tanh', fast=True)"
    >>> label("mykernel.py:gelu", {})
    'mykernel.py:gelu'
    """
    listed = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    return f"{function}({listed})" if arguments else function
