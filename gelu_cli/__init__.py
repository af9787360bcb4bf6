"""Numerical analysis of the GELU activation, GELU(x) = x·Φ(x).

The command line is `gelu`; the same answers are one call away here:

>>> from gelu_cli import gelu, gelu_gradient
>>> gelu(1.0), gelu_gradient(1.0)
(0.8413447460685429, 1.0833154705876864)
"""

TYPE_CHECKING = False  # as type checkers know it; typing would be an import before the first line

__version__ = "0.1.0"
__all__ = [
    "Budget",
    "__version__",
    "approximation_error",
    "best_constants",
    "block_change",
    "gelu",
    "gelu_gradient",
    "landmarks",
    "load_budget",
    "moments",
    "sweep",
]

if TYPE_CHECKING:
    from gelu_cli.api import (
        Budget,
        approximation_error,
        best_constants,
        block_change,
        gelu,
        gelu_gradient,
        landmarks,
        load_budget,
        moments,
        sweep,
    )


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> object:
    # Loaded when first asked for: `gelu --help` imports this package too, and wants none of it.
    if name in __all__:
        from gelu_cli.environment import standard_environment

        with standard_environment():  # modules have constants, which subnormal numbers are among
            from gelu_cli import api
        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
