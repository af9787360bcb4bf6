"""What looks at the results of a sweep beside their errors: observers, and two that all may need.

`Digests` takes the SHA-256 of all results: two machines, or versions, that have the same digest
agree in every bit. The results are taken at the finite inputs of the range, in the order of the
inputs' bit patterns: from 0 up, then from −0 down. Each is its bit pattern, little-endian, of the
width of its format; any NaN is the positive quiet one (0x7fc00000 of float32), as processors differ
in the others.

- `sha256`, where x has 8, 16 or 64 bits: of these bytes, as `sha256sum` has it of a file of them.
- `sha256_of_blocks`, where x is a float32: the inputs are cut where patterns are multiples of
  65,536, each block of results has its SHA-256, and that of these digests (32 bytes each, one after
  the other) is the digest. Processes share the blocks.

`FarthestByJax` looks for the largest error by JAX's rule (`exact_errors`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.old.arithmetic.format_arrays import Array, Floats, to_bits, ulps
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.sweeping.judging import Judge
from gelu_cli.old.sweeping.regions import Region
from gelu_cli.old.sweeping.tally import Failure, Worst
from gelu_cli.old.sweeping.truth import Question
from gelu_cli.old.sweeping.verdict import Verdict

Indices: TypeAlias = NDArray[np.int64]


class Sight(NamedTuple):
    """Results of kernels at some inputs, in the order of their bits: 65,536 at most.

    The truth is that which they are judged against, so that an observer has it at little cost.
    """

    x: Floats
    got: Mapping[int, Floats]
    """The results of each kernel, by its place among those swept."""

    judge: Callable[[int], Judge]
    """Gives the judge of a kernel, with the truth that is `due` at all of the inputs."""

    region_of_ups: Region | None = None
    """Where the second inputs are, of kernels that have two; x is then that of each pair."""


class Observer(Protocol):
    """Sees all inputs of a sweep, part by part, in whatever process has the part.

    It goes to other processes, and what it has seen comes back; neither changes once it is made.
    """

    def see(self, sight: Sight) -> Any:
        """Return what is seen at some inputs."""

    def add(self, first: Any, second: Any) -> Any:
        """Return what is seen at the inputs of both, those of the second following."""

    def finish(self, verdicts: Sequence[Verdict], seen: Any) -> None:
        """Give the verdicts on all kernels what was seen at all inputs."""


def added(observers: Sequence[Observer], first: list[Any], second: list[Any]) -> list[Any]:
    """Return what observers have seen in two parts, either of which may be nothing yet."""
    if not (first and second):
        return first or second
    return [each.add(*both) for each, *both in zip(observers, first, second, strict=True)]


def look(observers: Sequence[Observer], seen: list[Any], sight: Sight) -> list[Any]:
    """Return what observers have seen so far, and in a further sight."""
    return added(observers, seen, [each.see(sight) for each in observers])


PLAIN, OF_BLOCKS = "sha256", "sha256_of_blocks"

BLOCK = 1 << 16
"""Patterns of float32s whose results have one digest of their own."""

Pieces: TypeAlias = Sequence[bytes]
"""What digests are made of, in the order of the inputs: results, or the digests of blocks."""


class Digests(NamedTuple):
    """Sees the results of each kernel for its digest; `seen` has the pieces, by its place.

    No part that is seen ends within a block.
    """

    dtype: Format
    """The format of x."""

    result: Format

    def see(self, sight: Sight) -> Mapping[int, Pieces]:
        """Return the pieces at some inputs."""
        return {place: self.pieces(sight.x, got) for place, got in sight.got.items()}

    def add(
        self, first: Mapping[int, Pieces], second: Mapping[int, Pieces]
    ) -> Mapping[int, Pieces]:
        """Return the pieces at the inputs of both."""
        return {place: [*pieces, *second[place]] for place, pieces in first.items()}

    def digest(self, pieces: Pieces) -> dict[str, str]:
        """Return the digest by its name.

        >>> from gelu_cli.old.arithmetic.formats import FORMATS
        >>> of_bytes = Digests(FORMATS["float8_e5m2"], FORMATS["float8_e5m2"])
        >>> of_bytes.digest([b"ab", b"c"])["sha256"][:16]
        'ba7816bf8f01cfea'
        """
        name = OF_BLOCKS if self._has_blocks else PLAIN
        return {name: sha256(b"".join(pieces)).hexdigest()}

    def finish(self, verdicts: Sequence[Verdict], seen: Mapping[int, Pieces]) -> None:
        """Give verdicts their digests, if all inputs were taken and nothing ended that early."""
        for place, verdict in enumerate(verdicts):
            if verdict.exhaustive and verdict.complete and not verdict.failure:
                verdict.digest = self.digest(seen[place])

    @property
    def _has_blocks(self) -> bool:
        return self.dtype.width == 32

    def pieces(self, x: Floats, got: Floats) -> Pieces:
        """Return what the digest of results at some inputs is made of."""
        if not self._has_blocks:
            return [little_endian(self.result, got)]
        patterns = to_bits(self.dtype, x) // BLOCK
        starts = np.flatnonzero(np.diff(patterns)) + 1
        return [sha256(little_endian(self.result, part)).digest() for part in np.split(got, starts)]


def little_endian(number_format: Format, got: Floats) -> bytes:
    """Return the bit patterns of results, NaN as the positive quiet one.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> little_endian(FORMATS["bfloat16"], np.array([1.0, -np.nan], np.float32)).hex()
    '803fc07f'
    """
    nan = np.isnan(got)
    bits = to_bits(number_format, got)
    if nan.any():
        bits = bits.copy()
        bits[nan] = number_format.bits(np.nan)
    return bits.astype(bits.dtype.newbyteorder("<"), copy=False).tobytes()


KEEP = 16
"""How many candidates are kept, to be evaluated exactly."""


class FarthestByJax(NamedTuple):
    """Sees which results of kernels with these questions may have the largest error by JAX's rule.

    Without flushing, a finite result where one is due has its usual error in ULP, and the largest
    of these are known anyway.
    """

    questions: Sequence[Question]
    ftz: bool

    def see(self, sight: Sight) -> Mapping[int, list[Worst]]:
        """Return the candidates among the results of each kernel."""
        return {place: self._candidates(sight, place, got) for place, got in sight.got.items()}

    @np.errstate(all="ignore")  # NaN and infinity are what is looked for
    def _candidates(self, sight: Sight, place: int, got: Floats) -> list[Worst]:
        question = self.questions[place]
        if not (self.ftz or question.may_overflow) and np.isfinite(got).all():
            return []
        judge = sight.judge(place)
        y, left = judge.nearly, np.arange(len(got))
        if not self.ftz:
            left = np.flatnonzero(~np.isfinite(got) | (np.abs(y) > question.result.largest))
        if not len(left):
            return []
        wide = got[left].astype(np.float64)
        errors = _errors(question, wide, y[left], self.ftz)
        for small, at_zero in judge.at_zeros() if self.ftz else ():
            others = _errors(question, wide[small], at_zero.value, self.ftz)
            errors[small] = np.minimum(errors[small], others)
        most = np.argpartition(-errors, min(KEEP, len(errors)) - 1)[:KEEP]
        x, ups = (each[left[most]] for each in (sight.x, np.broadcast_to(judge.up, y.shape)))
        columns = (each.tolist() for each in (errors[most], x, wide[most], ups))
        return [Worst(error, x, got, up=up) for error, x, got, up in zip(*columns, strict=True)]

    def add(
        self, first: Mapping[int, list[Worst]], second: Mapping[int, list[Worst]]
    ) -> Mapping[int, list[Worst]]:
        """Return the candidates among the results of both."""
        return {
            place: sorted([*found, *second[place]], key=lambda each: -each.ulp)[:KEEP]
            for place, found in first.items()
        }

    def finish(self, verdicts: Sequence[Verdict], seen: Mapping[int, list[Worst]]) -> None:
        """Give verdicts their candidates."""
        for place, verdict in enumerate(verdicts):
            verdict.farthest_by_jax = [Failure(each.x, each.got, each.up) for each in seen[place]]


def _errors(question: Question, got: Array, y: Array, ftz: bool) -> Array:
    """Return approximate errors of results; `error_by_jax` computes exact ones."""
    result = question.result
    top = float(ulps(result, np.array([result.largest]))[0])
    end = result.largest + top
    ours, theirs = (np.minimum(np.abs(each), end) for each in (got, y))
    same = np.signbit(got) == np.signbit(y)
    apart = np.where(same, np.abs(ours - theirs), ours + theirs)
    if ftz:
        least = 2.0**result.emin
        gap = least - float(ulps(result, np.zeros(1))[0])
        small = (ours < least) | (theirs < least) | ~same
        ours, theirs = (np.maximum(0.0, each - gap) for each in (ours, theirs))
        contracted = np.where(same, np.abs(ours - theirs), ours + theirs)
        apart = np.where(small, contracted, apart)
    errors = apart / np.minimum(ulps(result, y), top)
    beyond = np.abs(y) >= result.largest + top / 2
    far = np.isnan(got) | (np.isinf(got) & (~same | (np.abs(y) < result.largest / 2)))
    right = beyond & (np.isinf(got) & same if result.infinite else np.isnan(got))
    return np.where(right, 0.0, np.where(far, np.inf, errors))
