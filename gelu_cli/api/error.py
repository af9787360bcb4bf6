"""Errors of forms in exact arithmetic, over a range or at points."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias

from gelu_cli.api.results import Answer, Real, Result, one_or_all
from gelu_cli.calculus import averages
from gelu_cli.calculus.curves import Comparison, compare, float_of
from gelu_cli.calculus.landmarks import kinks
from gelu_cli.calculus.suprema import Extreme, error_sup
from gelu_cli.errors import UsageError
from gelu_cli.inputs.names import FormLike, to_form, to_forms
from gelu_cli.inputs.numbers import (
    Number,
    distribution,
    normal_text,
    parse_interval,
    to_digits,
    whole,
)
from gelu_cli.numbers import Target, rounding_to
from gelu_cli.numbers.reference import MOST_DIGITS, confirm
from gelu_cli.output.tables import Cell, Column, Table, to_short_text

Views: TypeAlias = dict[str, Callable[[], Table]]

SUMMARY = "form quantity metric value x"
REGIONS = "form quantity low high max_abs_error max_abs_x max_rel_error max_rel_x"
EDGES = [*(-(2**k) for k in range(6, -1, -1)), 0, *(2**k for k in range(7))]
"""Ends of the regions into which a range is divided: 0, ±1, ±2, ±4, … ±64."""

RANGE = (-10, 10)


@dataclass(frozen=True, kw_only=True)
class FormError(Result):
    """Errors of a form as an approximation of a target.

    Attributes
    ----------
    form, target, quantity
        Name of the form, name of the target, and the quantity that is compared.
    max_abs_error, max_abs_error_x
        Supremum of |form − target| over the range, and the x nearest to 0 at which it is reached;
        if there are points, the maximum at these points, and the first x at which it is reached.
    max_rel_error, max_rel_error_x
        The same for |form − target|/|target|; infinite if this ratio is unbounded.
    mean_abs_error, rms_error
        E|form − target| and √(E(form − target)²) for X ~ N(mean, sigma²), or averages over points.
    n
        Number of finite points; other points are ignored. None without points.
    p50_abs_error, p99_abs_error
        The least error that 50 % or 99 % of the points do not exceed; None without points.
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
    n: int | None = None
    p50_abs_error: Real | None = None
    p99_abs_error: Real | None = None


def error(
    form: FormLike | Sequence[FormLike] = ("tanh", "sigmoid"),
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
) -> Any:
    """Measure how far forms are from a target, in exact arithmetic.

    Parameters
    ----------
    form
        Forms, with parameters as in `"tanh:c=0.044"`; a list gives a list of results.
    x
        Points, as in `table`; the view `points` has the error at each point.
    target
        The form from which the distance is measured.
    quantity
        `value`, `gradient`, `curvature` or `gate`.
    range
        Interval of the suprema, `"-10:10"` or (-10, 10); the ends may be infinite.
    mean, sigma
        Mean and standard deviation of X for averages, which are over the whole real axis.
    samples, seed
        Draw `samples` points X by numpy's PCG64 with this seed.
    digits
        Return decimals of `digits` significant digits instead of float64s. If `digits` > 17 and
        there are points, x stays exact, the fields of results are float64s, and `points`, with
        `digits` digits, is the only view.

    Returns
    -------
    FormError or Results[FormError]

    Raises
    ------
    UsageError
        If a name is unknown, a form is its own target, or an option would have no effect.

    Examples
    --------
    >>> found = error("tanh")
    >>> found.max_abs_error, found.max_abs_error_x
    (0.00047323552068728487, 2.69894138637727)
    >>> error("tanh", [-1, 1]).p99_abs_error
    0.00015275546026624382
    """
    pairs = [compare(each, to_form(target), str(quantity)) for each in to_forms(form)]
    ends, normal, digits = parse_interval(range), distribution(mean, sigma), to_digits(digits)
    start = whole(seed, "--seed", 0, 2**64)
    if samples is None and start:
        raise UsageError("--seed is for --samples; add --samples N")
    title = f"Error of the {quantity} against {pairs[0].target.label}"
    if x is None and samples is None:
        found, views, notes = _over_range(title, pairs, ends, normal, digits)
    else:
        if x is not None and (samples is not None or [*normal] != [0, 1]):
            raise UsageError("points are given; remove --samples, --mean and --sigma")
        if ends != RANGE:
            raise UsageError("--range has no effect on errors at points; remove --range")
        from numpy.random import default_rng

        from gelu_cli.api.error_points import at_points

        if samples is not None:
            count = whole(samples, "--samples", 1, 10**9)
            x = default_rng(start).normal(float(normal[0]), float(normal[1]), count)
        found, views, notes = at_points(f"{title} at points", pairs, x, digits)
        if samples is not None:
            views["points"] = views.pop("points")  # last: the first view is the default
    if (digits or 0) > MOST_DIGITS:
        notes = [*notes, f"mpmath confirms the first {MOST_DIGITS} digits of each error"]
    words = [_in_words(each) for each in found if "summary" in views]
    said = " ".join(words).removesuffix(".")
    return one_or_all(form, found, Answer(views, words=words, notes=notes, found=said))


