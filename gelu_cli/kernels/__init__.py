"""Call kernels: user code, and the built-in routines.

A `Kernel` says how a kernel is called, and can be pickled for other processes. `call` calls a
kernel with arrays. `workers.run` runs a task in worker processes, so that a crash of user code does
not end gelu. Nothing in this package knows the expected results.
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
    """A function of the user or a built-in routine, and how to call it.

    Parameters
    ----------
    label
        The name in tables and messages.
    target
        A routine, MODULE:FUNCTION, FILE.py:FUNCTION, FILE.so:SYMBOL, a command, or a callable.
    kind
        ROUTINE, FUNCTION, LIBRARY or PROGRAM.
    dtype, result
        Names of the formats of inputs and results.
    quantity
        `value` or `gradient`; for a GLU `value`, `gate_gradient` or `up_gradient`.
    glu, up_first
        True if the function takes a gate and an up; True if it takes the up first.
    packed
        One of `PACKINGS`: the layout of gates and ups in one array; "" if they are two arrays.
    backward
        True for a backward pass, whose first input is an array of upstream gradients.
    upstream
        The upstream gradient at all inputs, unless `call` gets an array of upstream gradients.
    backend, device, arguments
        The array library ("" for that of the function), the device ("" for the default of the
        library), keyword arguments of the function.
    signature
        For a C function: `array`, or `scalar` if the function takes and returns single numbers.
    compute
        The name of the format of a routine's operations, "" for the format of inputs.
    timeout
        The time limit of a call in a worker, in seconds.
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
        """Number of arrays that the function takes: one, two or three."""
        return 1 + (self.glu and not self.packed) + self.backward

    @property
    def isolated(self) -> bool:
        """True if the kernel is user code that has to run in a worker."""
        return self.kind != ROUTINE and isinstance(self.target, str)

    @property
    def formats(self) -> tuple[Format, Format]:
        """The formats of inputs and results."""
        from gelu_cli.numbers.formats import FORMATS  # late: the import loads Arb

        return FORMATS[self.dtype], FORMATS[self.result]

    @property
    def wrt(self) -> int:
        """Index, in call order, of the input (gate or up) to differentiate by."""
        return int((self.quantity == "up_gradient") != self.up_first)


def __getattr__(name: str) -> Any:
    """Import `call`, `facts` and `notes`, which need numpy, on first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gelu_cli.kernels import calling

    return getattr(calling, name)
