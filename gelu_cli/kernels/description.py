"""The description of a kernel: plain data, which travels between processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gelu_cli.numbers.formats import Format

ROUTINE, FUNCTION = "routines", "Python functions"
LIBRARY, PROGRAM = "C functions", "programs"

SIGNATURES = ("array", "scalar")
PACKINGS = ("halves", "interleaved")
BACKENDS = ("numpy", "torch", "jax")

UP_GRADIENT = "up_gradient"
"""The gradient by the second input."""


@dataclass(frozen=True)
class Kernel:
    """A function of the user, or a routine, and how it is called.

    Two are equal if they are the same function called the same way.
    """

    label: str
    """The name in answers and messages."""
    target: str | Callable[..., Any] = field(hash=False)
    """A routine, MODULE:FUNCTION, FILE.py:FUNCTION, FILE.so:SYMBOL, a command, or a callable."""
    kind: str
    """One of ROUTINE, FUNCTION, LIBRARY, PROGRAM."""
    dtype: str
    """The format of the inputs."""
    result: str
    """The format of the results."""
    quantity: str = "value"
    """value, gradient, or of a GLU gate_gradient or up_gradient."""
    glu: bool = False
    """Whether the function takes a gate and an up."""
    backward: bool = False
    """Whether the function is a backward pass: an upstream gradient comes before other inputs."""
    upstream: float = 1.0
    """The factor of gradients, unless there is an array of them."""
    packed: str = ""
    """How one array has gates and ups: "halves", "interleaved"; "" if there are two arrays."""
    up_first: bool = False
    """Whether the up comes before the gate."""
    backend: str = ""
    """The array library; "" for the function's own."""
    device: str = ""
    arguments: tuple[tuple[str, Any], ...] = field(default=(), hash=False)
    """Arguments by name."""
    signature: str = "array"
    """How a C function is declared: of arrays or of one number."""
    compute: str = ""
    """The format of a routine's operations; "" for that of its results."""
    timeout: float | None = None
    """Seconds that a call in a worker, or a program, may take."""

    @property
    def inputs(self) -> int:
        """The number of arrays that the function takes: one, two or three."""
        return 1 + (self.glu and not self.packed) + self.backward

    @property
    def isolated(self) -> bool:
        """Whether the code has to run in a worker: a word names it, and it may do anything."""
        return self.kind != ROUTINE and not callable(self.target)

    @property
    def formats(self) -> tuple[Format, Format]:
        """The formats of inputs and results."""
        from gelu_cli.numbers.formats import FORMATS

        return FORMATS[self.dtype], FORMATS[self.result]

    def at(self, numbers: Sequence[float]) -> str:
        """Show one input: x, x and an upstream gradient, or a gate and an up.

        >>> Kernel("f", "f", ROUTINE, "float16", "float16", glu=True).at([1.0, -0.5])
        'gate = 1.0, up = -0.5'
        """
        names = ("gate", "up", "upstream") if self.glu else ("x", "upstream")
        return ", ".join(f"{n} = {float(v)!r}" for n, v in zip(names, numbers, strict=False))
