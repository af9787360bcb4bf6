"""The registers that hold the floating-point environment, by way of the C library (fenv.h)."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

SIZE = 512
"""Bytes for an fenv_t, which has 32 on x86-64 and 8 on 64-bit Arm."""

LIBRARY = ctypes.CDLL(None)


def save() -> Any:
    """Return the environment of this thread."""
    saved = ctypes.create_string_buffer(SIZE)
    LIBRARY.fegetenv(saved)
    return saved


def load(saved: Any) -> None:
    """Make an environment that was saved this thread's."""
    LIBRARY.fesetenv(saved)


def reset() -> None:
    """Make the standard environment, FE_DFL_ENV, this thread's."""
    if sys.platform == "darwin":
        load(ctypes.byref(ctypes.c_char.in_dll(LIBRARY, "_FE_DFL_ENV")))
    else:  # glibc and musl
        load(ctypes.c_void_p(-1))
