"""Kernels in CUDA and Triton: run source texts on a GPU, or by a stand-in.

A stand-in does the same operations on the CPU in the same order: C for CUDA, numpy for Triton. A
stand-in rounds as a GPU does, but numpy rounds a·b + c of float64s twice.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np

from gelu_cli.making.builds import Compiler, Function, Run, attempted, compilers, defined
from gelu_cli.making.writers import cuda_in_c, fill
from gelu_cli.numbers import Format

STAND_IN = "stand-in by "
NVCC = ("nvcc", "-x", "cu", "--forward-unknown-to-host-compiler")
BLOCK, TYPES = 1024, ("int", "uint", "float")


@cache
def gpu() -> str:
    """Name the first NVIDIA GPU that nvidia-smi lists; empty if there is none."""
    return _printed("nvidia-smi", "--query-gpu=name", "--format=csv,noheader").partition("\n")[0]


def _printed(*words: str) -> str:
    """Return the output of a command; empty if it is missing or fails."""
    if shutil.which(words[0]) is None:
        return ""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def run_cuda(text: str, name: str, to: Format, folder: Path) -> Iterator[Run]:
    """Build a CUDA text for the GPU; without a GPU or nvcc, as C."""
    release = gpu() and re.search(r"release ([\d.]+)", _printed("nvcc", "--version"))
    if release:
        by, flags = f"{gpu()} by nvcc {release[1]}", ["-O3", "-arch=native"]
        whole = fill("on_gpu.cu", text=text, name=name)
        library = Compiler(NVCC, by).build(whole, folder, flags)
        load = partial(Function, library, f"{name}_here", ctypes.c_char_p)
        yield Run(by, " ".join(flags), True, load)
        return
    compiler, flags = compilers()[0], ["-O2", "-march=native", "-ffp-contract=off"]
    library = compiler.build(cuda_in_c(text, name), folder, flags)
    load = partial(Function, library, f"{name}_here")
    yield Run(f"{STAND_IN}{compiler.version}", " ".join(flags), True, load)


def run_triton(text: str, name: str, to: Format, folder: Path) -> Iterator[Run]:
    """Run a Triton text on the GPU; without a GPU, Triton or torch, by numpy."""
    if gpu() and find_spec("triton") and find_spec("torch"):
        load = partial(triton_on_gpu, text, name, to, folder)
        yield Run(f"{gpu()} by triton {version('triton')}", "", True, load)
    else:  # numpy does not fuse a·b + c of float64s
        load = partial(triton_by_numpy, text, name, to.dtype)
        yield Run(f"{STAND_IN}numpy", "", to.width < 32, load)


def triton_on_gpu(text: str, name: str, to: Format, folder: Path) -> Callable[[Any], Any]:
    """Compile a Triton text; return a function of bit patterns."""
    import torch

    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")  # Triton reads the source of a function in its file
    names = defined(compile(text, str(path), "exec"), name, {"__name__": name})
    more = [torch.from_numpy(table).cuda() for table in _table(names)]
    dtype = torch.uint8 if more else getattr(torch, to.name)

    def function(bits: Any) -> Any:
        x = torch.from_numpy(bits.view(f"i{to.width // 8}")).cuda()
        y = ~x  # wrong at an input whose result is not written
        grid = (-(-len(bits) // BLOCK),)
        names[name][grid](x.view(dtype), y.view(dtype), len(bits), *more, BLOCK)
        return y.cpu().numpy().view(bits.dtype)

    return attempted(function)


@attempted
def _table(names: dict[str, Any]) -> list[Any]:
    """List the table of a text; none if the text has no table."""
    return [np.array(names["TABLE"], np.uint8)] if "TABLE" in names else []


def triton_by_numpy(text: str, name: str, dtype: Any) -> Callable[[Any], Any]:
    """Run a Triton text by numpy; return a function of bit patterns."""
    jit = SimpleNamespace(jit=lambda each: each)
    given = {"triton": jit, "tl": TRITON_BY_NUMPY}
    names = defined(re.sub("import triton.*\n", "", text), name, given)
    more = [*map(_Pointer, _table(names))]

    def function(bits: Any) -> Any:
        results = ~bits  # wrong at an input whose result is not written
        x, y = (each if more else each.view(dtype) for each in (bits, results))
        with np.errstate(all="ignore"):
            names[name](_Pointer(x), _Pointer(y), len(bits), *more, len(bits) + 3)
        return results

    return attempted(function)


class _Tensor(np.ndarray):
    """An array with the one method of Triton's tensors that kernels use."""

    def to(self, dtype: Any, bitcast: bool = False) -> Any:
        """Convert numbers, or keep their bits."""
        return self.view(dtype) if bitcast else self.astype(dtype)


class _Pointer:
    """A pointer into an array; adding indices replaces the earlier indices."""

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
    """Return a·b + c of float32s rounded once, or of float64s rounded twice.

    A Python float is read as float32, as in Triton. For float32s the sum is first rounded to odd in
    float64, so that its rounding to float32 is correct.
    """
    a, b, c = (np.float32(each) if type(each) is float else each for each in (a, b, c))
    if np.result_type(a, b, c) == np.float64:
        return a * b + c
    product = np.multiply(a, b, dtype=np.float64)  # exact: 48 bits
    total = product + c
    back = total - product
    lost = (product - (total - back)) + (c - back)
    even = total.view(np.int64) & 1 == 0
    odd = np.where(even & (lost != 0), np.nextafter(total, np.copysign(np.inf, lost)), total)
    return odd.astype(np.float32).view(_Tensor)


# The part of triton.language that kernels use.
TRITON_BY_NUMPY = SimpleNamespace(
    **{f"{kind}{bits}": getattr(np, f"{kind}{bits}") for kind in TYPES for bits in (16, 32, 64)},
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
