"""Numerical analysis of the GELU activation, GELU(x) = x·Φ(x).

Each command of `gelu` is a function here:

>>> from gelu_cli import gelu, table
>>> gelu(1.0)
0.8413447460685429
>>> table([-1, "1/3"], "exact", "value").columns["exact"]
[-0.15865525393145705, 0.2101862199394121]
"""

from importlib import import_module

TYPE_CHECKING = False  # type checkers read True; importing typing is slow
__version__ = "0.2.0"

if TYPE_CHECKING:
    from gelu_cli.api.block import block as block
    from gelu_cli.api.check import check as check
    from gelu_cli.api.compare import compare as compare
    from gelu_cli.api.error import error as error
    from gelu_cli.api.fit import fit as fit
    from gelu_cli.api.forms import forms as forms
    from gelu_cli.api.functions import gelu as gelu
    from gelu_cli.api.functions import gelu_gradient as gelu_gradient
    from gelu_cli.api.identify import identify as identify
    from gelu_cli.api.locate import locate as locate
    from gelu_cli.api.make import make as make
    from gelu_cli.api.model import model as model
    from gelu_cli.api.model import swapped as swapped
    from gelu_cli.api.plot import plot as plot
    from gelu_cli.api.sweep import sweep as sweep
    from gelu_cli.api.table import table as table
    from gelu_cli.api.variance import variance as variance
    from gelu_cli.api.verdicts import load as load

COMMANDS = (
    "block check compare error fit forms identify locate make model plot sweep table variance"
)
HOMES = {name: name for name in COMMANDS.split()} | {
    "gelu": "functions",
    "gelu_gradient": "functions",
    "load": "verdicts",
    "swapped": "model",
}
"""For each public function the module of `gelu_cli.api` that defines the function."""

__all__ = [*HOMES]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    """Import a public function on first use, to keep `gelu --help` fast."""
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gelu_cli.kernels.environment import standard_environment

    # Libraries built with -ffast-math flush subnormals, which would change digits of results.
    found = standard_environment()(getattr(import_module(f"gelu_cli.api.{HOMES[name]}"), name))
    found.__module__ = __name__  # where pickle looks for the function
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """List the public functions."""
    return sorted([*HOMES, "__version__"])
