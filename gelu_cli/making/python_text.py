"""Kernels in numpy and Triton, and a stand-in for Triton on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np

from gelu_cli.making.c_text import Literal, fill
from gelu_cli.making.operations import Kernel, Program, table_rows

SIGNS = {
    "mul": "{0} * {1}",
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "neg": "-{0}",
}
NUMPY_SIGNS = SIGNS | {"ma": "{0} * {1} + {2}", "div": "{0} / {1}"}
TRITON_SIGNS = SIGNS | {
    "ma": "tl.fma({0}, {1}, {2})",
    "div": "tl.div_rn({0}, {1})",
    "div64": "{0} / {1}",
    "abs": "F(B({0}) & 0x7FFFFFFF)",
    "clamp": "F(tl.minimum(B({0}), {1}))",
    "positive": "F(B({0}) & (right({0}) | 0x80000000))",
    "step": "F(right({0}) & 0x3F800000)",
    "flip": "F(B({0}) ^ (~B({1}) & 0x80000000))",
    "flip64": "tl.where(B({1}) >> 31 != 0, {0}, -{0})",
    "scale": "F(B({0}) + (B({1}) << 23))",
    "scale64": "({0}.to(tl.uint64, bitcast=True) + ({1}.to(tl.uint64, bitcast=True) << 52))"
    ".to(tl.float64, bitcast=True)",
    "cut": "F(B({0}) & 0xFFFFE000)",
    "widen": "{0}.to(tl.float64)",
    "narrow": "{0}.to(tl.float32)",
    "nan": "F(B({0}) | (B({1}) > 0x7F800000).to(tl.uint32) * 0x7FC00000)",
    "patch": "tl.where(B({0}) == {1}, F(tl.full({0}.shape, {2}, tl.uint32)), {3})",
}

NUMPY_ENDS = {
    "bfloat16": (
        "x = number(xs.view(np.uint16).astype(U32) << U32(16))",
        "u = bits({result})\n"
        "    u = (u + U32(0x8000) - (u >> U32(31))) >> U32(16)\n"
        "    return u.astype(np.uint16).view(xs.dtype)",
    ),
    "float16": ("x = xs.astype(F32)", "return {result}.astype(np.float16)"),
    "float32": ("x = xs", "return {result}"),
}

TRITON_IMPORTS = "import triton\nimport triton.language as tl\n"
TRITON_ENDS = {
    "bfloat16": (
        "x = F(x.to(tl.uint16, bitcast=True).to(tl.uint32) << 16)",
        "u = B({result})\n"
        "    y = ((u + 0x8000 - (u >> 31)) >> 16).to(tl.uint16).to(tl.bfloat16, bitcast=True)",
    ),
    "float16": ("x = x.to(tl.float32)", "y = {result}.to(tl.float16)"),
    "float32": ("x = x.to(tl.float32)", "y = {result}"),
}


def numpy_text(kernel: Kernel, name: str, dtype: str) -> str:
    """Write a kernel for arrays of numpy."""
    if isinstance(kernel, bytes):
        return fill("numpy_table.txt", name=name, rows=table_rows(kernel))
    constants = kernel.constants

    def literal(each: str, wide: bool) -> str:
        return f"{'F64' if wide else 'F32'}({constants[each]!r})"

    load, store = NUMPY_ENDS[dtype]
    store = store.format(result=kernel.result)
    body = _body(kernel, NUMPY_SIGNS, literal)
    return fill("numpy.txt", name=name, body=body, load=load, store=store)


def triton_text(kernel: Kernel, name: str, dtype: str) -> str:
    """Write a kernel for Triton."""
    if isinstance(kernel, bytes):
        return fill("triton_table.txt", name=name, rows=table_rows(kernel))
    constants = kernel.constants

    def literal(each: str, wide: bool) -> str:
        if each == "T":  # of clamp alone, which compares bits
            return hex(int(np.float32(constants[each]).view(np.uint32)))
        return repr(constants[each])

    load, store = TRITON_ENDS[dtype]
    store = store.format(result=kernel.result)
    body = _body(kernel, TRITON_SIGNS, literal)
    return fill("triton.txt", name=name, body=body, load=load, store=store)


def _body(program: Program, signs: Mapping[str, str], literal: Literal) -> str:
    """Write an assignment for each operation."""
    lines = []
    for name, op, operands in program.operations:
        wide = name in program.wide
        words = [literal(each, wide) if each in program.constants else each for each in operands]
        sign = signs.get(f"{op}64" if wide else op) or signs.get(op)
        call = sign.format(*words) if sign else f"gelu_{op}{'64' * wide}({', '.join(words)})"
        lines.append(f"{name} = {call}")
    return "\n    ".join(lines)


def load_numpy(text: str, name: str, dtype: Any) -> Callable[[Any], Any]:
    """Run a text of numpy; return a function of bit patterns."""
    names: dict[str, Any] = {}
    exec(text, names)
    return lambda bits: names[name](bits.view(dtype)).view(bits.dtype)


def load_triton(text: str, name: str, dtype: Any) -> Callable[[Any], Any]:
    """Run a text of Triton by numpy; return a function of bit patterns.

    A fused multiply-add rounds once, as that of a GPU does.
    """
    names: dict[str, Any] = {
        "triton": SimpleNamespace(jit=lambda each: each),
        "tl": TRITON_BY_NUMPY,
    }
    exec(text.replace(TRITON_IMPORTS, ""), names)

    more = [_Pointer(np.array(names["TABLE"], np.uint8))] if "TABLE" in names else []

    def function(bits: Any) -> Any:
        results = np.zeros_like(bits)
        x, y = (each if more else each.view(dtype) for each in (bits, results))
        with np.errstate(all="ignore"):
            names[name](_Pointer(x), _Pointer(y), len(bits), *more, len(bits) + 3)
        return results

    return function


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
"""What kernels use of triton.language."""
