"""The libraries whose arrays a function may take: one file each, named after the library.

A file says how numbers become arrays of its library and how results come back. Gradients are
optional, see `Backend`. The library itself is imported when the first array is made.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from inspect import unwrap
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from gelu_cli.arithmetic.formats import Format
from gelu_cli.environment import SINCE_A_CALL, SINCE_ITS_IMPORT, Guest
from gelu_cli.errors import ComputationError, unknown
from gelu_cli.registry import module_names

if TYPE_CHECKING:
    import numpy as np

    from gelu_cli.arithmetic.rounding import Floats

    Array = np.ndarray[Any, Any]

OVERWRITES = "it writes into its input; let it return a new array"

FIRST = ("numpy", "torch", "jax")
"""The order in help and messages; other backends follow by name."""

Function = Callable[[Any], Any]


class ResultError(ComputationError):
    """What a function returns is no array like its argument, or the argument was written into."""


class RaisedError(Exception):
    """A function, or what differentiates it, has raised `error`, of whatever class."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


def floats_of(array: Any) -> Array:
    """Return a copy of an array that numpy can read, as float64s, or float32s as they are."""
    import numpy as np

    numbers = np.asarray(array)
    return numbers.astype(np.float32 if numbers.dtype == np.float32 else np.float64)


def own_gradient(function: Function, array: Any) -> Any:
    """Return what a function returns that computes the gradient itself."""
    return function(array)


def equal(one: Any, other: Any) -> bool:
    """Return whether two arrays that numpy can read hold the same bits: −0 is not 0."""
    import numpy as np

    bits, others = (np.asarray(each).view(f"u{each.dtype.itemsize}") for each in (one, other))
    return bool(np.array_equal(bits, others))


class Backend(NamedTuple):
    """A way to call functions of a library's arrays; its file defines the fields as functions.

    `to_array(x, number_format)` makes numbers, held as float64s or float32s, an array in that
    format. What follows has a default: `to_floats(array)` is the way back to floats,
    `gradient(function, array)` returns the derivative at each x (by default the function is one
    that returns it), `same(array, array)` compares two arrays. `library` is the name of the file.

    `views` says whether a part of an array may be a view of it, at any address and with any step.
    `in_parts(function, array, length)` calls a function with copies of each so many numbers, and
    joins copies of its results: short calls take a tenth of the time if the library does that.

    Only function and gradient run in the function's floating-point environment: `to_array`,
    `to_floats` and `same` must not leave numbers to threads of the library, which may be in it.
    """

    to_array: Callable[[Floats, Format], Any]
    to_floats: Callable[[Any], Array] = floats_of
    gradient: Callable[[Function, Any], Any] = own_gradient
    same: Callable[[Any, Any], bool] = equal
    views: bool = False
    in_parts: Callable[[Function, Any, int], Any] | None = None
    library: str = "numpy"

    def __call__(
        self,
        function: Function,
        x: Floats,
        number_format: Format,
        gradient: bool,
        guest: Guest | None = None,
    ) -> Array:
        """Return function(x), or its derivative at each x, as an array of floats.

        The function runs in the floating-point environment of `guest`, by default the caller's.
        Raises `RaisedError` with what it raises, `ResultError` where the result is no array like x,
        or x is written into, `UsageError` where the library lacks what the format needs.
        """
        guest = guest or Guest()
        with guest.running(SINCE_ITS_IMPORT):
            import_module(self.library)
        array = self.to_array(x, number_format)

        def checked(inputs: Any) -> Any:
            result = function(inputs)
            check_result(result, array.dtype, x)
            return result

        with guest.running(SINCE_A_CALL):
            try:
                result = self.gradient(checked, array) if gradient else checked(array)
            except (KeyboardInterrupt, ResultError):
                raise
            except BaseException as error:
                raise RaisedError(error) from None
        check_result(result, array.dtype, x)
        if not self.same(array, self.to_array(x, number_format)):
            raise ResultError(OVERWRITES)
        floats = self.to_floats(result)
        if floats.shape != x.shape:
            raise ResultError(f"it returned an array of {floats.shape} that says {x.shape}")
        return floats


def backend_names() -> list[str]:
    """Return the names of the backends.

    >>> backend_names()[0]
    'numpy'
    """
    names = module_names(__path__)
    return sorted(names, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))


def find_backend(name: str) -> Backend:
    """Return the backend of that name; raises `UsageError` where there is none.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> import numpy as np
    >>> x = np.array([1.0, 3.0])
    >>> find_backend("numpy")(np.reciprocal, x, FORMATS["float64"], gradient=False)
    array([1.        , 0.33333333])
    """
    names = backend_names()
    if name not in names:
        raise unknown("backend", name, names)
    module = vars(import_module(f"{__name__}.{name}"))
    fields = {field: module[field] for field in Backend._fields if field in module}
    return Backend(**fields, library=name)


def guess_backend(function: Any) -> str:
    """Return the library that a function belongs to, or that the names in its module come from.

    It is numpy where that is none of the backends, or more than one.

    >>> import math
    >>> guess_backend(math.tanh)
    'numpy'
    """
    while isinstance(function, partial):
        function = function.func
    function = unwrap(function)
    kind = type(function)
    own = {_library(each) for each in (function, *kind.__mro__)}
    code = function if hasattr(function, "__globals__") else kind.__call__
    names = {_library(value) for value in getattr(code, "__globals__", {}).values()}
    others = set(backend_names()) - {"numpy"}
    for found in (own & others, names & others):
        if found:
            return found.pop() if len(found) == 1 else "numpy"
    return "numpy"


def _library(value: Any) -> str:
    """Return the first part of the name of the module that a value is, or is from."""
    name = "__name__" if issubclass(type(value), ModuleType) else "__module__"
    try:
        return str(getattr(value, name, None)).partition(".")[0]
    except Exception:  # an object that answers for its attributes by itself: it is from nowhere
        return ""


def check_result(result: Any, dtype: Any, x: Any) -> None:
    """Raise `ResultError` where a result is no array of that type and the shape of x."""
    if not hasattr(result, "dtype") or not hasattr(result, "shape"):
        raise ResultError(f"it returned {type(result).__name__}, not an array")
    shape, due = tuple(result.shape), tuple(x.shape)
    if shape != due:
        raise ResultError(f"it returned the shape {shape} for inputs of {due}")
    if result.dtype != dtype:
        raise ResultError(
            f"it returned {result.dtype} for inputs of {dtype}: return it in the type of x"
        )
