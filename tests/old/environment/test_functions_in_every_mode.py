"""The functions of the package give the same numbers in every environment, and leave it alone."""

from functools import partial

import numpy as np
import pytest

import gelu_cli
from gelu_cli import gelu, gelu_gradient
from gelu_cli.old.environment import FROM_THE_START, STANDARD, State, current_state

X = [1e-310, -38.5, 5e-324]


@pytest.mark.parametrize("mode", ["r", "i", "d", "u", "z"])
def test_numbers_and_arrays_are_the_same_in_every_mode(library, mode):
    points = [np.array(X), np.array(X, np.float32) * np.float32(1e-3), *X]
    want = [shown(f(x)) for f in (gelu, gelu_gradient) for x in points]
    with library.set(mode) as before:
        got = [f(x) for f in (gelu, gelu_gradient) for x in points]
        after = library.mode()
    assert [shown(each) for each in got] == want
    assert after == before


def shown(value):
    return np.asarray(value).tobytes().hex()


RELU = {"dtype": "float32", "form": "relu", "low": 0.0, "high": 1e-38, "samples": 1_000}


def rectified(x):
    return np.where(x > 0, x, 0) * x.dtype.type(1)


def test_a_function_is_measured_in_the_callers_environment_and_that_is_told(library):
    usual = gelu_cli.sweep(rectified, **RELU)
    with library.set("ri"):
        flushed = gelu_cli.sweep(rectified, **RELU)
    assert (usual.max_ulp, usual.notes, usual.environments) == (0, [], {STANDARD: FROM_THE_START})
    # Every result but those at 0 and −0 is subnormal.
    assert flushed.total.wrong_zero == flushed.total.inputs - 2 == usual.total.inputs - 2 > 900
    assert flushed.environments == {State(True, True): FROM_THE_START}
    assert flushed.notes == [
        "while it runs, subnormal results are flushed to 0 and subnormal inputs are taken as 0 "
        "(from the start); judging is not affected"
    ]


@pytest.mark.parametrize("x", [1e-310, 38.9])
def test_a_verdict_is_the_same_in_whichever_environment_it_is_read(library, x):
    """The first x is subnormal, at the second the error in ULP is."""
    verdict = gelu_cli.sweep(lambda x: x, dtype="float64", low=x, high=x)
    read = [lambda v: v.worst, lambda v: v.furthest, lambda v: v.max_ulp]
    want = [repr(each(verdict)) for each in read]
    with library.set("riu") as before:
        found = [each(verdict) for each in read]
        after = library.mode()
    assert list(map(repr, found)) == want
    assert after == before


@pytest.mark.parametrize(
    ("ask", "name"),
    [
        (gelu_cli.locate, "calculus.landmarks.landmarks"),
        (gelu_cli.variance, "calculus.moments.gaussian_moments"),
        (partial(gelu_cli.error, "relu"), "calculus.comparison.summarise"),
        (partial(gelu_cli.fit, "sigmoid"), "fitting.best.best_constants"),
        (partial(gelu_cli.block, "tanh"), "network.change.change_of"),
    ],
)
def test_what_is_enclosed_is_computed_in_the_standard_environment_too(
    library, monkeypatch, ask, name
):
    """Its digits are right in any, or there are none."""

    class ReachedError(Exception):
        """The computation, which need not go on; it has the state."""

    def reached(*_, **__):
        raise ReachedError(current_state())

    monkeypatch.setattr(f"gelu_cli.old.{name}", reached)
    with library.set("riu"), pytest.raises(ReachedError) as found:
        ask()
    assert found.value.args == (STANDARD,)
