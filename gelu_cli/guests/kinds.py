"""What kind of function it is: which library's arrays it takes, whether it is a backward pass."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dis import get_instructions
from inspect import Parameter, Signature, signature
from types import CodeType, FunctionType, ModuleType
from typing import Any

from gelu_cli.errors import UsageError
from gelu_cli.guests.backends import Backend, backend_names
from gelu_cli.guests.calling import Calling
from gelu_cli.guests.names import itself, name_of

ANYWHERE = {"backward", "bwd", "vjp", "dgelu"}
AT_AN_END = {"grad", "gradient", "derivative", "prime"}
"""Words in the names of backward passes; the latter only first or last: not log_gradient_scale."""

AFTER = {"no", "with", "without", "custom"}
"""Before such a word, they say otherwise: gelu_with_backward, no_grad."""

ARGUMENTS = {
    "upstream", "grad", "grad_output", "grad_out", "gout", "dy", "dout", "cotangent", "ct", "g",
}  # fmt: skip
"""What the gradient from above is called."""

OWN = "take --backward own for (upstream, x) → dx"


def guess_backend(function: Any) -> str:
    """Return the library that a function is from, or its code names, or else its module imports.

    It is numpy where that is none of the backends; raises `UsageError` where it may be several.

    >>> import math
    >>> guess_backend(math.tanh)
    'numpy'
    """
    function = itself(function)
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
    return _libraries([itself(function)])


def _named(function: Any) -> Iterator[Any]:
    """Yield what code names, and the code of functions that it calls in the same module.

    These are the modules that it imports, and the variables from outside that it reads.
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


def check_backward(function: Any, typed: str, backend: Backend, calling: Calling) -> None:
    """Raise `UsageError` where it is not clear, or cannot be, how gradients come about.

    `typed` is the name by which the function was asked for, if any.
    """
    if calling.quantity != "gradient" or calling.backward == "own":
        return
    library = backend.library
    if not backend.differentiates:
        refuse_gradients(f"a function of {library}", calling)
        return
    if calling.result is not calling.dtype:
        raise UsageError(
            f"--result: a gradient by {library} has the format of x; leave it out, or {OWN}"
        )
    if calling.backward is None and (sign := sign_of_a_backward(function, typed)):
        raise UsageError(
            f"{sign} looks like a backward pass; add --backward own for (upstream, x) → dx, or "
            f"--backward autograd to have {library} differentiate it"
        )


def refuse_gradients(kernel: str, calling: Calling) -> None:
    """Raise `UsageError` where a kernel that nobody differentiates would have to be."""
    if calling.backward == "autograd":
        raise UsageError(
            f"--backward autograd: {kernel} is not differentiated; leave it out if it returns the "
            f"gradient, or {OWN}"
        )
    if calling.upstream != 1 and calling.backward != "own":
        raise UsageError(f"--upstream: {kernel} gets x alone; {OWN}")


def sign_of_a_backward(function: Any, typed: str = "") -> str:
    """Return what says that a function is a backward pass: a name of it, or of an argument.

    `typed` is the name by which it was asked for, if any.

    >>> def gelu_bwd(x): ...
    >>> sign_of_a_backward(gelu_bwd)
    "'gelu_bwd'"
    >>> sign_of_a_backward(abs, "gelu_bwd")
    "'gelu_bwd'"
    >>> sign_of_a_backward(lambda dy, x: dy * x)
    "a function of 'dy'"
    >>> sign_of_a_backward(abs)
    ''
    """
    function = itself(function)
    owner = getattr(function, "__self__", None)  # of GeluBackward.apply
    own = (getattr(each, "__name__", "") for each in (function, owner, type(function)))
    for name in (*typed.split("."), *own):
        if isinstance(name, str) and _says_backward(name):
            return f"'{name}'"
    found = next((name for name in _arguments(function) if name in ARGUMENTS), "")
    return f"a function of '{found}'" if found else ""


def _says_backward(name: str) -> bool:
    words = [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
    said = [word for before, word in zip(["", *words], words, strict=False) if before not in AFTER]
    ends = {words[0], words[-1]} if words else set()
    return any(word in ANYWHERE or (word in AT_AN_END and word in ends) for word in said)


def _arguments(function: Any) -> list[str]:
    """Return the names of the arguments that are given by place, and have to be."""
    known = signature_of(function)
    by_place = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return [
        each.name for each in (known.parameters.values() if known else ())
        if each.default is Parameter.empty and each.kind in by_place
    ]  # fmt: skip


def signature_of(function: Any) -> Signature | None:
    """Return the signature of a callable, None where it cannot tell."""
    try:
        return signature(function)
    except (ValueError, TypeError):
        return None
