"""The same inputs in other surroundings: calls of other lengths, other places in memory, an order.

A kernel may take another path in the tail of a block, where its arrays begin at an odd address,
where they are strided, or where the results replace the inputs. Then its results depend on what is
around an input, and a sweep of full blocks sees one of the paths alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.arithmetic.format_arrays import Floats, Mask
from gelu_cli.arithmetic.formats import Format
from gelu_cli.errors import ComputationError
from gelu_cli.guests.calling import Surrounding, TrespassError
from gelu_cli.guests.conduct import Batches, bits_differ
from gelu_cli.guests.workers import WorkerEndedError

Places: TypeAlias = NDArray[np.int64]

VECTOR_BITS = 512
"""Of the widest vectors: AVX-512's."""

LONGEST = 1 << 12
"""The last power of two beside which lengths are tried."""

LENGTHS = "lengths"
LAYOUTS = (
    "unaligned",
    "result unaligned",
    "both unaligned",
    "strided",
    "2-D",
    "2-D transposed",
    "in place",
)
"""Where the numbers of a block may be in memory, in the order in which that is tried."""

COLUMNS = 65
"""Of 2-D arrays: two vectors of 16-bit numbers and one number."""


def surroundings(ways: Sequence[str], number_format: Format) -> list[Surrounding]:
    """Return the surroundings of a function that can be called in these ways.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> [each.name for each in surroundings(["lengths", "2-D"], FORMATS["float64"])][-4:]
    ['length 4096', 'length 4097', '2-D', 'shuffled']
    """
    lengths = _lengths(number_format) if LENGTHS in ways else []
    return [
        *(Surrounding(f"length {length}", length) for length in lengths),
        *(Surrounding(name) for name in LAYOUTS if name in ways),
        Surrounding("shuffled", shuffled=True),
    ]


def _lengths(number_format: Format) -> list[int]:
    """Return 1, 2, … up to two vectors and one, and what is beside the powers of two from there."""
    vectors = 2 * VECTOR_BITS // number_format.width
    beside = range(vectors.bit_length(), LONGEST.bit_length())
    return [*range(1, vectors + 2), *(2**k + d for k in beside for d in (-1, 0, 1))]


class Results(NamedTuple):
    """Results at some inputs, and the number of the surrounding of each; −1 where there is none."""

    got: Floats
    tried: Places


class Seen(NamedTuple):
    """What was seen of a function in other surroundings.

    The arrays have an entry for each input at which results differ from the usual one: its place
    among the inputs, the usual result, and of those that differ the first, the lowest and the
    highest. `nan` is the number of the first surrounding with a NaN, or −1.
    """

    tried: list[str]
    """The surroundings, whose numbers are the places in this list."""

    refused: dict[str, str]
    """Those that the function does not take, and what it says to that."""

    broken: str
    """What it has done to its process or its memory in one of them, if anything."""

    changing: int
    """Inputs at which results change from call to call; if there are any, no more is known."""

    places: Places
    usual: Floats
    first: Results
    low: Results
    high: Results
    nan: Places


def look_around(own: Batches, x: Floats, few: Places) -> Seen:
    """Call a function with its inputs in other surroundings, and return where results differ.

    Usual are the results in full blocks. Lengths are tried with the inputs at the places `few`.
    """
    usual = own(x).copy()
    differing = _Differing(usual)
    tried: list[str] = []
    refused: dict[str, str] = {}
    broken: list[str] = []
    for surrounding in surroundings(own.function.ways, own.function.calling.dtype):
        if surrounding.length and broken:  # to start another process for each takes long
            continue
        places = few if surrounding.length else np.arange(len(x))
        try:
            got = _results(own, x[places], surrounding)
        except (TrespassError, WorkerEndedError) as error:
            broken.append(f"{error} (in other surroundings: {surrounding.name})")
        except ComputationError as error:
            refused[surrounding.name] = str(error)
        else:
            differing.add(places, got, len(tried))
            tried.append(surrounding.name)
    changing = int(np.count_nonzero(bits_differ(usual, own(x))))
    return differing.seen(tried, refused, next(iter(broken), ""), changing)


def _results(own: Batches, x: Floats, surrounding: Surrounding) -> Floats:
    """Return the results at x in a surrounding, in the order of x."""
    function = own.function
    if surrounding.length:
        return function.around(_whole(x, surrounding.length), surrounding)[: len(x)]
    if surrounding.shuffled:
        order = np.random.default_rng(0).permutation(len(x))
        shuffled = own(x[order])
        results = np.empty_like(shuffled)
        results[order] = shuffled
        return results

    size = own.size or len(x)
    divisor = COLUMNS if surrounding.name.startswith("2-D") else 1
    blocks = (x[i : i + size] for i in range(0, len(x), size))
    return np.concatenate(
        [
            function.around(_whole(block, divisor), surrounding)[: len(block)].copy()
            for block in blocks
        ]
    )


def _whole(x: Floats, length: int) -> Floats:
    """Return x, repeated from its first number on until `length` divides its size."""
    return np.resize(x, -(-len(x) // length) * length)


class _Differing:
    """The results that differ from the usual ones, as they come in."""

    def __init__(self, usual: Floats) -> None:
        self.usual = usual
        self.first, self.low, self.high = (
            Results(np.full_like(usual, np.nan), np.full(len(usual), -1)) for _ in range(3)
        )
        self.nan = np.full(len(usual), -1)

    def add(self, places: Places, got: Floats, number: int) -> None:
        """Take the results of a surrounding at some places."""
        found = bits_differ(got, self.usual[places])
        at, got = places[found], got[found]
        is_nan = np.isnan(got)
        _put(self.first, at, got, self.first.tried[at] < 0, number)
        # What they are compared with is NaN at first.
        _put(self.low, at, got, ~is_nan & ~(got >= self.low.got[at]), number)
        _put(self.high, at, got, ~is_nan & ~(got <= self.high.got[at]), number)
        self.nan[at[is_nan & (self.nan[at] < 0)]] = number

    def seen(self, tried: list[str], refused: dict[str, str], broken: str, changing: int) -> Seen:
        """Return what was found, nothing where results change from call to call."""
        places = np.flatnonzero(self.first.tried >= 0)[: 0 if changing else None]
        first, low, high = (
            Results(each.got[places], each.tried[places])
            for each in (self.first, self.low, self.high)
        )
        usual, nan = self.usual[places], self.nan[places]
        return Seen(tried, refused, broken, changing, places, usual, first, low, high, nan)


def _put(results: Results, at: Places, got: Floats, which: Mask, number: int) -> None:
    results.got[at[which]] = got[which]
    results.tried[at[which]] = number
