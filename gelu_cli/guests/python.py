"""A Python function of the user's own, made ready to be called in this process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gelu_cli.environment import Guest
from gelu_cli.errors import ComputationError, UsageError, described
from gelu_cli.guests.arrays import FunctionImplementation
from gelu_cli.guests.backends import (
    backend_class,
    backend_names,
    find_backend,
)
from gelu_cli.guests.callables import load_callable
from gelu_cli.guests.calling import Calling
from gelu_cli.guests.gradients import check_backward
from gelu_cli.guests.origins import guess_backend, libraries_of
from gelu_cli.guests.workers.process import without_copies


def load_function(
    name: str, word: str, arguments: Mapping[str, Any], calling: Calling
) -> FunctionImplementation:
    """Return the Python function that a word names, with these arguments.

    It is loaded with no regard for this process: call this in a worker. Raises `UsageError` where
    there is no such function, or it cannot be meant so, `ComputationError` where its code fails.
    """
    for library in backend_names():
        backend_class(library).prepare()
    guest = Guest()
    typed = word.rpartition(":")[2]
    function = load_callable(word, arguments, guest, arrays=2 if calling.backward == "own" else 1)
    try:
        made = implementation_of(name, function, calling, guest, typed)
    except UsageError:
        raise
    except BaseException as error:  # a function may answer for its attributes by itself
        raise ComputationError(f"{name} raised {described(error)}") from error
    made.function = without_copies(function)
    return made


def implementation_of(
    name: str, function: Any, calling: Calling, guest: Guest | None = None, typed: str = ""
) -> FunctionImplementation:
    """Return a function as an implementation; raises `UsageError` for what it cannot be.

    `typed` is the name by which it was asked for, if any.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> import numpy as np
    >>> half = FORMATS["float16"]
    >>> implementation_of("f", np.tanh, Calling(half, half)).backend.library
    'numpy'
    """
    library = guess_backend(function) if calling.backend is None else calling.backend
    own = libraries_of(function)
    if own and library not in own:
        raise UsageError(
            f"--backend {library}: {name} is of {' and '.join(sorted(own))}; leave --backend out"
        )
    backend = find_backend(library, calling.dtype, calling.result, calling.device)
    check_backward(function, typed, backend, calling)
    return FunctionImplementation(name, function, backend, calling, guest)
