"""Call the user's code, and routines of our own.

`Kernel` describes one, `call` calls it with arrays of its format, `workers.run` does work in
processes, where code can harm nobody. Nothing here knows what results should be.
"""

from typing import TYPE_CHECKING, Any

from gelu_cli.kernels.description import FUNCTION, LIBRARY, PROGRAM, ROUTINE, Kernel
from gelu_cli.kernels.routines import ROUTINES

if TYPE_CHECKING:
    from gelu_cli.kernels.calling import call, facts, notes

__all__ = ["FUNCTION", "LIBRARY", "PROGRAM", "ROUTINE", "ROUTINES", "Kernel"]
__all__ += ["call", "facts", "notes"]


def __getattr__(name: str) -> Any:
    """Import what needs numpy on first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gelu_cli.kernels import calling

    return getattr(calling, name)
