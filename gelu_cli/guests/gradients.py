"""What kind of gradient a function is for, and whether it looks like a backward pass itself."""

from __future__ import annotations

import re
from functools import partial
from inspect import Parameter, signature, unwrap
from typing import Any

from gelu_cli.errors import UsageError
from gelu_cli.guests.backends import Backend
from gelu_cli.guests.calling import Calling

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
    while isinstance(function, partial):
        function = function.func
    function = unwrap(function)
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
    try:
        parameters = signature(function).parameters.values()
    except (ValueError, TypeError):  # not every callable can tell
        return []
    by_place = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    required = (each for each in parameters if each.default is Parameter.empty)
    return [each.name for each in required if each.kind in by_place]
