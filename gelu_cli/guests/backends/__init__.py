"""The libraries whose arrays a function may take: one file each, named after the library.

A file has a class `Arrays`, a `Backend`, which says how bits become an array of its library. The
rest has defaults. The library itself is imported when a function is loaded.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any

from gelu_cli.arithmetic.formats import Format
from gelu_cli.environment import SINCE_A_CALL, SINCE_ITS_IMPORT, Guest
from gelu_cli.errors import ComputationError, GeluError, UsageError, described, unknown
from gelu_cli.registry import module_names

if TYPE_CHECKING:
    from gelu_cli.arithmetic.format_arrays import Bits, Floats

OVERWRITES = "wrote into its input; let it return a new array"

FIRST = ("numpy", "torch", "jax", "cupy", "tensorflow")
"""The order in help and messages; other backends follow by name."""

Function = Callable[..., Any]


class ResultError(ComputationError):
    """What a function returns is no array like its argument, or the argument was written into.

    The message is the end of a sentence: what the function did.
    """


class RaisedError(Exception):
    """A function, or what differentiates it, has raised `error`, of whatever class."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


def as_it_is(array: Any) -> Any:
    """Return an array."""
    return array


class Backend:
    """A library's arrays of a format, on one of its devices, and how functions of them are called.

    A new one defines `from_bits`; `to_bits`, if numpy cannot read its arrays; `differentiates` and
    `gradient`, if it has gradients; `devices`, `find_device` and `wait`, if it has devices.

    Only function and gradient run in the function's floating-point environment. What is done with
    arrays here must not leave numbers to threads of the library, which may be in that: it moves
    bits.
    """

    package: str | None = None
    """What pip installs; the name of the library if None."""

    differentiates = False
    """Whether it has gradients."""

    has_views = False
    """Whether a part of an array is a view of it: at any address, with any step."""

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
        self.provenance: Mapping[str, str] = {}
        """What results depend on beside the function: the library, and where it computes."""

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.library, self.dtype, self.result, self.device)

    # What a library may say

    @classmethod
    def prepare(cls) -> None:
        """Do what has to be done in a process before anybody imports the library."""
        for variable, value in cls.settings.items():
            os.environ.setdefault(variable, value)

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
        return str(array.dtype).rpartition(".")[2]

    def shaped(self, array: Any, shape: tuple[int, ...]) -> Any:
        """Return an array of that shape, of the same numbers in the same order."""
        return array.reshape(shape)

    def flat(self, array: Any) -> Any:
        """Return an array with one axis, of the same numbers in the same order."""
        return self.shaped(array, (-1,))

    def same(self, array: Any, bits: Bits) -> bool:
        """Return whether an array holds these bits still: −0 is not 0."""
        import numpy as np

        return bool(np.array_equal(self.to_bits(array), bits))

    def version(self) -> str:
        """Return the version of the library."""
        return str(self.module.__version__)

    def machine(self) -> str:
        """Return the device in words, if there is a choice: what figures depend on."""
        return ""

    # What holds for all

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
                there = ", ".join(self.devices())
                raise UsageError(
                    f"--device {self.device}: {self.library} has {there} here"
                ) from None
            facts = {"library": f"{self.library} {self.version()}", "device": self.machine()}
            self.provenance = {name: fact for name, fact in facts.items() if fact}
        for number_format in {self.dtype.name: self.dtype, self.result.name: self.result}.values():
            self.check_format(number_format)

    def __call__(
        self,
        function: Function,
        x: Floats,
        *,
        upstream: float | None = None,
        differentiate: bool = False,
        guest: Guest | None = None,
        view: Callable[[Any], Any] = as_it_is,
        length: int | None = None,
    ) -> Floats:
        """Return function(x), or function(upstream, x), or its derivative times the upstream.

        The function gets a view of x, and its result may have the shape of that: it has as many
        numbers, in the same order. A `length` cuts x into calls of that length. It runs in the
        floating-point environment of `guest`, by default the caller's.

        Raises `RaisedError` with what it raises, `ResultError` where the result is no array like x,
        or x is written into, `UsageError` where the library or its device lack something.
        """
        import numpy as np

        from gelu_cli.arithmetic.format_arrays import to_bits, to_floats

        guest = guest or Guest()
        self.start(guest)
        bits = to_bits(self.dtype, x)
        parts = [bits] if length is None else bits.reshape(-1, length)
        call = partial(self._judged, function, view, differentiate)
        results = [self._bits_of(call, part, upstream, guest) for part in parts]
        return to_floats(self.result, np.concatenate(results))

    def _bits_of(self, call: Function, bits: Bits, upstream: float | None, guest: Guest) -> Bits:
        """Return the bits of the results of one call, which may be a view of their memory."""
        import numpy as np

        from gelu_cli.arithmetic.format_arrays import to_bits

        x = self.from_bits(bits.copy())
        above = []
        if upstream is not None:
            (value,) = to_bits(self.dtype, np.array([upstream]))
            above = [self.from_bits(np.full_like(bits, value))]
        with guest.running(SINCE_A_CALL):
            try:
                result = call(*above, x)
            except (KeyboardInterrupt, ResultError):
                raise
            except BaseException as error:
                raise RaisedError(error.with_traceback(_theirs(error.__traceback__))) from None
        if not self.same(x, bits):
            raise ResultError(OVERWRITES)
        results = self.to_bits(result)
        if results.shape != bits.shape:
            raise ResultError(f"returned an array of {results.shape} that says {bits.shape}")
        return results

    def _judged(
        self, function: Function, view: Callable[[Any], Any], differentiate: bool, *given: Any
    ) -> Any:
        """Return what is judged of one call with x, or (upstream, x): results, or the gradient."""
        *above, x = given
        shape = tuple(x.shape)
        due = self.dtype if differentiate else self.result

        def viewing(*arrays: Any) -> Any:
            views = [view(each) for each in arrays]
            result = function(*views)
            self._check(result, tuple(views[-1].shape), due)
            return result if tuple(result.shape) == shape else self.flat(result)

        result = self.gradient(viewing, x, *above) if differentiate else viewing(*given)
        self.wait(result)
        self._check(result, shape, self.result)
        return result

    def _check(self, result: Any, shape: tuple[int, ...], due: Format) -> None:
        if not self.is_array(result):
            raise ResultError(f"returned {type(result).__name__}, no array of {self.library}")
        if tuple(result.shape) != shape:
            raise ResultError(f"returned the shape {tuple(result.shape)} for inputs of {shape}")
        name = self.dtype_of(result)
        if name != due.name:
            raise ResultError(
                f"returned {name} for inputs of {self.dtype.name}: return {due.name}, or name the "
                "format of results by --result"
            )


def _theirs(traceback: TracebackType | None) -> TracebackType | None:
    """Return a traceback from the first line on that is not of this package."""
    ours = __name__.partition(".")[0]
    while traceback and traceback.tb_frame.f_globals.get("__name__", "").startswith(f"{ours}."):
        traceback = traceback.tb_next
    return traceback


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
    """Return the kind of backend of that name; raises `UsageError` where there is none."""
    names = backend_names()
    if name not in names:
        raise unknown("backend", name, names)
    kind: type[Backend] = import_module(f"{__name__}.{name}").Arrays
    return kind


def find_backend(
    name: str, dtype: Format, result: Format | None = None, device: str | None = None
) -> Backend:
    """Return the backend of that name; raises `UsageError` where there is none.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> import numpy as np
    >>> find_backend("numpy", FORMATS["float64"])(np.reciprocal, np.array([1.0, 3.0]))
    array([1.        , 0.33333333])
    """
    return backend_class(name)(name, dtype, result, device)
