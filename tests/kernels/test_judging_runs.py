"""Runs of consecutive float32s are judged as their numbers are one by one, spoilt or not."""

import numpy as np
import pytest

from gelu_cli.arithmetic.formats import FORMATS
from gelu_cli.forms import all_forms
from gelu_cli.kernels.judging import judge, judge_run
from gelu_cli.kernels.runs import CLOSE, RUN, RUNS, Polynomial, Tangent, truth_by_runs
from gelu_cli.kernels.tally import NO_BAR
from gelu_cli.kernels.truth import Question, truth_at
from tests.values.points import CASES, form_of

FLOAT32 = FORMATS["float32"]
KEEP = 26
COUNTS = ("inputs", "judged", "misrounded", "wrong_nan", "wrong_inf", "wrong_sign", "wrong_zero",
          "non_monotone", "over_half_ulp")  # fmt: skip
FIELDS = [0, 1, 2, 6, 7, 8, 30, 100, 115, 120, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133,
          140, 254]  # fmt: skip
"""Exponent fields: subnormals, where ties end, all that GELUs do, where they are done."""

QUANTITIES = ["value", "gradient"]
every_case = pytest.mark.parametrize("case", CASES)
every_quantity = pytest.mark.parametrize("quantity", QUANTITIES)


def question_of(case, quantity="value"):
    return Question(form_of(case), quantity, FLOAT32)


def inputs(sign, field, number):
    bits = np.arange(RUN, dtype=np.uint32) + np.uint32((field << 23) + number * RUN)
    return (bits | np.uint32(0x8000_0000 if sign < 0 else 0)).view(np.float32)


def some_runs(case, quantity, count, seed, fields=FIELDS):
    """Yield (inputs, truth) for so many runs that have a polynomial or a line."""
    generator = np.random.default_rng([seed, *map(ord, case + quantity)])
    found = 0
    while found < count:
        sign, field = int(generator.choice([1, -1])), int(generator.choice(fields))
        number = int(generator.integers(RUNS))
        truth = truth_by_runs(question_of(case, quantity), sign, field)[number]
        if truth is not None:
            found += 1
            yield inputs(sign, field, number), truth


def deviations(truth, y):
    """How far values are from the truth, in units of the last place of the truth."""
    return np.abs(np.ldexp(y, -truth.unit_exponent) - truth.multiple - truth.low)


def assert_close(question, x, run):
    places = np.unique(np.append(np.random.default_rng(0).integers(0, RUN, 500), [0, RUN - 1]))
    y = run.values(x, slice(0, RUN))[places]
    truth = truth_at(question, x[places].astype(np.float64))
    if isinstance(run, Polynomial) and not run.vanishing:
        assert run.bound <= CLOSE
        assert deviations(truth, y).max() <= run.bound
    elif isinstance(run, Tangent):
        want = y.astype(np.float32)
        np.testing.assert_array_equal(want, truth.want)
        np.testing.assert_array_equal(np.sign(want[want != 0]), np.sign(truth.want[want != 0]))


@every_quantity
@every_case
def test_values_are_within_the_bound_of_the_truth(case, quantity):
    for x, run in some_runs(case, quantity, 3, seed=1):
        assert_close(question_of(case, quantity), x, run)


@pytest.mark.slow
@every_quantity
@every_case
def test_many_values_are_within_the_bound_of_the_truth(case, quantity):
    for x, run in some_runs(case, quantity, 150, seed=2, fields=[*range(0, 255, 5), *FIELDS]):
        assert_close(question_of(case, quantity), x, run)


@every_quantity
@every_case
def test_rising_and_vanishing_are_true_to_their_word(case, quantity):
    for x, run in some_runs(case, quantity, 3, seed=3):
        y = truth_at(question_of(case, quantity), x[::97].astype(np.float64)).value
        if run.rising and not run.vanishing:
            assert (np.diff(y) * run.rising >= 0).all()
        if run.vanishing:
            assert np.abs(y).max() < 2.0**-190


def test_most_runs_are_known_to_go_one_way():
    for field in (120, 127, 128, 129, 130):
        runs = truth_by_runs(question_of("exact"), 1, field)
        assert np.mean([run is not None and run.rising == 1 for run in runs]) > 0.99


def test_gelu_turns_within_one_run_only():
    runs = truth_by_runs(question_of("exact"), -1, 126)  # −0.5 to −1; the minimum is at −0.7518
    turns = [i for i, run in enumerate(runs) if run is None or not run.rising]
    place = int(np.float32(0.7517916).view(np.uint32) & 0x7FFFFF) // RUN
    assert place in turns
    assert len(turns) <= 3
    assert {run.rising for run in runs[: turns[0]]} == {-1}
    assert {run.rising for run in runs[turns[-1] + 1 :]} == {1}


