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

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic.format_arrays import Floats
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.guests.backends import COLUMNS
from gelu_cli.old.guests.calling import Surrounding, TrespassError
from gelu_cli.old.guests.conduct import Batches, bits_differ, full
from gelu_cli.old.guests.workers import WorkerEndedError

Places: TypeAlias = NDArray[np.int64]

VECTOR_BITS = 512
"""Of the widest vectors: AVX-512's."""

LONGEST = 1 << 12
"""The last power of two beside which lengths are tried."""

REPEAT = "repeat"
"""The same blocks once more, and the other way round: what a function keeps may change it."""

LENGTHS, SHUFFLED = "lengths", "shuffled"
LAYOUTS = (
    "unaligned",
    "result unaligned",
    "both unaligned",
    "strided",
    "reversed",
    "2-D",
    "2-D strided",
    "2-D transposed",
    "channels last",
    "in place",
)
"""Where the numbers of a block may be in memory, in the order in which that is tried."""


OF_ROWS = ("2-D", "2-D strided", "2-D transposed", "channels last")
"""The layouts that `COLUMNS` divides."""


def surroundings(ways: Sequence[str], number_format: Format) -> list[Surrounding]:
    """Return the surroundings of a function that can be called in these ways.

    Lengths are 1, 2, … up to two vectors and one, and what is beside the powers of two from there.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> [each.name for each in surroundings(["lengths", "2-D"], FORMATS["float64"])][-4:]
    ['length 4096', 'length 4097', '2-D', 'shuffled']
    """
    vectors = 2 * VECTOR_BITS // number_format.width
    beside = range(vectors.bit_length(), LONGEST.bit_length())
    lengths = [*range(1, vectors + 2), *(2**k + d for k in beside for d in (-1, 0, 1))]
    return [
        *(Surrounding(f"length {length}", length) for length in lengths if LENGTHS in ways),
        *(Surrounding(name) for name in LAYOUTS if name in ways),
        Surrounding(SHUFFLED),
    ]


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

    Usual are the results in full blocks. Lengths are tried with the inputs at the places `few`. The
    blocks come again in the opposite order first, and as they were at the end: where that changes
    results, nothing is said of other surroundings.
    """
    usual, everywhere = own(x).copy(), np.arange(x.shape[-1])
    backwards = [own(each).copy() for each in reversed(_blocks(own, x))]
    repeats = [_differing(REPEAT, usual, everywhere, np.concatenate(backwards[::-1]))]
    ways = surroundings(own.function.ways, own.function.calling.dtype)
    if len(repeats[0].places):
        ways = []
    found: list[_Differing] = []
    refused: dict[str, str] = {}
    broken = ""
    for surrounding in ways:
        if surrounding.length and broken:  # to start another process for each takes long
            continue
        places = few if surrounding.length else everywhere
        try:
            got = _results(own, x[..., places], surrounding)
        except (TrespassError, WorkerEndedError) as error:
            broken = broken or f"{error} (in other surroundings: {surrounding.name})"
        except ComputationError as error:
            refused[surrounding.name] = str(error)
        else:
            found.append(_differing(surrounding.name, usual, places, got))
    repeats.append(_differing(REPEAT, usual, everywhere, own(x)))
    changing = len(np.union1d(*(each.places for each in repeats)))
    return _seen(usual, repeats if changing else found, refused, broken, changing)


class _Differing(NamedTuple):
    """The results in a surrounding that differ from the usual ones, and their places."""

    name: str
    places: Places
    got: Floats


def _differing(name: str, usual: Floats, places: Places, got: Floats) -> _Differing:
    differ = bits_differ(got, usual[places])
    return _Differing(name, places[differ], got[differ])


def _seen(
    usual: Floats, found: Sequence[_Differing], refused: dict[str, str], broken: str, changing: int
) -> Seen:
    first, low, high, nan = (
        Results(np.full_like(usual, np.nan), np.full(len(usual), -1)) for _ in range(4)
    )
    for number, (_, at, got) in enumerate(found):
        is_nan = np.isnan(got)
        for results, better in (
            (first, first.tried[at] < 0),
            (low, ~is_nan & ~(got >= low.got[at])),  # which is NaN at first
            (high, ~is_nan & ~(got <= high.got[at])),
            (nan, is_nan & (nan.tried[at] < 0)),
        ):
            results.got[at[better]], results.tried[at[better]] = got[better], number
    at, tried = np.flatnonzero(first.tried >= 0), [each.name for each in found]
    first, low, high = (Results(each.got[at], each.tried[at]) for each in (first, low, high))
    return Seen(tried, refused, broken, changing, at, usual[at], first, low, high, nan.tried[at])


def _blocks(own: Batches, x: Floats) -> list[Floats]:
    count = x.shape[-1]
    size = own.size or count
    return [x[..., i : i + size] for i in range(0, count, size)]


def _results(own: Batches, x: Floats, surrounding: Surrounding) -> Floats:
    """Return the results at x in a surrounding, in the order of x."""
    function, count = own.function, x.shape[-1]
    if surrounding.length:
        return function.around(_whole(x, surrounding.length), surrounding)[:count]
    if surrounding.name == SHUFFLED:
        order = np.random.default_rng(0).permutation(count)
        shuffled = own(x[..., order])
        results = np.empty_like(shuffled)
        results[order] = shuffled
        return results
    divisor = COLUMNS if surrounding.name in OF_ROWS else 1
    parts = [function.around(_whole(each, divisor), surrounding)[: each.shape[-1]].copy()
             for each in _blocks(own, x)]  # fmt: skip
    return np.concatenate(parts)


def _whole(x: Floats, length: int) -> Floats:
    """Return x, repeated from its first number on until `length` divides its size."""
    return full(x, -(-x.shape[-1] // length) * length)
