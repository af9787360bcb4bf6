"""Errors and notes in Python: they name arguments of functions, not options."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from gelu_cli.errors import GeluError
from gelu_cli.old.environment import standard_environment

F = TypeVar("F", bound=Callable[..., Any])

RENAMED = {
    "all": "every", "exec": "function", "impl": "function", "kwarg": "kwargs", "mark": "marks",
    "range": "[low, high]", "show": "quantities",
}  # fmt: skip
"""The arguments that have other names than the options of the command line."""

OPTION = re.compile(
    r"--(?:range ([^\s:]+):([^\s;,)]+)"
    r"|(backend|backward|device|digits|dtype|error|form|quantity|result|target|view)"
    r" (?!(?:and|has|is|more|names|or|out)\b)([\w.:=-]*\w)"
    r"|([a-z][a-z-]*))"
)


def in_python(text: str) -> str:
    """Return a message that names options of the command line with the arguments of functions.

    >>> in_python("--exec: there is no program 'a'; take --dtype float32 or --range -4:4")
    "function: there is no program 'a'; take dtype='float32' or low=-4, high=4"
    """

    def named(match: re.Match[str]) -> str:
        low, high, valued, value, name = match.groups()
        if low:
            return f"low={low}, high={high}"
        if valued:
            return f"{valued}={value if value.isdigit() else repr(value)}"
        return RENAMED.get(name, name.replace("-", "_"))

    return OPTION.sub(named, text)


def asked_in_python(function: F) -> F:
    """Return a function in the standard environment whose errors name its own arguments.

    They have the caller's line, and no lines of this package.
    """
    computed = standard_environment()(function)

    @wraps(function)
    def called(*arguments: Any, **named: Any) -> Any:
        __tracebackhide__ = True  # from pytest
        try:
            return computed(*arguments, **named)
        except GeluError as error:
            error.args = tuple(in_python(str(each)) for each in error.args)
            raise error.with_traceback(None) from error.__cause__

    return called  # type: ignore[return-value]
