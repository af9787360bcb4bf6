"""Where are the minimum and the inflection points of a form?"""

from __future__ import annotations

from collections.abc import Sequence

from gelu_cli.calculus.landmarks import SEARCHES, Landmark, landmarks
from gelu_cli.forms import Form
from gelu_cli.report import Column, Report, Row
from gelu_cli.values.evaluate import rounding_to

DEFAULT_FORMS = ("exact",)
EXACTLY = {"exact": "the inflection points are ±√2 exactly, since f″ = φ(x)·(2 − x²)"}
"""What is known of landmarks in closed form."""


def locate(forms: Sequence[Form], *, digits: int | None = None) -> Report:
    """Return a row for each landmark of each form; notes say what a form lacks, or has exactly."""
    rounding = rounding_to(digits)
    notes: list[str] = []

    def rows(form: Form) -> list[Row]:
        found = landmarks(form, rounding)
        present = {landmark.point for landmark in found}
        notes.extend(
            f"{form.label} has no {search.point}{' point' * (search.point == 'inflection')}: "
            f"its {search.quantity} changes its sign nowhere" + " from − to +" * search.rising
            for search in SEARCHES
            if search.point not in present
        )
        if form.name in EXACTLY:
            notes.append(f"{form.label}: {EXACTLY[form.name]}")
        return [(form.label, *landmark) for landmark in found]

    headings = {"value": "f", "gradient": "f′", "curvature": "f″"}
    names = ("form", *Landmark._fields)
    return Report(
        title="Minima and inflection points",
        columns=[Column(name, headings.get(name, name)) for name in names],
        blocks=map(rows, forms),
        digits=digits,
        keys=2,
        facts={"residual": "|f′| at the x printed of a minimum, |f″| of an inflection point"},
        notes=notes,
    )
