"""Python functions by MODULE:FUNCTION or FILE.py:FUNCTION, and whose arrays they take."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from inspect import Signature, getclosurevars, signature, unwrap
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from gelu_cli.errors import ComputationError, UsageError, described, unknown
from gelu_cli.kernels.array_libraries import LIBRARIES
from gelu_cli.kernels.description import Kernel

MISSING = object()
EXAMPLE = "write MODULE:FUNCTION, e.g. torch.nn.functional:gelu, or mykernel.py:gelu"
PASS, PASS_OF_PAIRS = "(upstream, x) → dx", "(upstream, gate, up) → (dgate, dup)"


def find_function(kernel: Kernel) -> Any:
    """Find the function of a kernel and give it the kernel's arguments; a class makes an object.

    Raises
    ------
    UsageError
        If there is not such a function, or it does not take these arguments.
    ComputationError
        If the code that defines it fails.
    """
    arguments = dict(kernel.arguments)
    if not isinstance(kernel.target, str):
        return partial(kernel.target, **arguments) if arguments else kernel.target
    word = kernel.target
    home, _, name = word.rpartition(":")
    if not home or not name:
        raise UsageError(f"'{word}' names no function; {EXAMPLE}")
    function = _found(_load(home), home, name, word)
    is_class = isinstance(function, type)
    if not callable(function):
        raise UsageError(f"'{word}' is not a function but {type(function).__name__}; {EXAMPLE}")
    if is_class and any(each.__module__ == "torch.autograd.function" for each in function.mro()):
        raise UsageError(f"'{word}' is applied, not called; take '{word}.apply'")
    _check_arguments(function, arguments, word, kernel, is_class)
    if not is_class:
        return partial(function, **arguments) if arguments else function
    made = _attempted(lambda: function(**arguments), f"making an object of '{word}'")
    if not callable(made):
        raise UsageError(f"'{word}' is a class whose objects cannot be called; {EXAMPLE}")
    return made


def _load(home: str) -> ModuleType:
    if not home.endswith(".py"):
        if not all(part.isidentifier() for part in home.split(".")):
            raise UsageError(f"'{home}' is not the name of a module; {EXAMPLE}")
        module: ModuleType = _attempted(lambda: import_module(home), f"importing '{home}'")
        return module
    path = Path(home)
    if not os.path.isfile(path):  # Path.is_file() raises for a name too long
        raise UsageError(f"there is no file '{path}'")
    spec = spec_from_file_location(_module_name(path), path)
    assert spec
    assert spec.loader
    module, execute = module_from_spec(spec), spec.loader.exec_module
    sys.modules[spec.name] = module  # as dataclasses and pickle expect it
    sys.path.append(str(path.resolve().parent))  # modules beside it, after those installed
    _attempted(lambda: execute(module), f"importing '{path}'")
    return module


def _module_name(path: Path) -> str:
    """Name the module in a file: as the file, unless another module has that name."""
    name = path.stem
    try:
        other = find_spec(name) if name.isidentifier() else None
        free = other is None or (other.has_location and path.samefile(other.origin or ""))
    except (ImportError, ValueError):
        free = False
    return name if free else f"kernel_{name}"


def _found(module: ModuleType, home: str, name: str, word: str) -> Any:
    """Look up a dotted name; a module may import more as it is asked."""
    found: Any = module
    for part in name.split("."):
        holder = found
        found = _attempted(partial(getattr, holder, part, MISSING), f"importing '{home}'")
        if found is MISSING:
            inside = getattr(holder, "__dict__", {})
            public = [n for n, value in inside.items() if callable(value) and n[:1] != "_"]
            if not public:
                raise UsageError(f"'{word}' names no function, nothing has '{part}'; {EXAMPLE}")
            raise unknown("name", part, public, where=f" in '{home}'")
    return found


def _attempted(work: Callable[[], Any], what: str) -> Any:
    """Do what runs somebody's code, which may raise anything."""
    try:
        return work()
    except ModuleNotFoundError as error:
        if not error.name:
            raise ComputationError(f"{what} failed: {described(error)}") from error
        raise UsageError(f"{what} failed: there is no module '{error.name}' here") from error
    except BaseException as error:
        raise ComputationError(f"{what} failed: {described(error)}") from error


