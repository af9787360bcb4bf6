"""What a Python function is: its name, whose arrays it takes, and whether it is a backward pass."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dis import get_instructions
from functools import partial
from inspect import Parameter, Signature, signature, unwrap
from types import CodeType, FunctionType, ModuleType
from typing import Any

from gelu_cli.errors import UsageError
from gelu_cli.old.guests.backends import Backend, backend_names
from gelu_cli.old.guests.calling import OWN, Calling, refuse_gradients

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

BACKWARD = {"backward", "bwd", "vjp", "dgelu", "grad", "gradient", "derivative", "prime"}
"""Words in the names of backward passes."""

OTHERWISE = {"no", "with", "without", "custom"}
"""Beside them, they say something else: gelu_with_backward, no_grad."""

ARGUMENTS = {
    "upstream", "grad", "grad_output", "grad_out", "gout", "dy", "dout", "cotangent", "ct", "g",
}  # fmt: skip
"""What the gradient from above is called."""


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


def _name_of(function: Any) -> str:
    if isinstance(function, partial):
        given = [*map(repr, function.args), *(f"{k}={v!r}" for k, v in function.keywords.items())]
        return _name_of(function.func) + (f"({', '.join(given)})" if given else "")
    kind = type(function)
    if isinstance(function, FunctionType):
        if OF_DYNAMO in vars(function):
            return f"torch.compile({_name_of(unwrap(vars(function)[OF_DYNAMO]))})"
        own, code = function.__qualname__, function.__code__
        place = f" at {os.path.basename(code.co_filename)}:{code.co_firstlineno}"
        return own + (place if own.endswith(LAMBDA) else "")
    if compiled := COMPILED.get((kind.__module__.partition(".")[0], kind.__name__)):
        compiler, inside = compiled
        return f"{compiler}({_name_of(getattr(function, inside))})"
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    if isinstance(name, str):
        return name
    said = " ".join(repr(function).split())
    is_address = said.startswith("<")
    return said if 0 < len(said) <= LONGEST and not is_address else kind.__name__


def itself(function: Any) -> Any:
    """Return the function inside partial ones and wrappers.

    >>> itself(partial(round, ndigits=2))
    <built-in function round>
    """
    while isinstance(function, partial):
        function = function.func
    return unwrap(function)


def signature_of(function: Any) -> Signature | None:
    """Return the signature of a callable, None where it cannot tell."""
    try:
        return signature(function)
    except (ValueError, TypeError):
        return None


def guess_backend(function: Any, usual: str = "numpy") -> str:
    """Return the library that a function is from, or its code names, or else its module imports.

    It is the `usual` one where that is none of the backends; raises `UsageError` where it may be
    several.

    >>> import math
    >>> guess_backend(math.tanh)
    'numpy'
    """
    function = itself(function)
    code = function if hasattr(function, "__globals__") else type(function).__call__
    found = libraries_of([function])
    if not found and hasattr(code, "__globals__"):
        found = libraries_of(_named(code)) or libraries_of(code.__globals__.values())
    if len(found) > 1:
        libraries = " or ".join(sorted(found))
        raise UsageError(f"{name_of(function)} takes arrays of {libraries}: say which by --backend")
    return found.pop() if found else usual


def libraries_of(values: Iterable[Any]) -> set[str]:
    """Return the libraries with a backend that values are from, or their classes.

    >>> import numpy
    >>> libraries_of([numpy.tanh])
    {'numpy'}
    """
    parts = (part for value in values for part in (value, *type(value).__mro__))
    return {*map(_library, parts)} & {*backend_names()}


def _library(value: Any) -> str:
    """Return the first part of the name of the module that a value is, or is from."""
    name = "__name__" if issubclass(type(value), ModuleType) else "__module__"
    try:
        return str(getattr(value, name, None)).partition(".")[0]
    except Exception:  # an object that answers for its attributes by itself: it is from nowhere
        return ""


def _named(function: Any) -> Iterator[Any]:
    """Yield what code names: the modules that it imports, and the variables from outside.

    So does the code of functions that it calls in the same module.
    """
    functions = [function]
    for each in functions:  # more are added
        values = [cell.cell_contents for cell in each.__closure__ or ()]
        codes = [each.__code__]
        for code in codes:  # likewise
            codes += (inner for inner in code.co_consts if isinstance(inner, CodeType))
            for step in get_instructions(code):
                if step.opname == "IMPORT_NAME":
                    values.append(ModuleType(step.argval))
                elif step.opname == "LOAD_GLOBAL":
                    values.append(each.__globals__.get(step.argval))
        yield from values
        functions += [
            value for value in values
            if type(value) is FunctionType
            and value.__globals__ is function.__globals__
            and value not in functions
        ]  # fmt: skip


def check_backward(function: Any, typed: str, backend: Backend, calling: Calling) -> None:
    """Raise `UsageError` where it is not clear, or cannot be, how gradients come about.

    `typed` is the name by which the function was asked for, if any.
    """
    if calling.quantity == "value" or calling.backward == "own":
        return
    library = backend.library
    if not backend.differentiates:
        refuse_gradients(f"a function of {library}", calling)
    elif calling.result is not calling.dtype:
        raise UsageError(
            f"--result: a gradient by {library} has the format of x; remove --result, or {OWN}"
        )
    elif calling.backward is None and (sign := sign_of_a_backward(function, typed)):
        raise UsageError(
            f"{sign} looks like a backward pass; {OWN}, or give it another name if {library} "
            "should differentiate it"
        )


def sign_of_a_backward(function: Any, typed: str = "") -> str:
    """Return what says that a function is a backward pass: a name of it, or of an argument.

    `typed` is the name by which it was asked for, if any.

    >>> sign_of_a_backward(abs, "gelu_bwd"), sign_of_a_backward(lambda dy, x: dy * x)
    ("'gelu_bwd'", "a function of 'dy'")
    >>> sign_of_a_backward(abs)
    ''
    """
    function = itself(function)
    owner = getattr(function, "__self__", None)  # of GeluBackward.apply
    own = (getattr(each, "__name__", "") for each in (function, owner, type(function)))
    for name in (*typed.split("."), *own):
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name if isinstance(name, str) else "")
        said = {word.lower() for word in words}
        if said & BACKWARD and not said & OTHERWISE:
            return f"'{name}'"
    known = signature_of(function)
    for each in known.parameters.values() if known else ():
        is_given = each.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
        if is_given and each.default is Parameter.empty and each.name in ARGUMENTS:
            return f"a function of '{each.name}'"
    return ""
