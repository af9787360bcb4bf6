"""Call the user's code, and routines of our own.

`Kernel` describes one: data that travels between processes. `call` calls it with arrays of its
format, `workers.run` does work in processes, where code can harm nobody. Nothing here knows what
results should be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gelu_cli.kernels.routines import ROUTINES

if TYPE_CHECKING:
    from gelu_cli.kernels.calling import call, facts, notes
    from gelu_cli.numbers.formats import Format

__all__ = ["BACKENDS", "FUNCTION", "LIBRARY", "PACKINGS", "PROGRAM", "ROUTINE", "ROUTINES"]
__all__ += ["SIGNATURES", "Kernel", "call", "facts", "notes"]

ROUTINE, FUNCTION = "routines", "Python functions"
LIBRARY, PROGRAM = "C functions", "programs"
SIGNATURES = ("array", "scalar")
PACKINGS = ("halves", "interleaved")
BACKENDS = ("numpy", "torch", "jax")


@dataclass(frozen=True)
class Kernel:
    """A function of the user, or a routine, and how it is called.

    Parameters
    ----------
    label
        The name in answers and messages.
    target
        A routine, MODULE:FUNCTION, FILE.py:FUNCTION, FILE.so:SYMBOL, a command, or a callable.
    kind
        ROUTINE, FUNCTION, LIBRARY or PROGRAM.
    dtype, result
        Names of the formats of inputs and results.
    quantity
        value or gradient; of a GLU value, gate_gradient or up_gradient.
    glu, packed, up_first
        Whether the function takes a gate and an up; how, if one array has both; whether the up
        comes first.
    backward, upstream
        Whether the function is a backward pass, whose first input are upstream gradients; their
        value, unless the caller has an array of them.
    backend, device, arguments
        The array library, by default the function's own; the device; arguments by name.
    signature
        Whether a C function is one of arrays or of a number.
    compute
        The format of a routine's operations, by default that of its inputs.
    timeout
        The seconds that a call in a worker may take.
    """

    label: str
    target: str | Callable[..., Any] = field(hash=False)
    kind: str
    dtype: str
    result: str
    quantity: str = "value"
    glu: bool = False
    packed: str = ""
    up_first: bool = False
    backward: bool = False
    upstream: float = 1.0
    backend: str = ""
    device: str = ""
    arguments: tuple[tuple[str, Any], ...] = field(default=(), hash=False)
    signature: str = "array"
    compute: str = ""
    timeout: float | None = None

    @property
    def inputs(self) -> int:
        """The number of arrays that the function takes: one, two or three."""
        return 1 + (self.glu and not self.packed) + self.backward

    @property
    def isolated(self) -> bool:
        """True if the kernel, code of the user, has to run in a worker."""
        return self.kind != ROUTINE and isinstance(self.target, str)

    @property
    def formats(self) -> tuple[Format, Format]:
        """The formats of inputs and results."""
        from gelu_cli.numbers.formats import FORMATS  # late: it imports Arb

        return FORMATS[self.dtype], FORMATS[self.result]

    @property
    def place(self) -> int:
        """The place of the input by which a gradient is taken, among gate and up."""
        return int((self.quantity == "up_gradient") != self.up_first)


def __getattr__(name: str) -> Any:
    """Import what needs numpy on first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gelu_cli.kernels import calling

    return getattr(calling, name)
