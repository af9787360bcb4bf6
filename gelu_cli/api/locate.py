"""Minima and inflection points of forms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gelu_cli.api.results import Answer, Real, Result, Results
from gelu_cli.calculus.landmarks import landmarks
from gelu_cli.inputs.names import FormLike, to_forms
from gelu_cli.inputs.numbers import to_digits
from gelu_cli.numbers import rounding_to
from gelu_cli.output.tables import Table

COLUMNS = "form point x value gradient curvature residual"
HEADINGS = {"value": "f", "gradient": "f′", "curvature": "f″"}
RESIDUAL = "|f′| at the printed x of a minimum, |f″| at that of an inflection point"
LACKING = {
    "minimum": "minimum: its gradient nowhere changes from − to +",
    "inflection": "inflection point: its curvature nowhere changes its sign",
}
IN_CLOSED_FORM = "exact: the inflection points are ±√2 exactly, since f″ = φ(x)·(2 − x²)"


@dataclass(frozen=True, kw_only=True)
class Landmark(Result):
    """A landmark of a form; `point` is `minimum` or `inflection`.

    Attributes
    ----------
    x, value, gradient, curvature
        The rounded x, and f, f′ and f″ at the exact x: f′ of a minimum and f″ of an inflection
        point are 0.
    residual
        |f′| at the rounded x of a minimum, |f″| at the rounded x of an inflection point.
    """

    form: str
    point: str
    x: Real
    value: Real
    gradient: Real
    curvature: Real
    residual: Real


def locate(
    form: FormLike | Sequence[FormLike] = "exact", *, digits: int | None = None
) -> Results[Landmark]:
    """Find the minima and inflection points of forms.

    Parameters
    ----------
    form
        Forms, with parameters as in `"tanh:c=0.044"`.
    digits
        Return decimals of `digits` significant digits instead of float64s.

    Returns
    -------
    Results[Landmark]
        In the order of the forms, for each form minima first.

    Examples
    --------
    >>> locate("exact")[0].x
    -0.7517915246935645
    """
    found: list[Landmark] = []
    notes: list[str] = []
    to = rounding_to(to_digits(digits))
    for each in to_forms(form):
        marks = landmarks(each, to)
        found += [Landmark(form=each.label, **mark._asdict()) for mark in marks]
        present = {mark.point for mark in marks}
        lacking = [name for point, name in LACKING.items() if point not in present]
        notes += [f"{each.label} has no {name}" for name in lacking]
        notes += [IN_CLOSED_FORM] * (each.name == "exact")

    def table() -> Table:
        title, said = "Minima and inflection points", {"residual": RESIDUAL}
        return Table.of_rows(title, COLUMNS, map(Result.to_dict, found), 2, HEADINGS, said)

    return Results(found, Answer({"landmarks": table}, notes=notes))
