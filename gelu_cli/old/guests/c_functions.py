"""A C function of the user's own, called in this process, and the memory around its arrays.

    | 64 MiB that nobody may touch | margin | numbers | margin | 64 MiB that nobody may touch |

Each margin has a page or more, filled with one byte, so that a write into it is seen. A write
beyond it is ended by the system, and the process with it. What nobody may touch takes addresses,
but no memory.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.old.arithmetic.format_arrays import Bits, Floats, to_bits, to_floats
from gelu_cli.old.environment import SINCE_A_CALL, SINCE_ITS_IMPORT, Guest
from gelu_cli.old.guests.calling import (
    PACKINGS,
    SEPARATE,
    UPSTREAM,
    Calling,
    Surrounding,
    TrespassError,
    UsersFunction,
    arguments,
    refuse_gradients,
    was_given,
)
from gelu_cli.old.guests.libraries import C_NAMES, in_a_loop, load_symbol
from gelu_cli.old.guests.surroundings import LENGTHS
from gelu_cli.old.guests.workers.process import without_copies

PAGE = mmap.PAGESIZE
FORBIDDEN = 1 << 26
"""Bytes that nobody may touch, on each side: whole pages."""

NO_ACCESS = 0
"""PROT_NONE of mprotect."""

MARKS = {"upstream": 0x3C, "x": 0x5A, "gate": 0x5A, "up": 0x69, "y": 0xA5}
"""The byte in each margin. No kernel maps that of x to that of y: to run past the end is seen."""

WORDS = {
    "upstream": "upstream gradients", "x": "inputs", "gate": "gates", "up": "second inputs",
    "y": "results",
}  # fmt: skip

IN_PLACE = "in place"
PLACEMENTS: Mapping[str, tuple[int, int]] = {
    "unaligned": (1, 0),
    "result unaligned": (0, 1),
    "both unaligned": (1, 1),
    IN_PLACE: (0, 0),
}
"""By the names of `surroundings.LAYOUTS`: where x and y begin, in elements after a page's begin."""


