"""Call Python functions of arrays of numpy, torch or jax."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dis import get_instructions
from functools import partial
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from inspect import getclosurevars, signature, unwrap
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from gelu_cli.errors import ComputationError, UsageError, described, unknown
from gelu_cli.kernels import Kernel
from gelu_cli.kernels.array_libraries import LIBRARIES
from gelu_cli.kernels.calling import Array, Fault, Loaded, same
from gelu_cli.numbers.formats import FORMATS

USES = ("LOAD_GLOBAL", "IMPORT_NAME")  # bytecode instructions whose operand may name a library
EXAMPLE = "write MODULE:FUNCTION, e.g. torch.nn.functional:gelu, or mykernel.py:gelu"


def find_function(kernel: Kernel) -> Any:
    """Find a kernel's function or class; bind arguments; instantiate a class.

    Raises UsageError if the function does not exist or does not take these arguments, and
    ComputationError if the code that defines the function fails.
    """
    word, arguments = kernel.target, dict(kernel.arguments)
    function: Any = word
    if isinstance(word, str):
        function = look_up(word)
        count = 0 if isinstance(function, type) else kernel.inputs
        _check_arguments(function, count, arguments, word)
        if isinstance(function, type):
            return attempted(partial(function, **arguments), f"making an object of '{word}'")
    return partial(function, **arguments) if arguments else function


def look_up(word: str) -> Any:
    """Import the function named MODULE:FUNCTION or FILE.py:FUNCTION."""
    home, _, name = word.rpartition(":")
    if not home or not name:
        raise UsageError(f"'{word}' names no function; {EXAMPLE}")
    found: Any = _load(home)
    for part in name.split("."):
        holder, found = found, attempted(partial(getattr, found, part, None), f"importing '{home}'")
        if found is None:
            public = [each for each in dir(holder) if not each.startswith("_")]
            raise unknown("name", part, public, f" in '{home}'")
    if not callable(found):
        raise UsageError(f"'{word}' is of {type(found).__name__}, not a function; {EXAMPLE}")
    return found


def _load(home: str) -> ModuleType:
    if not home.endswith(".py"):
        module: ModuleType = attempted(partial(import_module, home), f"importing '{home}'")
        return module
    path = Path(home)
    if not os.path.isfile(path):  # Path.is_file() raises for a name too long
        raise UsageError(f"there is no file '{path}'")
    spec = spec_from_file_location(f"kernel_{path.stem}", path)  # a module `path.stem` may exist
    assert spec
    assert spec.loader
    module = sys.modules[spec.name] = module_from_spec(spec)  # for dataclasses and pickle
    sys.path.append(str(path.resolve().parent))  # last: installed modules take precedence
    attempted(partial(spec.loader.exec_module, module), f"importing '{path}'")
    return module


def attempted(work: Callable[[], Any], what: str) -> Any:
    """Run user code; convert each exception to a GeluError."""
    try:
        return work()
    except ModuleNotFoundError as error:
        raise UsageError(f"{what} failed: there is no module '{error.name}' here") from error
    except BaseException as error:
        raise ComputationError(f"{what} failed: {described(error)}") from error


def _check_arguments(function: Any, arrays: int, arguments: dict[str, Any], word: str) -> None:
    """Raise UsageError if the function does not take these arguments."""
    try:
        known = signature(function)
    except (TypeError, ValueError):  # a built-in function without a signature
        return
    try:
        known.bind(*[None] * arrays, **arguments)
    except TypeError as error:
        remedy = "see --kwarg, --glu, --backward and --packed"
        raise UsageError(f"'{word}' does not fit the call: {error}; {remedy}") from None


def guess_library(function: Any, kernel: Kernel) -> str:
    """Name the library of the arrays that a function takes.

    The answer is the first of these that exists: the kernel's backend, the library that defines the
    function, a library that the function's code names, a library that the function's module
    imports, torch if the kernel has a device, numpy.
    """
    if kernel.backend:
        return kernel.backend
    while isinstance(function, partial):
        function = function.func
    function = unwrap(function)
    found = libraries_of([function]) or libraries_in(function)
    if len(found) > 1:
        libraries = " or ".join(sorted(found))
        raise UsageError(f"{kernel.label} takes arrays of {libraries}; say which by --backend")
    return next(iter(found), "torch" if kernel.device else "numpy")


def libraries_in(function: Any) -> set[str]:
    """Return array libraries named by a function's code, else by its module."""
    code = function if isinstance(function, FunctionType) else type(function).__call__
    if not isinstance(code, FunctionType):
        return set()
    used = {each.argval for each in get_instructions(code) if each.opname in USES}
    values = [*getclosurevars(code).nonlocals.values(), *map(code.__globals__.get, used)]
    values += map(ModuleType, used)  # for imports within the function
    return libraries_of(values) or libraries_of(code.__globals__.values())


