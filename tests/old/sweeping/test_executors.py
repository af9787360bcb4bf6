"""Wherever a sweep is judged, in this process or in several, it comes to the same verdict."""

import os
import threading
from itertools import pairwise

import numpy as np
import pytest

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.guests.calling import Calling
from gelu_cli.old.guests.hosted import GuestImplementation
from gelu_cli.old.guests.python_functions import implementation_of
from gelu_cli.old.sweeping import executors, inputs, judging, runs
from gelu_cli.old.sweeping.implementations import Kernel, routine_implementation
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.routines import ROUTINES
from gelu_cli.old.sweeping.sweep import Sweep, sweep
from gelu_cli.old.sweeping.truth import Question
from tests.old import asked
from tests.old.every import every
from tests.old.processes import linux

FLOAT32 = FORMATS["float32"]
SAMPLE = Inputs(-2.6, -2.5, every=False, samples=400)
STRETCH = Inputs(-0.502, -0.4995, every=True)


def kernels(names, dtype, target=None, quantity="value"):
    number_format = FORMATS[dtype]
    return [
        Kernel(
            routine_implementation(ROUTINES[name], quantity, number_format),
            Question(find_form(target or ROUTINES[name].form), quantity, number_format),
        )
        for name in names
    ]


def found(verdict):
    """Everything that is in a verdict, to be compared."""
    tallies = [verdict.total, *verdict.regions.values()]
    return [
        verdict.name, list(verdict.regions), verdict.notes, verdict.environments,
        verdict.max_ulp_jax,
        *({**vars(tally), "histogram": tally.histogram.tolist()} for tally in tallies),
    ]  # fmt: skip


def swept(kernels, inputs, **settings):
    with Sweep(kernels, inputs, **settings) as running:
        return [found(verdict) for verdict in running.verdicts()]


@pytest.fixture
def worth_it(monkeypatch):
    """Have even a few inputs judged by workers."""
    monkeypatch.setattr(executors, "WORTH", 1)


@pytest.fixture
def tiny(worth_it, monkeypatch):
    """Cut inputs into small units."""
    monkeypatch.setattr(inputs, "AT_ONCE", 1)
    monkeypatch.setattr(inputs, "BLOCK", 100)


# Several processes


def guest(source="gelu_cli:gelu"):
    return GuestImplementation(source, source, {}, Calling(FLOAT32, FLOAT32))


@pytest.mark.usefixtures("tiny")
@every(("inputs", "jobs"), [(SAMPLE, 3), (STRETCH, 2)])
def test_the_number_of_processes_changes_no_bit(inputs, jobs):
    several = kernels(["tanh_sum", "erfc"], "float32", "exact")
    assert swept(several, inputs, jobs=jobs, keep=3) == swept(several, inputs, keep=3)


def test_a_function_of_the_callers_is_called_by_the_thread_that_sweeps():
    callers = set()

    def f(x):
        callers.add((os.getpid(), threading.get_ident()))
        return x

    asked.swept(f, low=1, high=2, samples=100_000)
    assert callers == {(os.getpid(), threading.get_ident())}


def test_a_sweep_that_takes_no_second_starts_no_process(monkeypatch):
    monkeypatch.setattr(executors, "Workers", None)
    for dtype in ("bfloat16", "float16", "float8_e5m2"):
        Sweep(kernels(ROUTINES, dtype), Inputs(), jobs=64)
    Sweep(kernels(["erfc"], "float32"), Inputs(every=False), jobs=64)
    Sweep(kernels(["erfc"], "float32"), STRETCH, jobs=64)


# One truth for several kernels


@every("ftz", [False, True])
@every(("dtype", "inputs"), [
    ("float8_e5m2", Inputs(-4, -0.25)), ("float16", Inputs(-1e-6, 1e-6)), ("float32", SAMPLE),
    ("float32", Inputs(-1.1756e-38, -1.1754e-38)), ("float32", Inputs(-13.172, -13.17)),
])  # fmt: skip
def test_several_kernels_at_once_are_judged_as_each_by_itself(dtype, inputs, ftz):
    """Nothing that is done for one of them changes the truth that they share."""
    several = kernels(["erf_sum", "tanh_sum"], dtype)
    assert swept(several, inputs, ftz=ftz) == [
        swept([each], inputs, ftz=ftz)[0] for each in several
    ]


