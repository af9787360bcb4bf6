"""Runs of consecutive float32s: their truth by polynomials is that of extended numbers."""

import numpy as np
import pytest

from gelu_cli.kernels.fitting import CLOSE, FINE, truth_by_binades
from gelu_cli.kernels.runs import BINADE, RUN
from gelu_cli.kernels.smoothness import Side
from gelu_cli.kernels.truth import truth_at
from tests.kernels.some_runs import FIELDS, WHOLE, question_of, some_runs, truths
from tests.values.points import CASES

every_case = pytest.mark.parametrize("case", CASES)
every_quantity = pytest.mark.parametrize("quantity", ["value", "gradient"])


def assert_close(question, x, run):
    """Values are near to the truth, and their distance from the line is; on one side of it."""
    places = np.unique(np.append(np.random.default_rng(0).integers(0, RUN, 500), [0, RUN - 1]))
    truth = truth_at(question, x[places].astype(np.float64))
    line = np.ldexp(run.line.at(x[places]), -truth.unit_exponent)
    distance = np.ldexp(run.unit * run.distance(WHOLE)[places], -truth.unit_exponent)
    exact = (truth.multiple - line) + truth.low
    off = np.abs(distance - exact).max()
    assert run.bound <= CLOSE
    assert off <= run.bound * 2 + 1e-250  # a unit below a power is half of one above
    assert off <= FINE * np.abs(exact).max() + 1e-250
    y = run.values(x, WHOLE)[places]
    if run.beside:
        np.testing.assert_array_equal(y.astype(np.float32), truth.want)
        beside = (x[places] != 0) & (truth.low != 0)
        sides = np.sign(y - run.line.at(x[places]))
        assert set(sides[beside].tolist()) <= {run.side}


def assert_true(question, x, run):
    """Whether it goes one way, and the line is what it rounds to."""
    truth = truth_at(question, x[::997].astype(np.float64))
    rise = np.diff(truth.value) * np.sign(np.diff(x[::997]))
    if run.rising is not None:
        assert (rise * run.rising >= 0).all()
        assert run.rising or not rise.any()
    if run.holds:
        np.testing.assert_array_equal(run.line.at(x[::997]), truth.want)


@every_quantity
@every_case
def test_some_runs_are_what_they_say(case, quantity):
    for x, run in some_runs(case, quantity, 4, seed=1):
        assert_close(question_of(case, quantity), x, run)
        assert_true(question_of(case, quantity), x, run)


@pytest.mark.slow
@every_quantity
@every_case
def test_many_runs_are_what_they_say(case, quantity):
    for x, run in some_runs(case, quantity, 150, seed=2, fields=[*range(0, 255, 5), *FIELDS]):
        assert_close(question_of(case, quantity), x, run)
        assert_true(question_of(case, quantity), x, run)


def test_most_runs_are_known_to_go_one_way():
    for field in (120, 127, 128, 129, 130):
        runs = truths("exact", "value", 1, field)
        assert np.mean([run is not None and run.rising == 1 for run in runs]) > 0.99


def test_gelu_turns_within_one_run_only():
    runs = truths("exact", "value", -1, 126)  # −0.5 to −1; the minimum is at −0.7518
    turns = [i for i, run in enumerate(runs) if run is None or run.rising is None]
    place = int(np.float32(0.7517916).view(np.uint32) & 0x7FFFFF) // RUN
    assert place in turns
    assert len(turns) <= 3
    assert {run.rising for run in runs[: turns[0]]} == {1}  # patterns go to the left, x rises
    assert {run.rising for run in runs[turns[-1] + 1 :]} == {-1}


def test_next_to_a_kink_and_to_a_zero_there_is_no_polynomial():
    field = 127
    kink = int(np.float32(3 / 1.702).view(np.uint32)) - (field << 23)
    assert truths("hard", "value", 1, field)[kink // RUN] is None
    zero = int(np.float32(0.7517915246935645).view(np.uint32)) - (126 << 23)
    assert truths("exact", "gradient", -1, 126)[zero // RUN] is None


@pytest.mark.parametrize(("case", "field"), [("exact", 95), ("exact", 30), ("tanh", 90)])
def test_the_distances_of_a_long_run_are_summed_without_all_of_them(case, field):
    run = truth_by_binades(Side(question_of(case), 1))[field]
    for place in (slice(3, RUN + 4), slice(BINADE - 9 * RUN, BINADE)):
        total = np.sum(run.distance(np.arange(place.start, place.stop)))
        assert run.total(place) == pytest.approx(total, rel=1e-11, abs=1e-300)
