"""PyTorch's tensors on the CPU; gradients are autograd's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gelu_cli.arithmetic.formats import Format
from gelu_cli.errors import UsageError
from gelu_cli.kernels.backends import OVERWRITES

if TYPE_CHECKING:
    import numpy as np

    from gelu_cli.arithmetic.rounding import Floats
    from gelu_cli.kernels.backends import Function


def to_array(x: Floats, number_format: Format) -> Any:
    """Return a tensor of that format."""
    import torch  # type: ignore[import-not-found, unused-ignore]

    return torch.from_numpy(x.copy()).to(getattr(torch, number_format.name))


def to_floats(tensor: Any) -> np.ndarray[Any, Any]:
    """Return the numbers of a tensor as float64s of our own: its memory may be used again."""
    import numpy as np
    import torch

    return np.asarray(tensor.detach().to(torch.float64, copy=True).numpy())


def gradient(function: Function, tensor: Any) -> Any:
    """Return the derivative at each x; raises `UsageError` where the function writes into x."""
    # A copy, as autograd lets nobody write into the tensor itself, and says so in words of its own.
    inputs = tensor.requires_grad_(True).clone()
    total = function(inputs).sum()
    if same(inputs, tensor):  # else autograd may refuse to go back
        total.backward()
    if not same(inputs, tensor):
        raise UsageError(OVERWRITES)
    return tensor.grad


def same(one: Any, other: Any) -> bool:
    """Return whether two tensors hold the same bits: −0 is not 0."""
    import torch

    bits, others = (each.detach().contiguous().view(torch.uint8) for each in (one, other))
    return bool(torch.equal(bits, others))
