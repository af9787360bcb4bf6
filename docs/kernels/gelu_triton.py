"""A GELU kernel in Triton: `gelu sweep gelu_triton.py:gelu --device cuda`.

Without --device it takes tensors of the CPU, and brings them to the GPU and back. Where there is
none, Triton's interpreter runs it: TRITON_INTERPRET=1.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_pointer, y_pointer, n, BLOCK: tl.constexpr):  # noqa: N803
    """x·σ(2u), u = √(2/π)·(x + 0.044715x³), in float32 inside."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_pointer + i, mask=i < n).to(tl.float32)
    u = 0.7978845608 * (x + 0.044715 * x * x * x)
    y = x / (1 + tl.exp(-2 * u))
    tl.store(y_pointer + i, y.to(y_pointer.dtype.element_ty), mask=i < n)


def gelu(x):
    """Return the results for a tensor, where that is."""
    at_home = x.to("cuda" if x.device.type == "cpu" and torch.cuda.is_available() else x.device)
    y = torch.empty_like(at_home)
    kernel[(triton.cdiv(len(x), 1024),)](at_home, y, len(x), BLOCK=1024)
    return y.to(x.device)
