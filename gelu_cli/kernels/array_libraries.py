"""Array libraries: numpy, torch and jax; how arrays become theirs and come back, and gradients.

Numbers travel as bits: what converts them may flush subnormal ones. A new library is a class here.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from gelu_cli.errors import UsageError, described
from gelu_cli.kernels.arithmetic import Array
from gelu_cli.kernels.description import Kernel
from gelu_cli.kernels.loaded import Fault, same
from gelu_cli.numbers.formats import FORMATS

OVERWRITES = "wrote into its input; let it return a new array"


class Library:
    """numpy's arrays, and the defaults of other libraries."""

    name = "numpy"
    differentiates = False
    compiles = False

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        try:
            self.module = import_module(self.name)
        except ModuleNotFoundError as error:
            if str(error.name).partition(".")[0] != self.name:
                raise UsageError(
                    f"{self.name} needs '{error.name}', which is not here; install it"
                ) from None
            raise UsageError(
                f"--backend: {self.name} is not here; python -m pip install {self.name}"
            ) from None
        except Exception as error:  # a file of that name that is another program
            raise UsageError(f"importing {self.name} failed; {described(error)}") from None
        try:
            self.place = self.find_device()
        except Exception:
            there = ", ".join(self.devices())
            raise UsageError(
                f"--device {kernel.device}: {self.name} has {there} here; choose one"
            ) from None

    def find_device(self) -> Any:
        """Find the kernel's device, or the default; any exception says that there is none."""
        if self.kernel.device not in ("", "cpu"):
            raise ValueError
        return None

    def devices(self) -> list[str]:
        """List the devices here."""
        return ["cpu"]

    def machine(self) -> str:
        """Describe the device, if there is a choice."""
        return ""

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
        """Make an array of numpy of one in a known format; it may share memory."""
        return np.asarray(y)

    def wait(self, y: Any) -> None:
        """Wait until a result is computed."""

    def gradient(
        self, function: Callable[..., Any], inputs: list[Any], place: int, upstream: Any
    ) -> Any:
        """Differentiate by the input at a place, times upstream gradients."""
        raise NotImplementedError


class Torch(Library):
    """Tensors of PyTorch; gradients are autograd's."""

    name = "torch"
    differentiates = compiles = True

    def find_device(self) -> Any:
        """Find the device; one without memory of its own (meta), or not here, raises."""
        torch, name = self.module, self.kernel.device
        place = torch.device(name) if name else torch.get_default_device()
        torch.zeros(1, device=place).cpu()
        return place

    def devices(self) -> list[str]:
        """List the CPU, and each accelerator."""
        accelerator = self.module.accelerator
        if not accelerator.is_available():
            return ["cpu"]
        kind = accelerator.current_accelerator().type
        return ["cpu", *(f"{kind}:{i}" for i in range(accelerator.device_count()))]

    def machine(self) -> str:
        """Describe the device: of a CPU by the instructions that kernels use."""
        torch = self.module
        if self.place.type == "cpu":
            return f"cpu, {torch.backends.cpu.get_cpu_capability()}"
        if self.place.type != "cuda":
            return str(self.place)
        return f"{self.place}, {torch.cuda.get_device_name(self.place)}, CUDA {torch.version.cuda}"

    def array(self, x: Array) -> Any:
        """Make a tensor by way of integers: numpy has no bfloat16."""
        integers = self.module.from_numpy(x.view(f"i{x.itemsize}"))
        return integers.view(getattr(self.module, x.dtype.name)).to(self.place)

    def is_array(self, y: Any) -> bool:
        """Tell tensors from other objects."""
        return isinstance(y, self.module.Tensor)

    def numbers(self, y: Any) -> Array:
        """Bring a tensor to the CPU."""
        tensor = y.detach().cpu().contiguous()
        integers = tensor.view(getattr(self.module, f"int{8 * tensor.element_size()}"))
        found: Array = integers.numpy().view(FORMATS[self.dtype(y)].dtype)
        return found

    def wait(self, y: Any) -> None:
        """Wait for every stream of the device."""
        if self.place.type != "cpu":
            self.module.accelerator.synchronize(self.place)

    def gradient(
        self, function: Callable[..., Any], inputs: list[Any], place: int, upstream: Any
    ) -> Any:
        """Differentiate by autograd."""
        leaf = inputs[place].requires_grad_()
        copy = leaf.clone()  # autograd lets nobody write into a leaf, and says so in its own words
        y = function(*inputs[:place], copy, *inputs[place + 1 :])
        if not same(self.numbers(copy), self.numbers(leaf)):
            raise Fault(OVERWRITES)
        (found,) = self.module.autograd.grad(y, leaf, upstream)
        return found


class Jax(Library):
    """Arrays of JAX, on its default device unless the kernel names one; gradients by vjp."""

    name = "jax"
    differentiates = compiles = True

    def find_device(self) -> Any:
        """Find a device of a platform: cuda is cuda:0."""
        if not self.kernel.device:
            return None
        platform, _, number = self.kernel.device.partition(":")
        return self.module.devices(platform)[int(number or 0)]

    def devices(self) -> list[str]:
        """List all devices of all platforms."""
        return [*dict.fromkeys(str(d) for name in ("cpu", None) for d in self.module.devices(name))]

    def machine(self) -> str:
        """Describe the device."""
        place = self.place or self.module.devices()[0]
        return "cpu" if place.platform == "cpu" else f"{place}, {place.device_kind}"

    def array(self, x: Array) -> Any:
        """Put an array on the device; uncommitted unless the kernel names one."""
        if "float64" in (self.kernel.dtype, self.kernel.result):
            self.module.config.update("jax_enable_x64", True)
        return self.module.device_put(x, self.place)

    def is_array(self, y: Any) -> bool:
        """Tell arrays of JAX, traced or not, from other objects."""
        return isinstance(y, self.module.Array)

    def numbers(self, y: Any) -> Array:
        """Read an array; an input that was given away for the result cannot be."""
        if y.is_deleted():
            raise Fault(OVERWRITES)
        return np.asarray(y)

    def wait(self, y: Any) -> None:
        """Wait until a result is computed, or raise what has failed."""
        self.module.block_until_ready(y)

    def gradient(
        self, function: Callable[..., Any], inputs: list[Any], place: int, upstream: Any
    ) -> Any:
        """Differentiate by vjp."""
        before, after = inputs[:place], inputs[place + 1 :]
        _, back = self.module.vjp(lambda x: function(*before, x, *after), inputs[place])
        (found,) = back(upstream)
        return found


LIBRARIES: dict[str, type[Library]] = {each.name: each for each in (Library, Torch, Jax)}
