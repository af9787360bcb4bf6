"""What a function of the user's own is called in an answer, however it is wrapped."""

from __future__ import annotations

import os
from functools import partial
from inspect import unwrap
from types import FunctionType
from typing import Any

from gelu_cli.errors import UsageError

LONGEST = 120
"""Most characters of an object's repr that is taken for a name."""

LAMBDA = "<lambda>"
OF_DYNAMO = "_torchdynamo_orig_callable"
"""What PyTorch has compiled into a function."""

COMPILED = {
    ("torch", "OptimizedModule"): ("torch.compile", "_orig_mod"),
    ("jaxlib", "PjitFunction"): ("jax.jit", "__wrapped__"),
}
"""By the library and name of a class: the compiler, and the attribute that holds its function."""


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


def itself(function: Any) -> Any:
    """Return the function inside partial ones and wrappers.

    >>> itself(partial(round, ndigits=2))
    <built-in function round>
    """
    while isinstance(function, partial):
        function = function.func
    return unwrap(function)


def _name_of(function: Any) -> str:
    if isinstance(function, partial):
        given = [*map(repr, function.args), *(f"{k}={v!r}" for k, v in function.keywords.items())]
        return _name_of(function.func) + (f"({', '.join(given)})" if given else "")
    if isinstance(function, FunctionType):
        if OF_DYNAMO in vars(function):
            return f"torch.compile({_name_of(unwrap(vars(function)[OF_DYNAMO]))})"
        own, code = function.__qualname__, function.__code__
        place = f" at {os.path.basename(code.co_filename)}:{code.co_firstlineno}"
        return own + (place if own.endswith(LAMBDA) else "")
    kind = type(function)
    library = kind.__module__.partition(".")[0]
    if (library, kind.__name__) in COMPILED:
        compiler, inside = COMPILED[library, kind.__name__]
        return f"{compiler}({_name_of(getattr(function, inside))})"
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    if not isinstance(name, str):
        name = " ".join(repr(function).split())
        if not name or len(name) > LONGEST or name.startswith("<"):  # an address
            name = kind.__name__
    return name
