"""Every float32 of a range, judged by runs of polynomials, as points are; results on a line."""

import math
from itertools import product

import numpy as np
import pytest

from gelu_cli.accuracy import Inputs, Question, measure, measure_results
from gelu_cli.formulas import find_form
from gelu_cli.kernels import FUNCTION, Kernel
from gelu_cli.numbers import FORMATS

FLOAT32 = FORMATS["float32"]
COUNTS = ("inputs", "over_half_ulp", "over_1_ulp", "misrounded", "wrong_sign", "wrong_zero")


def careless(x):
    """GELU by tanh, in float32."""
    with np.errstate(all="ignore"):
        u = np.float32(math.sqrt(2 / math.pi)) * (x + np.float32(0.044715) * x * x * x)
        return np.float32(0.5) * x * (1 + np.tanh(u))


def line(x):
    """What GELUs are next to 0 and far out, or nearly."""
    return np.where(np.abs(x) < 1, x / 2, np.maximum(x, 0)).astype(np.float32)


def kernel_of(function, result="float32", quantity="value"):
    return Kernel(function.__name__, function, FUNCTION, "float32", result, quantity)


def around(x, size):
    """The numbers of a range of `size` float32s from x on."""
    bits = np.float32(abs(x)).view(np.uint32) + np.arange(size, dtype=np.uint32)
    return np.copysign(bits.view(np.float32), np.float32(x))


RANGES = (1e-44, 2.0**-126 - 1e-42, 3e-10, 0.9999, 2.99, 4.9999, 7.5, 1e30)


@pytest.mark.parametrize(("function", "form"), [(careless, "tanh"), (line, "exact")])
@pytest.mark.parametrize("quantity", ["value", "gradient"])
def test_runs_find_what_points_find(function, form, quantity):
    question = Question(find_form(form), quantity, FLOAT32, FLOAT32)
    wrong = []
    for x, sign in product(RANGES, (1, -1)):
        numbers = around(sign * x, 1500)
        ends = sorted((float(numbers[0]), float(numbers[-1])))
        inputs = Inputs(FLOAT32, *ends, every=True)
        (by_runs,) = measure(question, inputs, [kernel_of(function, quantity=quantity)]).verdicts
        points = measure_results("points", question, [numbers], function(numbers))
        for name in COUNTS:
            if by_runs.total[name] != points.total[name]:
                wrong.append((sign * x, name, by_runs.total[name], points.total[name]))
        if by_runs.non_monotone != points.non_monotone:
            wrong.append((sign * x, "steps", by_runs.non_monotone, points.non_monotone))
        if by_runs.largest().ulp != points.largest().ulp:
            wrong.append((sign * x, "largest", by_runs.largest(), points.largest()))
        mean, expected = by_runs.mean_ulp(), points.mean_ulp()
        if abs(mean - expected) > 1e-6 * expected + 1e-300:
            wrong.append((sign * x, "mean", mean, expected))
        found, expected = by_runs.rms_error or 0, points.rms_error or 0
        if abs(found - expected) > 1e-3 * expected:
            wrong.append((sign * x, "rms", found, expected))
    assert wrong == []


def test_results_of_narrower_formats_are_those_of_points():
    bfloat16 = FORMATS["bfloat16"]
    question = Question(find_form("exact"), "value", FLOAT32, bfloat16)

    def narrow(x):
        return careless(x).astype(bfloat16.dtype)

    for x in (0.37, -2.5, 60.0):
        numbers = around(x, 2000)
        ends = sorted((float(numbers[0]), float(numbers[-1])))
        inputs = Inputs(FLOAT32, *ends, every=True)
        (by_runs,) = measure(question, inputs, [kernel_of(narrow, "bfloat16")]).verdicts
        points = measure_results("points", question, [numbers], narrow(numbers))
        assert by_runs.counts | {"inputs": 2000} == points.counts
        assert by_runs.largest() == points.largest()


def test_results_on_a_line_meet_criteria_as_points_do():
    question = Question(find_form("exact"), "value", FLOAT32, FLOAT32)
    numbers = around(1e30, 1500)
    inputs = Inputs(FLOAT32, float(numbers[0]), float(numbers[-1]), every=True)
    (by_runs,) = measure(question, inputs, [kernel_of(line)], criteria=True).verdicts
    points = measure_results("points", question, [numbers], line(numbers), criteria=True)
    assert by_runs.criteria() == points.criteria()
