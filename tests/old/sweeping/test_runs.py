"""Runs of consecutive float32s: their truth by polynomials is that of extended numbers."""

from fractions import Fraction

import numpy as np
import pytest

from gelu_cli.old.formulas import find_form
from gelu_cli.old.sweeping.runs import BINADE, CLOSE, FINE, RUN, Side
from gelu_cli.old.sweeping.truth import Question, truth_at
from tests.old.every import every
from tests.old.sweeping.some_runs import (
    FIELDS,
    FLOAT32,
    RUNS,
    WHOLE,
    question_of,
    side_of,
    some_runs,
    truth_of,
    truths,
)
from tests.old.values.points import CASES

every_case = every("case", CASES)
every_quantity = every("quantity", ["value", "gradient"])


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
    assert truth_of("hard", "value", 1, field, kink // RUN) is None
    zero = int(np.float32(0.7517915246935645).view(np.uint32)) - (126 << 23)
    assert truth_of("exact", "gradient", -1, 126, zero // RUN) is None


@every(("case", "field"), [("exact", 95), ("exact", 30), ("tanh", 90)])
def test_the_distances_of_a_long_run_are_summed_without_all_of_them(case, field):
    run = side_of(case, "value", 1).binade(field)
    for place in (slice(3, RUN + 4), slice(BINADE - 9 * RUN, BINADE)):
        total = np.sum(run.distance(np.arange(place.start, place.stop)))
        assert run.total(place) == pytest.approx(total, rel=1e-11, abs=1e-300)


def test_a_dip_between_the_points_of_a_run_is_not_overlooked():
    """x(1 + cx² + dx⁴) is below 0 within 2·10⁻⁵ of 10.02 alone, times 10¹¹: x·G(x) is 0 there."""
    x = Fraction(501, 50)
    settings = {"a": Fraction(10**11), "c": -2 / x**2, "d": (1 - Fraction(1, 10**11)) / x**4}
    question = Question(find_form("tanh").with_settings("dip", settings), "value", FLOAT32)
    beside, inside = truth_at(question, np.array([10.0, 10.02])).value
    assert (beside, abs(inside) < 1) == (10.0, True)
    assert Side(question, 1).run(130, int((10.02 - 8) / 8 * RUNS)) is None
