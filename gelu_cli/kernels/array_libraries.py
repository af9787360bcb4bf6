"""Convert arrays to numpy, torch or jax and back; take gradients.

Numbers keep their format, since a conversion might flush subnormal numbers to 0. To support another
library, add a class here.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from gelu_cli.errors import UsageError, described
from gelu_cli.kernels import Kernel
from gelu_cli.kernels.calling import Array
from gelu_cli.numbers.formats import FORMATS

Function = Callable[..., Any]


class Library:
    """Arrays of numpy; the base class of the other libraries."""

    name = "numpy"
    differentiates = False

    def __init__(self, kernel: Kernel) -> None:
        self.wide = "float64" in (kernel.dtype, kernel.result)
        try:
            self.module = import_module(self.name)
        except Exception as error:
            install = f"python -m pip install {self.name}"
            raise UsageError(f"--backend {self.name}: {described(error)}; {install}") from None
        self.facts = {"library": f"{self.name} {self.module.__version__}"}
        try:
            self.device = self.find_device(kernel.device)
        except Exception as error:
            device = f"--device {kernel.device}: {self.name} does not have it"
            raise UsageError(f"{device} ({described(error)}); remove --device") from None

    def find_device(self, name: str) -> Any:
        """Find a device by name, or the default device; raise if it is missing."""
        return ["", "cpu"].index(name)

    def array(self, x: Array) -> Any:
        """Convert a numpy array to one of the library; memory may be shared."""
        return x

    def is_array(self, y: Any) -> bool:
        """Return True for an array of the library."""
        return isinstance(y, np.ndarray) and not isinstance(y, np.ma.MaskedArray)

    def dtype(self, y: Any) -> str:
        """Name the format of an array."""
        return str(getattr(y.dtype, "name", y.dtype)).rpartition(".")[2]

    def numbers(self, y: Any) -> Array:
        """Convert an array in one of `FORMATS` to numpy; memory may be shared."""
        return np.asarray(y)

    def gradient(self, function: Function, inputs: list[Any], index: int, upstream: Any) -> Any:
        """Return the gradient by `inputs[index]`, multiplied by `upstream`."""
        raise NotImplementedError


class Torch(Library):
    """Tensors of PyTorch; gradients by autograd."""

    name = "torch"
    differentiates = True

    def find_device(self, name: str) -> Any:
        """Find a device; raise for `meta`, whose tensors have no data."""
        device = self.module.device(name) if name else self.module.get_default_device()
        self.module.zeros(1, device=device).cpu()
        cpu = self.module.backends.cpu.get_cpu_capability()  # results depend on the instructions
        cuda = device.type == "cuda" and self.module.cuda.get_device_name(device)
        self.facts["device"] = f"{device}, {cuda or cpu}"
        return device

    def array(self, x: Array) -> Any:
        """Convert an array through integers: `from_numpy` refuses bfloat16."""
        integers = self.module.from_numpy(x.view(f"i{x.itemsize}"))
        return integers.view(getattr(self.module, x.dtype.name)).to(self.device)

    def is_array(self, y: Any) -> bool:
        """Return True for a tensor."""
        return isinstance(y, self.module.Tensor)

    def numbers(self, y: Any) -> Array:
        """Wait until a tensor is computed, and convert it to numpy."""
        tensor = y.detach().cpu().contiguous()
        integers = tensor.view(getattr(self.module, f"int{8 * tensor.element_size()}"))
        found: Array = integers.numpy().view(FORMATS[self.dtype(y)].dtype)
        return found

    def gradient(self, function: Function, inputs: list[Any], index: int, upstream: Any) -> Any:
        """Differentiate by autograd."""
        leaf = inputs[index].requires_grad_()
        (found,) = self.module.autograd.grad(function(*inputs), leaf, upstream)
        return found


class Jax(Library):
    """Arrays of JAX; gradients by vjp."""

    name = "jax"
    differentiates = True

    def find_device(self, name: str) -> Any:
        """Find the device PLATFORM:NUMBER; None, without a name, is JAX's choice."""
        platform, _, number = name.partition(":")
        device = self.module.devices(platform)[int(number or 0)] if name else None
        self.facts["device"] = str(device or self.module.devices()[0])
        return device

    def array(self, x: Array) -> Any:
        """Copy an array to the device."""
        if self.wide:
            self.module.config.update("jax_enable_x64", True)
        return self.module.device_put(x, self.device)

    def is_array(self, y: Any) -> bool:
        """Return True for an array of JAX, traced or not."""
        return isinstance(y, self.module.Array)

    def gradient(self, function: Function, inputs: list[Any], index: int, upstream: Any) -> Any:
        """Differentiate by vjp."""
        _, back = self.module.vjp(function, *inputs)
        return back(upstream)[index]


LIBRARIES: dict[str, type[Library]] = {each.name: each for each in (Library, Torch, Jax)}
