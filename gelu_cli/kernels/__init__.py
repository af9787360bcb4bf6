"""The user's code: functions of Python, torch and jax, C functions, programs; and our routines.

`Kernel` describes one, `call` calls it with arrays of its format, `workers.run` does work in
processes that it cannot harm. Nothing here knows what results should be.
"""

from typing import Any

from gelu_cli.kernels import workers
from gelu_cli.kernels.description import (
    BACKENDS,
    FUNCTION,
    LIBRARY,
    PACKINGS,
    PROGRAM,
    ROUTINE,
    SIGNATURES,
    UP_GRADIENT,
    Kernel,
)
from gelu_cli.kernels.routines import ROUTINES, Routine

TYPE_CHECKING = False

if TYPE_CHECKING:
    from gelu_cli.kernels.calling import call, facts, notes

OF_CALLING = ("call", "facts", "notes")
"""Functions that need numpy, and are imported on first use."""


def __getattr__(name: str) -> Any:
    if name not in OF_CALLING:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gelu_cli.kernels import calling

    return getattr(calling, name)


__all__ = [
    "BACKENDS",
    "FUNCTION",
    "LIBRARY",
    "PACKINGS",
    "PROGRAM",
    "ROUTINE",
    "ROUTINES",
    "SIGNATURES",
    "UP_GRADIENT",
    "Kernel",
    "Routine",
    "call",
    "facts",
    "notes",
    "workers",
]
