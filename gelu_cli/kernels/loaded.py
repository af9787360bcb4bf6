"""A kernel that is ready to be called, and its faults on their way to the caller."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from gelu_cli.kernels.arithmetic import Array
from gelu_cli.kernels.description import Kernel
from gelu_cli.kernels.environment import Environment


class Fault(Exception):
    """A kernel that does other than it should; the text ends a sentence: "returned a list"."""

    def __init__(self, what: str, said: Sequence[str] = ()) -> None:
        super().__init__(what)
        self.said = said
        """The last lines that a program has written."""


class RaisedError(Exception):
    """An exception of the user's code, `error`."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


class Loaded(ABC):
    """A kernel that this process has loaded."""

    declared = ""
    """The end of a message if it ends its process: how it is called."""
    differentiates = False
    """Whether a library computes its gradients."""
    compiles = False
    """Whether the first call takes longer than others."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.environment = Environment()
        self.facts: dict[str, str] = {}
        """What results depend on: a library and its version, a device."""
        self.calls = 0

    @abstractmethod
    def results(self, upstream: Array | None, inputs: Sequence[Array]) -> Array:
        """Call the kernel.

        Parameters
        ----------
        upstream
            Upstream gradients, of gradients that a library or a backward pass computes.
        inputs
            The other arrays, in the order that the function takes.

        Raises
        ------
        Fault, RaisedError
            If it fails.
        """

    def remedy(self, upstream: Array | None, inputs: Sequence[Array]) -> str:
        """Find what helps a function that raises at these inputs, as the end of a message."""
        return ""


def same(one: Array, other: Array) -> bool:
    """Compare the bits of arrays: −0 is not 0."""
    return np.array_equal(one.view(f"u{one.itemsize}"), other.view(f"u{other.itemsize}"))
