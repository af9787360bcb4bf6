"""What is told of a user's function beside its errors: another quantity, results that change."""

import itertools
import math
import re

import numpy as np
import pytest

from gelu_cli.api import sweep
from gelu_cli.arithmetic.formats import FORMATS
from gelu_cli.errors import ComputationError
from gelu_cli.forms import find_form
from gelu_cli.kernels.implementations import Kernel, routine_implementation
from gelu_cli.kernels.routines import find_routine
from gelu_cli.kernels.truth import Question
from gelu_cli.kernels.unit_judge import Task, UnitJudge
from gelu_cli.kernels.units import Batch
from tests.cli.runner import run_gelu

erfc = np.vectorize(math.erfc, otypes=[float])


def cdf(x):
    return erfc(-x / math.sqrt(2)) / 2


def density(x):
    return np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


QUANTITIES = {
    "value": lambda x: x * cdf(x),
    "gate": cdf,
    "gradient": lambda x: cdf(x) + x * density(x),
    "curvature": lambda x: np.where(abs(x) < 50, density(x) * (2 - np.minimum(x * x, 1e9)), 0),
}
"""GELU's, in float64 by their formulas."""


def kernel(compute):
    """A function of numpy: what is computed in float64, rounded to the type of x."""

    def f(x):
        with np.errstate(all="ignore"):
            return compute(x.astype(np.float64)).astype(x.dtype)

    return f


def notes(function, **settings):
    return sweep(function, **{"dtype": "float8_e5m2"} | settings).notes


# Another quantity


@pytest.mark.parametrize("target", ["exact", "tanh"])
@pytest.mark.parametrize("dtype", ["float8_e5m2", "float8_e4m3fn"])
@pytest.mark.parametrize("quantity", ["value", "gradient"])
def test_a_function_that_is_another_quantity_is_told(quantity, dtype, target):
    for name, compute in QUANTITIES.items():
        said = notes(kernel(compute), dtype=dtype, target=target, quantity=quantity)
        if name == quantity:
            assert said == []
        else:
            (note,) = said
            assert f"close to the {name} of {target}, not to its {quantity}" in note


def test_what_helps_is_told():
    assert notes(kernel(QUANTITIES["gradient"]))[0].endswith(
        "; judge them with --quantity gradient"
    )
    assert notes(kernel(QUANTITIES["gate"]))[0].endswith("; multiply them by x")
    (said,) = notes(kernel(QUANTITIES["value"]), quantity="gradient")
    assert "leave --quantity gradient out" in said


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: np.maximum(x, 0),
        lambda x: 0 * x,
        lambda x: x,
        lambda x: 0 * x + 1,
        lambda x: 0.7 * x * cdf(x),
        lambda x: np.full_like(x, np.nan),
        lambda x: x / (1 + np.exp(-1.702 * x)),
        np.sin,
    ],
)
def test_a_bad_function_is_not_taken_for_another_quantity(compute):
    assert notes(kernel(compute)) == []


@pytest.mark.parametrize("name", ["relu", "elu", "silu", "softplus", "mish"])
def test_the_quantities_of_other_forms_are_told_apart(name):
    gradients = {
        "relu": lambda x: 0.0 + (x > 0),
        "softplus": lambda x: 1 / (1 + np.exp(-x)),
        "elu": lambda x: np.where(x > 0, 1, np.exp(np.minimum(x, 0))),
    }
    if name in gradients:
        (said,) = notes(kernel(gradients[name]), target=name)
        assert f"close to the gradient of {name}" in said
    else:  # SiLU and Mish are near to GELU
        assert notes(kernel(QUANTITIES["value"]), target=name) == []


def test_no_function_is_asked_outside_the_range():
    seen = []

    def f(x):
        seen.append(x)
        return x

    assert notes(f, low=0.5, high=2.0) == []
    assert (np.min(np.concatenate(seen)), np.max(np.concatenate(seen))) == (0.5, 2.0)


def test_a_range_without_ordinary_numbers_is_asked_for_its_own_alone():
    def f(x):
        assert x.min() >= 16
        return x

    assert notes(f, low=16.0, high=64.0) == []


# Results that change


