"""Errors of forms as real numbers, over a range or at points."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeAlias, overload

from gelu_cli.api.results import Answer, Result, Results
from gelu_cli.errors import UsageError
from gelu_cli.inputs.names import FormLike, to_form, to_forms
from gelu_cli.inputs.numbers import Number, finite, parse_interval, positive, whole
from gelu_cli.inputs.points import Points, read_points
from gelu_cli.old.calculus.comparison import Comparison, compare, summarise
from gelu_cli.old.calculus.stretches import check_range
from gelu_cli.old.formulas import Form
from gelu_cli.old.stages import part
from gelu_cli.old.values.evaluate import evaluate, rounding_to
from gelu_cli.output.renderers import to_short_text
from gelu_cli.output.tables import Table

Real: TypeAlias = float | Decimal
Several: TypeAlias = Sequence[FormLike]

METRICS = ("max_abs_error", "max_rel_error", "mean_abs_error", "rms_error")
REGIONS = "form quantity low high max_abs_error max_abs_x max_rel_error max_rel_x"
EDGES = [*(-(2**k) for k in range(6, -1, -1)), 0, *(2**k for k in range(7))]
"""Regions meet at 0, ±1, ±2, ±4, … ±64."""

RANGE = (-10, 10)
DIGITS_OF_FLOAT64 = 17


@dataclass(frozen=True, kw_only=True)
class FormError(Result):
    """The error of a form as an approximation of a target.

    Attributes
    ----------
    form, target, quantity
        Name of the form, name of the target, and what is compared.
    max_abs_error, max_abs_error_x
        Supremum of |form − target| over the range, and where it is.
    max_rel_error, max_rel_error_x
        Supremum of |form − target|/|target|, and where it is; infinite without a bound.
    mean_abs_error, rms_error
        E|form − target| and √(E(form − target)²) for X ~ N(mean, sigma²).
    """

    form: str
    target: str
    quantity: str
    max_abs_error: Real
    max_abs_error_x: Real
    max_rel_error: Real
    max_rel_error_x: Real
    mean_abs_error: Real
    rms_error: Real


@overload
def error(form: str | Form, *args: Any, **options: Any) -> FormError: ...
@overload
def error(form: Several = ..., *args: Any, **options: Any) -> Results[FormError]: ...
def error(
    form: FormLike | Several = ("tanh", "sigmoid"),
    x: Any = None,
    *,
    target: FormLike = "exact",
    quantity: str = "value",
    range: str | Sequence[Any] = RANGE,
    mean: Any = 0,
    sigma: Any = 1,
    samples: Any = None,
    seed: Any = 0,
    digits: int | None = None,
) -> FormError | Results[FormError]:
    """Measure how far forms are from a target, as real numbers.

    Parameters
    ----------
    form
        Forms, with parameters as in `"tanh:c=0.044"`; a list gives a list of results.
    x
        Points, as in `table`: the result is a `PointsError`, with views `points`, `summary` and
        `regions`.
    target
        The form that errors are taken from.
    quantity
        `value`, `gradient`, `curvature` or `gate`.
    range
        Interval of the suprema, `"-10:10"` or (-10, 10); the ends may be infinite.
    mean, sigma
        The averages are for X ~ N(mean, sigma²), on the whole real axis; samples are draws of X.
    samples, seed
        Draw `samples` points by numpy's PCG64 with this seed.
    digits
        Return decimals of `digits` significant digits instead of float64s. With more than 17 the
        points are exact numbers, and summaries of points stay float64s.

    Raises
    ------
    UsageError
        If a name is unknown, a form is its own target, or options contradict each other.

    Examples
    --------
    >>> found = error("tanh")
    >>> found.max_abs_error, found.max_abs_error_x
    (0.00047323552068728487, 2.69894138637727)
    >>> error("tanh", [-1, 1]).p99_abs_error
    0.00015275546026624382
    """
    pairs = [compare(each, to_form(target), quantity) for each in to_forms(form)]
    ends, normal = parse_interval(range), (finite(mean, "--mean"), positive(sigma, "--sigma"))
    count = None if samples is None else whole(samples, "--samples", 1, 10**9)
    start = whole(seed, "--seed", 0, 2**64)
    _refuse_unused(ends, normal, start, is_given=x is not None, is_drawn=count is not None)
    found: Sequence[FormError]
    if x is None and count is None:
        found, answer = _over_range(pairs, *ends, *normal, digits)
    else:
        from gelu_cli.api.error_points import at_points

        found, answer = at_points(pairs, x, *normal, count, start, digits)
    if isinstance(form, str | Form) and len(found) == 1:
        return replace(found[0], answer=answer)
    return Results(found, answer)


def read_x(
    words: Sequence[str] | None, source: str | None, column: str | None, view: str | None,
    samples: str | None, digits: int | None,
) -> Points | None:  # fmt: skip
    """Read the points of the command line; a bare pipe is not read."""
    if words or source or column:
        return read_points(words, source, column, exact=(digits or 0) > DIGITS_OF_FLOAT64)
    if view == "points" and samples is None:
        raise UsageError("--view points lacks points; give numbers, --input FILE or --samples N")
    return None


def _refuse_unused(
    ends: Sequence[Number], normal: Sequence[Number], seed: int, *, is_given: bool, is_drawn: bool
) -> None:
    """Raise UsageError for options that have no effect."""
    if is_given and is_drawn:
        raise UsageError("points and --samples are both given; remove one")
    if (is_given or is_drawn) and (*ends,) != RANGE:
        raise UsageError("--range has no effect on errors at points; remove --range")
    if is_given and (*normal,) != (0, 1):
        raise UsageError("--mean and --sigma have no effect on errors at points; remove them")
    if seed and not is_drawn:
        raise UsageError("--seed has no effect without --samples; add --samples N")


def _over_range(
    pairs: Sequence[Comparison], low: Number, high: Number, mean: Fraction, sigma: Fraction,
    digits: int | None,
) -> tuple[Sequence[FormError], Answer]:  # fmt: skip
    """Find the suprema over a range, and the averages on the real axis."""
    check_range(low, high)
    found, words, notes = [], [], []
    for pair in pairs:
        with part(pair.form.label):
            metrics = summarise(pair, low, high, sigma, rounding_to(digits), mean)._asdict()
        is_bounded = metrics.pop("max_rel_error_is_bounded")
        found.append(FormError(**names_of(pair), **metrics))
        words.append(in_words(found[-1], pair, f"For {normal_in_words(mean, sigma)}", digits))
        if math.isinf(found[-1].max_rel_error):
            notes.append(_why_infinite(found[-1], is_bounded=is_bounded))
    meanings = {
        "range": f"{float(low):g} to {float(high):g}, suprema at critical points and ends",
        "averages": normal_in_words(mean, sigma),
        "more": "--view regions, the suprema by region of x",
    }
    title = f"Error of the {pairs[0].quantity} against {pairs[0].target.label}"
    views = {
        "summary": lambda: summary_table(title, found, METRICS, meanings),
        "regions": lambda: _regions(title, pairs, low, high, digits),
    }
    return found, Answer(views, words=words, notes=notes, found=in_a_line(found))


def _regions(
    title: str, pairs: Sequence[Comparison], low: Number, high: Number, digits: int | None
) -> Table:
    """Find the suprema in each region of the range."""
    rounding, rows = rounding_to(digits), []
    for pair in pairs:
        for left, right in pairwise([low, *(edge for edge in EDGES if low < edge < high), high]):
            ends = float(left), float(right)
            with part(f"{pair.form.label} from {ends[0]:g} to {ends[1]:g}"):
                absolute = pair.largest_difference(left, right, rounding)[:2]
                relative = pair.largest_ratio(left, right, rounding)[:2]
            cells = pair.form.label, pair.quantity, *ends, *absolute, *relative
            rows.append(dict(zip(REGIONS.split(), cells, strict=True)))
    return Table.of_rows(f"{title} by region", REGIONS, rows, keys=4)


def names_of(pair: Comparison) -> dict[str, Any]:
    """Name what is compared, as the fields of a result."""
    return {"form": pair.form.label, "target": pair.target.label, "quantity": pair.quantity}


def summary_table(
    title: str, found: Sequence[FormError], metrics: Sequence[str], meanings: Mapping[str, str]
) -> Table:
    """Make a row for each form and metric."""
    rows = [
        {"form": each.form, "quantity": each.quantity, "metric": metric,
         "value": getattr(each, metric), "x": getattr(each, f"{metric}_x", None)}
        for each in found for metric in metrics
    ]  # fmt: skip
    return Table.of_rows(title, "form quantity metric value x", rows, 3, meanings=meanings)


# Words


def in_words(found: FormError, pair: Comparison, averaged: str, digits: int | None) -> str:
    """Say where a form is worst, and how large its error is on average."""
    x, relative = found.max_rel_error_x, found.max_rel_error
    bound = f"largest relative error is {said(relative)}, {where(x)}"
    if math.isinf(relative):
        bound = f"relative error has no bound {where(x, 'near')}"
    elif math.isfinite(x):
        (target,) = evaluate(pair.target, [pair.quantity], float(x), rounding_to(digits))
        bound += f", where {found.target} is {said(target)}"
    return (
        f"{found.form} is farthest from {found.target} {where(found.max_abs_error_x)}, by "
        f"{said(found.max_abs_error)}; its {bound}. {averaged} its error is "
        f"{said(found.mean_abs_error)} on average, {said(found.rms_error)} RMS."
    )


def _why_infinite(found: FormError, *, is_bounded: bool) -> str:
    x, words = found.max_rel_error_x, f"the relative error of {found.form}"
    if is_bounded:
        return f"{words} exceeds float64; add --digits 6"
    why = f", where the {found.quantity} of {found.target} is 0" if math.isfinite(x) else ""
    return f"{words} has no bound {where(x, 'near')}{why}"


def in_a_line(found: Sequence[FormError]) -> str:
    """List the largest error of each form."""
    return "largest errors: " + ", ".join(f"{f.form} {said(f.max_abs_error)}" for f in found)


def normal_in_words(mean: Fraction, sigma: Fraction) -> str:
    """Name a normal distribution.

    >>> normal_in_words(Fraction(0), Fraction(1, 2))
    'X ~ N(0, 0.5²)'
    """
    return f"X ~ N({float(mean):g}, {float(sigma):g}{'²' * (sigma != 1)})"


def where(x: Real, at: str = "at") -> str:
    """Say where a supremum is; infinity is a limit."""
    return f"as x → {'−' * (x < 0)}∞" if math.isinf(x) else f"{at} x = {said(x)}"


def said(number: Real) -> str:
    """Print a decimal in a sentence, or four digits of a float64.

    >>> said(Decimal("-10.0000")), said(1 / 3)
    ('−10', '0.3333')
    """
    text = f"{number:.4g}" if isinstance(number, float) else to_short_text(number)
    text = text.rstrip("0").removesuffix(".") if "." in text and "e" not in text else text
    return text.replace("-", "−", 1) if text.startswith("-") else text