@pytest.mark.parametrize(("dtype", "inputs"), [("bfloat16", Inputs(0.5, 1)), ("float32", STRETCH)])
def test_the_truth_is_found_once_for_each_question(dtype, inputs, monkeypatch):
    asked = []

    def counted(find):
        return lambda *question: asked.append(question) or find(*question)

    monkeypatch.setattr(judging, "truth_at", counted(judging.truth_at))
    monkeypatch.setattr(runs.Side, "run", counted(runs.Side.run))

    def count(names, target):
        asked.clear()
        swept(kernels(names, dtype, target), inputs)
        return len(asked)

    one = count(["erfc"], "exact")
    assert one == count(["erfc", "erf_sum", "tanh_sum"], "exact")
    assert count(["erfc", "erf_sum", "tanh_sum"], None) == 2 * one  # exact and tanh


def test_units_are_all_inputs_in_their_order():
    for ends in ((-np.inf, np.inf), (-1e-40, 3.0), (2.0, 2.5), (-7.0, -0.0)):
        cut = inputs.units_of(FLOAT32, Inputs(*ends))
        for one, other in pairwise(cut):
            assert one.end == other.first or (one.sign, other.sign) == (1, -1)
        assert all(
            each.first // inputs.BINADE == (each.end - 1) // inputs.BINADE == each.field
            for each in cut
        )
        numbers = sum(map(inputs.unit_size, cut))
        assert numbers == inputs.size_of(inputs.stretches(FLOAT32, *ends))


# Functions in workers

FILES = {
    "k.py": """
import os, signal
def kills(x): os.kill(os.getppid(), signal.SIGKILL)
def hangs(x):
    print(os.getpid(), flush=True)
    signal.pause()
def exits(x):
    if (x >= 2).any(): os._exit(3)
    return x
def threads(x):
    return x * int(os.environ["MKL_NUM_THREADS"]) + int(os.environ["OMP_NUM_THREADS"])
"""
}
RELU = Question(find_form("relu"), "value", FLOAT32)


@linux
@pytest.mark.usefixtures("folder", "worth_it")
def test_a_process_that_ends_is_a_failure_after_what_was_judged_before_it():
    with guest("k.py:exits") as function:
        verdict = sweep(function, RELU, Inputs(1.5, 2.5), jobs=2)
    assert not verdict.complete
    assert verdict.total.inputs == 1 << 22
    assert [(region.low, region.high) for region in verdict.regions] == [(1.0, 2.0)]
    told = "k.py:exits was given 524,288 inputs, from 2.0 to 2.124999761581421, when it ended its "
    assert str(verdict.failure).startswith(told)


@linux
@pytest.mark.usefixtures("folder", "worth_it")
def test_a_worker_that_ends_is_one_error():
    told = r"^a worker that judges results is gone: its process ended: Killed$"
    with guest("k.py:kills") as function, pytest.raises(ComputationError, match=told):
        sweep(function, RELU, Inputs(1.5, 2.5), jobs=2)


@pytest.mark.usefixtures("folder", "worth_it")
def test_each_process_loads_a_function_which_has_its_share_of_the_cores(monkeypatch):
    """As far as the user has not said how many threads there are to be."""
    monkeypatch.setattr(executors, "available_cores", lambda: 6)
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    with guest("k.py:threads") as function:
        monkeypatch.setenv("MKL_NUM_THREADS", "3")
        here = swept([Kernel(function, RELU)], Inputs(1.0, 1.1))
        monkeypatch.delenv("MKL_NUM_THREADS")
        assert here == swept([Kernel(function, RELU)], Inputs(1.0, 1.1), jobs=2)


def test_what_one_of_several_processes_shows_is_told_once(monkeypatch):
    seen = [("", {}), ("it changes", {}), ("it changes too", {})]
    monkeypatch.setattr("gelu_cli.old.sweeping.executors.Here.ask", lambda self, *_, **__: seen)
    function = implementation_of("f", lambda x: x, Calling(FLOAT32, FLOAT32))
    assert sweep(function, RELU, Inputs(1.0, 1.001)).notes == ["it changes"]
