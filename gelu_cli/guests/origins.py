"""Which library a Python function is from, or which its code names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dis import get_instructions
from functools import partial
from inspect import unwrap
from types import CodeType, FunctionType, ModuleType
from typing import Any

from gelu_cli.errors import UsageError
from gelu_cli.guests.backends import backend_names
from gelu_cli.guests.names import name_of


def guess_backend(function: Any) -> str:
    """Return the library that a function is from, or its code names, or else its module imports.

    It is numpy where that is none of the backends; raises `UsageError` where it may be several.

    >>> import math
    >>> guess_backend(math.tanh)
    'numpy'
    """
    function = _itself(function)
    code = function if hasattr(function, "__globals__") else type(function).__call__
    found = libraries_of(function)
    if not found and hasattr(code, "__globals__"):
        found = _libraries(_named(code)) or _libraries(code.__globals__.values())
    if len(found) > 1:
        libraries = " or ".join(sorted(found))
        raise UsageError(f"{name_of(function)} takes arrays of {libraries}: say which by --backend")
    return found.pop() if found else "numpy"


def libraries_of(function: Any) -> set[str]:
    """Return the libraries with a backend that a function itself is from.

    >>> import numpy
    >>> libraries_of(numpy.tanh)
    {'numpy'}
    """
    return _libraries([_itself(function)])


def _itself(function: Any) -> Any:
    while isinstance(function, partial):
        function = function.func
    return unwrap(function)


def _named(function: Any) -> Iterator[Any]:
    """Yield what code names, and the code of functions that it calls in the same module."""
    functions = [function]
    for each in functions:  # more are added
        for value in _named_by(each):
            yield value
            if type(value) is FunctionType and value.__globals__ is function.__globals__:
                functions += [] if value in functions else [value]


def _named_by(function: Any) -> Iterator[Any]:
    """Yield the modules that a function imports, and the variables from outside that it reads."""
    codes = [function.__code__]
    for code in codes:
        codes += (each for each in code.co_consts if isinstance(each, CodeType))
        for step in get_instructions(code):
            if step.opname == "IMPORT_NAME":
                yield ModuleType(step.argval)
            elif step.opname == "LOAD_GLOBAL":
                yield function.__globals__.get(step.argval)
    yield from (cell.cell_contents for cell in function.__closure__ or ())


def _libraries(values: Iterable[Any]) -> set[str]:
    """Return the libraries with a backend that values are from, or their classes."""
    parts = (part for value in values for part in (value, *type(value).__mro__))
    return {*map(_library, parts)} & {*backend_names()}


def _library(value: Any) -> str:
    """Return the first part of the name of the module that a value is, or is from."""
    name = "__name__" if issubclass(type(value), ModuleType) else "__module__"
    try:
        return str(getattr(value, name, None)).partition(".")[0]
    except Exception:  # an object that answers for its attributes by itself: it is from nowhere
        return ""
