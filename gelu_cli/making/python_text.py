"""Kernels in numpy and Triton, and a stand-in for Triton on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np

from gelu_cli.making.programs import Program

SIGNS = {
    "mul": "{0} * {1}",
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "neg": "-{0}",
}
NUMPY_SIGNS = SIGNS | {
    "ma": "{0} * {1} + {2}",
    "div": "{0} / {1}",
    "abs": "F(B({0}) & U(0x7FFFFFFF))",
    "clamp": "F(np.minimum(B({0}), B({1})))",
    "positive": "F(B({0}) & (~(B({0}).view(I) >> 31).view(U) | U(0x80000000)))",
    "step": "F(~(B({0}).view(I) >> 31).view(U) & U(0x3F800000))",
    "flip": "F(B({0}) ^ (~B({1}) & U(0x80000000)))",
    "scale": "F(B({0}) + (B({1}) << U(23)))",
    "cut": "F(B({0}) & U(0xFFFFE000))",
    "nan": "F(B({0}) | (B({1}) > U(0x7F800000)) * U(0x7FC00000))",
    "patch": "F(np.where(B({0}) == U({1}), U({2}), B({3})))",
}
TRITON_SIGNS = SIGNS | {
    "ma": "tl.fma({0}, {1}, {2})",
    "div": "tl.div_rn({0}, {1})",
    "abs": "F(B({0}) & 0x7FFFFFFF)",
    "clamp": "F(tl.minimum(B({0}), {1}))",
    "positive": "F(B({0}) & (right({0}) | 0x80000000))",
    "step": "F(right({0}) & 0x3F800000)",
    "flip": "F(B({0}) ^ (~B({1}) & 0x80000000))",
    "scale": "F(B({0}) + (B({1}) << 23))",
    "cut": "F(B({0}) & 0xFFFFE000)",
    "nan": "F(B({0}) | (B({1}) > 0x7F800000).to(tl.uint32) * 0x7FC00000)",
    "patch": "tl.where(B({0}) == {1}, F(tl.full({0}.shape, {2}, tl.uint32)), {3})",
}

NUMPY = """\
import numpy as np

I, U, S = np.int32, np.uint32, np.float32


def B(x):
    return np.asarray(x, S).view(U)


def F(bits):
    return bits.view(S)


@np.errstate(all="ignore")
def {name}(xs):
    x = {load}
    {body}
    {store}
"""
NUMPY_ENDS = {
    "bfloat16": (
        "F(xs.view(np.uint16).astype(U) << U(16))",
        "u = B({result})\n"
        "    return ((u + U(0x8000) - (u >> U(31))) >> U(16)).astype(np.uint16).view(xs.dtype)",
    ),
    "float16": ("xs.astype(S)", "return {result}.astype(np.float16)"),
}

TRITON_IMPORTS = "import triton\nimport triton.language as tl\n"
TRITON = """\


@triton.jit
def B(x):
    return x.to(tl.uint32, bitcast=True)


@triton.jit
def F(bits):
    return bits.to(tl.float32, bitcast=True)


@triton.jit
def right(x):
    return ~(x.to(tl.int32, bitcast=True) >> 31).to(tl.uint32, bitcast=True)


@triton.jit
def {name}(x_pointer, y_pointer, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_pointer + i, mask=i < n, other=0)
    {load}
    {body}
    {store}
    tl.store(y_pointer + i, y, mask=i < n)
"""
TRITON_ENDS = {
    "bfloat16": (
        "x = F(x.to(tl.uint16, bitcast=True).to(tl.uint32) << 16)",
        "u = B({result})\n"
        "    y = ((u + 0x8000 - (u >> 31)) >> 16).to(tl.uint16).to(tl.bfloat16, bitcast=True)",
    ),
    "float16": ("x = x.to(tl.float32)", "y = {result}.to(tl.float16)"),
}


def numpy_text(program: Program, name: str, dtype: str) -> str:
    """Write a kernel of a 16-bit format for arrays of numpy."""
    literals = {each: f"S({value!r})" for each, value in program.constants.items()}
    load, store = NUMPY_ENDS[dtype]
    store = store.format(result=program.result)
    body = _body(program, NUMPY_SIGNS, literals)
    return NUMPY.format(name=name, body=body, load=load, store=store)


def triton_text(program: Program, name: str, dtype: str) -> str:
    """Write a kernel of a 16-bit format for Triton."""
    literals = {each: repr(value) for each, value in program.constants.items()}
    literals["T"] = hex(int(np.float32(program.constants["T"]).view(np.uint32)))  # of clamp alone
    load, store = TRITON_ENDS[dtype]
    store = store.format(result=program.result)
    body = _body(program, TRITON_SIGNS, literals)
    return TRITON_IMPORTS + TRITON.format(name=name, body=body, load=load, store=store)


def _body(program: Program, signs: Mapping[str, str], literals: Mapping[str, str]) -> str:
    """Write an assignment for each operation."""
    return "\n    ".join(
        f"{name} = {signs[op].format(*(literals.get(each, each) for each in operands))}"
        for name, op, operands in program.operations
    )


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

    def function(bits: Any) -> Any:
        results = np.zeros_like(bits)
        with np.errstate(all="ignore"):
            names[name](
                _Pointer(bits.view(dtype)), _Pointer(results.view(dtype)), len(bits), len(bits)
            )
        return results

    return function


class _Tensor(np.ndarray):
    """An array with the one method of Triton's tensors that kernels use."""

    def to(self, dtype: Any, bitcast: bool = False) -> Any:
        """Convert numbers, or keep their bits."""
        return self.view(dtype) if bitcast else self.astype(dtype)


class _Pointer:
    """A pointer to the first element of an array; adding the indices 0, 1, … keeps it."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __add__(self, indices: Any) -> _Pointer:
        return self


def _store(pointer: _Pointer, values: Any, mask: Any) -> None:
    pointer.array[...] = values


def _fused(a: Any, b: Any, c: Any) -> Any:
    """Return a·b + c of float32s rounded once: the sum is rounded to odd in float64 first."""
    product = np.multiply(a, b, dtype=np.float64)  # exact: 48 bits
    total = product + c
    back = total - product
    lost = (product - (total - back)) + (c - back)
    even = total.view(np.int64) & 1 == 0
    odd = np.where(even & (lost != 0), np.nextafter(total, np.copysign(np.inf, lost)), total)
    return odd.astype(np.float32).view(_Tensor)


TRITON_BY_NUMPY = SimpleNamespace(
    **{name: getattr(np, name) for name in ("int32", "uint16", "uint32", "float16", "float32")},
    bfloat16=ml_dtypes.bfloat16,
    constexpr=None,
    program_id=lambda axis: 0,
    arange=np.arange,
    load=lambda pointer, mask, other: pointer.array.view(_Tensor),
    store=_store,
    fma=_fused,
    div_rn=np.divide,
    minimum=np.minimum,
    where=np.where,
    full=lambda shape, value, dtype: np.full(shape, value, dtype).view(_Tensor),
)
"""What kernels use of triton.language."""
