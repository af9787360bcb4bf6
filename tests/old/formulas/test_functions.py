"""The functions that are no GELUs: their digits, sweeps of them, and where they are not listed."""

import math
from fractions import Fraction
from functools import cache

import ml_dtypes
import numpy as np
import pytest
from scipy import special

from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.format_arrays import numbers as every_number
from gelu_cli.old.arithmetic.formats import FLOAT64, FORMATS
from gelu_cli.old.formulas import all_forms, all_functions, find_form
from gelu_cli.old.guests.calling import Calling
from gelu_cli.old.guests.python_functions import implementation_of
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.sweep import sweep
from gelu_cli.old.sweeping.truth import Question, truth_at
from gelu_cli.old.values.evaluate import evaluate
from gelu_cli.old.values.evaluate_arrays import evaluate_array
from tests.old.every import every
from tests.old.sweeping.some_runs import FLOAT32, some_runs
from tests.old.values.points import around, by_arb, same, spread
from tests.truth import arb
from tests.truth import mpmath as reference
from tests.truth.mpmath import M, decimal_of, fraction, identical, nearest, truth

NAMES = list(all_functions())
THREE = ["value", "gradient", "curvature"]
every_function = every("name", NAMES)
every_quantity = every("quantity", THREE[:2])

LIMITS = {
    "logistic": (0.0, 1.0), "tanh_fn": (-1.0, 1.0), "erf": (-1.0, 1.0), "Phi": (0.0, 1.0),
    "normal_pdf": (0.0, 0.0),
}  # fmt: skip
FAR, TINY = 1e4, M.mpf(2) ** -200
"""Beyond these nothing changes."""

KERNELS = {
    "logistic": special.expit, "tanh_fn": np.tanh, "erf": special.erf, "Phi": special.ndtr,
    "normal_pdf": lambda x: np.exp(-x * x / 2) / np.sqrt(2 * np.pi),
}  # fmt: skip
GRADIENTS = {
    "logistic": lambda x: 1 / (2 + M.exp(x) + M.exp(-x)),
    "tanh_fn": lambda x: 1 / M.cosh(x) ** 2,
    "erf": lambda x: 2 * M.exp(-x * x) / M.sqrt(M.pi),
    "Phi": M.npdf,
    "normal_pdf": lambda x: -x * M.npdf(x),
}
"""In closed form: brute force has no time to differentiate."""


def test_every_function_has_two_references():
    assert set(NAMES) == set(reference.FUNCTIONS) == set(arb.FUNCTIONS)


@every_function
@every("x", [-9.5, -4.5, -1.0, -1e-8, 0.25, 3.0, 12.0])
def test_every_quantity_is_that_of_the_definition(name, x):
    found = evaluate(find_form(name), THREE, x, Decimals(30))
    assert found == [decimal_of(truth(name, quantity, x), 30) for quantity in THREE]


@every_function
def test_arrays_have_the_digits_of_arb(name):
    x = np.concatenate([spread(60, 5), around([1e-5, 0.5, 1.0, 8.3, 27.2, 38.6], 1)])
    columns = evaluate_array(find_form(name), THREE, x, FLOAT64)
    for point, *got in zip(x.tolist(), *(each.tolist() for each in columns), strict=True):
        for one, due in zip(got, by_arb(name, THREE, point), strict=True):
            assert due is None or same(one, due), point


@every_function
def test_far_out_it_is_at_its_limit_which_it_reaches_from_one_side(name):
    for side, limit in zip((-1, 1), LIMITS[name], strict=True):
        for x in (side * math.inf, side * 1e308, side * 2.0**120):
            value, gradient = evaluate(find_form(name), THREE[:2], x, FLOAT64)
            assert identical(value, limit), x
            assert gradient == 0, x
    assert evaluate(find_form("erf"), ["value"], -0.0, FLOAT64)[0] == 0
    assert math.copysign(1, evaluate(find_form("erf"), ["value"], -0.0, FLOAT64)[0]) == -1


# Every input, by brute force


