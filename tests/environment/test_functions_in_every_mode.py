"""The functions of the package give the same numbers in every environment, and leave it alone."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import gelu_cli
from gelu_cli import gelu, gelu_gradient
from gelu_cli.environment import FROM_THE_START, STANDARD, State, current_state
from tests.house import copy_of_the_house, environment

ANSWERS = """
import ctypes, json, struct, sys
path, mode = sys.argv[1:]
library = ctypes.CDLL(path)
library.set_mode(mode.encode())
before = library.mode()

from gelu_cli import approximation_error, gelu, gelu_gradient, landmarks, moments, sweep
import ml_dtypes
import numpy as np

def number(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]

def shown(value):
    if isinstance(value, float):
        return struct.pack("<d", value).hex()
    if isinstance(value, np.ndarray):
        return value.tobytes().hex() if value.size < 100 else hash(value.tobytes())
    if isinstance(value, (list, tuple)):
        return [shown(each) for each in value]
    return str(value)

def right(x):
    left.append(library.mode())
    return gelu(x)

def verdict():
    found = sweep(right, dtype="float32", samples=300)
    yield from ([each] for each in (found.total.inputs, found.total.sum_ulp, found.max_ulp))
    yield [tuple(each) for each in found.worst]
    yield [tuple(found.furthest), tuple(found.total.counts.items())]

left = []
low, high, *_ = subnormal = [number(n) for n in (1, 3, (1 << 52) - 1, 1 << 63 | 5)]
# Where GELU(x) is subnormal, and so are the x of the formats.
points = {
    "float64": np.array([-37.6, -38.5, *subnormal]),
    "float32": (np.arange(1_000, dtype=np.uint32) * 8_481 | 1 << 31).view(np.float32),
    "bfloat16": np.arange(1 << 15, 1 << 15 | 300, dtype=np.uint16).view(ml_dtypes.bfloat16),
}
questions = {
    "gelu": lambda: [gelu(x) for x in (1.0, -38.5, *subnormal)],
    "gelu_gradient": lambda: [gelu_gradient(x) for x in (-38.0, *subnormal)],
    **{name: lambda x=x: [gelu(x), gelu_gradient(x)] for name, x in points.items()},
    "approximation_error": lambda: list(approximation_error("relu", low=low, high=high)),
    "landmarks": lambda: [tuple(each) for each in landmarks("tanh")],
    "moments": lambda: list(moments("relu", mean=0.1)),
    "sweep": lambda: list(verdict()),
    # Powers, even those of 2, come out wrong where Python folds them in another rounding mode.
    "constants": lambda: [
        [name, key, value]
        for name, module in sorted(sys.modules.items()) if name.startswith("gelu_cli")
        for key, value in sorted(vars(module).items()) if isinstance(value, float)
    ],
}
answers = {}
for name, ask in questions.items():
    answers[name] = shown(ask())
    assert library.mode() == before, f"{name} has changed the environment"
assert set(left) == {before}, "the function was run in another environment"
print(json.dumps(answers))
"""


def answers_in(mode, library, folder, env=None):
    done = subprocess.run(
        [sys.executable, "-c", ANSWERS, library.path, mode],
        cwd=folder, env={**os.environ, **(env or {}), "PYTHONHASHSEED": "0"},
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_every_function_gives_the_same_numbers_where_it_is_compiled_and_called(library, tmp_path):
    copy = copy_of_the_house(tmp_path)  # without __pycache__
    found = answers_in("riu", library, copy, environment(copy))
    answers = answers_in("", library, tmp_path)
    assert {name for name in answers if found[name] != answers[name]} == set()


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


RELU = {"dtype": "float32", "target": "relu", "low": 0.0, "high": 1e-38, "samples": 1_000}


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
    [(gelu_cli.landmarks, "landmarks.landmarks"), (gelu_cli.moments, "moments.gaussian_moments")],
)
def test_what_is_enclosed_is_computed_in_the_standard_environment_too(
    library, monkeypatch, ask, name
):
    """Its digits are right in any, or there are none."""
    states = []
    monkeypatch.setattr(f"gelu_cli.calculus.{name}", lambda *_: states.append(current_state()))
    with library.set("riu"):
        ask()
    assert states == [STANDARD]
