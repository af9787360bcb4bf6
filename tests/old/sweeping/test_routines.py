"""A routine in exact enough arithmetic is its form: what a sweep finds is rounding alone."""

from fractions import Fraction

import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import all_forms
from gelu_cli.old.sweeping.implementations import routine_implementation
from gelu_cli.old.sweeping.routines import ROUTINES, find_routine
from tests.old.every import every
from tests.truth.mpmath import DIGITS, FORMS, M, ratio

POINTS = ["-7/2", "-2", "-3/5", "-1/1000", "1/9", "1", "5/2", "6"]


class Precise:
    """mpmath's functions, under the names that routines use."""

    exp, erf, erfc, tanh, sqrt = map(staticmethod, (M.exp, M.erf, M.erfc, M.tanh, M.sqrt))
    rational = staticmethod(ratio)

    @property
    def pi(self):
        return +M.pi


@every("x", POINTS)
@every("routine", ROUTINES.values(), ids=list(ROUTINES))
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


@every("result", ["float16", "bfloat16", "float8_e5m2", "float8_e4m3fn"])
@every("compute", [None, "float32", "float16"])
def test_results_are_numbers_of_their_format(result, compute):
    number_format, inner = FORMATS[result], FORMATS[compute] if compute else None
    routine = routine_implementation(find_routine("logistic"), "value", number_format, inner)
    numbers = {number_format.from_float(each) for each in np.linspace(-8, 8, 999).tolist()}
    got = routine(np.array(sorted(numbers), np.float32))
    assert got.dtype == np.float32
    finite = got[np.isfinite(got)].tolist()
    assert finite == [number_format.from_float(each) for each in finite]


def test_a_wider_inside_is_rounded_once_at_the_end():
    x = np.linspace(-8, 8, 999).astype("float16").astype(np.float32)
    half, single = FORMATS["float16"], FORMATS["float32"]
    routine = find_routine("erf_sum")
    wide = routine_implementation(routine, "value", single)(x)
    got = routine_implementation(routine, "value", half, single)(x)
    np.testing.assert_array_equal(got, wide.astype(np.float16).astype(np.float32))
