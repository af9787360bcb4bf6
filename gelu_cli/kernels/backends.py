"""How to call a function of numpy's, PyTorch's or JAX's arrays, and have its gradient."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from inspect import unwrap
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

from gelu_cli.arithmetic.formats import Format
from gelu_cli.errors import UsageError, unknown

if TYPE_CHECKING:
    import numpy as np

    from gelu_cli.arithmetic.rounding import Floats

OVERWRITES = "it writes into its input; let it return a new array"

Function = Callable[[Any], Any]


class Backend(Protocol):
    """A way to call a function: with numbers of a format in the library's own arrays."""

    def __call__(
        self, function: Function, x: Floats, number_format: Format, gradient: bool
    ) -> np.ndarray[Any, Any]:
        """Return function(x), or its derivative at each x, as an array of floats."""


def by_numpy(
    function: Function, x: Floats, number_format: Format, gradient: bool
) -> np.ndarray[Any, Any]:
    """Call with numpy's arrays, or with ml_dtypes' where numpy lacks the format.

    numpy has no gradients: where those are judged the function is one that returns them.
    """
    import numpy as np

    dtype = _numpy_dtype(number_format)
    sent = x.astype(dtype)
    result = _checked(function(sent), dtype, x)
    if not np.array_equal(sent, x.astype(dtype)):
        raise UsageError(OVERWRITES)
    return result


def by_torch(
    function: Function, x: Floats, number_format: Format, gradient: bool
) -> np.ndarray[Any, Any]:
    """Call with PyTorch's tensors on the CPU; the gradient is autograd's."""
    import numpy as np
    import torch  # type: ignore[import-not-found, unused-ignore]

    dtype = getattr(torch, number_format.name)
    sent = torch.from_numpy(x.copy()).to(dtype)
    tensor = sent.clone().requires_grad_(gradient)
    result = function(tensor)
    _check(result, dtype, x)
    if gradient:
        result.sum().backward()
        result = tensor.grad
    _check(result, dtype, x)
    if not torch.equal(tensor, sent):
        raise UsageError(OVERWRITES)
    return np.asarray(result.detach().to(torch.float64).numpy())


def by_jax(
    function: Function, x: Floats, number_format: Format, gradient: bool
) -> np.ndarray[Any, Any]:
    """Call with JAX's arrays; the gradient is jax.grad's."""
    import jax  # type: ignore[import-not-found, unused-ignore]

    jax.config.update("jax_enable_x64", number_format.width == 64)
    array = jax.numpy.asarray(x).astype(_numpy_dtype(number_format))

    def total(inputs: Any) -> Any:
        result = function(inputs)
        _check(result, array.dtype, x)
        return result.sum()

    if gradient:
        return _checked(jax.grad(total)(array), array.dtype, x)
    return _checked(function(array), array.dtype, x)


BACKENDS: Mapping[str, Backend] = {"numpy": by_numpy, "torch": by_torch, "jax": by_jax}


def find_backend(name: str) -> Backend:
    """Return the backend of that name; raises `UsageError` where there is none."""
    if name not in BACKENDS:
        raise unknown("backend", name, BACKENDS)
    return BACKENDS[name]


def guess_backend(function: Any) -> str:
    """Return the library that a function belongs to, or that the names in its module come from.

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
    for found in (own, names):
        known = [name for name in ("torch", "jax") if name in found]
        if known:
            return known[0] if len(known) == 1 else "numpy"
    return "numpy"


def _library(value: Any) -> str:
    """Return the first part of the name of the module that a value is, or is from."""
    name = "__name__" if isinstance(value, ModuleType) else "__module__"
    return str(getattr(value, name, None)).partition(".")[0]


def _numpy_dtype(number_format: Format) -> np.dtype[Any]:
    import numpy as np

    if number_format.name in ("float64", "float32", "float16"):
        return np.dtype(number_format.name)
    try:
        import ml_dtypes
    except ImportError:
        raise UsageError(
            f"arrays of {number_format.name} need ml_dtypes: python -m pip install ml_dtypes"
        ) from None
    dtype: np.dtype[Any] = np.dtype(getattr(ml_dtypes, number_format.name))
    return dtype


def _checked(result: Any, dtype: Any, x: Floats) -> np.ndarray[Any, Any]:
    import numpy as np

    _check(result, dtype, x)
    return np.asarray(result).astype(np.float64)


def _check(result: Any, dtype: Any, x: Floats) -> None:
    if not hasattr(result, "dtype") or not hasattr(result, "shape"):
        raise UsageError(f"it returned {type(result).__name__}, not an array")
    if tuple(result.shape) != x.shape:
        raise UsageError(f"it returned the shape {tuple(result.shape)} for inputs of {x.shape}")
    if result.dtype != dtype:
        raise UsageError(
            f"it returned {result.dtype} for inputs of {dtype}: return it in the type of x"
        )
