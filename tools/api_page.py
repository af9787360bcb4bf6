"""The page of the functions of `gelu_cli`: their signatures and what their docstrings say."""

import inspect
import re
from types import MappingProxyType

import gelu_cli

WIDTH = 88
HEAD = """# The functions of `gelu_cli`

What `help` says of each name. [python.md](python.md) tells which command answers the same.
This page is made from the program by `tools/make_manual.py`.
"""
EXAMPLE = re.compile(r"^>>> .*?(?=\n\n|\Z)", re.M | re.S)


def render() -> str:
    """Return the page."""
    names = [name for name in gelu_cli.__all__ if not name.startswith("_")]
    return "\n".join([HEAD, *(entry(name, getattr(gelu_cli, name)) for name in names)])


def entry(name: str, thing: object) -> str:
    """Return the part of the page about a function or a class."""
    said = EXAMPLE.sub(lambda found: f"```python\n{found[0]}\n```", inspect.getdoc(thing) or "")
    declared = f"class {name}" if inspect.isclass(thing) else signature(name, thing)
    return f"## `{name}`\n\n```python\n{declared}\n```\n\n{said}\n"


def signature(name: str, function: object) -> str:
    """Return how a function is called, each argument on a line of its own if one is too short."""
    called = inspect.signature(function)
    words, starred = [], False
    for parameter in called.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            starred = True
            words.append("*")
        default = parameter.default
        if isinstance(default, MappingProxyType):
            default = dict(default)
        given = "" if default is parameter.empty else f" = {default!r}"
        words.append(f"{parameter.name}: {parameter.annotation}{given}")
    line = f"{name}({', '.join(words)}) -> {called.return_annotation}"
    if len(line) <= WIDTH:
        return line
    return (
        f"{name}(\n"
        + "".join(f"    {word},\n" for word in words)
        + f") -> {called.return_annotation}"
    )
