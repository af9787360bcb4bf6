"""Neighbours of the worst inputs of a sample: they lead to the largest error, and count nowhere."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.sweeping.checking import check_results
from gelu_cli.old.sweeping.implementations import routine_implementation
from gelu_cli.old.sweeping.inputs import Inputs, sample
from gelu_cli.old.sweeping.neighbours import ROUNDS, Neighbours
from gelu_cli.old.sweeping.routines import find_routine
from gelu_cli.old.sweeping.sweep import sweep
from gelu_cli.old.sweeping.truth import Question
from tests.old.every import every

SAMPLES = 20_000
sampled = every("dtype", ["float32", "float64"])


def relu(dtype):
    return Question(find_form("relu"), "value", FORMATS[dtype])


def some(**settings):
    return Inputs(every=False, samples=SAMPLES, **settings)


class Spike:
    """ReLU, but for an error that grows, over so many numbers, up to a peak at one of them."""

    name = "spike"
    environments, notes, asked = {}, (), {}

    def __init__(self, dtype, peak, width, top=100.0):
        self.dtype, self.peak, self.width, self.top = dtype, self.bits(peak, dtype), width, top
        self.calls = []

    @staticmethod
    def bits(x, dtype):
        return np.asarray(x, dtype).view(f"i{np.dtype(dtype).itemsize}").astype(np.int64)

    def __call__(self, x):
        self.calls.append(x.copy())
        distance = np.abs(self.bits(x, self.dtype) - self.peak).astype(float)
        steps = np.round(self.top * np.maximum(1 - distance / self.width, 0))
        unit = np.spacing(np.clip(x, 0, 1e30, dtype=x.dtype))
        return (np.maximum(x, 0) + np.where(x > 0, steps * unit, 0)).astype(x.dtype)

    @property
    def called_at(self):
        return np.concatenate(self.calls)


# So wide that a sample meets the slope some ten times, and only by chance the top.
WIDTHS = {"float32": 1 << 16, "float64": 1 << 45}


@every(("dtype", "peak", "seed"), [("float32", 2.7, 0), ("float32", 0.07, 1), ("float64", 7.3, 2)])
def test_the_top_of_a_spike_is_found_from_its_slope(dtype, peak, seed):
    peak = float(np.array(peak, dtype))
    kernel = Spike(dtype, peak, WIDTHS[dtype])
    verdict = sweep(kernel, relu(dtype), some(seed=seed))
    assert peak not in sample(FORMATS[dtype], SAMPLES, seed)
    assert verdict.max_ulp == 100
    assert verdict.furthest.ordinal == 100
    (region,) = [region for region in verdict.regions if region.low <= peak < region.high
                 and region.sign > 0]  # fmt: skip
    assert verdict.regions[region].worst[0].ulp == 100
    assert max(verdict.total.peaks.values()) == 100


def test_a_zero_of_the_truth_is_found_where_errors_have_their_peak():
    """Beside the root of GELU's derivative errors are millions of ULP, at a few numbers."""
    routine = find_routine("erfc")
    question = Question(find_form("exact"), "gradient", FORMATS["float32"])
    implementation = routine_implementation(routine, "gradient", FORMATS["float32"])
    ends = (-0.7525, -0.751)
    true = sweep(implementation, question, Inputs(*ends))
    assert true.worst[0].ulp > 10**5
    for seed in (0, 1):
        found = sweep(implementation, question, Inputs(*ends, every=False, samples=2000, seed=seed))
        assert found.worst[0] == true.worst[0]


@sampled
@every("ends", [(-math.inf, math.inf), (-0.5, 2.7), (2.7, 2.71)])
def test_each_input_is_asked_once_and_lies_in_the_range(dtype, ends):
    low, high = ends
    kernel = Spike(dtype, 2.7, WIDTHS[dtype])
    verdict = sweep(kernel, relu(dtype), some(low=low, high=high), jobs=2)
    bits = Spike.bits(kernel.called_at, dtype)
    assert verdict.total.inputs < len(bits) == len(np.unique(bits))
    assert ((low <= kernel.called_at) & (kernel.called_at <= high)).all()


