"""Runs of consecutive float32s are judged as their numbers are one by one, spoilt or not."""

import numpy as np
import pytest

from gelu_cli.old.sweeping.judging import Judge
from gelu_cli.old.sweeping.judging_runs import RunJudge
from gelu_cli.old.sweeping.runs import RUN
from gelu_cli.old.sweeping.tally import NO_BAR
from gelu_cli.old.sweeping.truth import truth_at
from tests.old.every import every
from tests.old.sweeping.some_runs import (
    RUNS,
    WHOLE,
    inputs,
    question_of,
    results_near,
    some_runs,
    truth_of,
)
from tests.old.sweeping.test_judging import slowly
from tests.old.values.points import CASES
from tests.truth.mpmath import FORMS, M, tanh

KEEP = 26
PART = slice(20_000, 24_000)


def assert_judged_alike(question, x, run, generator, kind, place=PART, ftz=False):
    """Judge some results of a run at once, and one by one."""
    x = x[place]
    assert_alike(question, x, results_near(question, x, generator, kind), run, place, ftz)


def assert_alike(question, x, got, run, place, ftz=False):
    quick = RunJudge(question, x, run, place, ftz).tally(got.copy(), KEEP, NO_BAR)
    with np.errstate(invalid="ignore"):
        wide = got.astype(np.float64)
    slow = Judge(question, x.astype(np.float64), ftz).tally(wide, KEEP)
    assert (quick.inputs, quick.judged, quick.counts) == (slow.inputs, slow.judged, slow.counts)
    assert quick.sum_ulp == pytest.approx(slow.sum_ulp, rel=1e-7, abs=1e-250)
    np.testing.assert_array_equal(quick.histogram, slow.histogram)
    np.testing.assert_equal(quick.failures, slow.failures)
    assert quick.furthest[0] == slow.furthest[0]
    listed = [np.array(sorted(entry.ulp for entry in t.worst))[::-1] for t in (quick, slow)]
    if len(listed[0]) < len(listed[1]):  # results on a line: only the largest is listed
        assert listed[0][0] == pytest.approx(listed[1][0], rel=1e-7, abs=1e-250)
    else:
        np.testing.assert_allclose(*(each[:5] for each in listed), rtol=1e-6, atol=1e-6)


@every(
    ("case", "quantity"),
    [("exact", "value"), ("exact", "gradient"), ("tanh", "value"), ("tanh", "gradient"),
     ("igelu", "value"), ("hard", "gradient"), ("erf_as", "value"), ("elu:alpha=1/3", "value"),
     ("relu", "value"), ("sigmoid:beta=3", "gradient"), ("softplus", "value")],
)  # fmt: skip
def test_a_run_is_judged_as_its_inputs_are_one_by_one(case, quantity):
    generator = np.random.default_rng(5)
    for x, run in some_runs(case, quantity, 3, seed=6):
        for kind in ("right", "rare", "noisy", "broken"):
            assert_judged_alike(question_of(case, quantity), x, run, generator, kind)


@every("quantity", ["value", "gradient"])
@every("case", ["exact", "tanh", "sigmoid"])
def test_a_few_inputs_of_a_run_are_judged_as_fractions_do(case, quantity):
    question, generator = question_of(case, quantity), np.random.default_rng(11)
    for i, (x, run) in enumerate(some_runs(case, quantity, 12, seed=12)):
        place = slice(PART.start, PART.start + 8)
        got = results_near(question, x[place], generator, ("right", "broken", "noisy")[i % 3])
        found = RunJudge(question, x[place], run, place, i % 2 > 0).tally(got.copy(), KEEP, NO_BAR)
        pairs = list(zip(x[place].tolist(), got.tolist(), strict=True))
        slow = slowly(question, [pairs], KEEP, ftz=i % 2 > 0)
        assert {**found.counts} == {name: slow[name] for name in found.counts}
        assert np.flatnonzero(found.histogram).tolist() == sorted(slow["histogram"])
        assert found.sum_ulp == pytest.approx(float(slow["sum_ulp"]), rel=1e-7, abs=1e-40)
        if slow["worst"]:
            largest = float(slow["worst"][0][0])
            assert found.worst[0].ulp == pytest.approx(largest, rel=1e-7, abs=1e-40)
            assert found.furthest[0] == slow["furthest"]


NEAR_A_TIE = 65, 19855
"""A run of the tanh form from ½ to 1, and an input there: the value is 1e-8 units below a tie."""


@every("shift", [-4e-8, 0.0, 4e-8])
def test_what_is_next_to_a_tie_is_judged_by_the_exact_truth(shift):
    """The polynomial may be off by its bound, and be on the other side of the tie."""
    number, place = NEAR_A_TIE
    question, x = question_of("tanh"), inputs(1, 126, number)
    run = truth_of("tanh", "value", 1, 126, number)
    shifted = run.coefficients + np.eye(len(run.coefficients))[0] * shift
    off = run._replace(coefficients=shifted, bound=run.bound + abs(shift))
    truth, unit = tanh(M.mpf(float(x[place]))), run.unit
    below, right = (float(rounded(truth / unit)) * unit for rounded in (M.floor, M.nint))
    above = below + unit
    assert abs(truth - (below + above) / 2) < 2e-8 * unit
    part = slice(place - 5, place + 5)
    for got in (below, above):
        results = truth_at(question, x.astype(np.float64)).want.astype(np.float32)[part]
        results[5] = got
        judge = RunJudge(question, x[part], off, part, False)
        tally = judge.tally(results, KEEP, NO_BAR)
        assert (tally.misrounded, tally.over_half_ulp) == (got != right, got != right)
        assert judge.due.want[5] == right


