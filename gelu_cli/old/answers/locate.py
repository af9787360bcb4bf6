"""Where are the minimum and the inflection points of a form?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gelu_cli.old.answers import HEADINGS, report_of
from gelu_cli.old.calculus.landmarks import POINTS, Landmark, landmarks
from gelu_cli.old.formulas import Form
from gelu_cli.old.report import Ending, Report, Row
from gelu_cli.old.stages import part
from gelu_cli.old.values.evaluate import rounding_to

EXACTLY = {"exact": "the inflection points are ±√2 exactly, since f″ = φ(x)·(2 − x²)"}
"""What is known of landmarks in closed form."""

RESIDUAL = "|f′| at the x printed of a minimum, |f″| of an inflection point"


def locate(forms: Sequence[Form], *, digits: int | None = None) -> Report:
    """Return a row for each landmark of each form; notes say what a form lacks, or has exactly."""
    rounding = rounding_to(digits)

    def stream() -> Iterator[list[Row] | Ending]:
        notes: list[str] = []
        for form in forms:
            with part(form.label):
                found = landmarks(form, rounding)
            yield [(form.label, *landmark) for landmark in found]
            notes += _notes(form, {landmark.point for landmark in found})
        yield Ending({"residual": RESIDUAL}, notes)

    headings = {name: HEADINGS.get(name, name) for name in ("form", *Landmark._fields)}
    title = "Minima and inflection points"
    return report_of(title, headings | {"value": "f"}, stream(), digits, keys=2)


def _notes(form: Form, present: set[str]) -> Iterator[str]:
    """Yield what a form lacks, and what is known of it in closed form."""
    for point, quantity in POINTS.items():
        if point not in present:
            kind = "inflection point" if point == "inflection" else point
            where = " from − to +" if point == "minimum" else ""
            yield (f"{form.label} has no {kind}: its {quantity} changes its sign nowhere{where}")
    if form.name in EXACTLY:
        yield f"{form.label}: {EXACTLY[form.name]}"
