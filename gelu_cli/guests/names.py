"""What a function of the user's own is called in an answer, however it is wrapped."""

from __future__ import annotations

import os
from functools import partial
from inspect import unwrap
from types import FunctionType
from typing import Any

from gelu_cli.errors import UsageError

LONGEST = 120
"""Characters of what an object says of itself, to be a name."""

LAMBDA = "<lambda>"
OF_DYNAMO = "_torchdynamo_orig_callable"
"""What PyTorch has compiled into a function."""


def name_of(function: Any) -> str:
    """Return a readable name: a function's own, a partial one's with arguments, where a lambda is.

    What torch.compile and jax.jit have made is called so, with the name of what it was made of. An
    object is called what it says of itself, in one line, or else as its class is.

    >>> name_of(partial(round, ndigits=2)), name_of("abc".join)
    ('round(ndigits=2)', 'str.join')
    """
    try:
        return _name_of(function)
    except Exception:  # an object may answer for its attributes by itself
        return type(function).__name__


def word_of(function: Any) -> str:
    """Return what a function is called on the command line: MODULE:NAME, or the word that it is.

    Raises `UsageError` for a lambda, which has no name.

    >>> word_of(partial(round, ndigits=2)), word_of("mykernel.py:gelu")
    ('builtins:round(ndigits=2)', 'mykernel.py:gelu')
    """
    if isinstance(function, str):
        return function
    name = name_of(function)
    if LAMBDA in name:
        raise UsageError(f"{name} has no name; give it one, name='MODULE:NAME'")
    while isinstance(function, partial):
        function = function.func
    return f"{getattr(function, '__module__', None) or type(function).__module__}:{name}"


def _name_of(function: Any) -> str:
    if isinstance(function, partial):
        given = [*map(repr, function.args), *(f"{k}={v!r}" for k, v in function.keywords.items())]
        return _name_of(function.func) + (f"({', '.join(given)})" if given else "")
    if isinstance(function, FunctionType):
        if OF_DYNAMO in vars(function):
            return f"torch.compile({_name_of(unwrap(vars(function)[OF_DYNAMO]))})"
        own = function.__qualname__
        return f"{own} at {_place(function)}" if own.endswith(LAMBDA) else own
    kind = type(function)
    if kind.__name__ == "OptimizedModule" and _library(kind) == "torch":
        return f"torch.compile({_name_of(function._orig_mod)})"
    if kind.__name__ == "PjitFunction" and _library(kind) == "jaxlib":
        return f"jax.jit({_name_of(function.__wrapped__)})"
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    return name if isinstance(name, str) else _of_object(function)


def _place(function: FunctionType) -> str:
    """Return the file, without its folder, and the line where a function begins."""
    code = function.__code__
    return f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}"


def _library(kind: type) -> str:
    return str(kind.__module__).partition(".")[0]


def _of_object(function: Any) -> str:
    """Return what an object says of itself, unless that is an address, or long; else its class."""
    kind = type(function)
    said = " ".join(repr(function).split())
    return said if said and len(said) <= LONGEST and not said.startswith("<") else kind.__name__
