"""The line beside which tiny inputs lie, against the Taylor series of the definitions."""

from fractions import Fraction

import numpy as np
import pytest

from gelu_cli.arithmetic.extended.number import extended
from gelu_cli.forms import find_form
from gelu_cli.values.near_zero import beside_the_line, line_through_zero
from tests.truth import mpmath as reference
from tests.truth.mpmath import M, fraction

TINY = [2.0**-121, -(2.0**-121), 3e-100, -7e-300, 2.0**-1074, -(2.0**-1074)]


def series(name, **settings):
    """f(0), f′(0) and ½f″(0)."""
    f = reference.FORMS[name]
    with M.workdps(40):
        return M.taylor(lambda x: f(x, **settings), 0, 2)


@pytest.mark.parametrize(
    ("name", "settings", "line"),
    [
        ("sigmoid", {"beta": Fraction(-3)}, (0.5, -1.0)),
        ("sigmoid", {"beta": Fraction(0)}, None),  # the line itself
        ("sigmoid", {"beta": Fraction(2**20)}, (0.5, 1.0)),  # which bends by f″(0) = β/2
        ("sigmoid", {"beta": Fraction(2**22)}, None),
        ("sigmoid", {"beta": Fraction(-(2**22))}, None),
        ("tanh", {"c": Fraction(2**20)}, (0.5, 1.0)),
        ("tanh", {"c": Fraction(2**20 + 1)}, None),
        ("tanh", {"c": Fraction(-(2**20) - 1)}, None),
    ],
)
def test_what_bends_too_much_or_not_at_all_has_no_line(name, settings, line):
    assert line_through_zero(find_form(name).with_settings(name, settings)) == line


@pytest.mark.parametrize(
    ("name", "settings"), [("exact", {}), ("silu", {}), ("sigmoid", {"beta": Fraction(-3)})]
)
def test_tiny_inputs_are_a_hair_off_the_line_on_the_side_of_the_truth(name, settings):
    form, x = find_form(name), np.array(TINY)
    if settings:
        form = form.with_settings(name, settings)
    y = beside_the_line(form, x, extended(np.full_like(x, np.nan)))
    _, slope, bend = map(fraction, series(name, **settings))
    assert slope == Fraction(1, 2)
    for i, point in enumerate(map(Fraction, TINY)):
        exponent = 0 if y.scale is None else int(y.scale[i])
        high, low, error = (
            Fraction(float(part[i])) * Fraction(2) ** exponent for part in (y.high, y.low, y.error)
        )
        assert high == slope * point
        # Not so far that a number of any format would be between, and not on the line.
        assert 0 < error < abs(low) <= abs(high) / 2**100
        assert (low > 0) == (bend > 0)
