"""Array libraries, numpy, torch and jax: arrays there and back, gradients.

Numbers travel as bits: what converts them may flush subnormal ones. A new library is a class here.
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
    """numpy's arrays, and the defaults of other libraries."""

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
            self.place = self.find_device(kernel.device)
        except Exception as error:
            device = f"--device {kernel.device}: {self.name} does not have it"
            raise UsageError(f"{device} ({described(error)}); remove --device") from None

    def find_device(self, name: str) -> Any:
        """Find a device, or the default; any exception says that there is none."""
        return ["", "cpu"].index(name)

    def array(self, x: Array) -> Any:
        """Make an array of the library; it may share memory."""
        return x

    def is_array(self, y: Any) -> bool:
        """Tell arrays of the library from other objects."""
        return isinstance(y, np.ndarray) and not isinstance(y, np.ma.MaskedArray)

    def dtype(self, y: Any) -> str:
        """Name the format of an array."""
        return str(getattr(y.dtype, "name", y.dtype)).rpartition(".")[2]

    def numbers(self, y: Any) -> Array:
        """Bring an array in a known format to numpy; it may share memory."""
        return np.asarray(y)

    def gradient(self, function: Function, inputs: list[Any], place: int, upstream: Any) -> Any:
        """Differentiate by the input at a place, times upstream gradients."""
        raise NotImplementedError


class Torch(Library):
    """Tensors of PyTorch; gradients are autograd's."""

    name = "torch"
    differentiates = True

    def find_device(self, name: str) -> Any:
        """Find a device; one without memory of its own (meta) raises."""
        place = self.module.device(name) if name else self.module.get_default_device()
        self.module.zeros(1, device=place).cpu()
        cpu = self.module.backends.cpu.get_cpu_capability()  # results depend on its instructions
        cuda = place.type == "cuda" and self.module.cuda.get_device_name(place)
        self.facts["device"] = f"{place}, {cuda or cpu}"
        return place

    def array(self, x: Array) -> Any:
        """Make a tensor by way of integers: numpy has no bfloat16."""
        integers = self.module.from_numpy(x.view(f"i{x.itemsize}"))
        return integers.view(getattr(self.module, x.dtype.name)).to(self.place)

    def is_array(self, y: Any) -> bool:
        """Tell tensors from other objects."""
        return isinstance(y, self.module.Tensor)

    def numbers(self, y: Any) -> Array:
        """Bring a tensor to the CPU, after its computation ends."""
        tensor = y.detach().cpu().contiguous()
        integers = tensor.view(getattr(self.module, f"int{8 * tensor.element_size()}"))
        found: Array = integers.numpy().view(FORMATS[self.dtype(y)].dtype)
        return found

    def gradient(self, function: Function, inputs: list[Any], place: int, upstream: Any) -> Any:
        """Differentiate by autograd."""
        leaf = inputs[place].requires_grad_()
        (found,) = self.module.autograd.grad(function(*inputs), leaf, upstream)
        return found


class Jax(Library):
    """Arrays of JAX; gradients by vjp."""

    name = "jax"
    differentiates = True

    def find_device(self, name: str) -> Any:
        """Find a device of a platform; without one the function chooses."""
        platform, _, number = name.partition(":")
        place = self.module.devices(platform)[int(number or 0)] if name else None
        self.facts["device"] = str(place or self.module.devices()[0])
        return place

    def array(self, x: Array) -> Any:
        """Put an array on the device."""
        if self.wide:
            self.module.config.update("jax_enable_x64", True)
        return self.module.device_put(x, self.place)

    def is_array(self, y: Any) -> bool:
        """Tell arrays of JAX, traced or not, from other objects."""
        return isinstance(y, self.module.Array)

    def gradient(self, function: Function, inputs: list[Any], place: int, upstream: Any) -> Any:
        """Differentiate by vjp."""
        _, back = self.module.vjp(function, *inputs)
        return back(upstream)[place]


LIBRARIES: dict[str, type[Library]] = {each.name: each for each in (Library, Torch, Jax)}
