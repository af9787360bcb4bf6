"""The cells of a column of results: numbers, rounded to a format, or its bit patterns."""

from __future__ import annotations

import re
from binascii import unhexlify
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gelu_cli.arithmetic.formats import Format
from gelu_cli.arithmetic.typed import parse_number
from gelu_cli.cli.input.grid import Grid
from gelu_cli.cli.input.numbers import plain_floats
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gelu_cli.arithmetic.format_arrays import Array

PATTERN = re.compile(r"0[xX]([0-9a-fA-F]+)")
HEXADECIMAL = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F]{1,40}(?:\.[0-9a-fA-F]{0,40})?[pP][+-]?1?[0-9]{1,3}|inf|nan)"
)
"""What C's %a prints, for instance: Python reads it as gelu does."""


def parse_cell(word: str, number_format: Format, *, patterns: bool = False) -> float:
    """Return the number of a format that a cell stands for, as a float64.

    A number is rounded to nearest, ties to even. A bit pattern has as many digits as the format;
    if nothing but `patterns` is expected, it may have fewer. Raises `UsageError` for what is none.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> [parse_cell(word, FORMATS["bfloat16"]) for word in ("1/3", "0x1.8p+1", "0x3f80")]
    [0.333984375, 3.0, 1.0]
    """
    pattern = PATTERN.fullmatch(word)
    if pattern and (patterns or len(pattern[1]) == number_format.width // 4):
        return _from_pattern(int(pattern[1], 16), word, number_format)
    if patterns or pattern:
        raise UsageError(f"'{word}' is no bit pattern, e.g. {number_format.hexadecimal(1.0)}")
    return float(Grid(number_format=number_format).point(parse_number(word), word))


def _from_pattern(bits: int, word: str, number_format: Format) -> float:
    if bits >> number_format.width:
        raise UsageError(f"'{word}' has more than the {number_format.width} bits of a result")
    return number_format.number(bits)


def cells_at_once(
    words: Sequence[str], number_format: Format, *, patterns: bool = False
) -> Array | None:
    """Return what `parse_cell` does of many cells, or None if they must be read one by one.

    They are read together if all of them are bit patterns with all their digits, or decimals, or
    hexadecimal floats.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> cells_at_once(["0x3f80", "0xc000"], FORMATS["bfloat16"])
    array([ 1., -2.])
    """
    import numpy as np

    from gelu_cli.arithmetic.format_arrays import numbers

    bits = _bits(words, number_format)
    if bits is not None:
        found = numbers(number_format, bits)
        found[np.isnan(found)] = np.nan  # without the sign and the payload of the pattern
        return found
    if patterns:
        return None
    try:
        floats = plain_floats(words)
    except ValueError:
        try:
            floats = _hexadecimal_floats(words)
        except (ValueError, OverflowError):
            return None
    return rounded(floats, lambda i: words[i], number_format)


def rounded(floats: Array, word: Callable[[int], str], number_format: Format) -> Array:
    """Return numbers rounded to a format: the float64s nearest to them, and the word of each."""
    import numpy as np

    from gelu_cli.arithmetic.format_arrays import nearest

    found, ties = nearest(number_format, floats)
    for i in np.flatnonzero(ties).tolist():  # the number as typed may be on one side
        found[i] = parse_cell(word(i), number_format)
    return found


def _bits(words: Sequence[str], number_format: Format) -> NDArray[np.int64] | None:
    """Return the bit patterns of a format that words are, or None if one is none."""
    import numpy as np

    size = number_format.width // 8
    text = ",".join(words) + ","
    length = len("0x") + 2 * size + len(",")
    if len(text) != len(words) * length or not text.isascii():
        return None
    signs = np.frombuffer(text.encode(), np.uint8).reshape(-1, length)
    zero, x, end = (signs[:, i] for i in (0, 1, -1))
    x_is_right = (x == ord("x")) | (x == ord("X"))
    if not ((zero == ord("0")) & x_is_right & (end == ord(","))).all():
        return None
    try:
        data = unhexlify(signs[:, 2:-1].tobytes())
    except ValueError:
        return None
    return np.frombuffer(data, f">u{size}").astype(np.int64)


def _hexadecimal_floats(words: Sequence[str]) -> Array:
    """Return the float64s nearest to hexadecimal floats.

    Raises ValueError if a word is none, and OverflowError if it is beyond float64.
    """
    import numpy as np

    if not all(map(HEXADECIMAL.fullmatch, words)):
        raise ValueError("Python takes for hexadecimal floats what gelu does not")
    return np.fromiter(map(float.fromhex, words), np.float64, len(words))
