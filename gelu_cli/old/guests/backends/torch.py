"""PyTorch's tensors, on the CPU unless --device says otherwise; gradients are autograd's.

They travel as bits: numpy has no bfloat16, and PyTorch's conversions are shared among its threads,
which a function may have made flush subnormal numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.format_arrays import Bits
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.guests.backends import OVERWRITES, VIEWS, Backend, Function, ResultError, driver


class Arrays(Backend):
    """Tensors of PyTorch."""

    layouts = (*VIEWS, "channels last")
    differentiates = True
    compiles = True
    settings = MappingProxyType({"OMP_WAIT_POLICY": "passive"})
    """On a busy machine threads that spin for one another take a slice of time for each call."""

    def from_bits(self, bits: Bits) -> Any:
        """Return a tensor of the format of x, on the device."""
        torch = self.module
        signed = torch.from_numpy(bits.view(f"i{bits.itemsize}"))
        return signed.view(getattr(torch, self.dtype.name)).to(self.place)

    def to_bits(self, array: Any) -> Bits:
        """Return the bits of a tensor, brought to the CPU."""
        bits: Bits = self._integers(array.cpu()).numpy().view(f"u{array.element_size()}")
        return bits

    def gradient(self, function: Function, array: Any, upstream: Any) -> Any:
        """Return the gradient at each x; raises `ResultError` where x is written into."""
        # A copy: autograd lets nobody write into the tensor itself, and says so in its own words.
        inputs = array.requires_grad_(True).clone()
        result = function(inputs)
        if self._equal(inputs, array):  # else autograd may refuse to go back
            (found,) = self.module.autograd.grad(result, array, upstream)
        if not self._equal(inputs, array):
            raise ResultError(OVERWRITES)
        return found

    def devices(self) -> Sequence[str]:
        """Return the CPU, and each accelerator that PyTorch finds."""
        accelerator = self.module.accelerator
        if not accelerator.is_available():
            return ["cpu"]
        kind = accelerator.current_accelerator().type
        count = accelerator.device_count()
        return ["cpu", *(kind if count == 1 else f"{kind}:{i}" for i in range(count))]

    def find_device(self, name: str | None) -> Any:
        """Return the device; one without memory of its own (meta) or not here raises."""
        torch = self.module
        place = torch.get_default_device() if name is None else torch.device(name)
        torch.zeros(1, device=place).cpu()
        return place

    def check_format(self, number_format: Format) -> None:
        """Raise `UsageError` for float64 on MPS."""
        if self.place.type == "mps" and number_format.width == 64:
            raise UsageError("--device mps has no float64; take --device cpu, or another --dtype")

    def wait(self, result: Any) -> None:
        """Wait for every stream of the device."""
        if self.place.type != "cpu":
            self.module.accelerator.synchronize(self.place)

    def is_array(self, result: Any) -> bool:
        """Return whether a result is a tensor."""
        return isinstance(result, self.module.Tensor)

    def machine(self) -> str:
        """Return the device: of a CPU which instructions kernels use, of a GPU its name."""
        torch = self.module
        if self.place.type == "cpu":
            return f"cpu, {torch.backends.cpu.get_cpu_capability()}"
        if self.place.type != "cuda":
            return str(self.place)
        name = torch.cuda.get_device_name(self.place)
        return f"{self.place}, {name}, CUDA {torch.version.cuda}{driver()}"

    def _equal(self, one: Any, other: Any) -> bool:
        return bool(self.module.equal(self._integers(one), self._integers(other)))

    def _integers(self, tensor: Any) -> Any:
        return tensor.detach().view(getattr(self.module, f"int{8 * tensor.element_size()}"))
