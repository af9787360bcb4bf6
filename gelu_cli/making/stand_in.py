"""Texts of numpy and Triton as functions of bit patterns, run by numpy."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np

from gelu_cli.errors import ComputationError, described

TRITON_IMPORTS = "import triton\nimport triton.language as tl\n"


def load_numpy(text: str, name: str, dtype: Any) -> Callable[[Any], Any]:
    """Run a text of numpy; return a function of bit patterns."""
    function = _defined(text, name, {})[name]
    return _attempted(lambda bits: function(bits.view(dtype)).view(bits.dtype))


def load_triton(text: str, name: str, dtype: Any) -> Callable[[Any], Any]:
    """Run a text of Triton by numpy; return a function of bit patterns.

    A fused multiply-add rounds once, as that of a GPU does.
    """
    jit = SimpleNamespace(jit=lambda each: each)
    given = {"triton": jit, "tl": TRITON_BY_NUMPY}
    names = _defined(text.replace(TRITON_IMPORTS, ""), name, given)
    more = [_Pointer(np.array(names["TABLE"], np.uint8))] if "TABLE" in names else []

    def function(bits: Any) -> Any:
        results = np.zeros_like(bits)
        x, y = (each if more else each.view(dtype) for each in (bits, results))
        with np.errstate(all="ignore"):
            names[name](_Pointer(x), _Pointer(y), len(bits), *more, len(bits) + 3)
        return results

    return _attempted(function)


def _defined(text: str, name: str, names: dict[str, Any]) -> dict[str, Any]:
    """Run a text, which may have been edited, and return its definitions."""
    _attempted(exec)(text, names)
    if name not in names:
        raise ComputationError(f"the text has no function {name}")
    return names


def _attempted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose exceptions are a ComputationError."""

    def attempt(*values: Any) -> Any:
        try:
            return function(*values)
        except Exception as error:
            raise ComputationError(f"the text does not run: {described(error)}") from error

    return attempt


class _Tensor(np.ndarray):
    """An array with the one method of Triton's tensors that kernels use."""

    def to(self, dtype: Any, bitcast: bool = False) -> Any:
        """Convert numbers, or keep their bits."""
        return self.view(dtype) if bitcast else self.astype(dtype)


class _Pointer:
    """A pointer into an array, and the indices that were added."""

    def __init__(self, array: Any, indices: Any = 0) -> None:
        self.array, self.indices = array, indices

    def __add__(self, indices: Any) -> _Pointer:
        return _Pointer(self.array, indices)


def _load(pointer: _Pointer, mask: Any = True, other: Any = 0) -> Any:
    """Read numbers, 0 where the mask is not set."""
    inside = np.where(mask, pointer.indices, 0)
    return np.where(mask, pointer.array[inside], pointer.array.dtype.type(0)).view(_Tensor)


def _store(pointer: _Pointer, values: Any, mask: Any) -> None:
    """Write numbers where the mask is set."""
    pointer.array[pointer.indices[mask]] = values[mask]


def _where(mask: Any, a: Any, b: Any) -> Any:
    return np.asarray(np.where(mask, a, b)).view(_Tensor)


def _fused(a: Any, b: Any, c: Any) -> Any:
    """Return a·b + c of float32s rounded once.

    The sum is rounded to odd in float64 first.
    """
    if np.result_type(a, b, c) == np.float64:
        return a * b + c
    product = np.multiply(a, b, dtype=np.float64)  # exact: 48 bits
    total = product + c
    back = total - product
    lost = (product - (total - back)) + (c - back)
    even = total.view(np.int64) & 1 == 0
    odd = np.where(even & (lost != 0), np.nextafter(total, np.copysign(np.inf, lost)), total)
    return odd.astype(np.float32).view(_Tensor)


TRITON_TYPES = ("int32", "uint16", "uint32", "uint64", "float16", "float32", "float64")
TRITON_BY_NUMPY = SimpleNamespace(
    **{name: getattr(np, name) for name in TRITON_TYPES},
    bfloat16=ml_dtypes.bfloat16,
    constexpr=None,
    program_id=lambda axis: 0,
    arange=np.arange,
    load=_load,
    store=_store,
    fma=_fused,
    div_rn=np.divide,
    minimum=np.minimum,
    where=_where,
    full=lambda shape, value, dtype: np.full(shape, value, dtype).view(_Tensor),
)
"""The part of triton.language that kernels use."""
