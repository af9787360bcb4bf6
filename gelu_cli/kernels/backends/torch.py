"""PyTorch's tensors on the CPU; gradients are autograd's.

numpy converts the numbers: PyTorch's conversions are shared among its threads, and a function may
have made those flush subnormal ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gelu_cli.arithmetic.formats import Format, find_format
from gelu_cli.arithmetic.patterns import numbers, patterns
from gelu_cli.kernels.backends import OVERWRITES, ResultError, floats_of

if TYPE_CHECKING:
    from gelu_cli.arithmetic.rounding import Floats
    from gelu_cli.kernels.backends import Function


NATIVE = ("float64", "float32", "float16")
"""Formats that numpy has as well."""

views = True


def to_array(x: Floats, number_format: Format) -> Any:
    """Return a tensor of that format."""
    import torch  # type: ignore[import-not-found, unused-ignore]

    if number_format.name in NATIVE:
        return torch.from_numpy(x.astype(number_format.name))
    bits = patterns(number_format, x).astype(f"i{number_format.width // 8}")
    return torch.from_numpy(bits).view(getattr(torch, number_format.name))


def to_floats(tensor: Any) -> np.ndarray[Any, Any]:
    """Return the numbers of a tensor as floats of our own: its memory may be used again."""
    number_format = find_format(str(tensor.dtype).removeprefix("torch."))
    if number_format.name in NATIVE:
        return floats_of(tensor.detach().numpy())
    return numbers(number_format, _bits(tensor).numpy().astype(np.int64))


def gradient(function: Function, tensor: Any) -> Any:
    """Return the derivative at each x; raises `ResultError` where x is written into."""
    # A copy, as autograd lets nobody write into the tensor itself, and says so in words of its own.
    inputs = tensor.requires_grad_(True).clone()
    total = function(inputs).sum()
    if same(inputs, tensor):  # else autograd may refuse to go back
        total.backward()
    if not same(inputs, tensor):
        raise ResultError(OVERWRITES)
    return tensor.grad


def in_parts(function: Function, tensor: Any, length: int) -> Any:
    """Return the results of a function that is called with so many numbers at a time."""
    import torch

    parts = tensor.reshape(-1, length).unbind()
    return torch.cat([function(part.clone()).detach().clone() for part in parts])


def same(one: Any, other: Any) -> bool:
    """Return whether two tensors hold the same bits: −0 is not 0."""
    import torch

    return bool(torch.equal(_bits(one), _bits(other)))


def _bits(tensor: Any) -> Any:
    import torch

    return tensor.detach().view(getattr(torch, f"int{8 * tensor.element_size()}"))
