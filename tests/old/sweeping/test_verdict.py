"""A verdict leaves for JSON with the figures of the views, and survives a trip to a process."""

import math
import pickle
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.guests.calling import Calling
from gelu_cli.old.guests.python_functions import implementation_of
from gelu_cli.old.sweeping.implementations import Kernel
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.sweep import Sweep
from gelu_cli.old.sweeping.truth import Question
from tests.old.every import every

HALF = FORMATS["float16"]


def broken(x):
    """ReLU, NaN at 3, and what its last input is depends on the length."""
    y = np.where(x == 3, np.nan, np.maximum(x, 0)).astype(x.dtype)
    if len(x) % 8:
        y[-1] += x[-1]
    return y


def failing(x):
    if x[0] < 0:
        raise ValueError("no negative numbers")
    return np.maximum(x, 0).astype(x.dtype)


def doubling_two(x):
    return np.where(x == 2, 4, x).astype(x.dtype)


def verdict_on(function, target="relu", inputs=None, settings=None, **options):
    form = find_form(target)
    form = form.with_settings(*settings) if settings else form
    question = Question(form, "value", HALF)
    implementation = implementation_of("f", function, Calling(HALF, HALF, batch=64))
    with Sweep([Kernel(implementation, question)], inputs or Inputs(1, 4), **options) as running:
        (verdict,) = running.verdicts()
    return verdict


VERDICTS = {
    "a failure of results": {},
    "other surroundings": {"shapes": True},
    "a failure of the kernel": {"function": failing, "inputs": Inputs(-4, 4)},
    "a form with a parameter": {
        "target": "sigmoid", "settings": ("sigmoid:beta=1.75", {"beta": Fraction(7, 4)}),
    },
}  # fmt: skip


@cache
def found(name):
    return verdict_on(**{"function": broken} | VERDICTS[name])


@pytest.fixture(scope="module")
def around():
    """A verdict on a function whose results depend on their surroundings."""
    return found("other surroundings")


@every("name", VERDICTS)
def test_a_verdict_comes_back_from_bytes_as_it_was(name):
    verdict = found(name)
    again = pickle.loads(pickle.dumps(verdict))
    assert again == verdict
    assert again is not verdict
    assert [each.ulp for each in again.worst] == [each.ulp for each in verdict.worst]


def test_what_differs_is_not_equal(around):
    assert around != replace(around, name="g")
    assert around != found("a failure of results")
    assert around != "verdict"
    again = pickle.loads(pickle.dumps(around))
    again.total.histogram[0] += 1
    assert again != around
    failed = found("a failure of the kernel")
    assert isinstance(failed.failure, ComputationError)
    assert failed != replace(failed, failure=ComputationError("another"))


def test_a_word_means_in_python_what_it_means_in_the_tables():
    """ReLU, but 4 at 2, which is off by 2/2⁻⁹ ULP, and NaN at 3, which has no error."""
    verdict = verdict_on(lambda x: doubling_two(np.where(x == 3, np.nan, x).astype(x.dtype)))
    assert verdict.max_ulp == 1024
    at_nan, largest = verdict.worst[:2]
    assert (at_nan.x, at_nan.want, at_nan.exact, at_nan.ulp) == (3, 3, 3, None)
    assert (largest.x, largest.got, largest.ulp) == (2, 4, 1024)
    counts = verdict.total.counts
    assert (counts["misrounded"], counts["wrong_nan"]) == (1, 1)


def test_where_no_result_has_an_error_there_is_no_largest():
    verdict = verdict_on(lambda x: np.full_like(x, np.nan))
    assert math.isnan(verdict.max_ulp)
    assert {each.ulp for each in verdict.worst} == {None}
