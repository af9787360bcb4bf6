"""Cells that are read all at once stand for what they do one by one."""

import random
import re

import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.reading.results import Due, cells_at_once, parse_cell, read_results
from gelu_cli.old.reading.tables import read_table
from gelu_cli.old.sweeping.sorted_results import SpillFile


def one_by_one(words, number_format, *, patterns=False):
    parsed = [parse_cell(word, number_format, patterns=patterns) for word in words]
    return np.array(parsed).tobytes()


def at_once(words, number_format, **settings):
    found = cells_at_once(words, number_format, **settings)
    assert found is not None, words
    return found.tobytes()


@pytest.mark.parametrize("dtype", FORMATS)
def test_bit_patterns_are_numbers_of_the_format(dtype):
    number_format, draw = FORMATS[dtype], random.Random(6)
    top = number_format.bits(number_format.largest)
    sign = 1 << (number_format.width - 1)
    bits = [draw.randrange(2 * sign) for _ in range(500)]
    bits += [each | s for each in (0, 1, top, min(top + 1, sign - 1), sign - 1) for s in (0, sign)]
    digits = number_format.width // 4
    words = [draw.choice(["0x{:0{}x}", "0X{:0{}X}"]).format(each, digits) for each in bits]
    for patterns in (False, True):
        settings = {"patterns": patterns}
        assert at_once(words, number_format, **settings) == one_by_one(
            words, number_format, **settings
        )


ODD = ["0x3f8", "0x3f800", "x0x3f80", "0x3f8g", "0y3f80", "1x3f80", "0x3f80,0x3f80", "-0x3f80"]
ODD += ["0x3f8\N{FULLWIDTH DIGIT ZERO}", "1/3", "0x1.8", "0x1p-4001", "0x1p4001", "0x0p9999", "10"]
ODD += ["0x1p+1_0", "0x1p0 0x1p0", "\N{MINUS SIGN}0x1p0", "0x.8p0", "0x1p1024", "infinity"]
ODD += ["0x" + "0" * 41 + "p0"]


@pytest.mark.parametrize("usual", ["0x3f80", "0x3F80"])
@pytest.mark.parametrize("odd", ODD)
def test_what_is_of_another_shape_is_left_to_be_read_one_by_one(usual, odd):
    assert cells_at_once([usual, odd], FORMATS["bfloat16"]) is None
    assert cells_at_once([usual, odd], FORMATS["bfloat16"], patterns=True) is None


def test_words_that_only_together_look_like_patterns_are_none():
    words = ["0x3f800", "x3f80", "0x3f80"]
    assert len(",".join(words)) == len("0x3f80,") * len(words) - 1
    assert cells_at_once(words, FORMATS["bfloat16"]) is None


KINDS = [("x_bits,relu_bits", "0x3f800000,0x3f800000"), ("x,relu", "0x1.8p+1,0x1.8p+1"),
         ("x,relu", "1.5,1.5")]  # fmt: skip


@pytest.mark.parametrize(("header", "row"), KINDS)
@pytest.mark.parametrize(
    ("last", "fault"), [("0x1z", "'0x1z' is no"), ("0x123456789", "'0x123456789' ")]
)
def test_a_bad_cell_in_a_large_file_is_named_with_its_place(tmp_path, header, row, last, fault):
    lines = 2000
    path = tmp_path / "a.csv"
    path.write_text(f"{header}\n" + f"{row}\n" * lines + f"{row.split(',')[0]},{last}\n")
    column = header.split(",")[1]
    said = re.escape(f"line {lines + 2} of {path}, column '{column}': {fault}")
    with SpillFile() as spill, pytest.raises(UsageError, match=said):
        read_results(read_table(str(path)), Due(*2 * [FORMATS["float32"]], str, spill))


def test_empty_cells_between_bit_patterns_are_left_out(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,relu_bits\n0x3f80,0x3f80\n0x4000,\n1,0x3f81\n")
    with SpillFile() as spill:
        (column,) = read_results(read_table(str(path)), Due(*2 * [FORMATS["bfloat16"]], str, spill))
        found = [(x.tolist(), got.tolist()) for x, got in column.results.blocks(9)]
    assert found == [([1.0, 1.0], [1.0, 1.0078125])]