@every("ftz", [False, True])
@every("place", [slice(0, 1), slice(RUN - 1, RUN), slice(17, 20), WHOLE])
def test_a_part_of_a_run_is_judged_alike(place, ftz):
    generator = np.random.default_rng(6)
    for x, run in some_runs("exact", "value", 2, seed=7):
        assert_judged_alike(question_of("exact"), x, run, generator, "noisy", place, ftz)


SUBNORMAL = [(-1, 130, number) for number in (96, 104, 90)]  # about −14, −14.5, −13.6
SMALLEST = [
    (sign, field, number) for sign in (1, -1) for field in (0, 1, 2) for number in (0, RUNS - 1)
]


@every("ftz", [False, True])
@every(("sign", "field", "number"), [*SUBNORMAL, *SMALLEST])
def test_where_inputs_or_results_are_subnormal_they_are_judged_alike(sign, field, number, ftz):
    question, generator = question_of("exact"), np.random.default_rng(8)
    x, run = inputs(sign, field, number), truth_of("exact", "value", sign, field, number)
    for kind in ("right", "broken"):
        assert_judged_alike(question, x, run, generator, kind, ftz=ftz)


@pytest.mark.slow
@every("quantity", ["value", "gradient"])
@every("case", CASES)
def test_many_whole_runs_are_judged_as_their_inputs_are_one_by_one(case, quantity):
    question, generator = question_of(case, quantity), np.random.default_rng(9)
    for i, (x, run) in enumerate(some_runs(case, quantity, 40, seed=10)):
        kind = ("right", "rare", "noisy", "broken")[i % 4]
        assert_judged_alike(question, x, run, generator, kind, WHOLE, ftz=i % 8 > 5)


@every(
    ("case", "field", "number"),
    [("relu", 127, 0), ("relu", 9, 3), ("exact", 130, 77), ("exact", 131, 0), ("tanh", 140, 5)],
)
def test_where_a_form_is_x_itself_nothing_is_lost(case, field, number):
    question = question_of(case)
    run, x = truth_of(case, "value", 1, field, number), inputs(1, field, number)
    right = RunJudge(question, x, run, WHOLE, False).tally(x.copy(), KEEP, NO_BAR)
    assert right.sum_ulp < 1e-9
    above = np.nextafter(x, np.float32(np.inf))
    off = RunJudge(question, x, run, WHOLE, False).tally(above, KEEP, NO_BAR)
    below_a_power = case != "relu" and number == 0
    assert off.worst[0].ulp == pytest.approx(1 + below_a_power, rel=1e-15)
    assert off.sum_ulp == pytest.approx(RUN + below_a_power, rel=1e-15)
    over = 0 if case == "relu" else RUN  # x is a little more than the truth
    assert (off.misrounded, off.over_1_ulp, off.over_half_ulp) == (RUN, over, RUN)


@every(("case", "sign", "field"), [("exact", 1, 130), ("exact", -1, 90), ("tanh", -1, 60)])
def test_just_below_a_power_of_two_the_unit_is_half_as_large(case, sign, field):
    question = question_of(case)
    run, x = truth_of(case, "value", sign, field, 0), inputs(sign, field, 0)
    got = truth_at(question, x.astype(np.float64)).want.astype(np.float32)
    got[0] = np.nextafter(got[0], np.float32(sign * np.inf))
    tally = RunJudge(question, x, run, WHOLE, False).tally(got, KEEP, NO_BAR)
    assert tally.worst[0].x == x[0]
    truth = FORMS[case](M.mpf(float(x[0])))
    unit = M.mpf(2) ** (M.floor(M.log(abs(truth), 2)) - 23)
    due = float(abs(M.mpf(float(got[0])) - truth) / unit)
    assert tally.worst[0].ulp == pytest.approx(due, rel=1e-9)
    assert 2 <= due < 2.001
    assert tally.misrounded == 1


@every(
    ("case", "sign", "field", "level", "trend"),
    [("relu", 1, 133, 1, 0), ("relu", -1, 133, 0, 0), ("hard", -1, 133, 0, 0),
     ("exact", 1, 133, 1, -1), ("exact", -1, 140, 0, 1), ("exact", 1, 6, 0.5, 1),
     ("exact", -1, 6, 0.5, -1), ("softplus", 1, 140, 1, 1)],
)  # fmt: skip
def test_steps_of_a_gradient_that_moves_less_than_float64_shows(case, sign, field, level, trend):
    """The trend is by the patterns: from 0 outward."""
    question = question_of(case, "gradient")
    run, x = truth_of(case, "gradient", sign, field, 5), inputs(sign, field, 5)
    noise = np.random.default_rng(0).normal(level, 1e-6, RUN).astype(np.float32)
    rises, falls = np.count_nonzero(np.diff(noise) > 0), np.count_nonzero(np.diff(noise) < 0)
    expected = {0: rises + falls, 1: falls, -1: rises}[trend]
    assert (
        RunJudge(question, x, run, WHOLE, False).tally(noise, KEEP, NO_BAR).non_monotone == expected
    )
