"""Libraries in C that tests call."""

import shutil
import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """Compile kernels.c; return the path of the library."""
    compiler = shutil.which("cc") or pytest.skip("there is no C compiler, cc")
    path = tmp_path_factory.mktemp("compiled") / "libk.so"
    source = Path(__file__).parent / "kernels.c"
    subprocess.run([compiler, "-O1", "-w", "-shared", "-fPIC", "-o", path, source], check=True)
    return path
