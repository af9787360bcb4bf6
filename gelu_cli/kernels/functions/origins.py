"""Which library a Python function is from, or the names in its module."""

from __future__ import annotations

from functools import partial
from inspect import unwrap
from types import ModuleType
from typing import Any

from gelu_cli.kernels.backends import backend_names


def guess_backend(function: Any) -> str:
    """Return the library that a function belongs to, or that the names in its module come from.

    It is numpy where that is none of the backends, or more than one.

    >>> import math
    >>> guess_backend(math.tanh)
    'numpy'
    """
    function = _itself(function)
    kind = type(function)
    code = function if hasattr(function, "__globals__") else kind.__call__
    names = {_library(value) for value in getattr(code, "__globals__", {}).values()}
    others = set(backend_names()) - {"numpy"}
    for found in (libraries_of(function) & others, names & others):
        if found:
            return found.pop() if len(found) == 1 else "numpy"
    return "numpy"


def libraries_of(function: Any) -> set[str]:
    """Return the libraries with a backend that a function itself is from.

    >>> import numpy
    >>> libraries_of(numpy.tanh)
    {'numpy'}
    """
    function = _itself(function)
    own = {_library(each) for each in (function, *type(function).__mro__)}
    return own & set(backend_names())


def _itself(function: Any) -> Any:
    while isinstance(function, partial):
        function = function.func
    return unwrap(function)


def _library(value: Any) -> str:
    """Return the first part of the name of the module that a value is, or is from."""
    name = "__name__" if issubclass(type(value), ModuleType) else "__module__"
    try:
        return str(getattr(value, name, None)).partition(".")[0]
    except Exception:  # an object that answers for its attributes by itself: it is from nowhere
        return ""
