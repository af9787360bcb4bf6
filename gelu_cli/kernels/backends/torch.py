"""PyTorch's tensors on the CPU; gradients are autograd's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gelu_cli.arithmetic.formats import Format

if TYPE_CHECKING:
    import numpy as np

    from gelu_cli.arithmetic.rounding import Floats
    from gelu_cli.kernels.backends import Function


def to_array(x: Floats, number_format: Format) -> Any:
    """Return a tensor of that format."""
    import torch  # type: ignore[import-not-found, unused-ignore]

    return torch.from_numpy(x.copy()).to(getattr(torch, number_format.name))


def to_floats(tensor: Any) -> np.ndarray[Any, Any]:
    """Return the numbers of a tensor as float64s."""
    import numpy as np
    import torch

    return np.asarray(tensor.detach().to(torch.float64).numpy())


def gradient(function: Function, tensor: Any) -> Any:
    """Return the derivative at each x."""
    function(tensor.requires_grad_(True)).sum().backward()
    return tensor.grad


def same(one: Any, other: Any) -> bool:
    """Return whether two tensors hold the same numbers."""
    import torch

    return bool(torch.equal(one, other))
