"""Kernels as tests make them: descriptions, inputs as units, calls in workers."""

from typing import Any, NamedTuple

import numpy as np

from gelu_cli.errors import GeluError
from gelu_cli.kernels import FUNCTION, LIBRARY, PROGRAM, ROUTINE, ROUTINES, Kernel, call, workers
from gelu_cli.numbers import FORMATS


def kernel(target: Any, dtype: str = "float32", result: str = "", kind: str = "", **how: Any):
    """Describe a kernel; a word says by itself what it is."""
    word = str(target)
    if not kind:
        kind = ROUTINE if word in ROUTINES else LIBRARY if ".so:" in word else FUNCTION
    return Kernel(word, target, kind, dtype, result or dtype, **how)


def program(command: str, dtype: str = "float32", result: str = "", **how: Any) -> Kernel:
    """Describe a program."""
    return kernel(command, dtype, result, kind=PROGRAM, **how)


def array(numbers: Any, dtype: str = "float32") -> Any:
    """Make an array of a format."""
    return np.asarray(numbers, np.float64).astype(FORMATS[dtype].dtype)


def every(dtype: str) -> Any:
    """Make an array of every bit pattern of an 8- or 16-bit format."""
    of = FORMATS[dtype]
    return np.arange(1 << of.width, dtype=f"u{of.width // 8}").view(of.dtype)


class Unit(NamedTuple):
    """Inputs of one call."""

    arrays: tuple[Any, ...]

    def __str__(self) -> str:
        return f"{len(self.arrays[0])} inputs"


class Calls(NamedTuple):
    """A task: the results of a kernel at a unit."""

    kernel: Kernel

    def __call__(self, unit: Unit) -> Any:
        return call(self.kernel, *unit.arrays)


def in_workers(described: Kernel, *arrays: Any, jobs: int = 1) -> Any:
    """Call a kernel in a worker."""
    ((_, got),) = workers.run(Calls(described), [Unit(arrays)], jobs=jobs)
    return got


def fault(described: Kernel, *arrays: Any, isolated: bool = False) -> tuple[int, str]:
    """Call a kernel that fails; return the exit code and the message."""
    try:
        got = in_workers(described, *arrays) if isolated else call(described, *arrays)
    except GeluError as error:
        return error.exit_code, str(error)
    return 0, f"returned {got}"