def _check_arguments(
    function: Any, arguments: dict[str, Any], word: str, kernel: Kernel, is_class: bool
) -> None:
    """Raise UsageError if the function, or the class, does not take these arguments."""
    try:
        known = signature(function)
    except Exception:  # built-in functions have none, an object may answer for itself
        return
    count = 0 if is_class else kernel.inputs
    if not (wrong := _cannot_bind(known, count, arguments)):
        return
    taken = [n for n in (1, 2, 3) if not (is_class or _cannot_bind(known, n, arguments))]
    remedy = "see --kwarg"
    if kernel.packed and kernel.inputs + 1 in taken:
        remedy = "--packed is for one array of gates and ups; remove --packed"
    elif kernel.glu and kernel.inputs == 2 and 3 in taken:
        remedy = f"if it is a backward pass {PASS_OF_PAIRS}, add --backward"
    elif kernel.glu and kernel.inputs == 2 and 1 in taken:
        remedy = "if one array has gates and ups, add --packed halves or interleaved"
    elif kernel.inputs == 1 and 2 in taken:
        remedy = "if it is f(gate, up), add --glu; if a backward pass, --backward"
    elif kernel.backward and not is_class and _cannot_bind(known, count, {}):
        remedy = f"--backward takes {PASS_OF_PAIRS if kernel.glu else PASS}"
    raise UsageError(f"'{word}' cannot be called so: {wrong}; {remedy}")


def _cannot_bind(known: Signature, arrays: int, arguments: dict[str, Any]) -> str:
    """Say why this number of arrays and these arguments cannot be given; nothing if they can."""
    try:
        known.bind(*[None] * arrays, **arguments)
    except TypeError as error:
        return str(error)
    return ""


# Whose arrays


def guess_library(function: Any, kernel: Kernel) -> str:
    """Name the library that a function is from, or that its code names, or that its module imports.

    Without any it is torch's if the kernel names a device, else numpy's.
    """
    while isinstance(function, partial):
        function = function.func
    function = unwrap(function)
    found = libraries_of([function])
    code = function if isinstance(function, FunctionType) else type(function).__call__
    if not found and isinstance(code, FunctionType):
        found = libraries_of(_named(code)) or libraries_of(code.__globals__.values())
    if len(found) > 1:
        libraries = " or ".join(sorted(found))
        raise UsageError(f"{kernel.label} takes arrays of {libraries}; say which by --backend")
    return found.pop() if found else "torch" if kernel.device else "numpy"


def libraries_of(values: Iterable[Any]) -> set[str]:
    """Find the array libraries that values are from, or their classes.

    >>> import math, numpy
    >>> libraries_of([numpy.tanh]), libraries_of([math.tanh])
    ({'numpy'}, set())
    """
    parts = (part for value in values for part in (value, *type(value).__mro__))
    return {*map(_library, parts)} & {*LIBRARIES}


def _library(value: Any) -> str:
    """Return the first part of the name of the module that a value is, or is from."""
    name = "__name__" if issubclass(type(value), ModuleType) else "__module__"
    try:
        first = str(getattr(value, name, None)).partition(".")[0]
    except Exception:  # an object that answers for its attributes by itself
        return ""
    return "jax" if first == "jaxlib" else first


def _named(function: FunctionType) -> list[Any]:
    """List what code names: variables from outside, imports; so of functions in its module."""
    functions, values = [function], []
    for each in functions:  # more are added
        outside = getclosurevars(each)
        named = [*outside.nonlocals.values(), *outside.globals.values()]
        values += [*named, *map(ModuleType, outside.unbound)]
        functions += [
            value
            for value in named
            if isinstance(value, FunctionType)
            and value.__globals__ is function.__globals__
            and value not in functions
        ]
    return values