@cache
def brute_force(name, quantity, dtype, all_of_them):
    """Return inputs, true values to 40 digits, and what these round to."""
    x = every_number(FORMATS[dtype], np.arange(1 << 16))
    x = x[np.isfinite(x) & (x != 0)]
    if not all_of_them:  # all that turn, and some of those next to 0 and far out
        turning = (np.abs(x) > 2.0**-6) & (np.abs(x) < 200)
        x = np.concatenate([x[turning][::3], x[~turning][::61]])
    function = (reference.FUNCTIONS if quantity == "value" else GRADIENTS)[name]
    if (name, quantity) == ("erf", "value"):
        function = M.erf
    with M.workdps(40):
        y = [of_size(function(M.mpf(point))) for point in np.clip(x, -FAR, FAR).tolist()]
    return x, y, np.array([nearest(each, dtype) for each in y], dtype=float)


def of_size(number):
    """Return the Fraction that a number is, or about one that no format tells from 0."""
    return fraction(number if abs(number) > TINY or not number else M.sign(number) * TINY)


def assert_right(name, quantity, dtype, all_of_them):
    x, y, want = brute_force(name, quantity, dtype, all_of_them)
    question = Question(find_form(name), quantity, FORMATS[dtype])
    found = truth_at(question, x)
    np.testing.assert_array_equal(found.want, want)
    values = np.ldexp(found.multiple + found.low, found.unit_exponent)
    np.testing.assert_allclose(values, [float(v) for v in y], rtol=1e-15, atol=1e-55)
    return x, y, want


@every("dtype", ["bfloat16", "float16"])
@every_quantity
@every_function
def test_of_many_16_bit_inputs_the_truth_is_that_of_brute_force(name, quantity, dtype):
    assert_right(name, quantity, dtype, False)


@pytest.mark.slow
@every("dtype", ["bfloat16", "float16"])
@every_function
def test_a_sweep_of_all_16_bit_inputs_counts_what_brute_force_counts(name, dtype):
    number_format = FORMATS[dtype]
    assert_right(name, "gradient", dtype, True)
    x, y, want = assert_right(name, "value", dtype, True)

    def kernel(x):
        return KERNELS[name](x.astype(np.float32)).astype(x.dtype)

    implementation = implementation_of("theirs", kernel, Calling(number_format, number_format))
    question = Question(find_form(name), "value", number_format)
    verdict = sweep(implementation, question, Inputs())
    got = kernel(x.astype(getattr(ml_dtypes, dtype, dtype))).astype(float)
    off = [abs(float((Fraction(g) - v) / number_format.ulp(v)))
           for g, v in zip(got.tolist(), y, strict=True)]  # fmt: skip
    assert verdict.max_ulp == pytest.approx(max(off), rel=1e-12)
    assert verdict.total.misrounded == np.count_nonzero(got != want)


@every_quantity
@every_function
def test_float32s_are_those_of_brute_force(name, quantity):
    generator = np.random.default_rng(7)
    x = np.concatenate([generator.normal(size=150) * 3, 2.0 ** generator.uniform(-149, 5, 50)])
    x = x.astype(np.float32).astype(float)
    due = [nearest(truth(name, quantity, point), "float32") for point in x.tolist()]
    found = truth_at(Question(find_form(name), quantity, FLOAT32), x[x != 0])
    assert found.want.tolist() == [y for y, point in zip(due, x, strict=True) if point]


@every_quantity
@every_function
def test_runs_of_float32s_are_those_of_brute_force(name, quantity):
    """What `sweep --all` takes for 65,536 inputs at once, at some of them."""
    for x, run in some_runs(name, quantity, 4, seed=3):
        places = [0, 9_999, 43_210, 65_535]
        values = run.values(x, slice(0, len(x)))[places]
        for point, value in zip(x[places].astype(float).tolist(), values.tolist(), strict=True):
            if point and abs(point) < 50:
                due = float(truth(name, quantity, point))
                assert value == pytest.approx(due, rel=1e-9, abs=1e-300), point


# As names


def test_they_are_targets_and_forms_in_tables_and_are_no_defaults():
    assert not {*NAMES} & {*all_forms()}
    assert find_form("phi").name == "Phi"
