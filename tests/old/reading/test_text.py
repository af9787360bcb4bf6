"""Many numbers are read at once, and as they would be one by one."""

import gc
import sys
from itertools import cycle
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.reading import files as _files
from gelu_cli.old.reading import points as _text
from gelu_cli.old.reading.numbers import Grid
from gelu_cli.old.reading.points import parse_floats, source_blocks
from gelu_cli.old.values.points import BULK, MANY, ManyPoints
from tests.old.cli.streams import ASKED_TOO_SOON, Trickle, stdin_of

GRIDS = [Grid(), *(Grid(number_format=FORMATS[name]) for name in ("bfloat16", "float8_e4m3fn"))]
FEW = 24
"""Words that are many here, as `MANY` are elsewhere, so that each test reads few."""
PLAIN = [f"{k / 8}" for k in range(-FEW, 0)]
STRANGE = [
    *("0", "-0", "-0.0", "+0", "1e400", "-1e400", "1e-400", "-1e-400", "1e1001", "1e-1001"),
    "0e9999",
    *("1e0000000005", "1e9999999999", "1e-9999999999", "nan", "-NaN", "inf", "-Infinity", "+inf"),
    *("1/3", "0:1:/3", "0:1:/600", "0x1.8p+1", "1_000", "1_0e1_0", "1__0", "01", "+1", ".5", "1."),
    *("true", "false", "null", "[1]", "[[1", "{}", '"1"', "#", "1j", "--1", ".", "e5"),
    *("\x00", "1\x00", "\u0661", "\uff11", "\u22123", "\ufeff1", "\u00b5"),
    *("9007199254740993", "18446744073709551617", "1" * 320, "1" * 320 + "e-320", "1" * 4001),
    *("0." + "0" * 320 + "1", "1" + "0" * 1001 + "e-1001"),
    *("1.00390625", "1.00390625000000000000001", "464", "464.00000000000000000001", "65519.999"),
]  # fmt: skip
NUMBERS = (
    st.floats().map(repr)
    | st.integers(-(10**25), 10**25).map(str)
    | st.decimals(-(10**9), 10**9, places=12).map(str)
    | st.text("0123456789.eE+-_", min_size=1, max_size=12)
)


few_are_many = mock.patch.object(_text, "MANY", FEW)


def arriving(*texts, at_end=None):
    """Texts on stdin, one after the other."""
    return stdin_of(*(text.encode() for text in texts), at_end=at_end)


def outcome(texts, column, grid):
    """All points as text, or the message where there is one."""
    with arriving(*texts):
        try:
            return [
                repr(float(x))
                for block in source_blocks("-", column, grid)
                for x in block.numbers()
            ]
        except UsageError as error:
            return str(error)


def assert_read_alike(*texts, column=None, grid=GRIDS[0]):
    with few_are_many:
        at_once = outcome(texts, column, grid)
    with mock.patch.object(_text, "parse_floats", return_value=None):
        assert at_once == outcome(texts, column, grid)


def mixed(words):
    """Many plain words, and these among them."""
    gap = len(PLAIN) // len(words)
    return [w for i, word in enumerate(words) for w in (*PLAIN[i * gap : (i + 1) * gap + 1], word)]


@given(
    st.lists(NUMBERS | st.sampled_from(STRANGE), min_size=1, max_size=8),
    st.lists(st.sampled_from([" ", "\n", ",", ", ", "\r\n", ";", "\t", ",,", "\n\n"]), min_size=1),
    st.sampled_from(GRIDS),
)
@settings(max_examples=40)
def test_many_words_are_read_as_one_by_one(words, separators, grid):
    words = mixed(words)
    ends = (separators * len(words))[: len(words)]
    assert_read_alike("".join(map("".join, zip(words, ends, strict=True))), grid=grid)


def test_a_strange_word_among_many_is_read_as_it_is_alone():
    for word, grid in zip(STRANGE, cycle(GRIDS), strict=False):
        assert_read_alike("\n".join(mixed([word])) + "\n", grid=grid)
        assert_read_alike(f"{word}\n" * FEW, grid=grid)


QUOTED = ['"1"', '"1', '1"', '"a\nb"']
CELLS = [*STRANGE, *QUOTED, "", " ", " 2.5 ", "1;2", "1\r", "\r1", "\xa01", "1 2"]


@given(
    st.lists(NUMBERS | st.sampled_from(CELLS), min_size=1, max_size=8),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["{}", "{},{}", "a,{}", "a,{},b", '"3,4,5",{}', "{},\n", "{},{},"]),
    st.sampled_from(GRIDS),
)
@example(["1,2"], ";", "\n", "{}", GRIDS[0])
@example(["\xa01"], ",", "\n", "a,{}", GRIDS[0])
@settings(max_examples=25)
def test_a_column_of_many_lines_is_read_as_line_by_line(cells, delimiter, end, line, grid):
    header = delimiter.join(["x", "a"] if line[0] == "{" else ["a", "x"]) + end
    lines = [line.replace(",", delimiter).replace("{}", cell) for cell in mixed(cells)]
    assert_read_alike(header, end.join(lines), column="x", grid=grid)
    assert_read_alike(header, end.join(lines) + end, "1,2", column="x", grid=grid)


