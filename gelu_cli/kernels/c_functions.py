"""C functions, by ctypes; each array has a margin on both sides, in which writes are seen."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gelu_cli.errors import UsageError
from gelu_cli.kernels.arithmetic import Array
from gelu_cli.kernels.description import Kernel
from gelu_cli.kernels.loaded import Fault, Loaded, same

LIBRARY = re.compile(r"\.(so(\.\d+)*|dylib|dll)$")
EXAMPLE = "write FILE.so:SYMBOL, e.g. ./libkernel.so:gelu"
C_NAMES = {8: "uint8_t", 16: "uint16_t", 32: "float", 64: "double"}
C_TYPES = {8: ctypes.c_uint8, 16: ctypes.c_uint16, 32: ctypes.c_float, 64: ctypes.c_double}
"""The C types of formats, by width: numbers of 16 and 8 bits are bit patterns."""

MARGIN = 4096
"""Bytes on each side of an array."""
ALIGNMENT = 64
"""Bytes that the widest vectors have."""

MARKS = {"upstream": 0x3C, "x": 0x5A, "gate": 0x5A, "up": 0x69, "y": 0xA5}
"""The byte in each margin. No kernel maps that of x to that of y: to run past the end is seen."""
WORDS = {
    "upstream": "upstream gradients",
    "x": "inputs",
    "gate": "gates",
    "up": "second inputs",
    "y": "results",
}

ELF = b"\x7fELF"
BITS, ORDER, MACHINE = slice(4, 5), slice(5, 6), slice(18, 20)
"""Fields in the header of an ELF file."""


def names_library(word: str) -> bool:
    """Tell whether a word names a shared library, or a function in one.

    >>> names_library("./libk.so:gelu"), names_library("libm.so.6:erf"), names_library("k.py:gelu")
    (True, True, False)
    """
    return any(LIBRARY.search(each) for each in (word, word.rpartition(":")[0]))


class CFunction(Loaded):
    """A C function of arrays, or of one number at a time."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        if kernel.backward and kernel.glu:
            raise UsageError(
                "--backward: a C function of gate and up returns one gradient; remove --backward"
            )
        self.declared = f"; it is called as {declaration(kernel)}{_of_numbers(kernel)}"
        with self.environment.running("since its import"):
            self._function = load_symbol(str(kernel.target))
        self._function.restype = None
        if kernel.signature == "scalar":
            # ctypes converts no number of a subclass: that could flush it to 0.
            x, y = (C_TYPES[each.width] for each in kernel.formats)
            self._number: Any = type("Number", (x,), {})
            self._result: Any = type("Result", (y,), {})
            self._function.argtypes = [self._number] * len(_names(kernel))
            self._function.restype = self._result

    def results(self, upstream: Array | None, inputs: Sequence[Array]) -> Array:
        """Call the function with copies of the arrays, and look at the memory around them."""
        kernel, dtype = self.kernel, self.kernel.formats[1].dtype
        given = [upstream, *inputs] if kernel.backward else inputs
        count = len(inputs[0]) // (2 if kernel.packed else 1)
        unwritten = np.full(count * dtype.itemsize, 0xFF, np.uint8).view(dtype)  # NaNs
        before = dict(zip([*_names(kernel), "y"], [*given, unwritten], strict=True))
        held = {name: Guarded(array, MARKS[name]) for name, array in before.items()}
        *arrays, y = (each.array for each in held.values())
        with self.environment.running("since a call"):
            self._call(arrays, y)
        for name, each in held.items():
            if (byte := each.trespass()) is not None:
                where = "before the start" if byte < 0 else "past the end"
                place = f"{name}[{byte // each.array.itemsize}]"
                raise Fault(f"wrote {where} of its {WORDS[name]}, at {place}")
            if name != "y" and not same(each.array, before[name]):
                raise Fault(f"wrote into {name}, which is const{self.declared}")
        if same(y, unwritten):
            raise Fault(f"wrote no result{self.declared}")
        return y

    def _call(self, arrays: Sequence[Array], y: Array) -> None:
        if self.kernel.signature != "scalar":
            places = [ctypes.c_void_p(each.ctypes.data) for each in [*arrays, y]]
            self._function(*places, ctypes.c_size_t(len(y)))
            return
        given = [(self._number * len(y)).from_address(each.ctypes.data) for each in arrays]
        results = (self._result * len(y)).from_address(y.ctypes.data)
        for i, numbers in enumerate(zip(*given, strict=True)):
            results[i] = self._function(*numbers)


