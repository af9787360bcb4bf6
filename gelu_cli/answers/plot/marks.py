"""What is marked in a picture of forms: minima and inflection points, or suprema of errors."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from gelu_cli.answers.table import HEADINGS
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.calculus.landmarks import Landmark, landmarks
from gelu_cli.errors import UsageError
from gelu_cli.forms import Form
from gelu_cli.report.numbers import human_text
from gelu_cli.report.plots import Mark
from gelu_cli.report.plots.labels import number
from gelu_cli.stages import part

if TYPE_CHECKING:
    from gelu_cli.calculus.comparison import Comparison

ALL = "all"
OF_FORMS = ("minimum", "inflection")
OF_ERRORS = ("supremum",)

MARKED = ("value", "gradient", "curvature")
"""Landmarks are on the first of these quantities that is drawn."""

SHOWN = Decimals(6)


def marks_of_forms(
    forms: Sequence[Form],
    quantities: Collection[str],
    kinds: Collection[str],
    low: Fraction | float,
    high: Fraction | float,
) -> list[Mark]:
    """Return the landmarks of forms in [low, high], with the numbers that `gelu locate` has.

    Raises `UsageError` for kinds that only errors have, and where no quantity has them.

    >>> from gelu_cli.forms import find_form
    >>> marks_of_forms([find_form("exact")], ["value"], ["minimum"], -4, 4)[0].label
    'minimum −0.169971 at x = −0.751792'
    """
    if not kinds:
        return []
    chosen = _chosen(kinds, OF_FORMS, "pictures of errors; add --error absolute or relative")
    quantity = next((name for name in MARKED if name in quantities), None)
    if quantity is None:
        asked = ",".join(kinds)
        raise UsageError(f"--mark {asked} needs one of --show {', '.join(MARKED)}")
    return [
        Mark(float(each.x), float(getattr(each, quantity)), _in_words(form, forms, quantity, each))
        for form in forms
        for each in _landmarks(form)
        if each.point in chosen and low <= each.x <= high
    ]


def _landmarks(form: Form) -> list[Landmark]:
    with part(form.label):
        return landmarks(form, SHOWN)


def _in_words(form: Form, forms: Sequence[Form], quantity: str, landmark: Landmark) -> str:
    x, y = (number(human_text(getattr(landmark, name))) for name in ("x", quantity))
    if quantity != "value":
        return f"{HEADINGS[quantity].format(form.label)} = {y} at the {landmark.point}, x = {x}"
    whose = f"{form.label}: " if len(forms) > 1 else ""
    return f"{whose}{landmark.point} {y} at x = {x}"


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
    return [mark for comparison in comparisons for mark in _supremum(comparison, error, low, high)]


def _supremum(
    comparison: Comparison, error: str, low: Fraction | float, high: Fraction | float
) -> Iterator[Mark]:
    from gelu_cli.calculus.point_errors_arrays import errors_of_array

    with part(comparison.form.label):
        absolute = error == "absolute"
        largest = comparison.largest_difference if absolute else comparison.largest_ratio
        size, x, _ = largest(low, high, SHOWN)
    if not math.isfinite(x):
        return
    *_, difference, ratio = errors_of_array(comparison, np.array([float(x)]))
    (there,) = difference if absolute else ratio
    y = math.copysign(float(size), there)
    said = f"largest error {number(human_text(size))} at x = {number(human_text(x))}"
    label = f"{comparison.form.label}: {said}"
    yield Mark(float(x), y, label)


def _chosen(kinds: Collection[str], there: Sequence[str], others: str) -> list[str]:
    """Return which of the kinds that a picture has are to be marked."""
    for kind in kinds:
        if kind not in (*there, ALL):
            raise UsageError(f"--mark {kind} is for {others}")
    return [kind for kind in there if ALL in kinds or kind in kinds]
