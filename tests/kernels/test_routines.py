"""Routines: in exact enough arithmetic each is its form; in a format each operation rounds."""

import operator
from fractions import Fraction
from functools import partialmethod

import numpy as np
import pytest
import scipy.special

from gelu_cli.kernels import ROUTINES, call
from gelu_cli.numbers import FORMATS
from tests.kernels.calls import array, every, kernel
from tests.truth.mpmath import DIGITS, FORMS, M, ratio

POINTS = ["-7/2", "-2", "-3/5", "-1/1000", "1/9", "1", "5/2", "6"]


class Precise:
    """mpmath's arithmetic; constants are the decimals that are written."""

    exp, erf, erfc, tanh, sqrt = map(staticmethod, (M.exp, M.erf, M.erfc, M.tanh, M.sqrt))
    pi = +M.pi

    def __call__(self, value):
        return ratio(Fraction(repr(value)))


def test_value_and_gradient_are_those_of_the_form():
    for name, routine in ROUTINES.items():
        f = FORMS[routine.form]
        for x in map(ratio, map(Fraction, POINTS)):
            for computation, order in ((routine.value, 0), (routine.gradient, 1)):
                got, want = computation(Precise(), x), M.diff(f, x, order)
                assert M.almosteq(got, want, M.mpf(10) ** (-DIGITS // 2)), (name, x, order)


class Slow:
    """The arithmetic of an 8-bit format by a table of its numbers; float64s in between.

    Products and sums of 8-bit numbers are float64s; a quotient that is rounded to 53 bits is on the
    side of a tie where it was.
    """

    def __init__(self, name):
        of = FORMATS[name]
        self.sizes = np.array([of.number(bits) for bits in range(of.top)])
        beyond = 2 * self.sizes[-1] - self.sizes[-2]
        self.ties = (self.sizes + np.append(self.sizes[1:], beyond)) / 2
        self.sizes = np.append(self.sizes, np.inf if of.infinite else np.nan)
        self.pi = self(np.pi)

    def __call__(self, value):
        return Number(self, np.array([value]))

    def function(self, function, x):
        with np.errstate(all="ignore"):
            return Number(self, function(x.values.astype(np.float32)).astype(float))

    def __getattr__(self, name):
        function = getattr(scipy.special if name.startswith("erf") else np, name)
        return lambda x: self.function(function, x)


class Number:
    """Numbers of a format, whose operations round to nearest, ties to even bit patterns."""

    def __init__(self, a, values):
        places = np.searchsorted(a.ties, abs(values))
        tie = np.append(a.ties, 0)[places] == abs(values)
        self.a, self.values = a, np.copysign(a.sizes[places + (tie & (places % 2 == 1))], values)
        self.values[np.isnan(values)] = np.nan

    def _with(self, other, operation):
        with np.errstate(all="ignore"):
            return Number(self.a, operation(self.values, other.values))

    __add__ = partialmethod(_with, operation=operator.add)
    __sub__ = partialmethod(_with, operation=operator.sub)
    __mul__ = partialmethod(_with, operation=operator.mul)
    __truediv__ = partialmethod(_with, operation=operator.truediv)

    def __neg__(self):
        return Number(self.a, -self.values)


@pytest.mark.parametrize("dtype", ["float8_e5m2", "float8_e4m3fn"])
def test_each_operation_rounds_to_an_8_bit_format(dtype):
    slow, x = Slow(dtype), every(dtype)
    for name, routine in ROUTINES.items():
        for quantity in ("value", "gradient"):
            got = call(kernel(name, dtype, quantity=quantity), x).astype(float)
            want = getattr(routine, quantity)(slow, Number(slow, x.astype(float))).values
            same = (got == want) & (np.signbit(got) == np.signbit(want)) | np.isnan(got + want)
            assert (np.isnan(got) == np.isnan(want)).all()
            assert same.all(), (name, quantity, x[~same], got[~same], want[~same])


def test_operations_and_results_have_formats_of_their_own():
    """½·(1 + erf) at −2: 0.0227… in float32; in bfloat16 1 + erf has 8 bits."""
    x = array([-2.0], "bfloat16")
    erf_sum = {
        c: float(call(kernel("erf_sum", "bfloat16", compute=c), x)[0])
        for c in ("bfloat16", "float32", "float64")
    }
    assert erf_sum == {"bfloat16": -0.046875, "float32": -0.045410156250, "float64": -0.04541015625}
    assert call(kernel("erfc", "bfloat16", "float64", compute="float64"), x).dtype == np.float64
    # Rounded once from float64 to bfloat16, not by way of float32.
    near_tie = np.array([1 + 2**-8 + 2**-40])
    relu_like = kernel("erfc", "float64", "bfloat16")
    assert call(relu_like, near_tie * 64).tolist() == [64 * 1.0078125]
