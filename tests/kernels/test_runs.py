"""Runs of consecutive float32s: their truth by polynomials is that of extended numbers."""

import numpy as np
import pytest

from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.forms import find_form
from gelu_cli.kernels.implementations import routine_implementation
from gelu_cli.kernels.judging import judge, judge_run
from gelu_cli.kernels.routines import find_routine
from gelu_cli.kernels.runs import FLOAT32, RUN, RUNS, truth_by_runs
from gelu_cli.kernels.tally import NO_BAR
from gelu_cli.kernels.truth import Question
from gelu_cli.values.evaluate_arrays import evaluate_array

PART = 4096
FIELDS = (0, 1, 2, 60, 100, 112, 118, 121, 123, 125, 126, 127, 128, 129, 130, 140, 254)
CASES = [("exact", "value"), ("exact", "gradient"), ("tanh", "value"), ("sigmoid", "gradient"),
         ("elu", "value"), ("hard", "value"), ("igelu", "gradient"), ("relu", "value"),
         ("erf_as", "value"), ("mish", "value"), ("softplus", "gradient")]  # fmt: skip


def inputs(sign, field, number):
    first = (field << 23) + number * RUN
    bits = np.arange(first, first + RUN, dtype=np.uint32)
    return (bits | np.uint32(0x8000_0000 if sign < 0 else 0)).view(np.float32)


def runs(question, seed):
    """Yield some runs of binades near and far: inputs and truth, or None where there is none."""
    generator = np.random.default_rng(seed)
    for sign in (1, -1):
        for field in FIELDS:
            number = int(generator.integers(RUNS))
            yield inputs(sign, field, number), truth_by_runs(question, sign, field)[number]


@pytest.mark.parametrize(("name", "quantity"), CASES)
def test_the_values_are_within_their_bound_and_go_one_way(name, quantity):
    question = Question(find_form(name), quantity, FLOAT32)
    found = 0
    for x, truth in runs(question, 1):
        if truth is None:
            continue
        found += 1
        at = np.linspace(0, RUN - 1, 300).astype(int)
        (true,) = evaluate_array(question.form, [quantity], x[at].astype(np.float64), FLOAT64)
        units = np.maximum(2.0 ** np.floor(np.log2(np.maximum(abs(true), 1e-300))), 2.0**-126)
        off = abs(truth.values(x, slice(0, RUN))[at] - true) / (units * 2.0**-23)
        assert off.max() <= max(truth.bound, 2.0**-28)
        assert not truth.vanishing or abs(true).max() < 2.0**-190
        steps = np.sign(np.diff(true))
        assert not truth.rising or not (steps == -truth.rising).any()
    assert found > len(FIELDS)


@pytest.mark.parametrize("routine", ["erf_sum", "erfc", "tanh_sum", "logistic", "sigmoid"])
@pytest.mark.parametrize("quantity", ["value", "gradient"])
def test_a_part_of_a_run_is_judged_as_its_numbers_are(routine, quantity):
    question = Question(find_form("exact"), quantity, FLOAT32)
    implementation = routine_implementation(find_routine(routine), quantity, FLOAT32)
    place = slice(1000, 1000 + PART)
    for x, truth in runs(question, 2):
        if truth is None:
            continue
        part = x[place]
        got = implementation(part)
        quick = judge_run(question, part, got, truth, place, 5, False, NO_BAR)
        slow = judge(question, part.astype(float), got.astype(float), keep=5, ftz=False)
        for count in ("inputs", "judged", "misrounded", "wrong_nan", "wrong_inf", "wrong_sign",
                      "wrong_zero", "over_half_ulp"):  # fmt: skip
            assert getattr(quick, count) == getattr(slow, count), (count, part[0])
        assert quick.sum_ulp == pytest.approx(slow.sum_ulp, rel=1e-6, abs=PART * 2.0**-22)
        assert abs(quick.histogram - slow.histogram).sum() <= PART * 1e-3
        if slow.worst and slow.worst[0].ulp > 2.0**-8:
            assert quick.worst[0].ulp == pytest.approx(slow.worst[0].ulp, rel=1e-6)
            assert quick.furthest[0] == slow.furthest[0]


def test_next_to_a_kink_and_to_a_zero_there_is_no_polynomial():
    hard = Question(find_form("hard"), "value", FLOAT32)
    field = 127
    kink = int(np.float32(3 / 1.702).view(np.uint32)) - (field << 23)
    assert truth_by_runs(hard, 1, field)[kink // RUN] is None
    gradient = Question(find_form("exact"), "gradient", FLOAT32)
    zero = int(np.float32(0.7517915246935645).view(np.uint32)) - (126 << 23)
    assert truth_by_runs(gradient, -1, 126)[zero // RUN] is None


def test_ties_of_odd_subnormals_are_told():
    question = Question(find_form("exact"), "value", FLOAT32)
    for sign in (1, -1):
        x = inputs(sign, 0, 3)
        got = evaluate_array(question.form, ["value"], x.astype(float), FLOAT32)[0]
        truth = truth_by_runs(question, sign, 0)[3]
        right = got.astype(np.float32)
        tally = judge_run(question, x, right, truth, slice(0, RUN), 1, False, NO_BAR)
        assert tally.misrounded == 0
        other = np.where(x.view(np.uint32) & 1, (x.astype(float) - got).astype(np.float32), right)
        tally = judge_run(question, x, other, truth, slice(0, RUN), 1, False, NO_BAR)
        assert tally.misrounded == RUN // 2
