"""A text that comes as a whole has the same rows as one that comes bit by bit; so have numbers."""

import csv
import random

import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.old.reading.numbers import plain_floats
from gelu_cli.old.reading.tables import read_table
from tests.old.cli.streams import stdin_of

CELLS = ["1", "-0.25", "2e-3", "-0", "", " 7 ", "0x3f80", '"8"', '"a, b"', '"c\nd"', "x", "\x1f"]
ENDS = ["\n", "\n", "\n", "\r\n", "\n\n", "\n \n", "\r", "\n# so far\n"]


def rows_of(text, size):
    """Return the rows of a text that arrives in pieces, with their lines, and how it ends."""
    rows, end, data = [], "all read", text.encode()
    with stdin_of(*(data[i : i + size] for i in range(0, len(data), size))):
        try:
            table = read_table("-")
            for block in table.blocks:
                columns = map(block.column, range(len(table.header)))
                rows += zip(block.numbers, *columns, strict=True)
        except UsageError as error:
            end = str(error)
    return rows, end


def a_table(draw, strange):
    width, mark = draw.choice([1, 2, 2, 3]), draw.choice(",,;\t")
    lines = [mark.join("xyz"[:width]) + "\n"]
    for _ in range(draw.randrange(6)):
        cells = [draw.choice(CELLS if draw.random() < 0.2 else CELLS[:3]) for _ in range(width)]
        cells = cells[: draw.choice([1, width])] if draw.random() < strange else cells
        lines += [mark.join(cells), draw.choice(ENDS if draw.random() < strange else ENDS[:1])]
    return "".join(lines).removesuffix(draw.choice(["", "\n"])), mark


@pytest.mark.parametrize("seed", range(4))
def test_the_rows_are_the_same_however_they_arrive(seed):
    draw = random.Random(seed)
    for _ in range(100):
        text, _ = a_table(draw, draw.choice([0, 0.1]))
        whole, end = rows_of(text, 1 << 20)
        in_pieces, end_of_pieces = rows_of(text, draw.choice([1, 3, 7]))
        assert end_of_pieces == end, text
        assert in_pieces == whole or (end != "all read" and in_pieces[: len(whole)] == whole), text


def test_the_rows_are_those_of_pythons_own_reader():
    draw = random.Random(9)
    for _ in range(200):
        text, mark = a_table(draw, 0)
        (_, *due), (rows, end) = csv.reader(text.splitlines(True), delimiter=mark), rows_of(text, 9)
        stripped = [tuple(map(str.strip, row)) for row in due if any(map(str.strip, row))]
        assert ([cells for _, *cells in rows], end) == ([*map(list, stripped)], "all read"), text


@pytest.mark.parametrize(
    "number", ["-0", "-0.0", "-0e3", "0", "-1e-400", "1e-05", "-1e-0", "9" * 30]
)
def test_numbers_are_what_float_takes_them_for(number):
    words = [number, "1.5"]
    assert plain_floats(words).tobytes() == np.array(list(map(float, words))).tobytes()


@pytest.mark.parametrize("word", ["1_0", "１", "[1]", "null", '"1"', "1,2", "", "0x1p3", "true"])
def test_what_is_no_plain_number_is_refused(word):
    with pytest.raises(ValueError, match=r".*"):
        plain_floats([word, "1"])