def test_results_that_change_are_counted_and_one_is_shown():
    calls = []

    def f(x):
        calls.append(x)
        y = x.copy()
        y[x == 2] += len(calls) % 2
        y[x == 3] = (np.nan, -np.nan)[len(calls) % 2]
        return y

    (said,) = notes(f)
    whole, _, some, *again = calls
    assert [len(x) for x in again] == [len(some), len(whole)] == [248, 248]
    assert f"at 1 of {len(whole) + len(np.unique(some))} inputs that were asked twice: " in said
    one, other = map(float, re.findall(r"(\S+) and (\S+) at x = 2\.0$", said)[0])
    assert {one, other} == {2.0, 3.0}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_one_bit_that_changes_after_the_first_call_is_seen(dtype, monkeypatch):
    monkeypatch.setattr("gelu_cli.kernels.units.BLOCK", 2048)  # so that 1 is in a later call
    calls = itertools.count()

    def f(x):
        y = x.copy()
        if (x == 1).any() and next(calls):
            y[x == 1] = np.nextafter(y.dtype.type(1), y.dtype.type(2))
        return y

    some = {} if dtype == "float16" else {"samples": 4000, "low": 1e-4, "high": 2.0}
    (said,) = notes(f, dtype=dtype, **some)
    assert "at 1 of " in said
    assert said.endswith(" at x = 1.0")


def test_a_zero_that_changes_its_sign_is_seen():
    sign = itertools.cycle([1, -1])
    (said,) = notes(lambda x: x * 0 * x.dtype.type(next(sign)))
    assert "0.0 and " in said


def test_random_results_are_told():
    generator = np.random.default_rng(0)
    (said,) = notes(lambda x: x * generator.integers(0, 2, len(x)).astype(x.dtype))
    assert "change from call to call, at " in said


def test_a_function_that_fails_when_it_is_asked_again_fails():
    calls = itertools.count()

    def f(x):
        if next(calls):
            raise ValueError("once only")
        return x

    with pytest.raises(ComputationError, match=r"f raised ValueError at x = -2.5: once only$"):
        sweep(f, dtype="float8_e5m2")


def test_a_function_is_asked_again_in_lengths_that_it_had():
    lengths = set()

    def f(x):
        lengths.add(len(x))
        return x

    assert notes(f, dtype="float16") == []
    assert lengths == {63_488}


def test_routines_are_not_asked_again():
    routine = routine_implementation(find_routine("erfc"), "value", FORMATS["bfloat16"])
    question = Question(find_form("exact"), "gradient", FORMATS["bfloat16"])
    judge = UnitJudge([Kernel(routine, question)], 1, False, Batch(1, 1.0))
    (outcome,) = judge.judge(Task(np.ones(1), [0], True)).outcomes
    assert outcome.calls == []


def test_notes_are_on_stderr_after_the_answer(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.py").write_text(
        "from gelu_cli import gelu_gradient\n\n\ndef f(x):\n    return gelu_gradient(x)\n"
    )
    words = ("sweep", "--impl", "k.py:f", "--dtype", "float8_e5m2")
    answer = run_gelu(*words)
    assert (answer.code, len(answer.rows)) == (0, 1)
    assert answer.err == (
        "gelu: note: k.py:f: its results are close to the gradient of exact, not to its "
        "value; judge them with --quantity gradient\n"
    )
    assert run_gelu(*words, "--quiet").err == ""
    assert run_gelu(*words, "--quantity", "gradient").err == ""


# PyTorch and JAX


@pytest.mark.parametrize("library", ["torch", "jax"])
@pytest.mark.parametrize("quantity", ["value", "gradient"])
def test_autograd_would_differentiate_a_derivative_again(library, quantity):
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    xp = module if library == "torch" else module.numpy
    scale = math.sqrt(2 * math.pi)

    def value(x):
        return x / (1 + xp.exp(-1.702 * x))

    def slope(x):
        return 0.5 + 0.5 * xp.tanh(0.8 * x) + x * xp.exp(-x * x / 2) / scale

    settings = {"backend": library, "quantity": quantity, "dtype": "bfloat16"}
    assert notes(value, **settings) == []
    (said,) = notes(slope, **settings)
    assert "close to the gradient of exact, not to its value; " in said
    again = "would differentiate it again" if quantity == "value" else "has differentiated it again"
    assert again in said
    assert said.endswith("--quantity gradient --backward own")
