"""The line cut at kinks and 0, and the points on every stretch of it."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gelu_cli.old.arithmetic.arrays import ARRAYS
from gelu_cli.old.calculus.stretches import Place, Stretch, grid, piece_of, stretches
from gelu_cli.old.formulas import all_forms, find_form
from tests.old.every import every
from tests.truth.arb import kinks, values_and_gradients

FORMS = list(all_forms().values())
WHOLE = [Place.of(side * math.inf, FORMS) for side in (-1, 1)]


@every("name", all_forms())
def test_the_line_is_cut_at_the_kinks_and_at_0(name):
    cuts = stretches(*WHOLE, [find_form(name)])
    ends = [float(cuts[0].low), *(float(cut.high) for cut in cuts)]
    assert ends[1:-1] == pytest.approx(sorted({0, *kinks(name)}), rel=1e-15)
    assert (ends[0], ends[-1]) == (-math.inf, math.inf)
    assert all(one.high == other.low for one, other in pairwise(cuts))


@every("name", all_forms())
def test_on_each_stretch_the_piece_is_the_one_that_holds_there(name):
    form = find_form(name)
    for cut in stretches(Place.of(-6), Place.of(Fraction(6)), [*FORMS]):
        x = (float(cut.low) + float(cut.high)) / 2
        got = form.on_piece(piece_of(form, cut), ARRAYS, x, 1)
        assert (got.value, got.gradient) == pytest.approx(
            np.ravel(values_and_gradients(name, [x])), rel=1e-11
        )


@every(("low", "high"), [(1, 3), (-3, -1), (2, Fraction(5, 2)), (0, 1)])
def test_a_grid_closes_in_on_both_ends(low, high):
    """A kink may have a peak beside it, narrower than any even step."""
    (cut,) = stretches(Place.of(Fraction(low)), Place.of(Fraction(high)), [])
    points, width = np.array(grid(cut)), float(high - low)
    for away in (points - float(low), float(high) - points):
        for octave in range(10, 29):
            least = width * 2.0**-octave
            assert ((least <= away) & (away < 2 * least)).any()


@given(low=st.floats(-1e6, 1e6), width=st.floats(1e-3, 1e6))
@example(low=-5e-324, width=1e-3)
@example(low=-(2.0**-1000), width=1.0)
def test_a_grid_is_ascending_inside_and_dense_on_the_scale_of_x(low, width):
    for cut in stretches(Place.of(low), Place.of(low + width), []):
        points = grid(cut)
        assert points == sorted(set(points))
        assert all(float(cut.low) < x < float(cut.high) for x in points)
        full = [float(cut.low), *points, float(cut.high)]
        size = float(cut.high) - float(cut.low)
        if size >= 2.0**-1060:  # 250 subnormals lie there
            assert max(y - x for x, y in pairwise(full)) <= size / 250


@every("side", [-1, 1])
def test_on_an_infinite_stretch_the_points_reach_far_and_are_dense_where_forms_bend(side):
    ends = (Place.of(0), WHOLE[1]) if side > 0 else (WHOLE[0], Place.of(0))
    points = sorted(side * x for x in grid(Stretch(*ends)))
    assert points[-1] > 2.0**59
    assert points[0] < 2.0**-30
    near = [x for x in points if 0.1 < x < 30]
    assert max(y / x for x, y in pairwise(near)) < 1.05
