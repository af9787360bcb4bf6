"""Call kernels outside Python: C functions by ctypes, programs by pipes.

Arrays passed to a C function have margins, to detect writes out of bounds. A program reads numbers
from stdin and writes results to stdout, as raw bytes; the two numbers of a pair are neighbours.
"""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
from collections.abc import Sequence
from contextlib import suppress
from subprocess import PIPE, Popen, TimeoutExpired
from tempfile import TemporaryFile
from threading import Thread
from typing import IO, Any

import numpy as np

from gelu_cli.errors import UsageError
from gelu_cli.kernels import Kernel
from gelu_cli.kernels.calling import Array, Fault, Loaded, same
from gelu_cli.kernels.workers import ending

C_NAMES = {8: "uint8_t", 16: "uint16_t", 32: "float", 64: "double"}  # by the width of a format
C_TYPES = {8: ctypes.c_uint8, 16: ctypes.c_uint16, 32: ctypes.c_float, 64: ctypes.c_double}
MARGIN, ALIGNMENT = 4096, 64  # bytes; 64 is the size of the widest vector registers
MARK = 0xA5  # margins of array k have bytes MARK − k: numbers in (−¼, 0) in every format

AT_THE_END = 10.0  # seconds that a program may take to exit after its last result
LAST_BYTES, LAST_LINES = 4096, 10  # the most bytes and lines of stderr that a message quotes


class CFunction(Loaded):
    """A C function of arrays or, if `kernel.signature` is scalar, of numbers."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        if kernel.backward and kernel.glu:
            fault = "--backward with --glu has two results (dgate, dup), but a C function has one"
            raise UsageError(f"{fault}; remove --backward")
        scalar = kernel.signature == "scalar"
        self.declared = f"; it is called as {declaration(kernel)}"
        if not scalar:
            self.declared += "; if it takes and returns one number, add --signature scalar"
        with self.environment.running():
            self._function = load_symbol(str(kernel.target))
        # ctypes does not convert instances of subclasses: a conversion could flush numbers to 0.
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
        held = {name: Guarded(each, MARK - k) for k, (name, each) in enumerate(before.items())}
        *arrays, y = (each.array for each in held.values())
        with self.environment.running():
            self._call(arrays, y)
        for name, each in held.items():
            if not each.intact:
                raise Fault(f"wrote outside of {name}{self.declared}")
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
    """A copy of an array between two margins that show writes out of bounds."""

    def __init__(self, array: Array, mark: int) -> None:
        memory = np.empty(array.nbytes + 2 * MARGIN + ALIGNMENT, np.uint8)
        first = MARGIN + -memory.ctypes.data % ALIGNMENT
        self._margins = memory[:first], memory[first + array.nbytes :]
        self._mark = mark
        for each in self._margins:
            each[:] = mark
        self.array: Array = memory[first : first + array.nbytes].view(array.dtype)
        self.array[:] = array

    @property
    def intact(self) -> bool:
        """True if the margins are unchanged."""
        return all((each == self._mark).all() for each in self._margins)


def _names(kernel: Kernel) -> list[str]:
    names = ["gate", "up"] if kernel.glu and not kernel.packed else ["x"]
    if kernel.up_first:
        names.reverse()
    return ["upstream", *names] if kernel.backward else names


def declaration(kernel: Kernel) -> str:
    """Return the C declaration by which a kernel is called.

    >>> declaration(Kernel("f", "k.so:f", "C functions", "bfloat16", "float32"))
    'void f(const uint16_t *x, float *y, size_t n)'
    """
    x, y = (C_NAMES[each.width] for each in kernel.formats)
    if kernel.signature == "scalar":
        return f"{y} f({', '.join(f'{x} {name}' for name in _names(kernel))})"
    return f"void f({', '.join(f'const {x} *{name}' for name in _names(kernel))}, {y} *y, size_t n)"


def load_symbol(word: str) -> Any:
    """Load the function named by a word like `./libk.so:gelu`.

    If FILE.so does not exist here, the loader looks for it in the system's library folders.
    """
    home, _, name = word.rpartition(":")
    if not home or not name:
        raise UsageError(f"'{word}' names no function; write FILE.so:SYMBOL")
    try:
        return ctypes.CDLL(os.path.abspath(home) if os.path.exists(home) else home)[name]
    except OSError as error:
        raise UsageError(f"'{home}' cannot be loaded; {error}") from None
    except AttributeError:
        remedy = f'`nm -D {home}` lists its symbols; in C++ add extern "C"'
        raise UsageError(f"'{home}' has no symbol '{name}'; {remedy}") from None


class Program(Loaded):
    """A command line, split as by a shell; each call starts a process."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        try:
            self._words = shlex.split(str(kernel.target))
        except ValueError as error:
            raise UsageError(f"--exec: '{kernel.target}' is not a command; {error}") from None
        program = next(iter(self._words), "")
        if not shutil.which(program):
            raise UsageError(f"--exec: there is no program '{program}'; name an executable file")

    def results(self, upstream: Array | None, inputs: Sequence[Array]) -> Array:
        """Run the program; inputs and results are little-endian."""
        dtype, numbers = self.kernel.formats[1].dtype, np.stack(inputs, 1).ravel()
        sent = numbers.view(f"u{numbers.itemsize}").astype(f"<u{numbers.itemsize}").tobytes()
        with TemporaryFile() as stderr:
            try:
                process = Popen(self._words, stdin=PIPE, stdout=PIPE, stderr=stderr)
            except OSError as error:
                raise Fault(f"cannot be started: {error.strerror}; check its #! line") from None
            try:
                got = _answer(process, sent, len(inputs[0]) * dtype.itemsize)
            except Fault as fault:
                raise Fault(*fault.args, *_last_lines(stderr)) from None
            finally:
                process.kill()
                process.wait()
        return np.frombuffer(got, f"<u{dtype.itemsize}").astype(f"u{dtype.itemsize}").view(dtype)


def _answer(process: Popen[bytes], sent: bytes, size: int) -> bytes:
    """Write inputs and read `size` bytes of results."""
    Thread(target=_write, args=(process.stdin, sent), daemon=True).start()
    assert process.stdout
    with process.stdout as stream:
        got = stream.read(size + 1)  # one byte more, to detect a surplus
    written = f"wrote {len(got):,} of {size:,} bytes of results"
    if len(got) > size:
        raise Fault(f"wrote more than {size:,} bytes of results")
    try:
        code = process.wait(AT_THE_END)
    except TimeoutExpired:
        raise Fault(f"{written}, closed its output, but did not end") from None
    if code or len(got) < size:
        raise Fault(f"{written}: {ending(code)}" if code else written)
    return got


def _write(stream: IO[bytes], data: bytes) -> None:
    with suppress(OSError), stream:  # if the program stops reading, results will be missing
        stream.write(data)


def _last_lines(file: IO[bytes]) -> list[str]:
    file.seek(max(0, file.seek(0, os.SEEK_END) - LAST_BYTES))
    lines = file.read().decode(errors="replace").splitlines()[-LAST_LINES:]
    return [f"stderr: {line}" for line in lines]
