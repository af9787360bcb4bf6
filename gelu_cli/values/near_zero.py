"""Values at tiny inputs, which lie beside a line through 0, closer than any precision shows.

At x = 2⁻¹⁰⁷⁴ GELU is x/2 + x²/√(2π) + …: half way between two float64s but for a part in 2¹⁰⁷⁴.
Which side of the tie it is on is the sign of f″(0); no more digits are needed.
"""

from __future__ import annotations

from fractions import Fraction
from math import copysign

import numpy as np

from gelu_cli.arithmetic.exact import RATIONAL
from gelu_cli.arithmetic.extended.number import Extended, choose, extended
from gelu_cli.arithmetic.format_arrays import Array
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.forms.form import Form
from gelu_cli.values.evaluate import evaluate

TINY = 2.0**-120
"""Below it |f(x) − f′(0)·x| < 2⁻¹⁰⁰·|x| for f″ up to 2²⁰: less than a unit of any format."""

STEEP = 2.0**20
"""A curvature, or a parameter in higher derivatives, that may bend a form below `TINY` too."""


def beside_the_line(form: Form, x: Array, y: Extended) -> Extended:
    """Return the values y of a form, those at tiny x as f′(0)·x and a little to the right side.

    How little does not matter: nothing between there and the true value rounds differently.
    """
    tiny = np.abs(x) < TINY
    if not np.any(tiny):
        return y
    line = line_through_zero(form)
    if line is None:
        return y
    slope, side = line
    on_line = extended(x)
    high = on_line.high * slope
    low = side * 2.0**-101 * np.abs(high)
    return choose(tiny, Extended(high, low, np.abs(low) / 2, on_line.scale), y)


def line_through_zero(form: Form) -> tuple[float, float] | None:
    """Return f′(0) and the sign of f″(0), where f(0) = 0, f′(0) = 1/2 and f is smooth.

    None stands for other forms, and for steep ones.
    """
    if any(abs(kink.square) < TINY**2 for kink in form.kinks):
        return None
    zero = Fraction(0)
    value, slope, *_ = form.evaluate(RATIONAL, zero, zero, 1)
    if value != 0 or slope != Fraction(1, 2):
        return None
    (curvature,) = evaluate(form, ["curvature"], 0.0, FLOAT64)
    sizes = map(abs, form.settings.values())
    if not 0 < abs(float(curvature)) < STEEP or any(size > STEEP for size in sizes):
        return None
    return float(slope), copysign(1.0, curvature)
