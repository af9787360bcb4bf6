"""The program and its functions give the same digits in every floating-point environment."""

import os
import subprocess
import sys

import numpy as np
import pytest

import gelu_cli

LINES = ["table 1e-310 -38.5 0.1", "sweep tanh_sum --dtype bfloat16 --range 0:1e-39"]
X = np.linspace(1e-310, 4e-310, 600)
CALLS = [
    lambda: gelu_cli.table([1e-310, -38.5]).columns,
    lambda: gelu_cli.table(X).columns,
    lambda: gelu_cli.gelu(np.array([1e-310, -38.5])).tolist(),
    lambda: gelu_cli.error("relu", [1e-310, 1]).view("points"),
    lambda: gelu_cli.sweep(np.abs, dtype="bfloat16", form="relu", range="0:1e-39").view("worst"),
]


@pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD is Linux's")
def test_a_process_that_begins_otherwise_prints_the_same(library):
    flushing = {"MODE_WHEN_LOADED": "riu", "LD_PRELOAD": library.path}
    for line in LINES:
        words = [sys.executable, "-m", "gelu_cli", *line.split()]
        usual, other = (
            subprocess.run(words, env=os.environ | more, capture_output=True, check=True).stdout
            for more in ({}, flushing)
        )
        assert other == usual, line


def test_functions_and_their_tables_are_the_same_in_every_mode(library):
    usual = [repr(call()) for call in CALLS]
    for mode in ("r", "i", "d", "u", "z"):
        with library.set(mode) as before:
            found = [call() for call in CALLS]
            after = library.mode()
        assert [*map(repr, found)] == usual, mode
        assert after == before
