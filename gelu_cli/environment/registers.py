"""The registers that hold the floating-point environment, by way of the C library (fenv.h)."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

if sys.platform == "win32":
    # Of _controlfp_s, float.h: how subnormal numbers are treated, and the rounding. 0 is standard.
    MASK = 0x0300_0000 | 0x0000_0300
    CONTROL = ctypes.CDLL("ucrtbase")._controlfp_s

    def save() -> Any:
        """Return the environment of this thread."""
        word = ctypes.c_uint()
        CONTROL(ctypes.byref(word), 0, 0)
        return word.value

    def load(saved: Any) -> None:
        """Make an environment that was saved this thread's."""
        CONTROL(ctypes.byref(ctypes.c_uint()), saved, MASK)

    def reset() -> None:
        """Make the standard environment this thread's."""
        load(0)

else:
    SIZE = 512
    """More bytes than any fenv_t has: it is 32 on x86-64, 8 on 64-bit Arm."""

    LIBRARY = ctypes.CDLL(None)
    GET, SET = LIBRARY.fegetenv, LIBRARY.fesetenv

    def save() -> Any:
        """Return the environment of this thread."""
        saved = ctypes.create_string_buffer(SIZE)
        GET(saved)
        return saved

    def load(saved: Any) -> None:
        """Make an environment that was saved this thread's."""
        SET(saved)

    def reset() -> None:
        """Make the standard environment, FE_DFL_ENV, this thread's."""
        if sys.platform == "darwin":
            SET(ctypes.byref(ctypes.c_char.in_dll(LIBRARY, "_FE_DFL_ENV")))
        else:  # glibc and musl
            SET(ctypes.c_void_p(-1))
