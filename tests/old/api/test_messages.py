"""Messages in Python name the arguments of functions, never an option of the command line."""

import re
from pathlib import Path

import numpy as np
import pytest

import gelu_cli
from gelu_cli.errors import ComputationError
from gelu_cli.old.api.messages import in_python

ROOT = Path(gelu_cli.__file__).parent
SAID = re.compile(r'"[^"\n]*--[a-z]+[^"\n]*"')


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("take --backward own for (u, x) → dx", "take backward='own' for (u, x) → dx"),
        ("leave --impl out", "leave function out"),
        ("add --dtype float16)", "add dtype='float16')"),
        ("take another --target or --mean", "take another target or mean"),
        ("--range is too small; or fewer --free", "[low, high] is too small; or fewer free"),
        ("take other --digits, or", "take other digits, or"),
        ("--digits 6 prints it", "digits=6 prints it"),
        ("return within 2 s (--timeout)", "return within 2 s (timeout)"),
        ("--range 1:2 holds no number", "low=1, high=2 holds no number"),
    ],
)  # fmt: skip
def test_options_become_arguments(text, meant):
    assert in_python(text) == meant


def test_errors_of_tables_are_told_so_too():
    def fails(digits):
        raise ComputationError("take another --target")

    found = gelu_cli.block("tanh", "relu", mean=-5)
    found.tables["summary"] = fails
    with pytest.raises(RuntimeError, match=r"take another target$"):
        found.rows()
    with pytest.raises(ValueError, match=r"^backend='torch': tanh is of numpy; leave backend out"):
        gelu_cli.sweep(np.tanh, backend="torch", dtype="float8_e5m2")
