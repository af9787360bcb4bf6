"""A library that changes the floating-point environment, as one built with -ffast-math does."""

import ctypes
import platform
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.old.processes import compile_c


class Library:
    """Modes are texts of letters, see library.c: "ri" flushes, "u", "d" and "z" round."""

    def __init__(self, path):
        self.path = path
        self.functions = ctypes.CDLL(self.path)

    def mode(self):
        return self.functions.mode()

    @contextmanager
    def set(self, letters):
        """Set a mode for a block; what is asserted of it is asserted after it."""
        self.functions.set_mode(letters.encode())
        try:
            yield self.mode()
        finally:
            self.functions.set_mode(b"")


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    if platform.machine() not in {"x86_64", "AMD64", "aarch64", "arm64"}:
        pytest.skip(f"the registers of {platform.machine()} are not known here")
    path = tmp_path_factory.mktemp("library") / "mode.so"
    return Library(compile_c(path, Path(__file__).with_name("library.c")))
