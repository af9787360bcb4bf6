"""A function of the user's own, and how it is called."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from math import isnan, nan
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from gelu_cli.arithmetic.formats import Format
from gelu_cli.environment import STANDARD, State
from gelu_cli.errors import ComputationError

if TYPE_CHECKING:
    from gelu_cli.arithmetic.format_arrays import Floats

SIGNATURES: Mapping[str, str] = {
    "array": "void f(const T *x, T *y, size_t n)",
    "scalar": "T f(T x)",
}
"""What a C function may be; T is the C type of the format, 16- and 8-bit numbers are patterns."""

BACKWARDS: Mapping[str, str] = {
    "autograd": "the library differentiates the function",
    "own": "the function is a backward pass: (upstream, x) → dx",
}
"""How gradients come about."""

LIBRARIES = (
    "torch", "triton", "jax", "jaxlib", "tensorflow", "keras", "cupy", "mlx", "numba",
    "onnxruntime", "numpy", "scipy", "ml_dtypes",
)  # fmt: skip
"""What a function may compute with: packages that are imported by the same name."""


class Surrounding(NamedTuple):
    """One way to call a function with inputs that it had: in calls of a length, or laid out so."""

    name: str
    length: int = 0
    """How many inputs a call has; 0 for a block."""

    shuffled: bool = False


class TrespassError(ComputationError):
    """A C function has written where it must not."""


class Calling(NamedTuple):
    """How a kernel of the user's is called: formats, gradients, where it runs, inputs a call."""

    dtype: Format
    """The format of x."""

    result: Format
    """The format of results."""

    quantity: str = "value"
    backward: str | None = None
    """One of `BACKWARDS`; if None, autograd, unless the function says that it is a backward."""

    upstream: float = 1.0
    """The gradient from above, a number of the format of x; gradients are multiplied by it."""

    backend: str | None = None
    """The library whose arrays a Python function takes; found out if None."""

    device: str | None = None
    """Where its arrays are, in the words of that library; its default if None."""

    batch: int | None = None
    """How many inputs a call has; as the sweep is cut if None."""

    signature: str = "array"
    """Of a C function: one of `SIGNATURES`."""

    timeout: float | None = None
    """Seconds that one call may take."""


class UsersFunction(ABC):
    """A function of the user's own as an `Implementation`, in whatever process it runs."""

    name: str
    """What it is called in the report."""

    calling: Calling

    differentiated: bool
    """Whether its gradients are its library's, so that it returns values itself."""

    environments: Mapping[State, str]
    """The floating-point environments it was seen in, each with since when."""

    ways: Sequence[str] = ()
    """The other surroundings that it can be called in: "lengths", and some of the `LAYOUTS`."""

    @property
    def asked(self) -> Mapping[str, Any]:
        """How it was asked for and is called: words and numbers by name, as JSON has them."""
        calling = self.calling
        return {
            "backward": calling.backward,
            "backend": calling.backend,
            "device": calling.device,
            "batch": calling.batch,
        }

    @property
    def provenance(self) -> Mapping[str, str]:
        """What its results depend on beside itself, by a word each: a library, a device."""
        return MappingProxyType({})

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions of libraries of arrays that are imported where it runs, by their names."""
        return MappingProxyType({})

    @property
    def notes(self) -> list[str]:
        """A sentence where one of the environments is not the standard one."""
        return environment_notes(self.environments)

    def load(self, first: Floats) -> None:  # noqa: B027 (most have nothing to do)
        """Make it ready to be called; `first` are inputs of a call that may come before others.

        Raises `UsageError` and `ComputationError` where that fails.
        """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:  # noqa: B027 (most have no process of their own)
        """End the process that it has of its own, if any."""

    def kill(self) -> None:  # noqa: B027
        """End that process and its children at once; a handler of signals may call this."""

    @abstractmethod
    def __call__(self, x: Floats) -> Floats:
        """Return the results that are judged at x, in its type; raises `ComputationError`.

        They stay what they are until the next call.
        """

    def values(self, x: Floats) -> Floats:
        """Return what the function itself returns at x, even where gradients are judged."""
        return self(x)

    def around(self, x: Floats, surrounding: Surrounding) -> Floats:
        """Return the results that are judged at x, called in another surrounding, one of `ways`.

        If the surrounding has a length, x is cut into calls of that length, which divides it; else
        there is one call. Raises `ComputationError` where the function does not take that.
        """
        raise NotImplementedError(f"{self.name} is called in no other surroundings")


def was_given(name: str, x: Floats) -> str:
    """Return the beginning of a sentence on a call that failed: who had which inputs."""
    # By Python alone: to import numpy may fail after a function that has spoilt its process.
    least, largest = (each((v for v in x.data if not isnan(v)), default=nan) for each in (min, max))
    return f"{name} was given {len(x):,} inputs, from {least!r} to {largest!r},"


def environment_notes(environments: Mapping[State, str]) -> list[str]:
    """Return a sentence where one of the environments of a function is not the standard one."""
    others = {state: since for state, since in environments.items() if state != STANDARD}
    effects = "; ".join(f"{state.effects} ({since})" for state, since in others.items())
    return [f"while it runs, {effects}; judging is not affected"] if effects else []
