"""Kernels in C, compiled once."""

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

HERE = Path(__file__).parent


class Compiled(NamedTuple):
    library: str
    program: str


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """Return a library and a program of kernels.c."""
    folder = tmp_path_factory.mktemp("compiled")
    made = Compiled(str(folder / "libkernels.so"), str(folder / "program"))
    compile_c("-shared", "-fPIC", "-o", made.library, HERE / "kernels.c", "-lm")
    compile_c("-DPROGRAM", "-o", made.program, HERE / "kernels.c", "-lm")
    return made


def compile_c(*words):
    """Run the C compiler; skip the test where there is none."""
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("there is no C compiler, cc")
    subprocess.run([compiler, "-O1", "-w", *words], check=True)
