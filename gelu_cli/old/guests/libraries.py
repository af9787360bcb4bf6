"""Functions of shared libraries: found by a word, and those of one number called in a loop."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gelu_cli.errors import UsageError
from gelu_cli.old.guests.watchers import REMOVE, Watcher

LIBRARY = re.compile(r"\.(so(\.\d+)*|dylib|dll)$")
EXAMPLE = "write FILE.so:SYMBOL, e.g. ./libkernel.so:gelu"
ELF = b"\x7fELF"
BITS, ORDER, MACHINE = slice(4, 5), slice(5, 6), slice(18, 20)
"""Where the header of an ELF file says them."""

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


def names_library(word: str) -> bool:
    """Return whether a word names a shared library, or a function in one.

    >>> names_library("./libk.so:gelu"), names_library("libm.so.6:erf"), names_library("k.py:gelu")
    (True, True, False)
    """
    home = word.rpartition(":")[0]
    return any(LIBRARY.search(each) for each in (home, word))


def load_symbol(word: str) -> Any:
    """Return the function that a word like `./libk.so:gelu` names, with the library loaded.

    A name without a folder that is no file is looked for where the system has its libraries. Raises
    `UsageError` where there is no such file, or symbol in it, or it is no library of this machine.
    """
    home, _, name = word.rpartition(":")
    if not home or not name or LIBRARY.search(name):
        raise UsageError(f"'{word}' names no function: {EXAMPLE}")
    is_file = os.path.isfile(home)
    if not is_file and os.path.exists(home):  # to open a pipe is to wait for who writes
        raise UsageError(f"'{home}' is no file")
    try:
        library = ctypes.CDLL(os.path.abspath(home) if is_file else home)
    except (OSError, ValueError) as error:
        raise UsageError(f"{_why_not(home, error)}") from None
    try:
        return library[name]
    except (AttributeError, ValueError):  # ValueError: a NUL in it
        raise UsageError(
            f"'{home}' has no symbol '{name}': `nm -D {home}` lists those that it has; "
            'in C++ a function has its name with extern "C"'
        ) from None


def _why_not(home: str, error: Exception) -> str:
    """Return why a library cannot be loaded; of one for another machine its header tells more."""
    if not os.path.isfile(home):
        return f"there is no file '{home}'"
    header, ours = _header(home), _header(sys.executable)
    if sys.platform == "linux" and len(header) == MACHINE.stop:
        if not header.startswith(ELF):
            return f"'{home}' is no shared library"
        if header[BITS] != ours[BITS]:
            found, due = (32 * each[BITS][0] for each in (header, ours))
            return f"'{home}' has {found} bits, this process has {due}: compile it for {due}"
        if any(header[part] != ours[part] for part in (ORDER, MACHINE)):
            return f"'{home}' is for another machine: compile it for this one"
    return f"'{home}' cannot be loaded: {' '.join(str(error).split())}"


def _header(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return file.read(MACHINE.stop)
    except OSError:
        return b""


def in_a_loop(function: Any, arguments: int, x: int, y: int) -> tuple[ArrayFunction, str]:
    """Return a function of numbers as one of arrays, and what the loop is.

    Its arguments, one or two, have a format of `x` bits; its results have `y` bits. A loop in C is
    4.3 times as fast as one of Python's, in all of a sweep.
    """
    compiler, why = compiler_here(), "there is no C compiler"
    if compiler:
        try:
            loop = _compiled_loop(compiler, arguments, x, y)
        except subprocess.TimeoutExpired:
            why = f"{compiler[0]} takes more than {TO_COMPILE:g} s"
        except (OSError, subprocess.CalledProcessError, AttributeError):
            why = f"{compiler[0]} fails"
        else:
            loop.argtypes = [ctypes.c_void_p] * (arguments + 2) + [ctypes.c_size_t]
            loop.restype = None
            address = ctypes.cast(function, ctypes.c_void_p)
            return partial(loop, address), f"compiled by {compiler[0]}"
    return _ctypes_loop(function, arguments, x, y), f"by ctypes, as {why}"


def compiler_here() -> list[str]:
    """Return the command of the C compiler, as $CC has it; empty where there is no compiler."""
    words = [os.environ.get("CC", "").split(), *([each] for each in COMPILERS)]
    return next((each for each in words if each and shutil.which(each[0])), [])


def _compiled_loop(compiler: list[str], arguments: int, x: int, y: int) -> Any:
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
        library = f"{folder}/loop.so"
        subprocess.run(
            [*compiler, "-shared", "-fPIC", "-O1", "-o", library, "-x", "c", "-"],
            input=source.encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": folder},  # what a compiler that is killed leaves
            timeout=TO_COMPILE,
            check=True,
        )
        return ctypes.CDLL(library).loop


def _ctypes_loop(function: Any, arguments: int, x: int, y: int) -> ArrayFunction:
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
