"""Shared libraries: what names a function in one, and what is wrong with those that have none."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from pathlib import Path
from typing import Any, NoReturn

from gelu_cli.errors import UsageError

LIBRARY = re.compile(r"\.(so(\.\d+)*|dylib|dll)$")
EXAMPLE = "--impl FILE.so:SYMBOL, e.g. ./libkernel.so:gelu"
ELF = b"\x7fELF"
BITS, ORDER, MACHINE = slice(4, 5), slice(5, 6), slice(18, 20)
"""Where the header of an ELF file says them."""


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
    library = _load(home)
    try:
        return library[name]
    except (AttributeError, ValueError):  # ValueError: a NUL in it
        raise UsageError(
            f"--impl: '{home}' has no symbol '{name}': `nm -D {home}` lists those that it has; "
            'in C++ a function has its name with extern "C"'
        ) from None


def _load(home: str) -> ctypes.CDLL:
    try:
        is_file = os.path.isfile(home)
        if not is_file and os.path.exists(home):  # to open a pipe is to wait for who writes
            _refuse(home, "")
        return ctypes.CDLL(os.path.abspath(home) if is_file else home)
    except (OSError, ValueError) as error:
        _refuse(home, " ".join(str(error).split()))


def _refuse(home: str, reason: str) -> NoReturn:
    """Say why a library cannot be loaded."""
    if not os.path.isfile(home):
        if os.path.exists(home):
            raise UsageError(f"--impl: '{home}' is no file") from None
        raise UsageError(f"--impl: there is no file '{home}'") from None
    header = _header(home)
    if sys.platform == "linux" and len(header) == MACHINE.stop:
        ours = _header(sys.executable)
        if not header.startswith(ELF):
            raise UsageError(f"--impl: '{home}' is no shared library") from None
        if header[BITS] != ours[BITS]:
            found, due = (32 * each[BITS][0] for each in (header, ours))
            raise UsageError(
                f"--impl: '{home}' has {found} bits, this process has {due}: compile it for {due}"
            ) from None
        if any(header[part] != ours[part] for part in (ORDER, MACHINE)):
            raise UsageError(
                f"--impl: '{home}' is for another machine: compile it for this one"
            ) from None
    raise UsageError(f"--impl: '{home}' cannot be loaded: {reason}") from None


def _header(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return file.read(MACHINE.stop)
    except OSError:
        return b""
