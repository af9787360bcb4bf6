"""JAX's arrays, on its default device unless --device says otherwise; gradients are jax.vjp's.

numpy converts the numbers: JAX computes in threads of its own, which flush subnormal ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from gelu_cli.old.arithmetic.format_arrays import Bits
from gelu_cli.old.guests.backends import Backend, Function, driver
from gelu_cli.old.guests.backends.numpy import dtype_of


class Arrays(Backend):
    """Arrays of JAX."""

    differentiates = True
    compiles = True
    settings = MappingProxyType({"XLA_PYTHON_CLIENT_PREALLOCATE": "false"})
    """Several processes may share a GPU."""

    def from_bits(self, bits: Bits) -> Any:
        """Return an array of the format of x, on the device."""
        jax = self.module
        jax.config.update("jax_enable_x64", 64 in (self.dtype.width, self.result.width))
        # Arrays that nobody has put on a device go wherever a function wants them.
        return jax.device_put(bits.view(dtype_of(self.dtype)), self.place if self.device else None)

    def gradient(self, function: Function, array: Any, upstream: Any) -> Any:
        """Return the gradient at each x."""
        _, back = self.module.vjp(function, array)
        (found,) = back(upstream)
        return found

    def devices(self) -> Sequence[str]:
        """Return all devices of all platforms."""
        jax = self.module
        every = {str(each): each for name in ("cpu", None) for each in jax.devices(name)}
        return list(every)

    def find_device(self, name: str | None) -> Any:
        """Return one of the devices of a platform: cuda is cuda:0."""
        if name is None:
            return self.module.devices()[0]
        platform, _, number = name.partition(":")
        if number and not number.isdecimal():
            raise ValueError(number)
        return self.module.devices(platform)[int(number or 0)]

    def wait(self, result: Any) -> None:
        """Wait until a result is there, or raise what has failed."""
        self.module.block_until_ready(result)

    def is_array(self, result: Any) -> bool:
        """Return whether a result is an array of JAX, traced or not."""
        return isinstance(result, self.module.Array)

    def same(self, array: Any, bits: Bits) -> bool:
        """Return whether an array holds these bits; one given away for the result holds none."""
        return not array.is_deleted() and super().same(array, bits)

    def machine(self) -> str:
        """Return the device, and what drives it where that is no CPU."""
        if self.place.platform == "cpu":
            return "cpu"
        platform = " ".join(self.place.client.platform_version.split())
        return f"{self.place}, {self.place.device_kind}, {platform}{driver()}"