def test_a_strange_cell_among_many_is_read_as_it_is_alone():
    columns = [("x,y\n", "{},0\n"), ("y,x\n", "0,{}\n")]
    for cell, grid, (header, line) in zip(CELLS, cycle(GRIDS), cycle(columns), strict=False):
        text = "".join(line.replace("{}", word) for word in mixed([cell]))
        assert_read_alike(header, text, column="x", grid=grid)


def test_lines_within_a_quoted_cell_are_no_lines_of_their_own():
    many = "7,8\n" * FEW
    assert_read_alike("x,y\n", '1,"a\n', many, 'b"\n' + many, many, column="x")
    with arriving("x,y\n", '1,"a\n', many, 'b"\n', "2,3\n"):
        blocks = filter(len, source_blocks("-", "x", Grid()))
        assert [list(block.numbers()) for block in blocks] == [[1.0], [2.0]]


@pytest.mark.parametrize("column", [None, "x"])
def test_the_line_of_a_bad_word_is_right_however_much_came_before(tmp_path, column):
    path = str(tmp_path / "points.txt")
    lines = [f"{k}.5\n" for k in range(20_000)]
    Path(path).write_text("".join(["x\n" if column else "\n", *lines, "oops\n", *lines]))
    with pytest.raises(UsageError, match=r"^line 20002 of .*: 'oops' is not a number"):
        list(source_blocks(path, column, Grid()))


def test_a_stream_that_nobody_reads_to_its_end_is_closed_at_once(tmp_path):
    path = tmp_path / "points.txt"
    path.write_text("1\n" * 10)
    streams = []

    def texts_of(stream, name):
        streams.append(stream)
        yield stream.read().decode()

    gc.disable()
    try:
        with mock.patch.object(_text, "texts_of", texts_of):
            blocks = source_blocks(str(path), None, Grid())
            next(blocks)
            del blocks
        assert streams[0].closed
    finally:
        gc.enable()


class Polled(Trickle):
    """A pipe that is read only when the system has said that reading would not wait."""

    def __init__(self, chunks, polls):
        super().__init__(chunks)
        self.polls, self.ready = iter(polls), True

    def select(self, reading, *others):
        self.ready = next(self.polls)
        return reading if self.ready else [], [], []

    def readinto(self, buffer):
        assert self.ready
        self.ready = False
        return super().readinto(buffer)


def test_more_is_read_only_where_that_does_not_wait():
    """Python does not heed a signal that comes just before a read that waits."""
    raw = Polled([b"1\n", b"2\n"], polls=[False, False, True, False, True])
    with (
        stdin_of(raw),
        mock.patch("select.select", raw.select),
    ):
        texts = [*filter(None, _files.texts_of(sys.stdin.buffer, "stdin"))]
    assert texts == ["1\n", "2\n"]


def test_a_cell_too_long_for_a_csv_is_refused_among_many_lines(tmp_path):
    path = str(tmp_path / "a.csv")
    many = "7,8\n" * 512
    Path(path).write_text(f"x,y\n{many}1,{'y' * 140_000}\n{many}")
    with pytest.raises(
        UsageError, match=r"line 514 of .*: not a line of a CSV: a cell has more than 131,072"
    ):
        list(source_blocks(path, "x", Grid()))


def test_a_long_stream_comes_in_arrays_of_floats():
    with arriving(*(f"{k} {k + 0.5}\n" * 1000 for k in range(20))):
        blocks = [block for block in source_blocks("-", None, Grid()) if len(block)]
    assert [type(block) for block in blocks] == [ManyPoints] * 20
    with arriving("1 " * 100_000):
        sizes = [len(block) for block in source_blocks("-", None, Grid()) if len(block)]
    assert (max(sizes), sum(sizes)) == (BULK, 100_000)
    assert np.concatenate([block.array for block in blocks])[::1000].tolist() == [
        k // 2 + 0.0 for k in range(40)
    ]


@pytest.mark.parametrize("column", [None, "x"])
def test_many_numbers_are_given_before_more_input_is_asked_for(column):
    with arriving("x,y\n" if column else "\n", "0.5,\n" * 1000, at_end=ASKED_TOO_SOON):
        assert next(filter(len, source_blocks("-", column, Grid()))).numbers() == [0.5] * 1000


@pytest.mark.parametrize("column", [None, "x"])
def test_plain_numbers_are_not_read_one_by_one(column):
    text = "".join(f"{word}\n" for word in PLAIN)
    with (
        arriving("x\n" if column else "\n", text),
        few_are_many,
        mock.patch.object(Grid, "parse") as parse,
    ):
        (block,) = filter(len, source_blocks("-", column, Grid()))
    assert not parse.called
    assert block.numbers() == list(map(float, PLAIN))


def test_few_words_and_long_ones_are_not_for_reading_at_once():
    assert parse_floats(["1"] * (MANY - 1), Grid()) is None
    assert parse_floats([*["1"] * MANY, "1" * 301], Grid()) is None
    assert parse_floats(["1"] * MANY, Grid()).tolist() == [1.0] * MANY
