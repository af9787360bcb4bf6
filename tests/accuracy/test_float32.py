"""Every float32 of a range, judged by runs of polynomials, as points are; results on a line."""

import math
from itertools import product

import numpy as np
import pytest
from flint import arb
from numpy.polynomial.polynomial import polyder, polyval

from gelu_cli.accuracy import Inputs, Question, measure, measure_results, stretches
from gelu_cli.accuracy.runs import TERMS, Expansion
from gelu_cli.formulas import find_form
from gelu_cli.kernels import FUNCTION, Kernel
from gelu_cli.numbers import FORMATS

FLOAT32 = FORMATS["float32"]


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


def both(question, function, x, size=1500, **more):
    """Verdicts on a function at float32s from x on: by runs, and by points."""
    numbers = around(x, size)
    inputs = Inputs(FLOAT32, *sorted((float(numbers[0]), float(numbers[-1]))), every=True)
    kernel = kernel_of(function, question.result.name, question.quantity)
    (by_runs,) = measure(question, inputs, [kernel], **more).verdicts
    return by_runs, measure_results("points", question, [numbers], function(numbers), **more)


RANGES = (1e-44, 2.0**-126 - 1e-42, 3e-10, 0.9999, 2.99, 4.9999, 7.5, 1e30)


@pytest.mark.parametrize(("function", "form"), [(careless, "tanh"), (line, "exact")])
@pytest.mark.parametrize("quantity", ["value", "gradient"])
def test_runs_find_what_points_find(function, form, quantity):
    question = Question(find_form(form), quantity, FLOAT32, FLOAT32)
    for x, sign, size in product(RANGES, (1, -1), (90, 1500)):
        by_runs, points = both(question, function, sign * x, size)
        assert (sign * x, by_runs.counts) == (sign * x, points.counts)
        assert by_runs.largest().ulp == points.largest().ulp
        assert by_runs.mean_ulp() == pytest.approx(points.mean_ulp(), rel=1e-6, abs=0)
        assert (by_runs.rms_error or 0) == pytest.approx(points.rms_error or 0, rel=1e-3, abs=0)


@pytest.mark.parametrize("x", [3e-10, -3e-10, 1e30])
def test_calls_on_a_line_are_judged_at_the_ends_of_all(x, monkeypatch):
    monkeypatch.setattr(stretches, "CALL", 512)
    question = Question(find_form("exact"), "value", FLOAT32, FLOAT32)
    buffer, wrong = np.empty(5000, np.float32), around(x, 5000)[[0, 2300, 4999]]

    def again(x):
        """Return a buffer that the next call writes again; some results are wrong."""
        buffer[: len(x)] = np.where(np.isin(x, wrong), 3 * x, line(x))
        return buffer[: len(x)]

    for function in (line, again):
        by_runs, points = both(question, function, x, 5000)
        assert by_runs.counts == points.counts
        assert not len(by_runs.unrepeatable)
        assert [*by_runs.worst()] == [*points.worst()]
        assert by_runs.mean_ulp() == pytest.approx(points.mean_ulp(), rel=1e-6, abs=0)
        assert (by_runs.rms_error or 0) == pytest.approx(points.rms_error or 0, rel=1e-3, abs=0)
        assert (by_runs.noise_ratio or 0) == pytest.approx(points.noise_ratio or 0, rel=1e-3)


def test_two_kernels_on_a_line_are_compared_at_every_input(monkeypatch):
    monkeypatch.setattr(stretches, "CALL", 512)
    question, x = Question(find_form("exact"), "value", FLOAT32, FLOAT32), around(1e30, 5000)

    def spoilt(x):
        return np.where(x == np.float32(1e30), 0, line(x)).astype(np.float32)

    inputs = Inputs(FLOAT32, float(x[0]), float(x[-1]), every=True)
    kernels = [kernel_of(spoilt), kernel_of(line)]
    total = measure(question, inputs, kernels, compare=True).total
    assert (total.inputs, total.differ, total.nearer_a, total.nearer_b) == (5000, 1, 0, 1)


def test_the_slope_and_the_least_size_of_an_expansion_hold_for_every_remainder():
    """At points of [−1, 1]; the slope of the remainder is at most TERMS times as large."""
    random, t = np.random.default_rng(3), np.linspace(-1, 1, 101)
    for _ in range(400):
        a, rest = random.normal(size=4) * [10, 5, 0.5, 0.1], 10 ** random.uniform(-4, 0)
        found = Expansion([arb(y) for y in a], arb(0, 100), arb(rest))
        if (way := found.direction()) is not None:
            assert np.all(way * polyval(t, polyder(a)) >= TERMS * rest * (1 - 1e-9))
        assert float(found.least()) <= np.min(np.abs(polyval(t, a))) - rest + 1e-9


def test_results_of_narrower_formats_are_those_of_points():
    bfloat16 = FORMATS["bfloat16"]
    question = Question(find_form("exact"), "value", FLOAT32, bfloat16)

    def narrow(x):
        return careless(x).astype(bfloat16.dtype)

    for x in (0.37, -2.5, 60.0):
        by_runs, points = both(question, narrow, x, 2000)
        assert by_runs.counts == points.counts
        assert by_runs.largest() == points.largest()


def test_results_on_a_line_meet_criteria_as_points_do():
    question = Question(find_form("exact"), "value", FLOAT32, FLOAT32)
    by_runs, points = both(question, line, 1e30, criteria=True)
    assert by_runs.criteria() == points.criteria()
