"""A routine in exact enough arithmetic is its form: what a sweep finds is rounding alone."""

from fractions import Fraction

import pytest

from gelu_cli.errors import UsageError
from gelu_cli.forms import all_forms
from gelu_cli.kernels.routines import ROUTINES, find_routine
from tests.truth.mpmath import DIGITS, FORMS, M, ratio

POINTS = ["-7/2", "-2", "-3/5", "-1/1000", "1/9", "1", "5/2", "6"]


class Precise:
    """mpmath's functions, under the names that routines use."""

    exp, erf, erfc, tanh, sqrt = map(staticmethod, (M.exp, M.erf, M.erfc, M.tanh, M.sqrt))
    rational = staticmethod(ratio)

    @property
    def pi(self):
        return +M.pi


@pytest.mark.parametrize("x", POINTS)
@pytest.mark.parametrize("routine", ROUTINES.values(), ids=list(ROUTINES))
def test_value_and_gradient_are_those_of_the_form(routine, x):
    f, point = FORMS[routine.form], ratio(Fraction(x))
    for computation, order in ((routine.value, 0), (routine.gradient, 1)):
        want = M.diff(f, point, order)
        assert M.almosteq(computation(Precise(), point), want, M.mpf(10) ** (-DIGITS // 2))


def test_every_routine_computes_a_form_and_goes_by_its_name():
    assert {routine.form for routine in ROUTINES.values()} <= set(all_forms())
    assert all(find_routine(name).name == name for name in ROUTINES)


def test_an_unknown_routine_is_a_usage_error_with_the_nearest_name():
    with pytest.raises(UsageError, match="unknown routine 'erf_sun'; did you mean 'erf_sum'"):
        find_routine("erf_sun")
