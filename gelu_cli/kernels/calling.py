"""Call a kernel with arrays; return its results, or raise an error."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.errors import ComputationError, GeluError, UsageError, described
from gelu_cli.kernels import FUNCTION, LIBRARY, PROGRAM, ROUTINE, Kernel, workers
from gelu_cli.kernels.environment import Environment

Array: TypeAlias = NDArray[Any]


class Fault(Exception):
    """A fault of a kernel.

    The first argument ends the sentence "K was given 8 inputs, from 0.0 to 1.0, and …". The other
    arguments are the last lines that a program wrote to stderr.
    """


class Loaded:
    """A loaded kernel; `facts` are its library, version and device."""

    declared = ""  # the expected C declaration, which ends the message on a crash
    differentiates = False  # True if the array library can differentiate the kernel

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.environment = Environment()
        self.facts: dict[str, str] = {}

    def results(self, upstream: Array | None, inputs: Sequence[Array]) -> Array:
        """Call it with arrays in its argument order; raise Fault or any error."""
        raise NotImplementedError


def same(one: Array, other: Array) -> bool:
    """Return True if the bits of two arrays are equal: −0 is not 0."""
    return np.array_equal(one.view(f"u{one.itemsize}"), other.view(f"u{other.itemsize}"))


KINDS = {  # by type of kernel: a module, imported when a kernel is loaded, and a class in it
    ROUTINE: ("arithmetic", "RoutineCalls"),
    FUNCTION: ("python_functions", "PythonFunction"),
    LIBRARY: ("native", "CFunction"),
    PROGRAM: ("native", "Program"),
}
TO_IMPORT = 60.0  # seconds that loading a kernel may take beyond its timeout
VECTORIZE = "; wrap a function of one number in numpy.vectorize"
OF_NUMBERS = ("scalar", "truth value", "real number")  # in errors if scalar code gets arrays


def call(kernel: Kernel, *arrays: Array) -> Array:
    """Call a kernel; each process loads it once.

    `arrays` are x, or gates and ups. For gradients an array of upstream gradients follows, unless
    each upstream gradient is `kernel.upstream`. Arrays are one-dimensional, of the numpy dtype of
    `kernel.dtype`; the result has the dtype of `kernel.result`, and may be a view of an input.

    Raises
    ------
    UsageError
        If the kernel is not found, or takes no upstream gradient and gets one.
    ComputationError
        If the kernel fails, or does not return an array of the expected shape and format.

    Examples
    --------
    >>> kernel = Kernel("erfc", "erfc", ROUTINE, "float16", "float16")
    >>> call(kernel, np.array([-1, 0, 1], np.float16)).tolist()
    [-0.15869140625, 0.0, 0.84130859375]
    """
    loaded = load(kernel)
    scaled = kernel.upstream != 1 or len(arrays) > 1 + kernel.glu
    if scaled and not (kernel.backward or loaded.differentiates):
        raise UsageError(
            f"--up: {kernel.label} takes no upstream gradient; add --glu for (gate, up) → y, "
            "or --backward for (upstream, x) → dx"
        )
    upstream, inputs = _arranged(kernel, arrays)
    held = workers.Held(kernel.label, hint=loaded.declared, within=kernel.timeout)
    try:
        with workers.holding(held), np.errstate(all="ignore"):
            return loaded.results(upstream, inputs)
    except Fault as fault:
        what, *lines = fault.args
        raise ComputationError(f"{_was_given(kernel, arrays)} and {what}", said=lines) from None
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and not workers.is_worker():
            raise
        what = described(error)
        what += VECTORIZE if any(each in what for each in OF_NUMBERS) else ""
        raise ComputationError(f"{_was_given(kernel, arrays)} and raised {what}") from error


@lru_cache(maxsize=64)
def load(kernel: Kernel) -> Loaded:
    """Load a kernel into this process, once; raise errors as `call` does."""
    within = kernel.timeout and kernel.timeout + TO_IMPORT
    module, name = KINDS[kernel.kind]
    try:
        with workers.holding(workers.Held(kernel.label, "was being loaded", within=within)):
            loaded: Loaded = getattr(import_module(f"gelu_cli.kernels.{module}"), name)(kernel)
            return loaded
    except (GeluError, KeyboardInterrupt):
        raise
    except BaseException as error:  # user code may raise anything
        fault = f"{kernel.label} was being loaded and raised {described(error)}"
        raise ComputationError(fault) from error


def notes(kernel: Kernel) -> list[str]:
    """Return a note if a kernel changes the floating-point environment."""
    seen = load(kernel).environment.seen
    return [f"while it runs, {'; '.join(seen)}; exact values are not affected"] if seen else []


def facts(kernel: Kernel) -> dict[str, str]:
    """Return the library, version and device that results depend on."""
    return load(kernel).facts


def _arranged(kernel: Kernel, arrays: Sequence[Array]) -> tuple[Array | None, list[Array]]:
    """Return upstream gradients, and the inputs in the function's order."""
    count = 1 + kernel.glu
    inputs = [*arrays[:count]]
    upstream = arrays[count] if len(arrays) > count else None
    if upstream is None and kernel.quantity != "value":
        upstream = np.full_like(inputs[0], kernel.upstream)
    if kernel.up_first:
        inputs.reverse()
    if kernel.packed == "halves":
        inputs = [np.concatenate(inputs)]
    elif kernel.packed:
        inputs = [np.stack(inputs, 1).ravel()]
    return upstream, inputs


def _was_given(kernel: Kernel, arrays: Sequence[Array]) -> str:
    """Return the beginning of the message on a failed call."""
    count, numbers = len(arrays[0]), np.stack(arrays).astype(np.float64)
    least, most = float(np.fmin.reduce(numbers, None)), float(np.fmax.reduce(numbers, None))
    what = ("pair" if len(arrays) > 1 else "input") + "s" * (count != 1)
    return f"{kernel.label} was given {count:,} {what}, from {least!r} to {most!r},"
