"""How many inputs a function of the user's gets in a call."""

import numpy as np
import pytest

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.guests.calling import Calling
from gelu_cli.old.guests.conduct import Batches
from gelu_cli.old.guests.python_functions import implementation_of
from gelu_cli.old.sweeping.implementations import Kernel
from gelu_cli.old.sweeping.inputs import Inputs, batch_of, units_of
from gelu_cli.old.sweeping.sweep import sweep as judged
from gelu_cli.old.sweeping.truth import Question
from gelu_cli.old.sweeping.unit_judge import UnitJudge
from tests.old.asked import swept

FLOAT32, BFLOAT16 = FORMATS["float32"], FORMATS["bfloat16"]


@pytest.fixture
def seen():
    return []


@pytest.fixture
def relu(seen):
    """ReLU, with a note of what it was given."""

    def relu(x):
        seen.append(x)
        return np.maximum(x, 0)

    return relu


def lengths(seen):
    return [len(x) for x in seen]


def test_calls_are_cut_and_filled_up_with_inputs_of_their_own(relu, seen):
    function = Batches(implementation_of("f", relu, Calling(FLOAT32, FLOAT32)), 4)
    x = np.array([1, -2, 3, -4, 5, 6, -7], np.float32)
    assert function(x).tolist() == [1, 0, 3, 0, 5, 6, 0]
    assert [each.tolist() for each in seen] == [[1, -2, 3, -4], [5, 6, -7, 5]]
    assert function(x[:1]).tolist() == [1]
    assert seen[-1].tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("settings", "length"),
    [
        ({"dtype": "float8_e5m2"}, 248),
        ({"dtype": "bfloat16", "low": 1.0, "high": 2.0}, 129),
        ({"dtype": "float32", "low": 1.0, "high": 1.001, "samples": 500}, 500),
        ({"dtype": "float64", "samples": 13_000}, 2048),
        ({"dtype": "float32", "samples": 80_000}, 8192),
        ({"dtype": "float32", "samples": 600_000}, 65_536),
        ({"dtype": "float32", "low": 1.0, "high": 1.00001, "every": True}, 84),
        ({"dtype": "float8_e5m2", "batch": 1000}, 1000),
        ({"dtype": "float16", "batch": 7777}, 7777),
    ],
)
def test_every_call_of_a_sweep_has_the_same_length(relu, seen, settings, length):
    verdict = swept(relu, form="relu", **settings)
    assert set(lengths(seen)) == {length}
    assert verdict.max_ulp == 0
    if "batch" not in settings:  # a slow function has not much more to compute than was asked for
        assert sum(lengths(seen)) <= 5 * verdict.total.inputs


def test_each_input_of_a_sweep_is_judged_once_whatever_the_batch():
    asked = {"dtype": "float8_e5m2", "form": "silu"}
    usual = swept(lambda x: np.maximum(x, 0), **asked)
    for batch in (100, 247, 1000):
        found = swept(lambda x: np.maximum(x, 0), **asked, batch=batch)
        assert (found.total.inputs, found.max_ulp) == (usual.total.inputs, usual.max_ulp)
        assert found.total.counts == usual.total.counts


@pytest.mark.parametrize(("batch", "samples"), [(1 << 17, 200_000), (1 << 18, 100_000)])
def test_a_large_batch_gets_as_many_inputs_at_once(relu, seen, batch, samples):
    swept(relu, form="relu", samples=samples, batch=batch)
    assert set(lengths(seen)) == {batch}
    assert len(np.unique(seen[0])) > min(batch, samples) - 3  # −0 is 0, and may be an end
    seen.clear()
    calling = Calling(FLOAT32, FLOAT32, batch=batch)
    question = Question(find_form("relu"), "value", FLOAT32)
    function = implementation_of("f", relu, calling)
    judged(function, question, Inputs(1.0, 1.1, every=True), keep=1)
    assert set(lengths(seen)) == {batch}
    assert lengths(seen)[0] == len(np.unique(seen[0]))


def test_units_have_room_for_a_batch():
    inputs = Inputs(0.5, 2.0)
    for batch in (1, 700_000, 1 << 20):
        sizes = [unit.end - unit.first for unit in units_of(FLOAT32, inputs, batch)]
        assert max(sizes) >= batch
        assert sum(sizes) == (1 << 24) + 1


def test_a_function_of_one_length_alone_is_swept(seen):
    def fixed(x):
        assert x.shape == (512,)
        return np.maximum(x, 0)

    assert swept(fixed, dtype="bfloat16", form="relu", batch=512).max_ulp == 0


def test_a_library_that_compiles_has_one_call_before_all_others(relu, seen):
    function = implementation_of("f", relu, Calling(BFLOAT16, BFLOAT16))
    question = Question(find_form("relu"), "value", BFLOAT16)
    batch = batch_of(units_of(BFLOAT16, Inputs(-4.0, -2.0)), sampled=False)
    for compiles in (False, True):
        function.backend.compiles = compiles
        UnitJudge([Kernel(function, question)], 1, False, batch).load()
    assert [(len(x), set(x.tolist())) for x in seen] == [(129, {-2.0})]


def test_a_first_call_that_fails_is_told_by_the_sweep(monkeypatch):
    def fails(x):
        raise ValueError("no")

    function = implementation_of("f", fails, Calling(BFLOAT16, BFLOAT16))
    function.backend.compiles = True
    function.load(np.ones(4, np.float32))
