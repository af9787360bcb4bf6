"""A function of the user's own, and how it is called."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from math import isnan, nan
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.environment import STANDARD, State

if TYPE_CHECKING:
    from gelu_cli.old.arithmetic.format_arrays import Bits, Floats

SIGNATURES: Mapping[str, str] = {
    "array": "void f(const T *x, T *y, size_t n)",
    "scalar": "T f(T x)",
}
"""What a C function may be; T is the C type of the format, 16- and 8-bit numbers are patterns."""

BACKWARDS: Mapping[str, str] = {
    "autograd": "the library differentiates the function",
    "own": "the function is a backward pass: (upstream, x) → dx, or with --glu "
    "(upstream, gate, up) → (dgate, dup)",
}
"""How gradients come about."""

PACKINGS: Mapping[str, str] = {
    "halves": "all gates, then all ups",
    "interleaved": "each gate before its up",
}
"""How one array has both inputs of each result."""

SEPARATE, UPSTREAM = "separate", "upstream"
"""Two arrays, for a function of both, or for one of x and the gradient from above."""

INPUTS_OF_TWO = ("gate", "up"), ("x", "upstream")
"""What the inputs are called: those of a GLU, and of a gradient with several upstreams."""

OWN = "add --backward for (upstream, x) → dx"
OWN_OF_PAIRS = "(upstream, gate, up) → (dgate, dup)"
NOTHING: Mapping[str, str] = MappingProxyType({})


UP_GRADIENT = "up_gradient"
"""The quantity that is a derivative by the second input."""


def arguments(second: str, x: Bits, *, up_first: bool = False) -> list[Bits]:
    """Return the arrays that calls of a function get, of the bits of x or of pairs of inputs.

    Calls are along the last axis but one, if there are several; arrays may be views of x.

    >>> import numpy as np
    >>> [each.tolist() for each in arguments("interleaved", np.array([[1, 2], [3, 4]]))]
    [[1, 3, 2, 4]]
    """
    if not second:
        return [x]
    if up_first:
        x = x[::-1]
    if second in (SEPARATE, UPSTREAM):
        return [*x] if second == SEPARATE else [*x[::-1]]
    pairs = x.swapaxes(0, -2) if second == "halves" else x.transpose(*range(1, x.ndim), 0)
    return [pairs.reshape(*x.shape[1:-1], 2 * x.shape[-1])]


class Surrounding(NamedTuple):
    """One way to call a function with inputs that it had: in calls of a length, or laid out so."""

    name: str
    length: int = 0
    """How many inputs a call has; 0 for a block."""


class TrespassError(ComputationError):
    """A C function has written where it must not."""


class Calling(NamedTuple):
    """How a kernel of the user's is called.

    `dtype` is the format of x, `result` that of results. `backward` is one of `BACKWARDS`; None is
    autograd, unless the function says that it is a backward pass. `upstream`, a number of the
    format of x, is the gradient from above, by which gradients are multiplied. `backend` is the
    library whose arrays a Python function takes, None where it is to be found out; `device` is
    where they are, in its words, and None its default. `batch` is how many inputs a call has, None
    as the sweep is cut. A C function has a `signature`, one of `SIGNATURES`. One call may take
    `timeout` seconds.
    """

    dtype: Format
    result: Format
    quantity: str = "value"
    second: str = ""
    """How a function gets two inputs: `SEPARATE`, `UPSTREAM`, one of `PACKINGS`; nothing of one."""

    backward: str | None = None
    upstream: float = 1.0
    backend: str | None = None
    device: str | None = None
    batch: int | None = None
    signature: str = "array"
    timeout: float | None = None
    up_first: bool = False
    """Whether a function of two inputs takes (up, gate), not (gate, up)."""

    @property
    def asked(self) -> dict[str, Any]:
        """How a function is called, in words and numbers by name, as JSON has them."""
        return {name: getattr(self, name) for name in ("backward", "backend", "device", "batch")}

    def at(self, x: Floats) -> str:
        """Return an input, or both of a pair, as messages have them.

        >>> import numpy as np
        >>> from gelu_cli.old.arithmetic.formats import FORMATS
        >>> half = FORMATS["float16"]
        >>> Calling(half, half, second=SEPARATE).at(np.array([1.0, -0.5]))
        'gate = 1.0, up = -0.5'
        """
        names = INPUTS_OF_TWO[self.second == UPSTREAM] if self.second else ("x",)
        numbers = x.ravel().tolist()
        return ", ".join(f"{n} = {v!r}" for n, v in zip(names, numbers, strict=True))


class UsersFunction(ABC):
    """A function of the user's own as an `Implementation`, in whatever process it runs.

    `name` is what it is called in the report, `asked` how it was asked for, in words and numbers as
    JSON has them. `environments` are the floating-point environments it was seen in, each with
    since when. `provenance` is what its results depend on beside itself, by a word each: a library,
    a device. `differentiated` says whether its gradients are its library's, so that it returns
    values itself. `ways` are the other surroundings that it can be called in: "lengths", and some
    of the `LAYOUTS`.
    """

    name: str
    calling: Calling
    asked: Mapping[str, Any]
    environments: Mapping[State, str]
    provenance: Mapping[str, str] = NOTHING
    differentiated: bool = False
    ways: Sequence[str] = ()
    process: Any = None
    """The process of its own that it has now, a `Worker` or a `Pipe`."""

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions of libraries of arrays that are imported where it runs, by their names."""
        return NOTHING

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

    def close(self) -> None:
        """End the process that it has of its own, if any."""
        if self.process:
            self.process.close()
            self.process = None

    def kill(self) -> None:
        """End that process and its children at once; a handler of signals may call this."""
        if self.process:
            self.process.kill()

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
    numbers = [v for v in x.ravel().data if not isnan(v)]
    least, largest = (each(numbers, default=nan) for each in (min, max))
    what = "inputs" if x.ndim == 1 else "pairs of inputs"
    return f"{name} was given {x.shape[-1]:,} {what}, from {least!r} to {largest!r},"


def environment_notes(environments: Mapping[State, str]) -> list[str]:
    """Return a sentence where one of the environments of a function is not the standard one."""
    others = {state: since for state, since in environments.items() if state != STANDARD}
    effects = "; ".join(f"{state.effects} ({since})" for state, since in others.items())
    return [f"while it runs, {effects}; judging is not affected"] if effects else []


def refuse_gradients(kernel: str, calling: Calling) -> None:
    """Raise `UsageError` where a kernel that nobody differentiates would have to be."""
    if calling.backward == "autograd":
        raise UsageError(
            f"{kernel} is not differentiated; {OWN}"
        )
    if (calling.upstream != 1 or calling.second == UPSTREAM) and calling.backward != "own":
        raise UsageError(f"--up: {kernel} gets x alone; {OWN}")