def libraries_of(values: Iterable[Any]) -> set[str]:
    """Return the array libraries that define values or their classes."""
    found = set()
    for part in (part for value in values for part in (value, *type(value).__mro__)):
        name = "__name__" if issubclass(type(part), ModuleType) else "__module__"
        try:
            found.add(str(getattr(part, name, "")).partition(".")[0])
        except Exception:  # user code in __getattr__ may raise anything
            continue
    return ({"jax"} if "jaxlib" in found else set()) | found & {*LIBRARIES}


class PythonFunction(Loaded):
    """A Python function of arrays of one library; its results are checked."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        with self.environment.running():
            self._function = find_function(kernel)
            name = guess_library(self._function, kernel)
            self._library = LIBRARIES[name](kernel)
        self.facts = self._library.facts
        self.differentiates = self._library.differentiates and not kernel.backward
        if self.differentiates and kernel.quantity != "value" and kernel.result != kernel.dtype:
            fault = f"--result: a gradient by autograd of {name} has the format of x"
            raise UsageError(f"{fault}; remove --result, or add --backward for (upstream, x) → dx")

    def results(self, upstream: Array | None, inputs: Sequence[Array]) -> Array:
        """Call the function with copies of the arrays, or differentiate it."""
        library = self._library
        arrays = [library.array(each.copy()) for each in inputs]
        upstreams = [] if upstream is None else [library.array(upstream.copy())]
        with self.environment.running():
            got = library.numbers(self._quantity(upstreams, arrays))
        if not all(map(same, map(library.numbers, arrays), inputs)):
            raise Fault("wrote into its input; let it return a new array")
        return got

    def _quantity(self, upstreams: list[Any], arrays: list[Any]) -> Any:
        """Return the array of the kernel's quantity, a value or a gradient."""
        kernel, function, several = self.kernel, self._function, len(arrays) > 1
        count = arrays[0].shape[0] // (2 if kernel.packed else 1)
        if not upstreams or not (kernel.backward or self.differentiates):
            return self._checked(function(*arrays), count)
        if kernel.backward:
            y = function(*upstreams, *arrays)
            if several:
                if not (isinstance(y, tuple | list) and len(y) == 2):
                    raise Fault(f"returned {type(y).__name__}, not the two gradients")
                y = y[kernel.wrt]
            y = self._checked(y, arrays[0].shape[0])
        else:
            checked = lambda *given: self._checked(function(*given), count)  # noqa: E731
            y = self._library.gradient(checked, arrays, kernel.wrt if several else 0, *upstreams)
        if kernel.packed == "halves":
            return y[kernel.wrt * count : (kernel.wrt + 1) * count]
        return y[kernel.wrt :: 2] if kernel.packed else y

    def _checked(self, y: Any, count: int) -> Any:
        library, kernel = self._library, self.kernel
        if not library.is_array(y):
            raise Fault(f"returned {type(y).__name__}, not an array of {library.name}")
        if tuple(y.shape) != (count,):
            raise Fault(f"returned the shape {tuple(y.shape)} for inputs of {(count,)}")
        if (name := library.dtype(y)) != kernel.result:
            remedy = f"return {kernel.result}" + f", or sweep --result {name}" * (name in FORMATS)
            raise Fault(f"returned {name} for inputs of {kernel.dtype}; {remedy}")
        return y
