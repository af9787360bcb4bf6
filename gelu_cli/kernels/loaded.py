"""A kernel that is ready to be called, and its faults on their way to the caller."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.kernels.description import Kernel
from gelu_cli.kernels.environment import Environment

Array: TypeAlias = NDArray[Any]


class Fault(Exception):
    """Something that a kernel should not do; the text ends a sentence: "returned a list".

    `said` are the last lines that a program has written.
    """

    def __init__(self, what: str, said: Sequence[str] = ()) -> None:
        super().__init__(what)
        self.said = said


class RaisedError(Exception):
    """An exception of the user's code, `error`."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


class Loaded(ABC):
    """A kernel that this process has loaded.

    `facts` name what results depend on: a library and its version, a device.
    """

    declared = ""  # how it is called, for a message if it ends its process
    differentiates = False  # whether a library computes its gradients
    compiles = False  # whether its next call takes longer than others

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.environment = Environment()
        self.facts: dict[str, str] = {}

    @abstractmethod
    def results(self, upstream: Array | None, inputs: Sequence[Array]) -> Array:
        """Call the kernel with arrays in the order that it takes; raises Fault or RaisedError."""

    def remedy(self, error: BaseException) -> str:
        """Name what helps a kernel that raises an error, as the end of a message."""
        return ""


def same(one: Array, other: Array) -> bool:
    """Compare the bits of arrays: −0 is not 0."""
    return np.array_equal(one.view(f"u{one.itemsize}"), other.view(f"u{other.itemsize}"))
