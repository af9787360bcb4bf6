"""Values from users: printed decimals, and numbers of a format.

Printed decimals may have percent signs, powers of ten and footnotes; numbers of a format are read
from cells of tables, from arrays, and from raw bit patterns.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from functools import cache, partial

import numpy as np

from gelu_cli.errors import UsageError, briefly
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.inputs.columns import NPY, Columns, Source, load
from gelu_cli.inputs.numbers import Number, parse_number
from gelu_cli.numbers import Format, round_fraction
from gelu_cli.numbers.arrays import nearest, numbers_of, round_array
from gelu_cli.numbers.cells import Floats, Mask

SIGNS = str.maketrans({"−": "-", "–": "-", "\u00a0": " "})
MARKS = " ≈~*$`†‡"
NOTE = re.compile(r"\s*\[\w{1,3}\]$")
POWER = re.compile(r"\s*[x×·]\s*10(?:\^([-+]?\d+)|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))")
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
LARGEST_EXPONENT = 10**17

PATTERN = re.compile(r"0x([0-9a-f]+)", re.IGNORECASE)


def parse_printed(word: str) -> Decimal | float:
    """Parse a decimal as people print it; infinities and NaN are floats.

    >>> [str(parse_printed(word)) for word in ("≈ -0.158", "15.8%", "-1.2·10^-3", "0.84*")]
    ['-0.158', '0.158', '-0.0012', '0.84']
    """
    text = _plain(word)
    with suppress(InvalidOperation, ValueError):  # ValueError: float() of a signaling NaN
        number = Decimal(f"{text[:-1].rstrip()}e-2" if text.endswith("%") else text)
        if not number.is_finite():
            return float(number)
        if abs(number.adjusted()) <= LARGEST_EXPONENT:
            return number
    remedy = "write -0.1587, 1.2e-5 or 15.8%; for results of a kernel add --dtype FORMAT"
    raise UsageError(f"{briefly(word)} is not a decimal; {remedy}")


def parse_typed(word: str) -> Decimal | Number:
    """Parse x; a decimal keeps its trailing zeros.

    >>> parse_typed("0.10"), parse_typed("1/3")
    (Decimal('0.10'), Fraction(1, 3))
    """
    text = _plain(word)
    number = parse_number(text)
    with suppress(InvalidOperation):
        if (decimal := Decimal(text)).is_finite():
            return decimal
    return number


def _plain(word: str) -> str:
    """Remove marks and footnotes; write ·10^-3 as e-3."""
    text = NOTE.sub("", word.translate(SIGNS)).strip(MARKS)
    return POWER.sub(lambda power: f"e{(power[1] or power[2]).translate(RAISED)}", text)


def parse_cell(word: str, number_format: Format, *, bits: bool = False) -> float:
    """Round a number to a format; hexadecimal digits are a bit pattern.

    >>> [parse_cell(word, FORMATS["bfloat16"]) for word in ("1/3", "0x1.8p+1", "0x3f80")]
    [0.333984375, 3.0, 1.0]
    """
    pattern = PATTERN.fullmatch(word)
    if pattern and len(pattern[1]) == number_format.width // 4:
        return number_format.number(int(pattern[1], 16))
    if pattern or bits:
        name, example = number_format.name, number_format.hexadecimal(1.0)
        raise UsageError(f"'{word}' is not a bit pattern of {name}; write one like {example}")
    number = parse_number(word)
    if isinstance(number, float):
        return number_format.from_float(number)
    rounded = float(round_fraction(number_format, to_fraction(number)))
    if not math.isfinite(rounded):
        name, largest = number_format.name, number_format.largest
        raise UsageError(f"'{word}' is beyond the largest {name}, {largest!r}; write inf")
    return rounded


def to_numbers(
    columns: Columns, name: str, number_format: Format, *, bits: bool = False
) -> tuple[Floats, Mask]:
    """Convert a column to a format; the mask is True at cells with numbers."""
    many = None if bits else columns.at_once(name)
    if many is None:
        parse = cache(partial(parse_cell, number_format=number_format, bits=bits))
        found = columns.parsed(name, parse, gaps=True)
        return np.array(found, float), np.array([each is not None for each in found], bool)
    rounded = round_array(many, number_format)
    with np.errstate(all="ignore"):
        _, ties = nearest(number_format, many)
    doubtful = (ties & np.isfinite(many)) | ~np.isfinite(rounded)  # only the text decides
    for row in np.flatnonzero(doubtful).tolist():
        rounded[row] = parse_cell(columns[name][row], number_format)
    return rounded, np.ones(len(many), bool)


def read_numbers(file: Source, number_format: Format) -> Floats:
    """Read raw little-endian bit patterns, or .npy of patterns or floats."""
    name, width = file.name, number_format.width // 8
    if name.lower().endswith((".csv", ".tsv", ".txt", ".json", ".md")):
        raise UsageError(f"{name} is a table; --all and --inputs take raw numbers or .npy")
    if not file.data.startswith(NPY):
        if len(file.data) % width or not file.data:
            size = f"{len(file.data)} bytes, but a {number_format.name} has {width}"
            raise UsageError(f"{name} has {size}; give one or more complete numbers")
        return numbers_of(number_format, np.frombuffer(file.data, f"<u{width}"))
    array: np.ndarray = load(file)
    kind = array.dtype
    if kind.kind in "uiV" and kind.name != "bfloat16" and kind.itemsize == width:
        return numbers_of(number_format, array.view(f"<u{width}") if kind.kind == "V" else array)
    if kind.kind != "f" and kind.name != "bfloat16":
        raise UsageError(f"{name} has {kind}; save floats, or {number_format.width}-bit patterns")
    with np.errstate(invalid="ignore"):
        floats = array.astype(np.float64)
    flat = floats[~np.isnan(floats)]
    for other in flat[round_array(flat, number_format) != flat].tolist():
        raise UsageError(f"{name} has {other!r}, not a {number_format.name}; round the numbers")
    return floats