class Guarded:
    """A copy of an array, with a margin of bytes like `mark` on both sides."""

    def __init__(self, array: Array, mark: int) -> None:
        memory = np.empty(array.nbytes + 2 * MARGIN + ALIGNMENT, np.uint8)
        first = MARGIN + -memory.ctypes.data % ALIGNMENT
        self._before, self._after = memory[:first], memory[first + array.nbytes :]
        self._before[:] = self._after[:] = self._mark = mark
        self.array: Array = memory[first : first + array.nbytes].view(array.dtype)
        self.array[:] = array

    def trespass(self) -> int | None:
        """Find the byte beside the array that was written, counted from the first of the array."""
        if len(written := np.flatnonzero(self._after != self._mark)):
            return self.array.nbytes + int(written[0])
        if len(written := np.flatnonzero(self._before != self._mark)):
            return int(written[-1]) - len(self._before)
        return None


def declaration(kernel: Kernel) -> str:
    """Declare the C function that a description is for.

    >>> declaration(Kernel("f", "k.so:f", "C functions", "bfloat16", "float32"))
    'void f(const uint16_t *x, float *y, size_t n)'
    """
    x, y = (C_NAMES[each.width] for each in kernel.formats)
    names = _names(kernel)
    if kernel.signature == "scalar":
        return f"{y} f({', '.join(f'{x} {name}' for name in names)})"
    return f"void f({', '.join(f'const {x} *{name}' for name in names)}, {y} *y, size_t n)"


def _of_numbers(kernel: Kernel) -> str:
    """Name the other signature, if the function may have that."""
    if kernel.signature == "scalar":
        return ", since --signature is scalar"
    one = declaration(replace(kernel, signature="scalar"))
    return f"; if it is {one}, add --signature scalar"


def _names(kernel: Kernel) -> list[str]:
    names = ["gate", "up"] if kernel.glu and not kernel.packed else ["x"]
    if kernel.up_first:
        names.reverse()
    return ["upstream", *names] if kernel.backward else names


def load_symbol(word: str) -> Any:
    """Find the function that a word like `./libk.so:gelu` names.

    A name without a folder that is not a file is looked for where the system has its libraries.
    """
    home, _, name = word.rpartition(":")
    if not home or not name or LIBRARY.search(name):
        raise UsageError(f"'{word}' names no function; {EXAMPLE}")
    is_file = os.path.isfile(home)
    if not is_file and os.path.exists(home):  # to open a pipe is to wait for who writes
        raise UsageError(f"'{home}' is not a file; {EXAMPLE}")
    try:
        library = ctypes.CDLL(os.path.abspath(home) if is_file else home)
    except (OSError, ValueError) as error:
        raise UsageError(_why_not(home, error)) from None
    try:
        return library[name]
    except (AttributeError, ValueError):  # ValueError: a NUL in it
        raise UsageError(
            f"'{home}' has no symbol '{name}'; `nm -D {home}` lists those that it has, "
            'in C++ a function has its name with extern "C"'
        ) from None


def _why_not(home: str, error: Exception) -> str:
    """Say why a library cannot be loaded; the header of one for another machine says more."""
    if not os.path.isfile(home):
        return f"there is no file '{home}'"
    header, ours = (_header(path) for path in (home, sys.executable))
    if ours.startswith(ELF) and len(header) == MACHINE.stop:
        if not header.startswith(ELF):
            return f"'{home}' is not a shared library; compile it with -shared -fPIC"
        if any(header[part] != ours[part] for part in (BITS, ORDER, MACHINE)):
            return f"'{home}' is for another machine; compile it for this one"
    return f"'{home}' cannot be loaded; {' '.join(str(error).split())}"


def _header(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return file.read(MACHINE.stop)
    except OSError:
        return b""
