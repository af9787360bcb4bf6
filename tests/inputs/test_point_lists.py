"""Points from words, numbers and arrays."""

import io
import sys
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.inputs.point_lists import MANY, every_number, read_points, to_points
from tests.runner import Terminal


def test_few_points_stay_exact():
    assert to_points("1/3 0:1:0.5 -inf") == [Fraction(1, 3), 0, Fraction(1, 2), 1, -np.inf]
    assert to_points(["1/3", 2]) == [Fraction(1, 3), 2]
    assert to_points(0.1) == [0.1]


def test_many_points_are_float64s_unless_asked_exactly():
    word = f"0:1:/{MANY}"
    found, exact = to_points([word, "1/3"]), to_points([word, "1/3"], as_typed=True)
    assert isinstance(found, np.ndarray)
    assert len(found) == MANY + 1
    assert exact[-1] == Fraction(1, 3)
    assert found.tolist() == [float(each) for each in exact]


def test_sequences_and_arrays_of_any_shape():
    assert to_points(np.ones((2, 3), np.float16)) == [1.0] * 6
    assert to_points(np.array([0.5], ml_dtypes.bfloat16)) == [0.5]
    assert to_points(range(3)) == [0, 1, 2]
    assert to_points([np.float32(0.5), np.int8(2)]) == [0.5, 2]
    assert isinstance(to_points([0.5] * MANY), np.ndarray)
    for array in (np.array(["a"]), np.array([1j]), np.array([None])):
        with pytest.raises(TypeError):
            to_points(array)


def test_every_number_of_a_format_by_its_bits():
    found = np.array(every_number("float8_e5m2"))
    assert len({*found.view(np.uint64).tolist()}) == len(found) == 2 * 124
    for dtype in ("float32", None):
        with pytest.raises(UsageError, match="--all"):
            every_number(dtype)


def test_points_are_given_in_one_way(monkeypatch):
    monkeypatch.setattr(sys, "stdin", Terminal())
    for words, source, column in ((["1"], "f", None), (["1"], None, "x"), (None, None, None)):
        with pytest.raises(UsageError, match="--input"):
            read_points(words, source, column)


def test_a_bare_pipe_and_a_dash_are_read(monkeypatch):
    for words in (["-"], None):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 1/3\n")))
        assert read_points(words, None, None) == [1, Fraction(1, 3)]
