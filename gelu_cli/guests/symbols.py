"""A C function of the user's own, called in this process, and the memory around its arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from gelu_cli.arithmetic.memory import Bits, to_bits, to_floats
from gelu_cli.arithmetic.rounding import Floats
from gelu_cli.environment import SINCE_A_CALL, SINCE_ITS_IMPORT, Guest
from gelu_cli.errors import ComputationError
from gelu_cli.guests.backwards import refuse_gradients
from gelu_cli.guests.calling import Calling, TrespassError, UsersFunction, was_given
from gelu_cli.guests.guarded import GuardedMemory, pages_of
from gelu_cli.guests.libraries import load_symbol
from gelu_cli.guests.scalars import C_NAMES, ArrayFunction, in_a_loop
from gelu_cli.guests.surroundings import LENGTHS, Surrounding
from gelu_cli.guests.workers.process import without_copies

MARKS = {"upstream": 0x3C, "x": 0x5A, "y": 0xA5}
"""What is around the arrays: f of what follows x is not what follows y, whichever kernel f is."""

WORDS = {"upstream": "upstream gradients", "x": "inputs", "y": "results"}


class Placement(NamedTuple):
    """Where the arrays of a call begin, in elements after an address at which a page begins."""

    x: int = 0
    y: int = 0
    in_place: bool = False
    """Whether the results are to be where the inputs are; `y` does not matter then."""


ALIGNED = Placement()
PLACEMENTS: Mapping[str, Placement] = {
    "unaligned": Placement(x=1),
    "result unaligned": Placement(y=1),
    "both unaligned": Placement(x=1, y=1),
    "in place": Placement(in_place=True),
}
"""By the names of `surroundings.LAYOUTS`."""


class SymbolImplementation(UsersFunction):
    """A C function by a word like `./libk.so:gelu`; what it writes beside its results is seen.

    `Calling.signature` says how it is declared; if the backward is its own, the upstream gradients
    are its first argument. A result that it does not write is NaN. It runs in an environment of its
    own, and can do anything to this process.

    Raises `UsageError` where there is no such function, `ComputationError` where it writes into its
    inputs or beside its arrays.
    """

    differentiated = False

    def __init__(self, name: str, word: str, calling: Calling) -> None:
        refuse_gradients("a C function", calling)
        self.name = name
        self.calling = calling
        self._guest = Guest()
        self.environments = self._guest.seen
        with self._guest.running(SINCE_ITS_IMPORT):
            symbol = load_symbol(word)
        function, self._provenance = _of_arrays(symbol, calling)
        self._function = without_copies(function)
        self._memories: dict[str, GuardedMemory] = {}
        if calling.signature == "array":
            same_width = calling.dtype.width == calling.result.width
            self.ways = (LENGTHS, *(name for name in PLACEMENTS
                                    if same_width or name != "in place"))  # fmt: skip

    @property
    def provenance(self) -> Mapping[str, str]:
        """What calls a function of numbers."""
        return self._provenance

    def __call__(self, x: Floats) -> Floats:
        """Return the results that are judged at x."""
        bits = self._bits_at(x, ALIGNED)
        if np.all(bits == _nan(bits.dtype)):
            raise ComputationError(
                f"{was_given(self.name, x)} and wrote no result; it is called as "
                f"{declaration(self.calling)}, see --signature"
            )
        return to_floats(self.calling.result, bits)

    def values(self, x: Floats) -> Floats:
        """Return what the function itself returns at x."""
        return self(x)

    def around(self, x: Floats, surrounding: Surrounding) -> Floats:
        """Return the results at x, called in another surrounding."""
        if surrounding.length:
            bits = self._bits_in_parts(x, surrounding.length)
        else:
            bits = self._bits_at(x, PLACEMENTS[surrounding.name])
        return to_floats(self.calling.result, bits)

    def _bits_in_parts(self, x: Floats, length: int) -> Bits:
        """Return the results of calls with each so many inputs, one after the other."""
        bits = to_bits(self.calling.dtype, x)
        first = self._given(x[:length])
        sources = {name: self._held(name, each, 0) for name, each in first.items()}
        y = self._unwritten(length, 0)
        addresses = [array.ctypes.data for array in (*sources.values(), y)]
        unwritten = _nan(y.dtype)
        results = np.empty(len(bits), y.dtype)
        with self._guest.running(SINCE_A_CALL):
            for start in range(0, len(bits), length):
                sources["x"][:] = bits[start : start + length]
                y[:] = unwritten
                self._function(*addresses, length)
                results[start : start + length] = y
        self._check_margins(x, {**sources, "y": y}, ALIGNED)
        return results

    def _bits_at(self, x: Floats, placement: Placement) -> Bits:
        given = self._given(x)
        sources = {
            name: self._held(name, bits, placement.x if name == "x" else 0)
            for name, bits in given.items()
        }
        y = sources["x"] if placement.in_place else self._unwritten(len(x), placement.y)
        addresses = [array.ctypes.data for array in (*sources.values(), y)]
        with self._guest.running(SINCE_A_CALL):
            self._function(*addresses, len(x))
        self._check_margins(x, {**sources, "y": y}, placement)
        for name, bits in given.items():
            if not (placement.in_place and name == "x") and not np.array_equal(sources[name], bits):
                raise TrespassError(
                    f"{was_given(self.name, x)} and wrote into {name}, which is const: it is "
                    f"called as {declaration(self.calling)}, see --signature"
                )
        return y.copy()

    def _given(self, x: Floats) -> dict[str, Bits]:
        """Return the bits of the arguments, in their order."""
        number_format = self.calling.dtype
        given = {"x": to_bits(number_format, x)}
        if self.calling.backward != "own":
            return given
        upstream = to_bits(number_format, np.array([self.calling.upstream]))
        return {"upstream": np.repeat(upstream, len(x)), **given}

    def _unwritten(self, count: int, offset: int) -> Bits:
        unsigned = np.dtype(f"u{self.calling.result.width // 8}")
        return self._held("y", np.full(count, _nan(unsigned), unsigned), offset)

    def _held(self, name: str, bits: Bits, offset: int) -> Bits:
        """Return bits in guarded memory, so many elements after the beginning of a page."""
        first = offset * bits.itemsize
        memory = self._memories.get(name)
        if memory is None or memory.pages != pages_of(first + bits.nbytes):
            memory = self._memories[name] = GuardedMemory(first + bits.nbytes, MARKS[name])
        return memory.hold(bits, first)

    def _check_margins(self, x: Floats, arrays: dict[str, Bits], placement: Placement) -> None:
        for name, array in arrays.items():
            if name == "y" and placement.in_place:
                continue
            byte = self._memories[name].trespass()
            if byte is not None:
                where = "before the start" if byte < 0 else "past the end"
                raise TrespassError(
                    f"{was_given(self.name, x)} and wrote {where} of its {WORDS[name]}, at "
                    f"{name}[{byte // array.itemsize}]"
                )


def declaration(calling: Calling) -> str:
    """Return how a C function is declared.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> declaration(Calling(FORMATS["bfloat16"], FORMATS["float32"]))
    'void f(const uint16_t *x, float *y, size_t n)'
    """
    x, y = (C_NAMES[each.width] for each in (calling.dtype, calling.result))
    names = _arguments(calling)
    if calling.signature == "scalar":
        return f"{y} f({', '.join(f'{x} {name}' for name in names)})"
    arrays = ", ".join(f"const {x} *{name}" for name in names)
    return f"void f({arrays}, {y} *y, size_t n)"


def _nan(unsigned: np.dtype[Any]) -> int:
    """Return a bit pattern that is NaN in every format: that of a result before the call."""
    return int(np.iinfo(unsigned).max)


def _arguments(calling: Calling) -> list[str]:
    return ["upstream", "x"] if calling.backward == "own" else ["x"]


def _of_arrays(symbol: Any, calling: Calling) -> tuple[ArrayFunction, Mapping[str, str]]:
    """Return a C function as one of arrays, and what there is to say of that."""
    count = len(_arguments(calling))
    if calling.signature == "scalar":
        function, loop = in_a_loop(symbol, count, calling.dtype.width, calling.result.width)
        return function, {"loop": loop}
    symbol.argtypes = [ctypes.c_void_p] * (count + 1) + [ctypes.c_size_t]
    symbol.restype = None
    return symbol, {}