# Ties of the smallest numbers


@pytest.mark.parametrize("name", all_forms())
@pytest.mark.parametrize("sign", [1, -1])
def test_halves_of_odd_subnormals_are_rounded_to_the_right_side(name, sign):
    question = question_of(name)
    for field in (0, 1):
        for number in (0, 1, RUNS - 1):
            run = truth_by_runs(question, sign, field)[number]
            if run is None:
                continue
            x = inputs(sign, field, number)[:400]
            y = run.values(x, slice(0, 400))
            want = [question.want(point) for point in x[:60].tolist()]
            errors = np.abs(y / 2.0**-149 - np.rint(y / 2.0**-149))
            settled = errors[:60] < 0.5 - run.bound
            if isinstance(run, Tangent):
                settled[:] = True
            assert (y[:60].astype(np.float32)[settled] == np.array(want)[settled]).all()
            assert abs(y[0]) == 0 or number or field or not isinstance(run, Tangent)


def test_zero_itself_is_on_the_line():
    for sign in (1, -1):
        run = truth_by_runs(question_of("exact"), sign, 0)[0]
        x = inputs(sign, 0, 0)[:3]
        assert run.values(x, slice(0, 3)).tolist()[0] == 0
        tally = judge_run(question_of("exact"), x[:1], x[:1], run, slice(0, 1), 1, False, NO_BAR)
        assert (tally.sum_ulp, tally.misrounded) == (0, 0)


# Judged alike


def results(question, x, generator, kind):
    """Rounded results, some of them spoilt."""
    got = truth_at(question, x.astype(np.float64)).want.astype(np.float32)
    if kind == "right":
        return got
    some = generator.random(len(x)) < (0.3 if kind == "noisy" else 0.001)
    steps = generator.choice([-300, -5, -1, 1, 2, 70], len(x)).astype(np.int32)
    spoilt = (got.view(np.int32) + steps).view(np.float32)
    got = np.where(some & np.isfinite(spoilt), spoilt, got)
    places = generator.integers(0, len(x), 6)
    if kind == "broken":
        got[places] = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e30]
        flipped = generator.integers(0, len(x), 5)
        got[flipped] = -got[flipped]
    return got


def near_an_edge(question, x, got):
    """How many errors are too near to 1, 2, 4 … ULP to be told from it by a polynomial."""
    with np.errstate(all="ignore"):
        errors = truth_at(question, x.astype(np.float64)).ulp_errors(got.astype(np.float64))
        errors = errors[np.isfinite(errors) & (errors > 0.75)]
        powers = 2.0 ** np.rint(np.log2(errors))
    return np.count_nonzero(np.abs(errors - powers) < 4 * CLOSE * np.maximum(powers, 1))