class SymbolImplementation(UsersFunction):
    """A C function by a word like `./libk.so:gelu`; what it writes beside its results is seen.

    `Calling.signature` says how it is declared; if the backward is its own, the upstream gradients
    are its first argument. A result that it does not write is NaN. It runs in an environment of its
    own, and can do anything to this process.

    Raises `UsageError` where there is no such function, `ComputationError` where it writes into its
    inputs or beside its arrays.
    """

    def __init__(self, name: str, word: str, calling: Calling) -> None:
        refuse_gradients("a C function", calling)
        if calling.backward == "own" and calling.second not in ("", UPSTREAM):
            raise UsageError(
                "--backward: a C function of gate and up returns one gradient; remove --backward"
            )
        self.name = name
        self.calling = calling
        self.asked = calling.asked
        self._guest = Guest()
        self.environments = self._guest.seen
        with self._guest.running(SINCE_ITS_IMPORT):
            function = load_symbol(word)
        count = len(_arguments(calling))
        if calling.signature == "scalar":
            widths = calling.dtype.width, calling.result.width
            function, loop = in_a_loop(function, count, *widths)
            self.provenance = {"loop": loop}
        else:
            function.argtypes = [ctypes.c_void_p] * (count + 1) + [ctypes.c_size_t]
            function.restype = None
            fits = calling.dtype.width == calling.result.width and calling.second not in PACKINGS
            layouts = [each for each in PLACEMENTS if fits or each != IN_PLACE]
            self.ways = (LENGTHS, *layouts)
        self._function = without_copies(function)
        self._memories: dict[str, GuardedMemory] = {}

    def __call__(self, x: Floats) -> Floats:
        """Return the results that are judged at x."""
        bits = self._bits_at(x, "", x.shape[-1])
        if np.all(bits == _nan(bits.dtype)):
            raise ComputationError(
                f"{was_given(self.name, x)} and wrote no result; it is called as "
                f"{declaration(self.calling)}{of_numbers(self.calling)}"
            )
        return to_floats(self.calling.result, bits)

    def around(self, x: Floats, surrounding: Surrounding) -> Floats:
        """Return the results at x, called in another surrounding."""
        bits = self._bits_at(x, surrounding.name, surrounding.length or x.shape[-1])
        return to_floats(self.calling.result, bits)

    def _bits_at(self, x: Floats, layout: str, length: int) -> Bits:
        """Return the results of calls with `length` inputs each, which divides how many there are.

        Nothing is looked for between the calls: each takes a microsecond.
        """
        calling = self.calling
        names, bits = _arguments(calling), to_bits(calling.dtype, x)
        calls = bits.reshape(*bits.shape[:-1], -1, length)
        inputs = arguments(calling.second, calls, up_first=calling.up_first)
        if len(names) > len(inputs):
            (upstream,) = to_bits(calling.dtype, np.array([calling.upstream]))
            inputs.insert(0, np.full_like(inputs[0], upstream))
        x_first, y_first = PLACEMENTS.get(layout, (0, 0))
        given = dict(zip(names, inputs, strict=True))
        arrays = {name: self._held(name, rows[0], x_first) for name, rows in given.items()}
        unsigned = np.dtype(f"u{calling.result.width // 8}")
        results = np.empty((len(inputs[0]), length), unsigned)
        unwritten = np.full(length, _nan(unsigned), unsigned)
        if layout == IN_PLACE:
            y = arrays["gate" if "gate" in names else "x"]
        else:
            y = arrays["y"] = self._held("y", unwritten, y_first)
        addresses = [arrays[name].ctypes.data for name in names] + [y.ctypes.data]
        with self._guest.running(SINCE_A_CALL):
            for place, row in enumerate(results):
                if place:
                    y[:] = unwritten
                    for name, rows in given.items():
                        arrays[name][:] = rows[place]
                self._function(*addresses, length)
                row[:] = y
        for name, array in arrays.items():
            byte = self._memories[name].trespass()
            if byte is not None:
                where = "before the start" if byte < 0 else "past the end"
                raise TrespassError(
                    f"{was_given(self.name, x)} and wrote {where} of its {WORDS[name]}, at "
                    f"{name}[{byte // array.itemsize}]"
                )
        for name in names:
            if arrays[name] is not y and not np.array_equal(arrays[name], given[name][-1]):
                raise TrespassError(
                    f"{was_given(self.name, x)} and wrote into {name}, which is const: it is "
                    f"called as {declaration(calling)}{of_numbers(calling)}"
                )
        return results.reshape(-1)

    def _held(self, name: str, bits: Bits, offset: int) -> Bits:
        """Return bits in guarded memory, `offset` elements after the beginning of a page."""
        first = offset * bits.itemsize
        pages = max(1, -(-(first + bits.nbytes) // PAGE))
        memory = self._memories.get(name)
        if memory is None or memory.pages != pages:
            memory = self._memories[name] = GuardedMemory(pages, MARKS[name])
        return memory.hold(bits, first)


def declaration(calling: Calling) -> str:
    """Return how a C function is declared.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> declaration(Calling(FORMATS["bfloat16"], FORMATS["float32"]))
    'void f(const uint16_t *x, float *y, size_t n)'
    """
    x, y = (C_NAMES[each.width] for each in (calling.dtype, calling.result))
    names = _arguments(calling)
    if calling.signature == "scalar":
        return f"{y} f({', '.join(f'{x} {name}' for name in names)})"
    arrays = ", ".join(f"const {x} *{name}" for name in names)
    return f"void f({arrays}, {y} *y, size_t n)"


def of_numbers(calling: Calling) -> str:
    """Return what to do if a function that was called with arrays is one of numbers."""
    if calling.signature == "scalar":
        return ", since --signature is scalar"
    one = declaration(calling._replace(signature="scalar"))
    return f"; if it is {one}, add --signature scalar"


def _nan(unsigned: np.dtype[Any]) -> int:
    """Return a bit pattern that is NaN in every format: that of a result before the call."""
    return int(np.iinfo(unsigned).max)


def _arguments(calling: Calling) -> list[str]:
    if calling.second == SEPARATE:
        return ["up", "gate"] if calling.up_first else ["gate", "up"]
    return ["upstream", "x"] if calling.backward == "own" else ["x"]


class GuardedMemory:
    """Pages for an array; the margins around it are filled with `mark`."""

    def __init__(self, pages: int, mark: int) -> None:
        self.pages = pages
        self._mark = mark
        size = (pages + 2) * PAGE + 2 * FORBIDDEN
        try:  # of this process alone: a copy that a function makes of it has its own
            memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE)
        except OSError as error:
            raise ComputationError(
                f"there is no room around a function's arrays: {error.strerror}"
            ) from None
        self._inside: NDArray[np.uint8] = np.frombuffer(memory, np.uint8)[FORBIDDEN:-FORBIDDEN]
        first = self._inside.ctypes.data
        for side in (first - FORBIDDEN, first + self._inside.size):
            forbidden = ctypes.c_void_p(side), ctypes.c_size_t(FORBIDDEN)
            if ctypes.CDLL(None).mprotect(*forbidden, NO_ACCESS):
                raise ComputationError("the memory around a function's arrays cannot be protected")
        self._used = slice(0)

    def hold(self, bits: NDArray[Any], first: int) -> NDArray[Any]:
        """Return an array of these bits, which begins `first` bytes after the margin."""
        used = slice(PAGE + first, PAGE + first + bits.nbytes)
        if used != self._used:
            self._used = used
            self._inside.fill(self._mark)
        array: NDArray[Any] = self._inside[used].view(bits.dtype)
        array[:] = bits
        return array

    def trespass(self) -> int | None:
        """Return the nearest byte beside the array that was written, after it if there is one.

        It is counted from the first of the array: those before it are negative. The margins are
        filled anew then.
        """
        start, stop = self._used.start, self._used.stop
        if len(places := np.flatnonzero(self._inside[stop:] != self._mark)):
            written: int = stop - start + int(places[0])
        elif len(places := np.flatnonzero(self._inside[:start] != self._mark)):
            written = int(places[-1]) - start
        else:
            return None
        self._used = slice(0)
        return written
