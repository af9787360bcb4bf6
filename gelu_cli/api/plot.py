"""Curves of forms, their derivatives and their errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from gelu_cli.api.results import Answer, Result
from gelu_cli.api.table import table
from gelu_cli.calculus.curves import Comparison, compare
from gelu_cli.calculus.landmarks import kinks
from gelu_cli.calculus.point_errors import errors_at, errors_of_array
from gelu_cli.errors import UsageError
from gelu_cli.formulas import Form
from gelu_cli.inputs.names import FormLike, choose, to_form, to_forms, to_quantities
from gelu_cli.inputs.numbers import Range, listed, parse_interval
from gelu_cli.inputs.point_lists import keeps_typed
from gelu_cli.numbers import Decimals
from gelu_cli.output.pictures import Axis, Picture
from gelu_cli.output.tables import Column, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ERRORS = {"absolute": "form − {0}", "relative": "(form − {0})/{0}"}
"""Label of the axis of errors, by the value of --error; {0} is the target."""

POINTS, LINEAR = 801, 1e-6
"""A curve has POINTS points, and kinks; the axis of errors is linear for |error| ≤ LINEAR."""


def plot(
    form: FormLike | Sequence[FormLike] | None = None,
    quantity: str | Sequence[str] | None = None,
    *,
    range: str | Sequence[Any] = "-4:4",
    error: str | None = None,
    target: FormLike = "exact",
) -> Figure:
    """Draw forms, their derivatives or their errors by matplotlib.

    Parameters
    ----------
    form
        Forms, with parameters as in `"tanh:c=0.044"`. Default: exact; for errors tanh and sigmoid.
    quantity
        Quantities as in `table`. Default: value and gradient for one form; value for several
        forms and for errors.
    range
        Interval of x, `"-4:4"` or (-4, 4).
    error
        `absolute` draws form − target, `relative` its ratio to the target.
    target
        The form from which errors are measured.

    Returns
    -------
    matplotlib.figure.Figure
        Its method `savefig(path)` writes a file. `pyplot.show` does not show the figure.

    Raises
    ------
    UsageError
        If a name is unknown, the range is empty or infinite, or matplotlib is not installed.

    Examples
    --------
    >>> axes = plot("relu", "value", range=(-1, 1)).axes[0]
    >>> axes.lines[0].get_ydata()[[0, -1]].tolist()
    [0.0, 1.0]
    """
    draw = curves(form, quantity, range=range, error=error, target=target).answer.picture
    assert draw is not None
    return draw().figure()


def curves(
    form: FormLike | Sequence[FormLike] | None = None,
    quantity: str | Sequence[str] | None = None,
    *,
    range: str | Sequence[Any] = "-4:4",
    error: str | None = None,
    target: FormLike = "exact",
    digits: int | None = None,
) -> Result:
    """Make the picture and the table of curves at 801 points and at kinks.

    `digits` is the number of significant digits in the table; None for float64s. Other parameters
    are those of `plot`. At a kink f, f′ or f″ jumps. Each number is correctly rounded.
    """
    against = to_form(target)
    forms = to_forms(form or ("exact" if error is None else ("tanh", "sigmoid")))
    x = _points(range, [kink for each in (*forms, against) for kink in kinks(each)])
    evaluate: Callable[[Any, int | None], Table]
    if error is None:
        if against.label != "exact":
            raise UsageError("--target is for errors; add --error absolute or relative")
        names = to_quantities(quantity or ("value,gradient" if len(forms) == 1 else "value"), forms)
        evaluate, y_axis = partial(_values, forms, names), Axis(", ".join(names))
    else:
        choose("error", error, ERRORS)
        names = [",".join(listed(quantity or "value"))]  # `compare` refuses a list of quantities
        pairs = [compare(each, against, names[0]) for each in forms]
        evaluate = partial(_errors, pairs, error)
        y_axis = Axis(ERRORS[error].format(against.label), LINEAR)
    shown = evaluate(x, None)

    def picture() -> Picture:
        drawn = {}
        for (of, name), column in zip(product(forms, names), [*shown.columns][1:], strict=True):
            y = np.array(shown.columns[column], float)
            if name != "value":  # leave a gap where derivatives jump
                y[np.isin(x, [*kinks(of), *kinks(against)])] = math.nan
            drawn[of.label if error else shown.heading(column)] = y
        return Picture(shown.title, x, drawn, y_axis=y_axis)

    def points() -> Table:
        typed = [Fraction(repr(each)) for each in x.tolist()] if keeps_typed(digits) else x
        return evaluate(typed, digits) if digits else shown

    found = f"{shown.title}: {len(x)} points"
    return Result(answer=Answer({"plot": points}, picture=picture, found=found))


def _points(range: str | Sequence[Any], kinks: Sequence[float]) -> np.ndarray:
    """List 801 evenly spaced points of a range, and the kinks inside it."""
    low, high = parse_interval(range)
    if not -math.inf < low < high < math.inf:
        raise UsageError(f"--range is '{range}'; give a finite A:B with A < B, such as -4:4")
    x = Range(Fraction(low), (Fraction(high) - Fraction(low)) / (POINTS - 1), POINTS).floats()
    return np.union1d(x, [kink for kink in kinks if low < kink < high])


def _values(forms: Sequence[Form], names: Sequence[str], points: Any, digits: int | None) -> Table:
    shown = table(points, forms, names, digits=digits).answer.table()
    return replace(shown, title=f"{shown.title} of {', '.join(form.label for form in forms)}")


def _errors(pairs: Sequence[Comparison], error: str, points: Any, digits: int | None) -> Table:
    """Evaluate signed errors at points, with a column for each form."""
    x = np.array(points, float)
    columns: dict[str, Column] = {"x": x}
    for pair in pairs:
        found: Any = errors_of_array(pair, x) if digits is None else None
        if digits:
            at_points = (errors_at(pair, each, Decimals(digits)) for each in points)
            found = [*zip(*at_points, strict=True)]
        quantity = "" if pair.quantity == "value" else f"_{pair.quantity}"
        columns[f"{pair.form.label}{quantity}_{error}_error"] = found[2 + (error == "relative")]
    title = f"{error.capitalize()} error of the {pairs[0].quantity} against {pairs[0].target.label}"
    return Table(title, columns)