def _over_range(
    title: str,
    pairs: Sequence[Comparison],
    ends: tuple[Number, Number],
    normal: tuple[Fraction, Fraction],
    digits: int | None,
) -> tuple[Sequence[FormError], Views, Sequence[str]]:
    """Find the suprema over a range, and the averages for X ~ N(mean, sigma²)."""
    found, notes, to, of = [], [], rounding_to(digits), averages.normal(*normal)
    for pair in pairs:
        absolute, relative = suprema(pair, *ends, to)
        mean = averages.mean_absolute_error(pair, of, to)
        rms = averages.root_mean_square_error(pair, of, to)
        largest = [*absolute[:2], *relative[:2]]
        found.append(error_of(pair, largest, mean_abs_error=mean, rms_error=rms))
        if relative.bounded and relative.value == math.inf:
            most = "10^(10^17)" if digits else "the largest float64; add --digits 6"
            notes.append(f"the relative error of {pair.form.label} exceeds {most}")
    meanings = {
        "range": "{:g} to {:g}, suprema at critical points and ends".format(*map(float, ends)),
        "averages": f"X ~ {normal_text(*normal)}",
    }
    return found, views_of(title, found, partial(_regions, pairs, ends, to), meanings), notes


def suprema(pair: Comparison, low: Number, high: Number, to: Target) -> tuple[Extreme, Extreme]:
    """Find the suprema of absolute and relative errors; mpmath confirms them."""
    absolute, relative = (error_sup(pair, low, high, to, ratio) for ratio in (False, True))
    for found, ratio in ((absolute, False), (relative, True)):
        if found.place is not None:
            confirm_error(pair, found.place, found.value, relative=ratio)
    return absolute, relative


def confirm_error(pair: Comparison, x: Any, size: Real, *, relative: bool) -> None:
    """Confirm the size of an error by mpmath, unless x is a kink."""
    if float_of(x) not in (*kinks(pair.form), *kinks(pair.target)):
        confirm(size, pair.form, pair.quantity, x, pair.target, relative)


def _regions(
    pairs: Sequence[Comparison], ends: tuple[Number, Number], to: Target
) -> Iterator[Sequence[Cell]]:
    """Yield the suprema in each region of a range."""
    for pair in pairs:
        for low, high in regions_of(*ends):
            absolute, relative = suprema(pair, low, high, to)
            names = pair.form.label, pair.quantity
            yield *names, float(low), float(high), *absolute[:2], *relative[:2]


def regions_of(low: Number, high: Number) -> list[tuple[Number, Number]]:
    """Divide a range at the numbers `EDGES` into regions.

    >>> regions_of(0.5, 3)
    [(0.5, 1), (1, 2), (2, 3)]
    """
    return list(pairwise([low, *(edge for edge in EDGES if low < edge < high), high]))


def error_of(pair: Comparison, largest: Sequence[Any], **metrics: Any) -> FormError:
    """Make a result from [absolute, x, relative, x] and other metrics."""
    names = ("max_abs_error", "max_abs_error_x", "max_rel_error", "max_rel_error_x")
    metrics |= dict(zip(names, largest, strict=True))
    form, target = pair.form.label, pair.target.label
    return FormError(form=form, target=target, quantity=pair.quantity, **metrics)


def views_of(
    title: str,
    found: Sequence[FormError],
    regions: Callable[[], Iterable[Sequence[Cell]]],
    meanings: Mapping[str, str],
) -> Views:
    """Make the view `summary`, with a row for each metric, and `regions`."""
    metrics = [
        (each.form, each.quantity, name, value, getattr(each, f"{name}_x", None))
        for each in found
        for name, value in each.to_dict().items()
        if name not in ("form", "target", "quantity") and name[-2:] != "_x" and value is not None
    ]

    def columns(names: str, rows: Iterable[Sequence[Cell]]) -> dict[str, Column]:
        return dict(zip(names.split(), zip(*rows, strict=True), strict=True))

    by_region = f"{title} by region"
    return {
        "summary": lambda: Table(title, columns(SUMMARY, metrics), 3, meanings=meanings),
        "regions": lambda: Table(by_region, columns(REGIONS, regions()), 4),
    }


def _in_words(found: FormError) -> str:
    """Write a sentence on the largest absolute error."""
    x, largest = to_short_text(found.max_abs_error_x), to_short_text(found.max_abs_error)
    return f"{found.form} is farthest from {found.target} at x = {x}, by {largest}."
