"""A Python function of the user's own: found by MODULE:CALLABLE or FILE.py:CALLABLE, made ready."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from inspect import Signature
from pathlib import Path
from types import ModuleType
from typing import Any

from gelu_cli.errors import ComputationError, UsageError, described, unknown
from gelu_cli.old.environment import SINCE_ITS_IMPORT, Guest
from gelu_cli.old.guests.array_functions import FunctionImplementation
from gelu_cli.old.guests.backends import backend_class, backend_names
from gelu_cli.old.guests.calling import OWN_OF_PAIRS, PACKINGS, SEPARATE, Calling
from gelu_cli.old.guests.kinds import (
    check_backward,
    guess_backend,
    itself,
    libraries_of,
    signature_of,
)
from gelu_cli.old.guests.workers.process import without_copies
from gelu_cli.old.synonyms import meant_kernel

MISSING = object()
EXAMPLE = "write MODULE:FUNCTION, e.g. torch.nn.functional:gelu, or mykernel.py:gelu"


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
    function = load_callable(word, arguments, guest, calling)
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

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> import numpy as np
    >>> half = FORMATS["float16"]
    >>> tanh = implementation_of("f", np.tanh, Calling(half, half))
    >>> tanh.backend.library, tanh(np.float32([0, 1])).tolist()
    ('numpy', [0.0, 0.76171875])
    """
    usual = "torch" if calling.device else "numpy"
    library = guess_backend(function, usual) if calling.backend is None else calling.backend
    own = libraries_of([itself(function)])
    if own and library not in own:
        raise UsageError(
            f"--backend {library}: {name} is of {' and '.join(sorted(own))}; remove --backend"
        )
    backend = backend_class(library)(library, calling.dtype, calling.result, calling.device)
    check_backward(function, typed, backend, calling)
    return FunctionImplementation(name, function, backend, calling, guest)


def load_callable(word: str, arguments: Mapping[str, Any], guest: Guest, calling: Calling) -> Any:
    """Return what a word names, with these arguments; a class is made an object of.

    What is imported and made runs in the floating-point environment of `guest`, with no regard for
    this process: call it in a worker. Raises `UsageError` where there is no such module or
    callable, or it does not take these arguments, `ComputationError` where its code fails.
    """
    home, colon, name = word.rpartition(":")
    meant = meant_kernel(word)
    if meant or not colon or not home or not name:
        raise UsageError(f"'{word}' names no function: {meant or EXAMPLE}")
    with guest.running(SINCE_ITS_IMPORT):
        function = _found(_load(home), home, name, word)
        if not callable(function):
            raise UsageError(f"'{word}' is no function but {type(function).__name__}")
        if issubclass(type(function), type) and any(
            each.__module__ == "torch.autograd.function" for each in type.mro(function)
        ):
            raise UsageError(f"'{word}' is applied, not called; take '{word}.apply'")
        _check_arguments(function, arguments, word, calling)
        if not issubclass(type(function), type):
            return partial(function, **arguments) if arguments else function
        made = _attempted(lambda: function(**arguments), f"making an object of '{word}'")
    if not callable(made):
        raise UsageError(f"'{word}' is a class whose objects cannot be called")
    return made


def _attempted(work: Callable[[], Any], what: str) -> Any:
    """Return what somebody's code returns, which may raise anything, an exit too."""
    try:
        return work()
    except ModuleNotFoundError as error:
        if not error.name:
            raise ComputationError(f"{what} failed: {described(error)}") from error
        raise UsageError(f"{what} failed: there is no module '{error.name}' here") from error
    except BaseException as error:
        raise ComputationError(f"{what} failed: {described(error)}") from error


def _found(module: ModuleType, home: str, name: str, word: str) -> Any:
    """Return what a module has by a dotted name; it may import more as it is asked."""
    found: Any = module
    importing = f"importing '{home}'"
    for part in name.split("."):
        holder, found = found, _attempted(partial(getattr, found, part, MISSING), importing)
        if found is MISSING:
            inside = _attempted(partial(getattr, holder, "__dict__", {}), importing)
            public = [
                each for each, value in inside.items()
                if callable(value) and not each.startswith("_")
            ]  # fmt: skip
            if not public:
                raise UsageError(f"'{word}' names no function, nothing has '{part}': {EXAMPLE}")
            raise unknown("name", part, public, where=f" in '{home}'")
    return found


def _check_arguments(
    function: Any, arguments: Mapping[str, Any], word: str, calling: Calling
) -> None:
    """Raise `UsageError` where the function, or the class, does not take these arguments."""
    known = _attempted(partial(signature_of, function), f"asking '{word}' for its arguments")
    if not known:
        return
    is_class = issubclass(type(function), type)
    own, two = calling.backward == "own", calling.second == SEPARATE
    arrays = 1 + own + two
    wrong = _cannot_bind(known, 0 if is_class else arrays, arguments)
    if not wrong:
        return
    taken = [n for n in (1, 2, 3) if not (is_class or _cannot_bind(known, n, arguments))]
    remedy = "see --kwarg"
    if calling.second in PACKINGS and 2 + own in taken:
        remedy = "--packed is for one array of gates and ups; remove --packed"
    elif two and not own and 3 in taken:
        remedy = f"if it is a backward pass {OWN_OF_PAIRS}, add --backward"
    elif two and not own and 1 in taken:
        remedy = "if one array has gates and ups, add --packed halves or interleaved"
    elif arrays == 1 and 2 in taken:
        remedy = "if it is f(gate, up), add --glu; if a backward pass, --backward"
    elif own and not is_class and _cannot_bind(known, arrays, {}):
        remedy = f"--backward takes {OWN_OF_PAIRS if two else '(upstream, x) → dx'}"
    raise UsageError(f"'{word}' cannot be called so: {wrong}; {remedy}")


def _cannot_bind(known: Signature, arrays: int, arguments: Mapping[str, Any]) -> str:
    """Say why this number of arrays and these arguments cannot be given; nothing if they can."""
    try:
        known.bind(*[None] * arrays, **arguments)
    except TypeError as error:
        return str(error)
    return ""


def _load(home: str) -> ModuleType:
    if not home.endswith(".py"):
        if not all(part.isidentifier() for part in home.split(".")):
            raise UsageError(f"'{home}' is no name of a module: {EXAMPLE}")
        module: ModuleType = _attempted(partial(import_module, home), f"importing '{home}'")
        return module
    path = Path(home)
    if not os.path.isfile(path):  # Path.is_file() raises for a name too long
        raise UsageError(f"there is no file '{path}'")
    spec = spec_from_file_location(_module_name(path), path)
    if spec is None or spec.loader is None:
        raise UsageError(f"'{path}' is no Python file")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # as dataclasses and pickle expect it
    sys.path.append(str(path.resolve().parent))  # modules beside it, after those installed
    _attempted(partial(spec.loader.exec_module, module), f"importing '{path}'")
    return module


def _module_name(path: Path) -> str:
    """Return the name of the module in a file: its own, unless another module has it."""
    name = path.stem
    try:
        other = find_spec(name) if name.isidentifier() else None
        free = other is None or (other.has_location and path.samefile(other.origin or ""))
    except (ImportError, ValueError):
        free = False
    return name if free else f"impl_{name}"
