"""Kernels in C, compiled once."""

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.old.processes import compile_c

SOURCE = Path(__file__).with_name("kernels.c")


class Compiled(NamedTuple):
    library: str
    program: str


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """Return a library and a program of kernels.c."""
    folder = tmp_path_factory.mktemp("compiled")
    return Compiled(
        compile_c(folder / "libkernels.so", SOURCE),
        compile_c(folder / "program", SOURCE, flags=["-w", "-DPROGRAM"]),
    )
