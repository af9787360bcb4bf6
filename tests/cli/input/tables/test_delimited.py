"""A large text that is plain is read as a whole, with the same rows as line by line."""

import math
import random
from unittest import mock

import numpy as np
import pytest

from gelu_cli.cli.input.numbers import json_floats, plain_floats
from gelu_cli.cli.input.tables import table as table_module
from gelu_cli.cli.input.tables.delimited import DelimitedText
from gelu_cli.cli.input.tables.table import PlainRows, read_table
from gelu_cli.errors import UsageError

CELLS = ["1", "-0.25", "2e-3", "-0", "-0.0", "", " 7 ", "0x3f80", '"8"', "x", "\t", "\x1f", "１"]
ENDS = ["\n", "\n", "\n", "\r\n", "\n\n", "\n \n", "\r"]
PLAIN = "1.5,-2e-3\n" * 3


def rows_of(path, large):
    """Return the header, the rows with their lines, and how it ends."""
    rows, end = [], "all read"
    with mock.patch.object(table_module, "LARGE", large):
        try:
            for block in read_table(str(path)).blocks:
                rows += zip(block.numbers, *block.columns, strict=True)
        except UsageError as error:
            end = str(error)
    return rows, end


@pytest.mark.parametrize("seed", range(4))
def test_the_rows_are_those_that_are_read_line_by_line(tmp_path, seed):
    draw = random.Random(seed)
    path = tmp_path / "a.csv"
    whole = 0
    for _ in range(150):
        width, mark = draw.choice([1, 2, 2, 3]), draw.choice(",,;\t")
        strange = draw.choice([0, 0, 0.1])
        lines = [mark.join("xyz"[:width]) + "\n"]
        for _ in range(draw.randrange(6)):
            cells = [draw.choice(CELLS if draw.random() < 0.2 else CELLS[:3]) for _ in range(width)]
            cells = cells[: draw.choice([1, width])] if draw.random() < strange else cells
            lines += [mark.join(cells), draw.choice(ENDS if draw.random() < strange else ENDS[:1])]
        path.write_text("".join(lines).removesuffix(draw.choice(["", "\n"])), newline="")
        with mock.patch.object(table_module, "PlainRows", side_effect=PlainRows) as plain:
            assert rows_of(path, 0) == rows_of(path, math.inf), lines
        whole += plain.called
    assert whole > 40


PLAIN_TEXTS = [
    PLAIN,
    PLAIN.replace("\n", "\r\n"),
    PLAIN.removesuffix("\n"),
    " 1 ,\n-3,x\n",
    "—,2\n",
]
OTHER_TEXTS = ['1,"2"\n', "1,2\r3,4\n", "1,\0\n", "1,2\n\n3,4\n", "1\n2,3,4\n", "1,2\n , \n",
               "1" * 140_000 + ",2\n"]  # fmt: skip


@pytest.mark.parametrize("text", [*PLAIN_TEXTS, *OTHER_TEXTS], ids=lambda text: text[:9])
def test_a_plain_text_is_one_and_a_text_with_more_to_it_is_not(text):
    split = DelimitedText("a.csv")
    split.cells("x,y")
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    cells = "".join(line + "," for line in lines)
    assert split.plain_text(text, 2) == (cells if text in PLAIN_TEXTS else None)


def test_within_a_quoted_cell_no_text_is_plain():
    split = DelimitedText("a.csv")
    split.cells("x,y")
    split.cells('1,"')
    assert split.plain_text(PLAIN, 2) is None


@pytest.mark.parametrize(
    "number", ["-0", "-0.0", "-0e3", "0", "-1e-400", "1e-05", "-1e-0", "9" * 30]
)
def test_numbers_are_what_float_takes_them_for(number):
    words = [number, "1.5"]
    want = np.array(list(map(float, words)))
    for got in (plain_floats(words), json_floats(",".join(words))):
        assert got is None or got.tobytes() == want.tobytes()
    assert json_floats("1.5,-2") is not None


@pytest.mark.parametrize("word", ["1_0", "１", "[1]", "null", '"1"', "1,2", "", "0x1p3", "true"])
def test_what_is_no_plain_number_is_refused(word):
    with pytest.raises(ValueError, match=r".*"):
        plain_floats([word, "1"])
