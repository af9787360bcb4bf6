"""Numerical analysis of the GELU activation, GELU(x) = x·Φ(x).

The command line is `gelu`; the same answers are one call away here:

>>> from gelu_cli import gelu, gelu_gradient
>>> gelu(1.0), gelu_gradient(1.0)
(0.8413447460685429, 1.0833154705876864)
"""

TYPE_CHECKING = False  # as type checkers know it; typing would be an import before the first line
__version__ = "0.1.0"

if TYPE_CHECKING:  # names that are imported as themselves are public
    from gelu_cli.old.api.arrays import gelu as gelu
    from gelu_cli.old.api.arrays import gelu_gradient as gelu_gradient
    from gelu_cli.old.api.figures import check as check
    from gelu_cli.old.api.figures import identify as identify
    from gelu_cli.old.api.line import block as block
    from gelu_cli.old.api.line import error as error
    from gelu_cli.old.api.line import fit as fit
    from gelu_cli.old.api.line import forms as forms
    from gelu_cli.old.api.line import locate as locate
    from gelu_cli.old.api.line import table as table
    from gelu_cli.old.api.line import variance as variance
    from gelu_cli.old.api.pictures import Picture as Picture
    from gelu_cli.old.api.pictures import plot as plot
    from gelu_cli.old.api.results import Answer as Answer
    from gelu_cli.old.api.results import Best as Best
    from gelu_cli.old.api.results import Change as Change
    from gelu_cli.old.api.results import ErrorSummary as ErrorSummary
    from gelu_cli.old.api.results import Landmark as Landmark
    from gelu_cli.old.api.results import Landmarks as Landmarks
    from gelu_cli.old.api.results import Moments as Moments
    from gelu_cli.old.api.results import Point as Point
    from gelu_cli.old.api.results import Table as Table
    from gelu_cli.old.api.sweeps import compare as compare
    from gelu_cli.old.api.sweeps import sweep as sweep
    from gelu_cli.old.api.verdicts import Comparison as Comparison
    from gelu_cli.old.api.verdicts import Record as Record
    from gelu_cli.old.api.verdicts import Verdict as Verdict
    from gelu_cli.old.api.verdicts import load as load
    from gelu_cli.old.budgets import Budget as Budget
    from gelu_cli.old.budgets import Judgement as Judgement
    from gelu_cli.old.budgets import load_budget as load_budget
else:
    _HOMES = {
        "api.arrays": "gelu gelu_gradient",
        "api.figures": "check identify",
        "api.line": "block error fit forms locate table variance",
        "api.pictures": "Picture plot",
        "api.results": "Answer Best Change ErrorSummary Landmark Landmarks Moments Point Table",
        "api.sweeps": "compare sweep",
        "api.verdicts": "Comparison Record Verdict load",
        "budgets": "Budget Judgement load_budget",
    }
    __all__ = ["__version__", *" ".join(_HOMES.values()).split()]  # noqa: PLE0604

    def __getattr__(name):
        # Loaded when first asked for: `gelu --help` imports this package too, and wants none of it.
        for home, names in _HOMES.items():
            if name in names.split():
                from importlib import import_module

                from gelu_cli.old.environment import standard_environment

                with standard_environment():  # modules have constants, also subnormal ones
                    found = getattr(import_module(f"{__name__}.old.{home}"), name)
                globals()[name] = found
                return found
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        return sorted(__all__)
