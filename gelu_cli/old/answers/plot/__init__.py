"""What `gelu plot` draws: forms, and what sweeps have found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gelu_cli.old.calculus.comparison import Comparison
    from gelu_cli.old.formulas import Form
    from gelu_cli.old.report.plots import Plot

USUAL_RANGE = (-4, 4)


def name_of(form: Form) -> str:
    """Return what a form is called in a title: GELU is, whatever it was asked for as."""
    return "GELU" if form.name == "exact" else form.label


def picture_of(forms: Sequence[Form], quantities: Sequence[str]) -> Plot:
    """Return the picture of forms that a page has, with their landmarks."""
    from gelu_cli.old.answers.plot.forms import ALL, plot_forms

    return plot_forms(forms, quantities, *USUAL_RANGE, [ALL])


def picture_of_errors(
    comparisons: Sequence[Comparison], ends: tuple[Fraction | float, Fraction | float]
) -> Plot:
    """Return the picture of errors that a page has: over a range, or the usual one."""
    from gelu_cli.old.answers.plot.forms import ALL, plot_errors

    low, high = ends if all(map(math.isfinite, ends)) else USUAL_RANGE
    return plot_errors(comparisons, "absolute", low, high, [ALL])
