"""The libraries whose arrays a function may take: one file each, named after the library.

A file has a class `Arrays`, a `Backend`, which says how bits become an array of its library. The
rest has defaults. The library itself is imported when a function is loaded.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gelu_cli.errors import ComputationError, GeluError, UsageError, described, unknown
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.environment import SINCE_ITS_IMPORT, Guest
from gelu_cli.old.registry import module_names

if TYPE_CHECKING:
    from gelu_cli.old.arithmetic.format_arrays import Bits

COLUMNS = 65
"""Of 2-D arrays: two vectors of 16-bit numbers and one number."""

VIEWS = ("unaligned", "strided", "2-D", "2-D strided", "2-D transposed")
"""The layouts of libraries in which a part of an array is a view of it, at any address."""

OVERWRITES = "wrote into its input; let it return a new array"

FIRST = ("numpy", "torch", "jax")
"""The order in help and messages; other backends follow by name."""

Function = Callable[..., Any]


class ResultError(ComputationError):
    """What a function returns is no array like its argument, or the argument was written into.

    The message is the end of a sentence: what the function did.
    """


class Backend:
    """A library's arrays of a format, on one of its devices.

    A new one defines `from_bits`; `to_bits`, if numpy cannot read its arrays; `differentiates` and
    `gradient`, if it has gradients; `devices`, `find_device` and `wait`, if it has devices.

    What is done with arrays here must not leave numbers to threads of the library, which may be in
    the floating-point environment of the function: it moves bits.
    """

    package: str | None = None
    """What pip installs; the name of the library if None."""

    differentiates = False
    """Whether it has gradients."""

    layouts: Sequence[str] = ("2-D",)
    """Those of `surroundings.LAYOUTS` that its arrays may have; most need views of a part."""

    compiles = False
    """Whether the first call of a function takes longer than others."""

    settings: Mapping[str, str] = MappingProxyType({})
    """Environment variables that the library reads when it is imported, unless they are set."""

    def __init__(
        self, library: str, dtype: Format, result: Format | None = None, device: str | None = None
    ) -> None:
        self.library = library
        self.dtype = dtype
        self.result = result or dtype
        self.device = device
        self.place: Any = None
        """What the library has for the device, once it is started."""
        self.module: Any = None
        self.provenance: dict[str, str] = {}
        """What results depend on beside the function: the library, and where it computes."""

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.library, self.dtype, self.result, self.device)

    @classmethod
    def prepare(cls) -> None:
        """Do what has to be done in a process before anybody imports the library."""
        for variable, value in cls.settings.items():
            os.environ.setdefault(variable, value)

    def start(self, guest: Guest) -> None:
        """Import the library and find the device; raises `UsageError` where one is not here."""
        if self.module:
            return
        with guest.running(SINCE_ITS_IMPORT):
            try:
                self.module = import_module(self.library)
            except ModuleNotFoundError as error:
                if (name := str(error.name)).partition(".")[0] != self.library:
                    said = f"{self.library} needs '{name}', which is not here"
                else:
                    install = f"python -m pip install {self.package or self.library}"
                    said = f"--backend: {self.library} is not here: {install}"
                raise UsageError(said) from None
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # a file of that name that is another program
                raise UsageError(f"importing {self.library} failed: {described(error)}") from None
            try:
                self.place = self.find_device(self.device)
            except GeluError:
                raise
            except Exception:
                there = f"{self.library} has {', '.join(self.devices())} here"
                raise UsageError(f"--device {self.device}: {there}") from None
            device = self.machine()
            self.provenance["library"] = f"{self.library} {self.module.__version__}"
            if device:
                self.provenance["device"] = device
        for number_format in {self.dtype.name: self.dtype, self.result.name: self.result}.values():
            self.check_format(number_format)

    # What a library may say

    def from_bits(self, bits: Bits) -> Any:
        """Return an array of the format of x, on the device; the bits are its own to keep."""
        raise NotImplementedError

    def to_bits(self, array: Any) -> Bits:
        """Return the bits of an array, which may be a view of its memory."""
        import numpy as np

        numbers = np.asarray(array)
        return numbers.view(f"u{numbers.dtype.itemsize}")

    def gradient(self, function: Function, array: Any, upstream: Any) -> Any:
        """Return the derivative at each x times the upstream, of a library that differentiates."""
        raise NotImplementedError

    def devices(self) -> Sequence[str]:
        """Return the devices that are there, as --device names them."""
        return ["cpu"]

    def find_device(self, name: str | None) -> Any:
        """Return a device of that name, or the default; any exception says that there is none."""
        return list(self.devices()).index(name or "cpu")

    def check_format(self, number_format: Format) -> None:
        """Raise `UsageError` for a format that the library lacks, or its device."""

    def wait(self, result: Any) -> None:
        """Wait until a result is there, and what computes it has ended."""

    def is_array(self, result: Any) -> bool:
        """Return whether a result is an array of the library."""
        return hasattr(result, "dtype") and hasattr(result, "shape")

    def dtype_of(self, array: Any) -> str:
        """Return the name of the format of an array."""
        return str(getattr(array.dtype, "name", array.dtype)).rpartition(".")[2]

    def shaped(self, array: Any, *shape: int) -> Any:
        """Return an array of that shape, of the same numbers in the same order."""
        return array.reshape(shape)

    def laid_out(self, array: Any, layout: str) -> Any:
        """Return an array of the same numbers in the same order, laid out so; see `LAYOUTS`."""
        if layout == "unaligned":
            return self.module.concatenate([array[:1], array])[1:]
        if layout == "strided":
            return self.shaped(self.module.stack([array, array], 1), -1)[::2]
        if layout == "reversed":
            return array[::-1].copy()[::-1]
        if layout == "channels last":
            images = self.shaped(array, -1, COLUMNS // 5, 5, 1)
            return images.contiguous(memory_format=self.module.channels_last)
        rows = self.shaped(array, -1, COLUMNS)
        if layout == "2-D strided":
            return self.module.concatenate([rows, rows], 1)[:, :COLUMNS]
        transposed = layout == "2-D transposed"
        return self.shaped(self.shaped(rows.T, -1), COLUMNS, -1).T if transposed else rows

    def same(self, array: Any, bits: Bits) -> bool:
        """Return whether an array holds these bits still: −0 is not 0."""
        import numpy as np

        return bool(np.array_equal(self.to_bits(array), bits))

    def machine(self) -> str:
        """Return the device in words, if there is a choice: what figures depend on."""
        return ""


def driver() -> str:
    """Return the version of Nvidia's driver as part of a sentence, or nothing if nobody knows."""
    words = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        said = subprocess.run(words, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    version = said.stdout.partition("\n")[0].strip()
    return f", driver {version}" if version else ""


def backend_names() -> list[str]:
    """Return the names of the backends.

    >>> backend_names()[0]
    'numpy'
    """
    names = module_names(__path__)
    return sorted(names, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))


def backend_class(name: str) -> type[Backend]:
    """Return the kind of backend of that name; raises `UsageError` where there is none.

    >>> backend_class("numpy").differentiates
    False
    """
    names = backend_names()
    if name not in names:
        raise unknown("backend", name, names)
    kind: type[Backend] = import_module(f"{__name__}.{name}").Arrays
    return kind
