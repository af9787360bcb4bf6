"""What is told of a user's function beside its errors: that its results change."""

import itertools
import re

import numpy as np
import pytest

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.sweeping.implementations import Kernel, routine_implementation
from gelu_cli.old.sweeping.inputs import Batch
from gelu_cli.old.sweeping.routines import find_routine
from gelu_cli.old.sweeping.truth import Question
from gelu_cli.old.sweeping.unit_judge import Task, UnitJudge
from tests.old.asked import swept
from tests.old.every import every


def notes(function, **settings):
    return swept(function, **{"dtype": "float8_e5m2"} | settings).notes


@every(
    ("dtype", "low", "high"),
    [("float8_e5m2", 0.5, 2.0), ("float8_e5m2", 16.0, 64.0), ("float16", -65504.0, 65504.0)],
)
def test_a_function_is_asked_again_in_the_range_and_in_lengths_that_it_had(dtype, low, high):
    """Also where ordinary numbers, from −8 to 8, are none of the range."""
    seen = []

    def f(x):
        seen.append(x)
        return x

    assert notes(f, dtype=dtype, low=low, high=high) == []
    assert (np.min(np.concatenate(seen)), np.max(np.concatenate(seen))) == (low, high)
    assert len(seen) > 1
    assert {len(x) for x in seen} == {len(seen[0])}


def test_results_that_change_are_counted_and_one_is_shown():
    calls = []

    def f(x):
        calls.append(x)
        y = x.copy()
        y[x == 2] += len(calls) % 2
        y[x == 3] = (np.nan, -np.nan)[len(calls) % 2]
        return y

    (said,) = notes(f)
    whole, some, *again = calls
    assert [len(x) for x in again] == [len(some), len(whole)] == [248, 248]
    assert f"at 2 of {len(whole) + len(np.unique(some))} inputs that were asked twice: " in said
    one, other = map(float, re.findall(r"(\S+) and (\S+) at x = 2\.0$", said)[0])
    assert {one, other} == {2.0, 3.0}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_one_bit_that_changes_after_the_first_call_is_seen(dtype, monkeypatch):
    monkeypatch.setattr("gelu_cli.old.sweeping.inputs.BLOCK", 2048)  # so that 1 is in a later call
    calls = itertools.count()

    def f(x):
        y = x.copy()
        if (x == 1).any() and next(calls):
            y[x == 1] = np.nextafter(y.dtype.type(1), y.dtype.type(2))
        return y

    some = {} if dtype == "float16" else {"samples": 4000, "low": 1e-4, "high": 2.0}
    (said,) = notes(f, dtype=dtype, form="relu", **some)
    assert "at 1 of " in said
    assert said.endswith(" at x = 1.0")


def test_a_zero_that_changes_its_sign_is_seen():
    sign = itertools.cycle([1, -1])
    (said,) = notes(lambda x: x * 0 * x.dtype.type(next(sign)))
    assert "0.0 and " in said


def test_a_function_that_fails_when_it_is_asked_again_fails():
    calls = itertools.count()

    def f(x):
        if next(calls):
            raise ValueError("once only")
        return x

    with pytest.raises(ComputationError, match=r"f raised ValueError at x = -8.0: once only$"):
        swept(f, dtype="float8_e5m2")


def test_routines_are_not_asked_again():
    routine = routine_implementation(find_routine("erfc"), "value", FORMATS["bfloat16"])
    question = Question(find_form("exact"), "gradient", FORMATS["bfloat16"])
    judge = UnitJudge([Kernel(routine, question)], 1, False, Batch(1, 1.0))
    (outcome,) = judge.judge(Task(np.ones(1), [0], True)).outcomes
    assert outcome.calls == []
