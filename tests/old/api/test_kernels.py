"""Kernels in Python: functions, words and programs, at single inputs and beside each other."""

import shutil

import numpy as np
import pytest

import gelu_cli
from tests.truth.mpmath import nearest, truth

SMALL = {"dtype": "float8_e5m2", "form": "relu"}


def relu(x):
    return np.maximum(x, 0)


def test_results_at_single_inputs_are_a_table():
    found = gelu_cli.sweep(relu, at=[-1.0, "1/3", 2], dtype="float16", form="relu")
    assert found["x"] == [-1, float(np.float16(1 / 3)), 2]
    assert found["got"] == found["want"] == [0, float(np.float16(1 / 3)), 2]
    assert found["ulp"] == [0, 0, 0]
    (note,) = found.notes
    assert note.startswith("at: 1 of 3 points is no number of float16")
    at = gelu_cli.sweep("erfc", at=[1.0], dtype="float16")
    assert at["want"] == [nearest(truth("exact", "value", 1.0), "float16")]


def test_a_routine_is_a_kernel():
    asked = {"dtype": "float8_e5m2", "form": "tanh"}
    verdict = gelu_cli.sweep("tanh_sum", **asked, compute="float32")
    assert verdict.name == "tanh_sum"
    assert verdict.max_ulp < gelu_cli.sweep("tanh_sum", **asked).max_ulp


@pytest.mark.skipif(not shutil.which("cat"), reason="there is no program cat")
def test_a_command_is_a_kernel():
    verdict = gelu_cli.sweep(["cat"], **SMALL, low=0.0)
    assert (verdict.name, verdict.max_ulp) == ("cat", 0)
    assert gelu_cli.compare(["cat"], relu, **SMALL, low=1.0).differ == 0


def test_two_kernels_are_compared():
    def halves(x):
        return (relu(x) / 2 if len(x) else x).astype(x.dtype)

    found = gelu_cli.compare(relu, halves, **SMALL, low=1, high=2)
    assert (found.inputs, found.differ, found.nearer_a, found.nearer_b) == (5, 5, 5, 0)
    assert found.max_difference == 3.5  # at 1.75 the two are 0.875 apart, and a unit is ¼
    assert (found.a.max_ulp, found.b.max_ulp) == (0, 3.5)
    assert found.views == ["summary", "regions", "worst", "first"]
    assert [row["name"] for row in found.rows()] == ["relu", found.b.name]
    assert repr(found) == f"<Comparison relu, {found.b.name}: 5 of 5 results differ>"
    assert gelu_cli.plot(found).title.startswith("Errors and differences")


def test_what_is_called_in_two_ways_is_told_apart():
    both = {"dtype": "float8_e5m2", "form": "tanh", "low": -4, "high": 4}
    found = gelu_cli.compare("tanh_sum", "tanh_sum", **both, compute=(None, "float32"))
    assert (found.a.name, found.b.name) == ("tanh_sum (a)", "tanh_sum (b)")
    assert found.a.max_ulp > found.b.max_ulp
    torch = pytest.importorskip("torch")
    gelu = torch.nn.functional.gelu
    asked = {"dtype": "bfloat16", "low": 1, "high": 1.5, "kwargs": ({}, {"approximate": "tanh"})}
    found = gelu_cli.compare(gelu, gelu, **asked)
    assert found.b.name == "gelu(approximate='tanh')"


@pytest.mark.parametrize(
    ("settings", "kind", "message"),
    [
        ({"compute": "float32"}, ValueError, "^compute is for a routine, and .* leave it out"),
        ({"compute": (None, "float32", 2)}, ValueError, "^compute has 3 values"),
        ({"b": 3}, TypeError, "^function must be a function"),
        ({"b": "erfc", "kwargs": ({}, {"x": 1})}, ValueError, "^kwargs is for a Python function"),
        ({"samples": 5}, ValueError, "^samples: every float8_e5m2 is taken"),
    ],
)
def test_a_comparison_that_cannot_be_meant_is_an_error(settings, kind, message):
    with pytest.raises(kind, match=message):
        gelu_cli.compare(**{"a": relu, "b": relu, "dtype": "float8_e5m2"} | settings)


def test_what_fails_in_a_comparison_is_raised():
    def fails(x):
        raise ZeroDivisionError

    with pytest.raises(RuntimeError, match="fails raised ZeroDivisionError"):
        gelu_cli.compare(relu, fails, **SMALL)


def test_notes_name_arguments_of_functions():
    verdict = gelu_cli.sweep(lambda x: x / (1 + np.exp(-x)), dtype="float16", low=-5, high=5)
    (note,) = verdict.notes
    assert "add form='silu'" in note or "add target='silu'" in note
