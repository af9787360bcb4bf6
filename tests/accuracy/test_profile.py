"""Intervals around 0 within a bound: what `test_judging` does not reach."""

import numpy as np

from gelu_cli.accuracy import Question, measure_results
from gelu_cli.accuracy.tally import Over, over_bounds, profile
from gelu_cli.formulas import find_form
from gelu_cli.numbers import FORMATS
from tests.truth import exact


def test_a_kernel_that_flushes_subnormals_holds_everywhere():
    """What it flushes in the left tail is left out, as next to 0."""
    half, least = FORMATS["float16"], 2.0**-14
    x = exact.all_numbers("float16")[::29]
    want = np.array([exact.rounded("float16", exact.true_value("exact", "value", e)) for e in x])
    got = np.where(np.abs(want) < least, 0, want).astype(np.float16)
    question = Question(find_form("exact"), "value", half, half)
    found = next(measure_results("f", question, [x], got).profile())
    assert (found.low, found.high) == (-65504.0, 65504.0)
    assert found.left_out == np.count_nonzero((np.abs(want) < least) & (want != 0)) > 20


def test_a_range_beside_0_begins_at_its_end():
    x = np.array([1.0, 1.25, 1.5, 1.75, 2.0])
    over = {1: over_bounds(x, np.array([0, 0, 0.75, 0, 9.0]), np.zeros(5, bool)), -1: Over()}
    found = [each[:3] for each in profile(FORMATS["float8_e5m2"], over, 1.0, 2.0)]
    assert found[:2] == [(0.5, 1.0, 1.25), (1.0, 1.0, 1.75)]
    assert found[-1] == (16.0, 1.0, 2.0)
