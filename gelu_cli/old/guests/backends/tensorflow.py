"""TensorFlow's tensors, on its default device unless --device says otherwise; with its gradients.

A function gets eager tensors, and may be a tf.function.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

from gelu_cli.old.arithmetic.format_arrays import Bits
from gelu_cli.old.guests.backends import Backend, Function, ResultError, driver
from gelu_cli.old.guests.backends.numpy import dtype_of

NO_TAPE = "cannot be differentiated by TensorFlow in {}; add --backward"
NO_PATH = "returned results that do not depend on x by operations that TensorFlow differentiates"


class Arrays(Backend):
    """Tensors of TensorFlow."""

    differentiates = True
    compiles = True
    settings = MappingProxyType({"TF_CPP_MIN_LOG_LEVEL": "3", "TF_FORCE_GPU_ALLOW_GROWTH": "true"})
    """No messages, and several processes may share a GPU."""

    @classmethod
    def prepare(cls) -> None:
        """Have TensorFlow imported in silence: it says what it is made for, twice."""
        super().prepare()
        if "tensorflow" not in sys.modules:
            sys.meta_path.insert(0, _InSilence())

    def from_bits(self, bits: Bits) -> Any:
        """Return a tensor of the format of x, on the device."""
        with self.module.device(self.place):
            return self.module.constant(bits.view(dtype_of(self.dtype)))

    def to_bits(self, array: Any) -> Bits:
        """Return the bits of a tensor, brought to the CPU."""
        return super().to_bits(array.numpy())

    def gradient(self, function: Function, array: Any, upstream: Any) -> Any:
        """Return the gradient at each x; raises `ResultError` where there is none."""
        tensorflow = self.module
        if self.dtype.width == 8:  # a tape warns, and watches nothing
            raise ResultError(NO_TAPE.format(self.dtype.name))
        with tensorflow.GradientTape() as tape:
            tape.watch(array)
            result = function(array)
        found = tape.gradient(result, array, output_gradients=upstream)
        if found is None:
            raise ResultError(NO_PATH)
        return tensorflow.convert_to_tensor(found)

    def devices(self) -> Sequence[str]:
        """Return CPU:0, GPU:0 and so on."""
        logical = self.module.config.list_logical_devices()
        return [each.name.removeprefix("/device:") for each in logical]

    def find_device(self, name: str | None) -> Any:
        """Return the name of a device: gpu is GPU:0."""
        if name is None:
            tensor = self.module.constant(1.0)
            return tensor.device.rpartition("/device:")[2]
        kind, _, number = name.upper().removeprefix("/").removeprefix("DEVICE:").partition(":")
        devices = list(self.devices())
        return devices[devices.index(f"{kind}:{int(number or 0)}")]

    def is_array(self, result: Any) -> bool:
        """Return whether a result is a tensor."""
        return bool(self.module.is_tensor(result))

    def shaped(self, array: Any, *shape: int) -> Any:
        """Return a tensor of that shape."""
        return self.module.reshape(array, shape)

    def machine(self) -> str:
        """Return the device, and of a GPU its name."""
        config = self.module.config
        if not self.place.startswith("GPU"):
            return str(self.place)
        number = int(self.place.partition(":")[2])
        physical = config.list_physical_devices("GPU")[number]
        name = config.experimental.get_device_details(physical).get("device_name", "GPU")
        cuda = self.module.sysconfig.get_build_info().get("cuda_version", "unknown")
        return f"{self.place}, {name}, CUDA {cuda}{driver()}"


class _InSilence(MetaPathFinder):
    """Finds TensorFlow, once, and has it imported and first used in silence."""

    def find_spec(self, name: str, *others: Any) -> ModuleSpec | None:
        """Return how TensorFlow is imported; all else is for others to find."""
        if name != "tensorflow":
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec and spec.loader:
            spec.loader.exec_module = partial(  # type: ignore[method-assign]
                _imported_in_silence, spec.loader.exec_module
            )
        return spec


def _imported_in_silence(execute: Callable[[Any], None], module: Any) -> None:
    """Execute a module, and take away what is written to stderr, by whatever means."""
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        execute(module)
        module.constant(1.0)
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)