def assert_judged_alike(question, x, run, generator, kind, place=slice(0, RUN), ftz=False):
    x = x[place]
    got = results(question, x, generator, kind)
    quick = judge_run(question, x, got.copy(), run, place, KEEP, ftz, NO_BAR)
    with np.errstate(invalid="ignore"):
        wide = got.astype(np.float64)
    slow = judge(question, x.astype(np.float64), wide, keep=KEEP, ftz=ftz)
    assert {n: getattr(quick, n) for n in COUNTS} == {n: getattr(slow, n) for n in COUNTS}
    assert quick.sum_ulp == pytest.approx(slow.sum_ulp, rel=1e-6, abs=len(x) * CLOSE)
    assert quick.histogram.sum() == slow.histogram.sum()
    doubtful = near_an_edge(question, x, got)
    assert abs(quick.over_1_ulp - slow.over_1_ulp) <= doubtful
    assert np.abs(quick.histogram - slow.histogram).sum() <= 2 * doubtful
    np.testing.assert_equal(quick.failures, slow.failures)
    assert quick.furthest[0] == slow.furthest[0]
    listed = [np.array(sorted(entry.ulp for entry in t.worst))[::-1] for t in (quick, slow)]
    if run.vanishing:
        return
    np.testing.assert_allclose(*(each[:5] for each in listed), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("kind", ["right", "rare", "noisy", "broken"])
@pytest.mark.parametrize(
    ("case", "target"),
    [("exact", "value"), ("exact", "gradient"), ("tanh", "value"), ("tanh", "gradient"),
     ("igelu", "value"), ("hard", "gradient"), ("erf_as", "value"), ("elu:alpha=1/3", "value"),
     ("relu", "value"), ("sigmoid:beta=3", "gradient"), ("softplus", "value")],
)  # fmt: skip
def test_a_run_is_judged_as_its_inputs_are_one_by_one(case, target, kind):
    generator = np.random.default_rng(5)
    for x, run in some_runs(case, target, 2, seed=6):
        assert_judged_alike(question_of(case, target), x, run, generator, kind)


@pytest.mark.parametrize("ftz", [False, True])
@pytest.mark.parametrize(
    "place", [slice(0, 1), slice(RUN - 1, RUN), slice(17, 20), slice(9, 40000)]
)
def test_a_part_of_a_run_is_judged_alike(place, ftz):
    generator = np.random.default_rng(6)
    for x, run in some_runs("exact", "value", 2, seed=7):
        assert_judged_alike(question_of("exact"), x, run, generator, "noisy", place, ftz)


@pytest.mark.parametrize("field", [0, 1, 2])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("ftz", [False, True])
def test_the_smallest_numbers_are_judged_alike(field, sign, ftz):
    question, generator = question_of("exact"), np.random.default_rng(7)
    runs = truth_by_runs(question, sign, field)
    for number in (0, RUNS - 1):
        x = inputs(sign, field, number)
        assert_judged_alike(question, x, runs[number], generator, "broken", ftz=ftz)


@pytest.mark.parametrize(
    ("sign", "field", "number"), [(-1, 130, 96), (-1, 130, 104), (-1, 130, 90)]
)
def test_where_results_become_subnormal_and_zero_they_are_judged_alike(sign, field, number):
    question, generator = question_of("exact"), np.random.default_rng(8)
    x = inputs(sign, field, number)  # about −14, −14.5, −13.6
    run = truth_by_runs(question, sign, field)[number]
    for kind in ("right", "broken"):
        for ftz in (False, True):
            assert_judged_alike(question, x, run, generator, kind, ftz=ftz)


@pytest.mark.slow
@every_quantity
@every_case
def test_many_runs_are_judged_as_their_inputs_are_one_by_one(case, quantity):
    generator = np.random.default_rng(9)
    for i, (x, run) in enumerate(some_runs(case, quantity, 40, seed=10)):
        kind = ("right", "rare", "noisy", "broken")[i % 4]
        assert_judged_alike(question_of(case, quantity), x, run, generator, kind, ftz=i % 8 > 5)


@pytest.mark.parametrize(
    ("case", "field", "number"),
    [("relu", 127, 0), ("relu", 9, 3), ("exact", 130, 77), ("exact", 131, 0), ("tanh", 140, 5)],
)
def test_where_a_form_is_x_itself_nothing_is_lost(case, field, number):
    question, whole = question_of(case), slice(0, RUN)
    run, x = truth_by_runs(question, 1, field)[number], inputs(1, field, number)
    right = judge_run(question, x, x.copy(), run, whole, KEEP, False, NO_BAR)
    assert right.sum_ulp < 1e-9
    above = np.nextafter(x, np.float32(np.inf))
    off = judge_run(question, x, above, run, whole, KEEP, False, NO_BAR)
    assert off.worst[0].ulp == 1
    assert (off.misrounded, off.over_1_ulp, off.over_half_ulp) == (RUN, 0, RUN)


@pytest.mark.parametrize(
    ("case", "sign", "field"), [("exact", 1, 130), ("exact", -1, 90), ("tanh", -1, 60)]
)
def test_just_below_a_power_of_two_the_unit_is_half_as_large(case, sign, field):
    question, whole = question_of(case), slice(0, RUN)
    run, x = truth_by_runs(question, sign, field)[0], inputs(sign, field, 0)
    got = truth_at(question, x.astype(np.float64)).want.astype(np.float32)
    got[0] = np.nextafter(got[0], np.float32(sign * np.inf))
    tally = judge_run(question, x, got, run, whole, KEEP, False, NO_BAR)
    assert tally.worst[0].x == x[0]
    assert tally.worst[0].ulp == pytest.approx(2, rel=1e-3)
    assert tally.misrounded == 1


@pytest.mark.parametrize(("case", "sign"), [("relu", 1), ("relu", -1), ("hard", -1), ("exact", 1)])
def test_where_a_gradient_is_constant_no_step_is_against_it(case, sign):
    question, whole = question_of(case, "gradient"), slice(0, RUN)
    run, x = truth_by_runs(question, sign, 133)[5], inputs(sign, 133, 5)
    noise = np.random.default_rng(0).normal(1, 1e-6, RUN).astype(np.float32)
    assert judge_run(question, x, noise, run, whole, KEEP, False, NO_BAR).non_monotone == 0


def test_no_step_is_against_a_gradient_that_rises_less_than_float64_shows():
    question, whole = question_of("exact", "gradient"), slice(0, RUN)
    run, x = truth_by_runs(question, 1, 6)[5], inputs(1, 6, 5)
    noise = np.random.default_rng(0).normal(0.5, 1e-6, RUN).astype(np.float32)
    assert judge_run(question, x, noise, run, whole, KEEP, False, NO_BAR).non_monotone == 0
