"""SHA-256 of all results of a sweep: two machines, or versions, that agree in every bit.

The results are taken at the finite inputs of the range, in the order of the inputs' bit patterns:
from 0 up, then from −0 down. Each is its bit pattern, little-endian, of the width of its format;
any NaN is the positive quiet one (0x7fc00000 of float32), as processors differ in the others.

- `sha256`, where x has 8, 16 or 64 bits: of these bytes, as `sha256sum` has it of a file of them.
- `sha256_of_blocks`, where x is a float32: the inputs are cut where patterns are multiples of
  65,536, each block of results has its SHA-256, and that of these digests (32 bytes each, one after
  the other) is the digest. Processes share the blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple, TypeAlias

import numpy as np

from gelu_cli.arithmetic.format_arrays import Floats, to_bits
from gelu_cli.arithmetic.formats import Format
from gelu_cli.sweeping.observers import Sight
from gelu_cli.sweeping.verdict import Verdict

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

        >>> from gelu_cli.arithmetic.formats import FORMATS
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

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> little_endian(FORMATS["bfloat16"], np.array([1.0, -np.nan], np.float32)).hex()
    '803fc07f'
    """
    nan = np.isnan(got)
    bits = to_bits(number_format, got)
    if nan.any():
        bits = bits.copy()
        bits[nan] = number_format.bits(np.nan)
    return bits.astype(bits.dtype.newbyteorder("<"), copy=False).tobytes()
