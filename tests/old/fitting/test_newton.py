"""Interval Newton: a root is proved, or refused."""

from decimal import Decimal
from fractions import Fraction
from math import inf

import pytest
from flint import arb

from gelu_cli.old.arithmetic.balls import real, working
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.fitting.families import Family
from gelu_cli.old.fitting.newton import NotFoundError, all_told, refined, solved
from gelu_cli.old.fitting.search import least_largest_error
from gelu_cli.old.formulas import find_form
from tests.old.asked import fit
from tests.truth import fitting as truth
from tests.truth.mpmath import M


def system(f, slope):
    return lambda z: ([f(z[0])], [[slope(z[0])]])


def test_a_root_is_enclosed_and_the_ball_is_narrow():
    with working(200):
        (root,) = solved(system(lambda z: z * z - 2, lambda z: 2 * z), [arb(1)])
        assert root.contains(arb(2).sqrt())
        assert root.rad() < arb(2) ** -190


@pytest.mark.parametrize(
    ("f", "slope"),
    [
        pytest.param(lambda z: z * z + 1, lambda z: 2 * z, id="no root"),
        pytest.param(lambda z: z * z, lambda z: 2 * z, id="a double root"),
        pytest.param(lambda z: z * z + arb(2) ** -150, lambda z: 2 * z, id="nearly a double root"),
        pytest.param(lambda z: (z * z - 2) * 0 + 1, lambda z: z * 0, id="no slope"),
    ],
)
def test_what_is_no_simple_root_is_refused(f, slope):
    with working(200), pytest.raises((NotFoundError, ZeroDivisionError)):
        solved(system(f, slope), [arb(0.5)])


def test_what_a_ball_rounds_to():
    two = Decimals(2)
    with working(100):
        assert all_told([arb(0.1249, 0.00009), real(Fraction(0))], two) == [Decimal("0.12"), 0]
        assert all_told([arb(0.1249, 0.0002)], two) is None  # 0.125 is among them
        assert all_told([arb(0), arb(0, 0.0002)], two) is None


def test_an_end_just_beyond_an_extremum_is_no_contact():
    """A search cannot tell them apart, for the error differs by less than a share of 10⁻⁶."""
    line = fit("sigmoid")
    for beyond in (1e-7, 1e-4):
        end = line.points[-1].x + beyond
        assert fit("sigmoid", low=-end, high=end).points == line.points


def test_an_end_just_before_an_extremum_is_a_contact():
    line = fit("sigmoid")
    end = line.points[-1].x - 1e-7
    best = fit("sigmoid", low=-end, high=end)
    assert best.points[-1].x == end
    assert best.constants < line.constants


def test_constants_points_and_error_are_enclosed():
    """The two equations of tanh's best c, solved by mpmath to more digits than the balls have."""
    family = Family(find_form("tanh"), ("c",), find_form("exact"), "value")
    found = least_largest_error(family, [0.0447], Fraction(0), inf)

    def error(x, c):
        return x * (truth.tanh_of_published_scale(x, c) - truth.normal_gate(x))

    with working(160):
        best = refined(family, found)
        (c,), (first, last) = best.values, best.peaks
        with M.workdps(60):
            solution = M.findroot(
                lambda c, x, y: [
                    error(x, c) + error(y, c),
                    M.diff(lambda t: error(t, c), x),
                    M.diff(lambda t: error(t, c), y),
                ],
                (0.0444, 1.456, 2.795),
            )
            texts = [M.nstr(part, 45) for part in [*solution, error(solution[1], solution[0])]]
        for ball, text in zip([c, first.x, last.x, first.error], texts, strict=True):
            assert ball.overlaps(arb(text))
            assert ball.rad() < abs(ball) * arb(2) ** -120
