"""CuPy's arrays, on an Nvidia or AMD GPU, in the formats that numpy has; it has no gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.format_arrays import NATIVE, Bits
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.guests.backends import VIEWS, Backend, driver


class Arrays(Backend):
    """Arrays of CuPy."""

    layouts = (*VIEWS, "reversed")
    package = "cupy-cuda12x, or that of your CUDA"
    compiles = True

    def from_bits(self, bits: Bits) -> Any:
        """Return an array of the format of x, on the device."""
        self.place.use()  # in this thread
        return self.module.asarray(bits.view(self.dtype.name))

    def to_bits(self, array: Any) -> Bits:
        """Return the bits of an array, brought to the CPU."""
        return super().to_bits(array.get())

    def devices(self) -> Sequence[str]:
        """Return the GPUs that the driver has."""
        try:
            count = self.module.cuda.runtime.getDeviceCount()
        except self.module.cuda.runtime.CUDARuntimeError:
            count = 0
        return [f"cuda:{i}" for i in range(count)] or ["no GPU"]

    def find_device(self, name: str | None) -> Any:
        """Return the GPU."""
        kind, _, number = (name or "cuda").partition(":")
        if kind != "cuda":
            raise ValueError(name)
        device = self.module.cuda.Device(int(number or 0))
        device.synchronize()  # it raises where there is none
        return device

    def check_format(self, number_format: Format) -> None:
        """Raise `UsageError` for formats of ml_dtypes."""
        if number_format.name not in NATIVE:
            raise UsageError(f"cupy has no {number_format.name}; choose from {', '.join(NATIVE)}")

    def wait(self, result: Any) -> None:
        """Wait for every stream of the device."""
        self.place.synchronize()

    def machine(self) -> str:
        """Return the GPU's name, and the versions of what drives it."""
        runtime = self.module.cuda.runtime
        name = runtime.getDeviceProperties(self.place.id)["name"].decode()
        version = self.module.cuda.get_local_runtime_version()
        cuda = f"{version // 1000}.{version % 1000 // 10}"
        return f"cuda:{self.place.id}, {name}, CUDA {cuda}{driver()}"
