"""Numbers of a format: cells of tables, arrays, and raw bit patterns."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial

import numpy as np

from gelu_cli.errors import UsageError
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.inputs.files import NPY, Source, load
from gelu_cli.inputs.layouts import Columns, at_once
from gelu_cli.inputs.numbers import parse_number
from gelu_cli.inputs.printed import is_missing
from gelu_cli.numbers import Format, round_fraction
from gelu_cli.numbers.arrays import nearest, round_array
from gelu_cli.numbers.cells import Floats, Mask
from gelu_cli.numbers.patterns import numbers_of as numbers_in

PATTERN = re.compile(r"0x([0-9a-f]+)", re.IGNORECASE)
TEXT = (".csv", ".tsv", ".txt", ".json", ".md")


def parse_cell(word: str, number_format: Format, *, bits: bool = False) -> float:
    """Round a number to a format; hexadecimal digits are a bit pattern.

    >>> from gelu_cli.numbers import FORMATS
    >>> [parse_cell(word, FORMATS["bfloat16"]) for word in ("1/3", "0x1.8p+1", "0x3f80")]
    [0.333984375, 3.0, 1.0]
    """
    pattern = PATTERN.fullmatch(word)
    if pattern and len(pattern[1]) == number_format.width // 4:
        return number_format.number(int(pattern[1], 16))
    if pattern or bits:
        name, example = number_format.name, number_format.hexadecimal(1.0)
        raise UsageError(f"'{word}' is not a bit pattern of {name}; they look like {example}")
    number = parse_number(word)
    if isinstance(number, float):
        return number_format.from_float(number)
    return float(round_fraction(number_format, to_fraction(number)))


def numbers_of(
    columns: Columns, name: str, number_format: Format, *, bits: bool = False
) -> tuple[Floats, Mask]:
    """Convert a column to numbers of a format; the mask omits empty cells."""
    cells = columns[name]
    if isinstance(cells, np.ndarray):
        return decoded(cells, number_format, columns.at), np.ones(len(cells), bool)
    many = None if bits else at_once(cells)
    if many is None:
        parse = cache(partial(parse_cell, number_format=number_format, bits=bits))
        found = columns.parsed(name, lambda word: None if is_missing(word) else parse(word))
        return np.array(found, float), np.array([each is not None for each in found], bool)
    rounded = round_array(many, number_format)
    with np.errstate(all="ignore"):
        _, ties = nearest(number_format, many)
    for row in np.flatnonzero(ties & np.isfinite(many)).tolist():  # the decimal may be beside it
        rounded[row] = parse_cell(cells[row], number_format)
    return rounded, np.ones(len(cells), bool)


def decoded(array: np.ndarray, number_format: Format, at: Callable[[int], str]) -> Floats:
    """Convert bit patterns, or floats that the format has, to float64s."""
    kind = array.dtype
    if kind.kind in "uiV" and kind.name != "bfloat16" and 8 * kind.itemsize == number_format.width:
        patterns = array.view(f"<u{kind.itemsize}") if kind.kind == "V" else array
        return numbers_in(number_format, patterns)
    if kind.kind != "f" and kind.name != "bfloat16":
        raise UsageError(
            f"{at(0)}: the numbers are {kind}; save floats, or {number_format.width}-bit patterns"
        )
    with np.errstate(invalid="ignore"):
        floats = array.astype(np.float64)
    flat = floats.ravel()
    rounded = round_array(flat, number_format)
    for row in np.flatnonzero((rounded != flat) & ~np.isnan(flat)).tolist():
        name = number_format.name
        raise UsageError(f"{at(row)}: {float(flat[row])!r} is not a {name}; round the numbers")
    return floats


def read_numbers(source: Source, number_format: Format) -> Floats:
    """Read .npy, or raw little-endian bit patterns."""
    name = source.name
    if source.data.startswith(NPY):
        return decoded(load(source), number_format, lambda row: f"{name}, number {row + 1}")
    if name.lower().endswith(TEXT):
        raise UsageError(f"{name} is a table; --all and --inputs take raw numbers or .npy")
    width = number_format.width // 8
    if len(source.data) % width or not source.data:
        size = f"{len(source.data)} bytes, not {width} a {number_format.name}"
        raise UsageError(f"{name} has {size}; write whole numbers")
    return numbers_in(number_format, np.frombuffer(source.data, f"<u{width}"))
