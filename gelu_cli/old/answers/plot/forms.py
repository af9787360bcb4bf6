"""Pictures of forms, their derivatives and errors over a range, and figures drawn over them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gelu_cli.errors import UsageError, unknown
from gelu_cli.old.answers.plot import name_of
from gelu_cli.old.answers.table import HEADINGS
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.format_arrays import Array
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.calculus.landmarks import landmarks
from gelu_cli.old.calculus.stretches import check_range
from gelu_cli.old.formulas import Form
from gelu_cli.old.report.numbers import human_text
from gelu_cli.old.report.plots import Axis, Mark, Plot, Trace
from gelu_cli.old.report.plots.scales import decade, linear, number, symmetric
from gelu_cli.old.stages import part, tell
from gelu_cli.old.values.evaluate_arrays import evaluate_array

if TYPE_CHECKING:
    from gelu_cli.old.calculus.comparison import Comparison

DEFAULT_FORMS = ("exact",)
DEFAULT_QUANTITIES = ("value", "gradient")
"""Of one form; of several the value alone is drawn."""

ERRORS = ("absolute", "relative")
POINTS = 401
"""Two for every column of the widest terminal, and the middle one."""

JUMP = 1e-6
"""A curve jumps where its sides differ by more than this share of its height."""

LEAST_EXPONENT = -307
DECADES = 3
"""The smallest of several errors has so many decades on either side of 0."""

SIGNS = {
    "value": "f(x)",
    "gradient": "f′(x)",
    "curvature": "f″(x)",
    "gate": "G(x)",
    "complement": "x − f(x)",
    "gate_gradient": "G′(x)",
    "mask_variance": "x²·G(x)·(1 − G(x))",
}
MOST_NAMES = 4
"""Forms that a title names; of more it says how many they are."""

ALL = "all"
OF_FORMS = ("minimum", "inflection")
OF_ERRORS = ("supremum",)

MARKED = ("value", "gradient", "curvature")
"""Landmarks are on the first of these quantities that is drawn."""

SHOWN = Decimals(6)


def plot_forms(
    forms: Sequence[Form],
    quantities: Sequence[str],
    low: Fraction | float,
    high: Fraction | float,
    marked: Collection[str] = (),
) -> Plot:
    """Return the plot of forms over [low, high], every point correctly rounded.

    `marked` are the kinds of marks that it has.
    Raises `UsageError` for a range that is empty or infinite, and for a gate of a form without.

    >>> from gelu_cli.old.formulas import find_form
    >>> (trace,) = plot_forms([find_form("relu")], ["value"], -1, 1).traces
    >>> trace.name, trace.x[[0, 200, 400]].tolist(), trace.y[[0, 200, 400]].tolist()
    ('relu', [-1.0, 0.0, 1.0], [0.0, 0.0, 1.0])
    """
    x = points_of(low, high)
    traces = []
    for form in forms:
        form.require(quantities)
        tell(form.label)
        for quantity in quantities:
            name = HEADINGS[quantity].format(name_of(form))
            traces.append(_with_gaps(name, x, partial(_values, form, quantity), [form]))
    label = ", ".join(SIGNS[quantity] for quantity in quantities)
    title = _title_of_forms(forms, quantities)
    marks = marks_of_forms(forms, quantities, marked, low, high)
    return Plot(title, Axis("x", linear()), Axis(label, linear()), traces, marks, through_zero=True)


def plot_errors(
    comparisons: Sequence[Comparison],
    kind: str,
    low: Fraction | float,
    high: Fraction | float,
    marked: Collection[str] = (),
) -> Plot:
    """Return the plot of form − target over [low, high], or of its ratio to the target.

    `kind` is "absolute" or "relative". The numbers are those of `gelu error`, with their signs;
    the scale is logarithmic on both sides of 0. Where the target is 0 a ratio has no value, and the
    trace a gap.
    Raises `UsageError` for any other kind, and for a range that is empty or infinite.
    """
    if kind not in ERRORS:
        raise unknown("error", kind, ERRORS)
    x = points_of(low, high)
    traces = []
    for comparison in comparisons:
        tell(f"errors of {comparison.form.label}")
        pair = comparison.form, comparison.target
        trace = _with_gaps(name_of(comparison.form), x, partial(_errors, comparison, kind), pair)
        traces.append(_broken_at_zeros(trace, comparison) if kind == "relative" else trace)
    least = _least(traces)
    label = f"{_label_of_errors(comparisons, kind)}, logarithmic beyond ±{decade(least)}"
    return Plot(
        _title_of_errors(comparisons, kind),
        Axis("x", linear()),
        Axis(label, symmetric(float(f"1e{least}"))),
        traces,
        marks_of_errors(comparisons, kind, marked, low, high),
        through_zero=True,
    )


def _broken_at_zeros(trace: Trace, comparison: Comparison) -> Trace:
    """Return a trace of ratios with a NaN where the target goes through 0 and the ratio grows.

    Where the error goes through 0 with the target the ratio is as smooth as anywhere.
    """
    (divisor,) = evaluate_array(comparison.target, [comparison.quantity], trace.x, FLOAT64)
    y = np.where(np.isfinite(trace.y), trace.y, np.nan)
    size = np.abs(y)
    before = size[:-1] > np.append(0.0, size[:-2])
    after = size[1:] > np.append(size[2:], 0.0)
    crossed = np.flatnonzero((divisor[:-1] * divisor[1:] < 0) & (before | after))
    between = (trace.x[crossed] + trace.x[crossed + 1]) / 2
    return Trace(
        trace.name, np.insert(trace.x, crossed + 1, between), np.insert(y, crossed + 1, np.nan)
    )


def _values(form: Form, quantity: str, x: Array) -> Array:
    (y,) = evaluate_array(form, [quantity], x, FLOAT64)
    return y


def _errors(comparison: Comparison, kind: str, x: Array) -> Array:
    from gelu_cli.old.calculus.point_errors_arrays import errors_of_array

    *_, difference, ratio = errors_of_array(comparison, x)
    return difference if kind == "absolute" else ratio


def _with_gaps(
    name: str, x: Array, function: Callable[[Array], Array], forms: Collection[Form]
) -> Trace:
    """Return the trace of a function of forms, with a gap at each of their kinks where it jumps."""
    y = function(x)
    small = JUMP * np.abs(y[np.isfinite(y)]).max(initial=0.0)
    for kink in {float(kink) for form in forms for kink in form.kinks}:
        if not x[0] < kink < x[-1]:
            continue
        sides = np.nextafter(kink, [-math.inf, math.inf])
        left, right = function(sides)
        if abs(right - left) > small:
            first, last = np.searchsorted(x, kink), np.searchsorted(x, kink, "right")
            x = np.concatenate([x[:first], [sides[0], kink, sides[1]], x[last:]])
            y = np.concatenate([y[:first], [left, math.nan, right], y[last:]])
    return Trace(name, x, y)


def points_of(low: Fraction | float, high: Fraction | float) -> Array:
    """Return evenly spaced points from one end of a range to the other, both included."""
    if not (math.isfinite(low) and math.isfinite(high)):
        raise UsageError("a picture needs a finite range, for example --range -4:4")
    check_range(float(low), float(high))
    start, length = Fraction(low), Fraction(high) - Fraction(low)
    return np.array([float(start + length * i / (POINTS - 1)) for i in range(POINTS)])


def _least(traces: Sequence[Trace]) -> int:
    """Return the power of 10 from which on a scale for errors is logarithmic.

    It is DECADES below the largest error of the best form, or, where no error changes its sign,
    below all of them: nothing is to be seen around 0 then.
    """
    errors = [trace.y[np.isfinite(trace.y) & (trace.y != 0)] for trace in traces]
    errors = [y for y in errors if len(y)]
    if not errors:
        return 0
    if all(len(set(np.sign(y).tolist())) == 1 for y in errors):
        least = math.floor(math.log10(min(float(np.abs(y).min()) for y in errors)))
    else:
        least = math.ceil(math.log10(min(float(np.abs(y).max()) for y in errors))) - DECADES
    return max(least, LEAST_EXPONENT)


# Marks


def marks_of_forms(
    forms: Sequence[Form],
    quantities: Collection[str],
    kinds: Collection[str],
    low: Fraction | float,
    high: Fraction | float,
) -> list[Mark]:
    """Return the landmarks of forms in [low, high], with the numbers that `gelu locate` has.

    Raises `UsageError` for kinds that only errors have, and where no quantity has them.

    >>> from gelu_cli.old.formulas import find_form
    >>> marks_of_forms([find_form("exact")], ["value"], ["minimum"], -4, 4)[0].label
    'minimum −0.169971 at x = −0.751792'
    """
    if not kinds:
        return []
    chosen = _chosen(kinds, OF_FORMS, "pictures of errors; add --error absolute or relative")
    quantity = next((name for name in MARKED if name in quantities), None)
    if quantity is None:
        asked = ",".join(kinds)
        raise UsageError(f"--mark {asked} needs one of --quantity {', '.join(MARKED)}")
    marks = []
    for form in forms:
        with part(form.label):
            found = landmarks(form, SHOWN)
        for each in found:
            if each.point not in chosen or not low <= each.x <= high:
                continue
            x, y = (number(human_text(getattr(each, name))) for name in ("x", quantity))
            whose = f"{name_of(form)}: " if len(forms) > 1 else ""
            said = f"{whose}{each.point} {y} at x = {x}"
            if quantity != "value":
                whose = HEADINGS[quantity].format(name_of(form))
                said = f"{whose} = {y} at the {each.point}, x = {x}"
            marks.append(Mark(float(each.x), float(getattr(each, quantity)), said))
    return marks


def marks_of_errors(
    comparisons: Sequence[Comparison],
    error: str,
    kinds: Collection[str],
    low: Fraction | float,
    high: Fraction | float,
) -> list[Mark]:
    """Return the supremum of each error in [low, high], with the numbers that `gelu error` has.

    Raises `UsageError` for kinds that only forms have.
    """
    if not kinds:
        return []
    _chosen(kinds, OF_ERRORS, "pictures of forms; leave --error out")
    marks = []
    for comparison in comparisons:
        of = comparison.largest_difference if error == "absolute" else comparison.largest_ratio
        with part(comparison.form.label):
            size, x, _ = of(low, high, SHOWN)
        if math.isfinite(x):
            (there,) = _errors(comparison, error, np.array([float(x)]))
            said = f"largest error {number(human_text(size))} at x = {number(human_text(x))}"
            y = math.copysign(float(size), there)
            marks.append(Mark(float(x), y, f"{name_of(comparison.form)}: {said}"))
    return marks


def _chosen(kinds: Collection[str], there: Sequence[str], others: str) -> list[str]:
    """Return which of the kinds that a picture has are to be marked."""
    for kind in kinds:
        if kind not in (*there, ALL):
            raise UsageError(f"--mark {kind} is for {others}")
    return [kind for kind in there if ALL in kinds or kind in kinds]


# Figures measured elsewhere


class Series(NamedTuple):
    """Figures at some x, and what the legend calls them."""

    name: str
    x: Array
    y: Array


def with_series(plot: Plot, series: Sequence[Series]) -> Plot:
    """Return a plot with figures as points over its curves, those beyond its range left out.

    >>> from gelu_cli.old.report.plots import Axis
    >>> from gelu_cli.old.report.plots.scales import linear
    >>> axis, x = Axis("x", linear()), np.array([0.0, 1.0])
    >>> plot = Plot("", axis, axis, [Trace("curve", x, x)])
    >>> with_series(plot, [Series("measured", np.array([0.5, 3.0]), x)]).points[0].x.tolist()
    [0.5]
    """
    low = min(float(trace.x.min()) for trace in plot.traces)
    high = max(float(trace.x.max()) for trace in plot.traces)
    points = []
    for name, x, y in series:
        inside = (low <= x) & (x <= high) & np.isfinite(y)
        points.append(Trace(name, x[inside], y[inside]))
    return plot._replace(points=points)


def errors_of_series(series: Sequence[Series], comparison: Comparison, error: str) -> list[Series]:
    """Return the errors of figures, "absolute" or "relative", against the target of a comparison.

    They are differences of float64s: what is drawn, and no digits, comes of them.
    """
    found = []
    for name, x, y in series:
        (target,) = evaluate_array(comparison.target, [comparison.quantity], x, FLOAT64)
        with np.errstate(all="ignore"):  # at infinities, and where the target is 0
            off = y - target
            found.append(Series(name, x, off if error == "absolute" else off / target))
    return found


# Titles and labels


def _title_of_forms(forms: Sequence[Form], quantities: Sequence[str]) -> str:
    names, whose = _names_of(forms), "their" if len(forms) > 1 else "its"
    nouns = [_noun(quantity, forms) for quantity in quantities if quantity != "value"]
    if not nouns:
        return names
    if "value" not in quantities:
        return f"{_listed(nouns).capitalize()} of {names}"
    joined = "," if len(nouns) > 1 else " and" if len(forms) == 1 else ", and"
    return f"{names}{joined} {whose} {_listed(nouns)}"


def _title_of_errors(comparisons: Sequence[Comparison], error: str) -> str:
    _, target, quantity = comparisons[0]
    forms = [comparison.form for comparison in comparisons]
    kind, names = "Error" if error == "absolute" else "Relative error", _names_of(forms)
    if quantity == "value":
        return f"{kind} of {names} against {name_of(target)}"
    return f"{kind} of the {_noun(quantity, forms)} of {names} against that of {name_of(target)}"


def _label_of_errors(comparisons: Sequence[Comparison], error: str) -> str:
    form, target, quantity = comparisons[0]
    names = "form" if len(comparisons) > 1 else name_of(form), name_of(target)
    one, other = map(HEADINGS[quantity].format, names)
    return f"{one} − {other}" if error == "absolute" else f"({one} − {other})/{other}"


def _noun(quantity: str, forms: Sequence[Form]) -> str:
    """Return what a quantity is called, of one form or of several."""
    return quantity.replace("_", " ") + "s" * (len(forms) > 1)


def _names_of(forms: Sequence[Form]) -> str:
    """Return what forms are called in a title, or how many they are."""
    return f"{len(forms)} forms" if len(forms) > MOST_NAMES else _listed([*map(name_of, forms)])


def _listed(words: Sequence[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
