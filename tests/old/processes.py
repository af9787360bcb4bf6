"""C libraries, and processes that a test watches."""

import os
import shutil
import subprocess
from pathlib import Path
from select import select

import pytest

linux = pytest.mark.skipif(
    not hasattr(os, "pidfd_open"), reason="descriptors of processes are Linux's"
)


def has_ended(process, within=60.0):
    """Return True if a process has ended, by its number, or does so within some seconds."""
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select([descriptor], [], [], within)[0])
    finally:
        os.close(descriptor)


def compile_c(path, *sources, flags=()):
    """Compile a shared library, or what else the flags say; skip the test without a compiler."""
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("there is no C compiler, cc")
    flags = flags or ("-O1", "-w", "-shared", "-fPIC")
    subprocess.run([compiler, *flags, "-o", path, *map(Path, sources), "-lm"], check=True)
    return str(path)
