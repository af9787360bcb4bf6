"""The same inputs in other surroundings: calls of other lengths, other places in memory, an order.

A kernel may take another path in the tail of a block, where its arrays begin at an odd address,
where they are strided, or where the result replaces the input. Then its results depend on what is
around an input, and a sweep of full blocks sees one of the paths alone.

`LAYOUTS` has the places in memory; each kind of function names those that it can be called in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.arithmetic.formats import Format
from gelu_cli.arithmetic.rounding import Floats, Mask
from gelu_cli.errors import ComputationError
from gelu_cli.kernels.functions import UsersFunction
from gelu_cli.workers import WorkerEndedError

Places: TypeAlias = NDArray[np.int64]

VECTOR_BITS = 512
"""Of the widest vectors: AVX-512's."""

LONGEST = 1 << 12
"""The last power of two beside which lengths are tried."""

COLUMNS = 65
"""Of 2-D arrays: two vectors of 16-bit numbers and one."""

LENGTHS = "lengths"


class Layout(NamedTuple):
    """Where the numbers of a call and its results are; offsets and steps are counted in numbers."""

    offset: int = 0
    result_offset: int = 0
    step: int = 1
    columns: int = 0
    """Of an array in two dimensions; 0 for one dimension."""

    transposed: bool = False
    in_place: bool = False
    """Whether the results replace the inputs."""

    def stored(self, x: Floats) -> Floats:
        """Return the numbers in memory, of which `view` is the array that a function gets.

        >>> import numpy as np
        >>> strided = LAYOUTS["strided"]
        >>> strided.stored(np.array([1.0, 2.0])), strided.view(strided.stored(np.array([1.0, 2.0])))
        (array([1., 1., 2., 2.]), array([1., 2.]))
        """
        if self.columns:
            rows = _whole(x, self.columns).reshape(-1, self.columns)
            return np.ascontiguousarray(rows.T) if self.transposed else rows
        return np.concatenate([x[: self.offset], np.repeat(x, self.step)])

    def view(self, array: Any) -> Any:
        """Return the array of a library that a function gets, from the one that is in memory."""
        if self.columns:
            return array.T if self.transposed else array
        return array[self.offset :: self.step]


PLAIN = Layout()
LAYOUTS: Mapping[str, Layout] = {
    "unaligned": Layout(offset=1),
    "result unaligned": Layout(result_offset=1),
    "both unaligned": Layout(offset=1, result_offset=1),
    "strided": Layout(step=2),
    "2-D": Layout(columns=COLUMNS),
    "2-D transposed": Layout(columns=COLUMNS, transposed=True),
    "in place": Layout(in_place=True),
}
"""Where a block may be in memory, in the order in which they are tried."""

OF_VIEWS = (LENGTHS, "unaligned", "strided", "2-D", "2-D transposed")
"""Of libraries whose arrays may be views of others."""

OF_WHOLE_ARRAYS = (LENGTHS, "2-D")
"""Of libraries that make a new array of every part of one."""

OF_POINTERS = (LENGTHS, "unaligned", "result unaligned", "both unaligned", "in place")
"""Of functions that get two addresses and a length."""


class Surrounding(NamedTuple):
    """One way to call a function with inputs that it had; the length of a block if `length` is 0.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> [each.name for each in surroundings(OF_WHOLE_ARRAYS, FORMATS["float64"])][-4:]
    ['length 4096', 'length 4097', '2-D', 'shuffled']
    """

    name: str
    length: int = 0
    layout: Layout = PLAIN
    shuffled: bool = False


def surroundings(ways: Sequence[str], number_format: Format) -> list[Surrounding]:
    """Return the surroundings of a function that can be called in these ways."""
    lengths = _lengths(number_format) if LENGTHS in ways else []
    return [
        *(Surrounding(f"length {length}", length) for length in lengths),
        *(Surrounding(name, layout=layout) for name, layout in LAYOUTS.items() if name in ways),
        Surrounding("shuffled", shuffled=True),
    ]


def _lengths(number_format: Format) -> list[int]:
    """Return 1, 2, … up to two vectors and one, and what is beside the powers of two from there."""
    vectors = 2 * VECTOR_BITS // number_format.width
    beside = range(vectors.bit_length(), LONGEST.bit_length())
    return [*range(1, vectors + 2), *(2**k + d for k in beside for d in (-1, 0, 1))]


class Seen(NamedTuple):
    """What was seen of a function in other surroundings.

    The arrays have an entry for each input at which results differ from the usual ones: its place
    among the inputs, the usual result, the result that was the first to differ, the lowest and the
    highest one, and for each of these the surrounding, by its number among `tried`. `nan` is the
    first one with a wrong NaN, or −1.
    """

    tried: list[str]
    refused: dict[str, str]
    """What the function does not take, and what it says to that."""

    changing: int
    """At so many inputs results change from call to call; then nothing is known of the others."""

    places: Places
    usual: Floats
    first: Results
    low: Results
    high: Results
    nan: Places


