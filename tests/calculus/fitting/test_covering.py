"""Lower bounds of the largest error over boxes of parameters."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from scipy import special

from gelu_cli.calculus.fitting.bounds import covering_bound
from gelu_cli.calculus.fitting.boxes import Box, halves, wide_box
from gelu_cli.calculus.fitting.covering import Covering, left_over
from gelu_cli.calculus.fitting.families import Family
from gelu_cli.calculus.fitting.references import references
from gelu_cli.calculus.fitting.refinement import exactly, refined
from gelu_cli.calculus.fitting.search import least_largest_error
from gelu_cli.forms import find_form

PRECISION = 200


def family_of(name, *free, quantity="value"):
    return Family(find_form(name), free, find_form("exact"), quantity)


def best_of(family, low=-inf, high=inf):
    start = [float(family.form.settings[name]) for name in family.free]
    return refined(family, least_largest_error(family, start, low, high), PRECISION)


def error_of(best):
    return min(abs(exactly(peak.error)) for peak in best.peaks)


@pytest.mark.parametrize(
    ("form", "free", "quantity"),
    [
        ("sigmoid", ("beta",), "gradient"),
        ("tanh", ("c",), "gradient"),
        ("tanh", ("a", "c"), "value"),
    ],
)
def test_the_bound_is_the_least_error_itself(form, free, quantity):
    family = family_of(form, *free, quantity=quantity)
    best = best_of(family)
    bound = covering_bound(family, best, -inf, inf, PRECISION)
    assert 0 <= error_of(best) - bound < Fraction(1, 10**40)


def test_a_kink_that_moves_leaves_a_bound_a_little_lower():
    family = family_of("hard", "slope", quantity="gradient")
    best = best_of(family, Fraction(0))
    bound = covering_bound(family, best, -inf, inf, PRECISION)
    assert Fraction(99, 100) * error_of(best) <= bound <= error_of(best)


@pytest.mark.parametrize("share", [Fraction(1, 10**6), Fraction(1, 3)])
def test_a_goal_above_the_least_error_is_not_reached(share):
    family = family_of("tanh", "c")
    best = best_of(family)
    values = list(map(exactly, best.values))
    points = references(family, list(map(float, values)), -inf, inf, best.peaks)
    covering = Covering(family, list(map(float, values)), points, -inf, inf)
    goal = error_of(best) * (1 + share)
    assert left_over(covering, [wide_box(family, values)], goal, halves, 400) is None


def test_a_point_that_a_moving_kink_passes_is_on_either_piece():
    """At x = 2 hard GELU is x where slope ≥ 3/2 and less where not: both are enclosed."""
    family = family_of("hard", "slope")
    point = references(family, [1.5], Fraction(2), Fraction(3))[0]
    covering = Covering(family, [1.5], [point._replace(x=Fraction(2))], Fraction(1), Fraction(3))
    truth = 2 * float(special.ndtr(2))
    for low, high in [(1.2, 1.4), (1.2, 1.8), (1.6, 1.8)]:
        errors = [abs(2 * min(max(slope * 2 + 3, 0), 6) / 6 - truth)
                  for slope in np.linspace(low, high, 101)]  # fmt: skip
        box = Box((Fraction(low),), (Fraction(high),))
        assert covering.judge(box, Fraction(min(errors) * 1.0001)) is not None
