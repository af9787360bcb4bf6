"""Curves of forms, their derivatives and their errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gelu_cli.api.results import Answer
from gelu_cli.api.table import DIGITS_OF_FLOAT64, HEADINGS, Values
from gelu_cli.errors import UsageError
from gelu_cli.inputs.names import FormLike, choose, to_form, to_forms, to_quantities
from gelu_cli.inputs.numbers import Range, listed, parse_interval
from gelu_cli.old.arithmetic import Rounding
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.calculus.comparison import Comparison, compare
from gelu_cli.old.calculus.point_errors import PointErrors, errors_at_points
from gelu_cli.old.formulas import Form
from gelu_cli.old.values.points import FewPoints, ManyPoints
from gelu_cli.output.pictures import Axis, Picture
from gelu_cli.output.tables import Column, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ERRORS = {"absolute": "form − {0}", "relative": "(form − {0})/{0}"}
"""What --error takes, and the label of the axis."""

POINTS = 801
JUMP = 1e-6
"""A curve jumps where its sides differ by more than this share of its height."""

DECADES = 3
"""Of errors that change sign the smallest has 3 decades on either side of 0."""

LEAST_EXPONENT, MOST_NAMES = -307, 4


class Curve(NamedTuple):
    """A function to draw: its column, its label, and its values at points."""

    column: str
    label: str
    at: Callable[[np.ndarray, Rounding], np.ndarray]
    kinks: Sequence[float]


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
        Forms, with parameters as in `"tanh:c=0.044"`. Default: exact; of errors tanh and sigmoid.
    quantity
        Quantities as in `table`. Default: value and gradient of one form; value of several forms
        and of errors.
    range
        Interval of x, `"-4:4"` or (-4, 4).
    error
        `absolute` draws form − target, `relative` its ratio to the target.
    target
        The form that errors are taken from.

    Returns
    -------
    matplotlib.figure.Figure
        `savefig(path)` writes it. It is not one of pyplot's figures.

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
) -> Values:
    """Evaluate curves at 801 points and where they jump.

    Parameters are those of `plot`. Each number is correctly rounded, to float64 or to `digits`
    significant digits.
    """
    against = to_form(target)
    forms = to_forms(form or ("exact" if error is None else ("tanh", "sigmoid")))
    x = _points(range)
    usual = "value,gradient" if error is None and len(forms) == 1 else "value"
    if error is None:
        if against.label != "exact":
            raise UsageError("--target is for errors; add --error absolute or relative")
        names = to_quantities(quantity or usual, forms)
        drawn = [_of_form(each, name) for each in forms for name in names]
        title = _of_forms(" and ".join(names), forms)
    else:
        choose("error", error, ERRORS)
        names = listed(quantity or usual)
        if len(names) > 1:
            raise UsageError("--error draws one quantity; give --quantity one name")
        drawn = [_of_error(compare(each, against, names[0]), error) for each in forms]
        title = _of_forms(f"{error} error of the {names[0]}", forms) + f" against {_name(against)}"
    kinks = {kink for curve in drawn for kink in curve.kinks if x[0] < kink < x[-1]}
    x = np.union1d(x, [*kinks])
    poles = _crossings(_of_form(against, names[0]), x) if error == "relative" else x[:0]
    x = np.union1d(x, poles)
    columns: dict[str, Column] = {each.column: each.at(x, FLOAT64) for each in drawn}

    def table() -> Table:
        headings = {each.column: each.label for each in drawn}
        decimals = {each.column: [*each.at(x, Decimals(digits))] for each in drawn if digits}
        return Table(title, {"x": x, **(decimals or columns)}, headings=headings)

    def picture() -> Picture:
        shown = {each.label: _with_gaps(each, x, poles) for each in drawn}
        axis = Axis(", ".join(names))
        if error is not None:
            linear = _linear([*shown.values()])
            label = ERRORS[error].format(_name(against))
            axis = Axis(f"{label}, logarithmic beyond ±{linear:g}", linear)
        return Picture(title, x, shown, y_axis=axis)

    answer = Answer({"plot": table}, picture=picture, found=f"{title}: {len(x)} points")
    return Values(x=x, columns=columns, answer=answer)


def _points(range: str | Sequence[Any]) -> np.ndarray:
    """List evenly spaced points from one end of a range to the other."""
    low, high = parse_interval(range)
    if not -math.inf < low < high < math.inf:
        ends = range if isinstance(range, str) else f"{low}:{high}"
        raise UsageError(
            f"--range is '{ends}'; a picture needs a finite A:B with A < B, such as -4:4"
        )
    first, length = Fraction(low), Fraction(high) - Fraction(low)
    return Range(first, length / (POINTS - 1), POINTS).floats()


def _read(x: np.ndarray, rounding: Rounding) -> FewPoints | ManyPoints:
    """Take points as float64s, or for many digits as printed decimals."""
    if isinstance(rounding, Decimals) and rounding.digits > DIGITS_OF_FLOAT64:
        return FewPoints([Fraction(repr(each)) for each in x.tolist()])
    return ManyPoints(x)


def _of_form(form: Form, quantity: str) -> Curve:
    def at(x: np.ndarray, rounding: Rounding) -> np.ndarray:
        return np.asarray(_read(x, rounding).evaluate(form, [quantity], rounding)[0])

    column = form.label if quantity == "value" else f"{form.label}_{quantity}"
    label = HEADINGS[quantity].format(_name(form))
    return Curve(column, label, at, [*map(float, form.kinks)])


def _of_error(pair: Comparison, error: str) -> Curve:
    place = PointErrors._fields.index("difference" if error == "absolute" else "ratio")

    def at(x: np.ndarray, rounding: Rounding) -> np.ndarray:
        return np.asarray(errors_at_points(pair, _read(x, rounding), rounding)[place])

    of_form, target = (_of_form(form, pair.quantity) for form in (pair.form, pair.target))
    kinks = [*of_form.kinks, *target.kinks]
    return Curve(f"{of_form.column}_{error}_error", _name(pair.form), at, kinks)


def _with_gaps(curve: Curve, x: np.ndarray, poles: np.ndarray) -> np.ndarray:
    """Evaluate a curve, with NaN at jumps, poles and infinities."""
    y = curve.at(x, FLOAT64)
    y[~np.isfinite(y)] = np.nan
    height = np.nanmax(np.abs(y), initial=0)
    for kink in curve.kinks:
        left, right = curve.at(np.nextafter(kink, [-math.inf, math.inf]), FLOAT64)
        if abs(right - left) > JUMP * height:
            y[x == kink] = np.nan
    size = np.pad(np.abs(y), 2)
    for place in np.flatnonzero(np.isin(x, poles)):
        before, after = size[place : place + 2], size[place + 3 : place + 5]
        if before[1] > before[0] or after[0] > after[1]:
            y[place] = np.nan
    return y


def _crossings(target: Curve, x: np.ndarray) -> np.ndarray:
    """List points between those where the target changes its sign."""
    divisor = target.at(x, FLOAT64)
    left = np.flatnonzero(divisor[:-1] * divisor[1:] < 0)
    return np.asarray(x[left] + x[left + 1]) / 2


def _linear(errors: Sequence[np.ndarray]) -> float:
    """Choose the power of 10 from which on the axis of errors is logarithmic.

    It is 3 decades below the largest error of the best form; if no error changes its sign it is
    below all of them.
    """
    sizes = [np.abs(y[np.isfinite(y) & (y != 0)]) for y in errors]
    sizes = [each for each in sizes if len(each)] or [np.ones(1)]
    if any((y < 0).any() and (y > 0).any() for y in errors):
        least = math.ceil(math.log10(min(each.max() for each in sizes))) - DECADES
    else:
        least = math.floor(math.log10(min(each.min() for each in sizes)))
    return float(f"1e{max(least, LEAST_EXPONENT)}")


def _name(form: Form) -> str:
    return "GELU" if form.name == "exact" else form.label


def _of_forms(what: str, forms: Sequence[Form]) -> str:
    names = f"{len(forms)} forms" if len(forms) > MOST_NAMES else ", ".join(map(_name, forms))
    return f"{what[0].upper()}{what[1:]} of {names}".replace("_", " ")
