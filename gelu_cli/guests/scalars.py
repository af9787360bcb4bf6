"""A C function of one number as a function of arrays: a compiled loop, or one of ctypes'."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gelu_cli.guests.watchers import REMOVE, Watcher

COMPILERS = ("cc", "gcc", "clang")

TO_COMPILE = 60.0
"""Seconds that the compiler may take."""

LOOP = """
#include <stddef.h>
#include <stdint.h>

typedef {x} X;
typedef {y} Y;

void loop(Y (*f)({types}), {arrays}, Y *y, size_t n) {{
    for (size_t i = 0; i < n; i++)
        y[i] = f({elements});
}}
"""

C_NAMES = {8: "uint8_t", 16: "uint16_t", 32: "float", 64: "double"}
"""The C types of formats, by width."""

C_TYPES = {8: ctypes.c_uint8, 16: ctypes.c_uint16, 32: ctypes.c_float, 64: ctypes.c_double}

ArrayFunction = Callable[..., None]
"""Takes the addresses of the arguments' arrays, that of the results, and how many there are."""


def in_a_loop(function: Any, arguments: int, x: int, y: int) -> tuple[ArrayFunction, str]:
    """Return a function of numbers as one of arrays, and what the loop is.

    It has so many arguments, of a format of `x` bits; its results have `y` bits.
    """
    compiler = compiler_here()
    if not compiler:
        return ctypes_loop(function, arguments, x, y), "by ctypes, as there is no C compiler"
    try:
        loop = compiled_loop(compiler, arguments, x, y)
    except subprocess.TimeoutExpired:
        why = f"{compiler[0]} takes more than {TO_COMPILE:g} s"
        return ctypes_loop(function, arguments, x, y), f"by ctypes, as {why}"
    except (OSError, subprocess.CalledProcessError, AttributeError):
        return ctypes_loop(function, arguments, x, y), f"by ctypes, as {compiler[0]} fails"
    loop.argtypes = [ctypes.c_void_p] * (arguments + 2) + [ctypes.c_size_t]
    loop.restype = None
    address = ctypes.cast(function, ctypes.c_void_p)

    def called(*places: int) -> None:
        loop(address, *places)

    return called, f"compiled by {compiler[0]}"


def compiler_here() -> list[str]:
    """Return the command of the C compiler, as $CC has it; empty where there is no compiler."""
    words = [os.environ.get("CC", "").split(), *([each] for each in COMPILERS)]
    return next((each for each in words if each and shutil.which(each[0])), [])


def compiled_loop(compiler: list[str], arguments: int, x: int, y: int) -> Any:
    """Return the loop compiled and loaded; raises what goes wrong."""
    names = "xu"[:arguments][::-1]  # upstream comes first
    source = LOOP.format(
        x=C_NAMES[x],
        y=C_NAMES[y],
        types=", ".join("X" for _ in names),
        arrays=", ".join(f"const X *{name}" for name in names),
        elements=", ".join(f"{name}[i]" for name in names),
    )
    with TemporaryDirectory(prefix="gelu-") as folder, closing(Watcher(REMOVE, folder)):
        code, library = Path(folder, "loop.c"), Path(folder, "loop.so")
        code.write_text(source)
        subprocess.run(
            [*compiler, "-shared", "-fPIC", "-O1", "-o", library, code],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": folder},  # what a compiler that is killed leaves
            timeout=TO_COMPILE,
            check=True,
        )
        return ctypes.CDLL(str(library)).loop


def ctypes_loop(function: Any, arguments: int, x: int, y: int) -> ArrayFunction:
    """Return a loop of Python's; no number is converted, which could flush it to 0."""
    # What ctypes has of a subclass it leaves as it is in memory.
    argument: Any = type("Argument", (C_TYPES[x],), {})
    result: Any = type("Result", (C_TYPES[y],), {})
    function.argtypes, function.restype = [argument] * arguments, result

    def called(*places: int) -> None:
        *sources, target, count = places
        arrays = [(argument * count).from_address(source) for source in sources]
        results = (result * count).from_address(target)
        for i, each in enumerate(zip(*arrays, strict=True)):
            results[i] = function(*each)

    return called
