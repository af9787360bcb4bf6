"""Made kernels beside PyTorch's, on a GPU: python benchmarks/gpu.py

Nanoseconds per 1,000 numbers of N(0, 1), of which there are 2²⁶: the median of 50 calls in turn.
"""

import ctypes
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import torch
import triton
from torch.nn import functional

from gelu_cli.making.builds import Compiler
from gelu_cli.making.gpus import NVCC
from gelu_cli.making.writers import TYPES

MADE = Path(__file__).parents[1] / "docs/kernels/made"
COUNT, CALLS, BLOCK = 1 << 26, 50, 1024
LAUNCH = """
extern "C" void launch(void *x, void *y, size_t n) {{
    {name}<<<{blocks}, 256>>>(({type} *)x, ({type} *)y, n);
}}
"""
OWN = {
    "exact": functional.gelu,
    "tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "silu": functional.silu,
}


def main():
    """Print a row for each kernel of a value that PyTorch has too."""
    print(
        f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, Triton {triton.__version__}"
    )
    print("kernel, CUDA, Triton, PyTorch, copy: ns per 1,000 numbers")
    with TemporaryDirectory() as folder:
        for path in sorted(MADE.glob("*_value_*.cu")):
            form, _, dtype, *_ = path.stem.split("_")
            if form in OWN:
                print(path.stem, *row(path, form, dtype, Path(folder)), sep=", ")


def row(path, form, dtype, folder):
    """Time a kernel in CUDA, in Triton, PyTorch's own, and a copy."""
    x = torch.randn(COUNT, device="cuda").to(getattr(torch, dtype))
    y = torch.empty_like(x)
    name = path.stem.removesuffix("_correct")
    cuda, by_triton = in_cuda(path, name, dtype, folder), in_triton(path, name)
    grid = (triton.cdiv(COUNT, BLOCK),)
    calls = [
        lambda: cuda(x.data_ptr(), y.data_ptr(), COUNT),
        lambda: by_triton[grid](x, y, COUNT, BLOCK),
        lambda: OWN[form](x),
        lambda: y.copy_(x),
    ]
    times = [[] for _ in calls]
    for _ in range(CALLS):
        for call, mine in zip(calls, times, strict=True):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            call()
            end.record()
            end.synchronize()
            mine.append(start.elapsed_time(end))
    return [f"{median(each) * 1e9 / COUNT:.2f}" for each in times]


def in_cuda(path, name, dtype, folder):
    """Compile a text of CUDA; return a function of two addresses and a length."""
    blocks = 64 * torch.cuda.get_device_properties(0).multi_processor_count
    text = path.read_text() + LAUNCH.format(name=name, type=TYPES[dtype], blocks=blocks)
    library = Compiler(NVCC, "nvcc").build(text, folder, ["-O3", "-arch=native"])
    function = ctypes.CDLL(str(library)).launch
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    return function


def in_triton(path, name):
    """Import a text of Triton."""
    spec = spec_from_file_location(path.stem, path.with_name(f"{path.stem}_triton.py"))
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


if __name__ == "__main__":
    sys.exit(main())