@sampled
def test_counts_and_the_mean_are_of_the_sample_alone(dtype):
    kernel = Spike(dtype, 2.7, WIDTHS[dtype])
    verdict = sweep(kernel, relu(dtype), some())
    x = sample(FORMATS[dtype], SAMPLES, 0)
    alone = check_results("spike", relu(dtype), x, kernel(x.astype(dtype)), exhaustive=False)
    assert verdict.total.inputs == len(x) < len(kernel.called_at) - len(x)
    assert verdict.total.judged == len(x)
    assert verdict.total.sum_ulp == pytest.approx(alone.total.sum_ulp)
    assert verdict.total.counts == alone.total.counts | {
        "non_monotone": verdict.total.non_monotone  # the table is judged in another order
    }
    np.testing.assert_array_equal(verdict.total.histogram, alone.total.histogram)
    assert verdict.max_ulp > alone.max_ulp


def test_the_answer_is_that_of_the_seed_however_many_threads_there_are():
    first, threads, other = (
        sweep(Spike("float64", 2.7, 1 << 45, top=1e5), relu("float64"), some(seed=seed), jobs=jobs)
        for seed, jobs in ((1, 1), (1, 3), (2, 1))
    )
    assert first.worst == threads.worst != other.worst
    assert first.total.peaks == threads.total.peaks
    assert first.furthest == threads.furthest


def test_a_nan_beside_the_worst_inputs_fails():
    class Hole(Spike):
        def __call__(self, x):
            return np.where(x == np.float32(2.7), np.nan, super().__call__(x)).astype(x.dtype)

    verdict = sweep(Hole("float32", 2.7, WIDTHS["float32"], top=1e6), relu("float32"), some())
    assert [failure.x for failure in verdict.failures] == [float(np.float32(2.7))]


def test_errors_that_grow_from_call_to_call_come_to_an_end():
    class Growing(Spike):
        def __call__(self, x):
            self.calls.append(x)
            return x * np.where((x > 1) & (x < 8), 1 + len(self.calls) / 1000, 1).astype(x.dtype)

    kernel = Growing("float32", 2.7, 1)
    verdict = sweep(kernel, relu("float32"), Inputs(every=False, samples=4000))
    assert len(kernel.calls) <= ROUNDS + 1
    assert len(kernel.called_at) <= 2 * verdict.total.inputs


def test_an_interrupt_among_the_neighbours_leaves_the_figures_so_far():
    class Interrupted(Spike):
        def __call__(self, x):
            got = super().__call__(x)
            if len(self.calls) == 4:
                raise KeyboardInterrupt
            return got

    kernel = Interrupted("float32", 2.7, WIDTHS["float32"])
    verdict = sweep(kernel, relu("float32"), some())
    assert not verdict.complete
    assert verdict.total.inputs == SAMPLES
    assert 90 < verdict.max_ulp <= 100


def test_what_was_asked_is_not_asked_again():
    """Of 2's neighbours from 1 to 2: the sample has 1 and 2, so often that all may be asked."""
    neighbours = Neighbours(FORMATS["float32"], Inputs(1, 2), np.array([1.0, 2.0] * 50))
    worst = SimpleNamespace(x=2.0 - 2.0**-23, ulp=100.0)
    first, second = (
        neighbours.next({"1:2": SimpleNamespace(worst=[worst])}).tolist() for _ in range(2)
    )
    assert {2.0 - k * 2.0**-23 for k in range(2, 10)} <= {*first}
    assert not {1.0, 2.0} & {*first, *second}
    assert not {*first} & {*second}


def test_a_range_that_is_taken_whole_has_no_neighbours_left_to_ask():
    kernel = Spike("float32", 2.7, 100)
    verdict = sweep(kernel, relu("float32"), some(low=2.7, high=2.701))
    assert verdict.exhaustive
    assert len(kernel.called_at) == verdict.total.inputs < SAMPLES
