"""C functions, by ctypes.

Each array has a margin on both sides, in which writes are seen.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gelu_cli.errors import UsageError
from gelu_cli.kernels.calling import Array, Fault, Loaded, same
from gelu_cli.kernels.description import Kernel

LIBRARY = re.compile(r"\.(so(\.\d+)*|dylib|dll)$")
EXAMPLE = "write FILE.so:SYMBOL, e.g. ./libkernel.so:gelu"
C_NAMES = {8: "uint8_t", 16: "uint16_t", 32: "float", 64: "double"}  # by the width of a format
C_TYPES = {8: ctypes.c_uint8, 16: ctypes.c_uint16, 32: ctypes.c_float, 64: ctypes.c_double}
MARGIN, ALIGNMENT = 4096, 64  # bytes; the widest vectors have 64
# The byte in each margin: no kernel maps that of x to that of y, so it is seen to run past the end.
MARKS = {"upstream": 0x3C, "x": 0x5A, "gate": 0x5A, "up": 0x69, "y": 0xA5}


class CFunction(Loaded):
    """A C function of arrays, or of one number at a time."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        if kernel.backward and kernel.glu:
            raise UsageError(
                "--backward: a C function of gate and up returns one gradient; remove --backward"
            )
        scalar = kernel.signature == "scalar"
        self.declared = f"; it is called as {declaration(kernel)}"
        if not scalar:
            number = declaration(replace(kernel, signature="scalar"))
            self.declared += f"; if it is {number}, add --signature scalar"
        with self.environment.running("since its import"):
            self._function = load_symbol(str(kernel.target))
        # ctypes converts no number of a subclass: a conversion could flush it to 0.
        x, y = (type("Number", (C_TYPES[each.width],), {}) for each in kernel.formats)
        self._types: tuple[Any, Any] = x, y
        self._function.argtypes = [x] * len(_names(kernel)) if scalar else None
        self._function.restype = y if scalar else None

    def results(self, upstream: Array | None, inputs: Sequence[Array]) -> Array:
        """Call the function with copies of the arrays, and check the margins."""
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
            if (place := each.trespass()) is not None:
                where = "before the start" if place < 0 else "past the end"
                raise Fault(f"wrote {where} of an array, at {name}[{place}]")
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
        number, result = self._types
        given = [(number * len(y)).from_address(each.ctypes.data) for each in arrays]
        results = (result * len(y)).from_address(y.ctypes.data)
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
        """Find the element beside the array that was written, by its index."""
        if len(written := np.flatnonzero(self._after != self._mark)):
            return len(self.array) + int(written[0]) // self.array.itemsize
        if len(written := np.flatnonzero(self._before != self._mark)):
            return (int(written[-1]) - len(self._before)) // self.array.itemsize
        return None


def _names(kernel: Kernel) -> list[str]:
    names = ["gate", "up"] if kernel.glu and not kernel.packed else ["x"]
    if kernel.up_first:
        names.reverse()
    return ["upstream", *names] if kernel.backward else names


def declaration(kernel: Kernel) -> str:
    """Declare the C function that a description is for.

    >>> declaration(Kernel("f", "k.so:f", "C functions", "bfloat16", "float32"))
    'void f(const uint16_t *x, float *y, size_t n)'
    """
    x, y = (C_NAMES[each.width] for each in kernel.formats)
    if kernel.signature == "scalar":
        return f"{y} f({', '.join(f'{x} {name}' for name in _names(kernel))})"
    return f"void f({', '.join(f'const {x} *{name}' for name in _names(kernel))}, {y} *y, size_t n)"


def names_library(word: str) -> bool:
    """Tell whether a word names a shared library, or a function in one.

    >>> names_library("./libk.so:gelu"), names_library("libm.so.6:erf"), names_library("k.py:gelu")
    (True, True, False)
    """
    return any(LIBRARY.search(each) for each in (word, word.rpartition(":")[0]))


def load_symbol(word: str) -> Any:
    """Find the function that a word like `./libk.so:gelu` names.

    A name without a folder that is not a file is looked for where the system has its libraries.
    """
    home, _, name = word.rpartition(":")
    if not home or not name or LIBRARY.search(name):
        raise UsageError(f"'{word}' names no function; {EXAMPLE}")
    try:
        library = ctypes.CDLL(os.path.abspath(home) if os.path.exists(home) else home)
    except OSError as error:
        raise UsageError(f"'{home}' cannot be loaded; {error}") from None
    try:
        return library[name]
    except AttributeError:
        raise UsageError(
            f"'{home}' has no symbol '{name}'; `nm -D {home}` lists those that it has, "
            'in C++ a function has its name with extern "C"'
        ) from None