class Results(NamedTuple):
    """Results at some inputs, and the surrounding of each."""

    got: Floats
    tried: Places


def look_around(
    function: UsersFunction, x: Floats, few: Places, block: int, number_format: Format
) -> Seen:
    """Call a function with its inputs in other surroundings, and return where results differ.

    The usual results are those in blocks. Lengths are tried with the inputs at the places `few`.
    """
    usual = _in_blocks(function, x, block)
    differing = _Differing(usual)
    tried: list[str] = []
    refused: dict[str, str] = {}
    for surrounding in surroundings(function.ways, number_format):
        if surrounding.length and LENGTHS in refused:
            continue
        places = few if surrounding.length else None
        some = x if places is None else x[places]
        try:
            got = _results(function, some, surrounding, block)
        except WorkerEndedError as error:  # it takes long to start another one for every length
            refused[LENGTHS if surrounding.length else surrounding.name] = str(error)
        except ComputationError as error:
            refused[surrounding.name] = str(error)
        else:
            differing.add(places, got, len(tried))
            tried.append(surrounding.name)
    changing = int(np.count_nonzero(bits_differ(usual, _in_blocks(function, x, block))))
    return differing.seen(tried, refused, changing)


class _Differing:
    """The results that differ from the usual ones, as they come in."""

    def __init__(self, usual: Floats) -> None:
        self.usual = usual
        self.first, self.low, self.high = (
            Results(np.full_like(usual, np.nan), np.full(len(usual), -1)) for _ in range(3)
        )
        self.nan = np.full(len(usual), -1)

    def add(self, places: Places | None, got: Floats, number: int) -> None:
        """Take the results of a surrounding at some places, or at all."""
        usual = self.usual if places is None else self.usual[places]
        found = np.flatnonzero(bits_differ(got, usual))
        got = got[found]
        at = found if places is None else places[found]
        is_nan = np.isnan(got)
        _put(self.first, at, got, self.first.tried[at] < 0, number)
        # What they are compared with is NaN at first.
        _put(self.low, at, got, ~is_nan & ~(got >= self.low.got[at]), number)
        _put(self.high, at, got, ~is_nan & ~(got <= self.high.got[at]), number)
        new = at[is_nan & (self.nan[at] < 0)]
        self.nan[new] = number

    def seen(self, tried: list[str], refused: dict[str, str], changing: int) -> Seen:
        """Return what was found, nothing where results change from call to call."""
        places = np.flatnonzero(self.first.tried >= 0)[: 0 if changing else None]
        parts = [Results(*(part[places] for part in each))
                 for each in (self.first, self.low, self.high)]  # fmt: skip
        return Seen(tried, refused, changing, places, self.usual[places], *parts, self.nan[places])


def _put(results: Results, at: Places, got: Floats, which: Mask, number: int) -> None:
    results.got[at[which]] = got[which]
    results.tried[at[which]] = number


def bits_differ(one: Floats, other: Floats) -> Mask:
    """Return where bits differ; a NaN is a NaN.

    >>> import numpy as np
    >>> bits_differ(np.array([0.0, 1.0, np.nan]), np.array([-0.0, 1.0, -np.nan])).tolist()
    [True, False, False]
    """
    unsigned = f"u{one.dtype.itemsize}"
    differing: Mask = one.view(unsigned) != other.view(unsigned)
    return differing & ~(np.isnan(one) & np.isnan(other))


def _results(function: UsersFunction, x: Floats, surrounding: Surrounding, block: int) -> Floats:
    """Return the results at x in a surrounding, in the order of x."""
    if surrounding.length:
        return function.around(_whole(x, surrounding.length), surrounding)[: len(x)]
    if surrounding.shuffled:
        order = np.random.default_rng(0).permutation(len(x))
        results = np.empty_like(x)
        results[order] = _in_blocks(function, x[order], block)
        return results
    return _in_blocks(lambda part: function.around(part, surrounding)[: len(part)], x, block)


def _in_blocks(call: Callable[[Floats], Floats], x: Floats, block: int) -> Floats:
    return np.concatenate([call(part).copy() for part in _blocks(x, block)])


def _blocks(x: Floats, block: int) -> Iterator[Floats]:
    return (x[i : i + block] for i in range(0, len(x), block))


def _whole(x: Floats, length: int) -> Floats:
    """Return numbers repeated from the first on until they are a multiple of so many."""
    return np.resize(x, -(-len(x) // length) * length)

