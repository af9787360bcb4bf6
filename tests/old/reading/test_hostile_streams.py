"""Streams that are made to take time or memory: work grows with their size, and no faster."""

import io
import os
import subprocess
import tracemalloc
from itertools import repeat
from unittest import mock

import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.arithmetic.typed import LONGEST, parse_number
from gelu_cli.old.reading.figures import read_figures
from gelu_cli.old.reading.files import CHUNK
from gelu_cli.old.reading.layouts import LONG, LONGEST_LINE, Rows, delimited, whole_lines
from gelu_cli.old.reading.names import column_of, places_of
from gelu_cli.old.reading.numbers import Grid
from gelu_cli.old.reading.points import source_blocks
from gelu_cli.old.reading.results import Due, read_results
from gelu_cli.old.reading.tables import Table, read_table
from gelu_cli.old.sweeping.sorted_results import SpillFile
from tests.old.cli.processes import GELU, environment, read_until, run, started
from tests.old.cli.runner import assert_refused, gelu, run_gelu
from tests.old.cli.streams import stdin_of


class Endless(io.RawIOBase):
    """A stream of one piece again and again, which counts what is asked of it."""

    def __init__(self, piece, start=b""):
        self.pieces, self.given, self.start = repeat(piece), 0, start

    def readable(self):
        return True

    def readinto(self, buffer):
        piece = (self.start or next(self.pieces))[: len(buffer)]
        self.start = b""
        buffer[: len(piece)] = piece
        self.given += len(piece)
        return len(piece)


class CountedText(str):
    """A line that counts how many characters are looked at by `count`."""

    looked_at = 0

    def count(self, *words):
        CountedText.looked_at += len(self)
        return super().count(*words)

    def removesuffix(self, suffix):
        return CountedText(super().removesuffix(suffix))


def refused_stream(raw, column):
    with stdin_of(raw), pytest.raises(UsageError) as caught:
        list(source_blocks("-", column, Grid()))
    return str(caught.value)


@pytest.mark.parametrize("piece", [b"9" * 1000, b"x" * 1000, b"9", "\N{MINUS SIGN}".encode() * 99])
def test_a_number_that_never_ends_is_refused_at_once(piece):
    raw = Endless(piece, start=b"1\n")
    message = refused_stream(raw, None)
    assert message.startswith("line 2 of stdin: '")
    assert message.endswith("is not a number: it has more than 32,000 characters")
    assert raw.given < 4 * LONG + CHUNK


@pytest.mark.parametrize("piece", [b"x," * 50_000, b'"' + b"x" * 99_999])
def test_a_line_that_never_ends_is_refused(piece):
    raw = Endless(piece)
    assert "is not a line of a CSV: it has more than 4,194,304" in refused_stream(raw, "x")
    assert raw.given < LONGEST_LINE + 2 * CHUNK


def test_a_quoted_cell_that_never_ends_is_refused():
    raw = Endless(b"1,1\n" * 20_000, start=b'x,y\n1,"1\n')
    assert "a quoted cell does not end within 4,194,304" in refused_stream(raw, "x")
    assert raw.given < LONGEST_LINE + 3 * CHUNK


@pytest.mark.parametrize("count", [500, 2000])
def test_the_lines_of_a_quoted_cell_are_looked_at_once(count):
    CountedText.looked_at = 0
    texts = ["x,y\n", CountedText('1,"\n'), *map(CountedText, ["1,2\n"] * count), '"\n']
    blocks = [block for block in delimited(iter(texts), 1, "a.csv") if block[1]]
    assert blocks[1:] == [((count + 3,), [["1", "\n" + "1,2\n" * count]])]
    assert CountedText.looked_at <= 4 * sum(map(len, texts))


@pytest.mark.parametrize("size", [20_000, 80_000])
def test_a_long_line_that_arrives_bit_by_bit_is_looked_at_once(size):
    looked_at = 0

    class Text(str):
        def rfind(self, *words):
            nonlocal looked_at
            looked_at += len(self)
            return super().rfind(*words)

    text = "x," * (size // 2) + "\n"
    pieces = [Text(text[i : i + 100]) for i in range(0, len(text), 100)]
    assert [*whole_lines(iter(pieces), 1, "a.csv")] == [(1, text)]
    assert looked_at == len(text)


def test_where_a_column_is_is_looked_up_not_searched():
    """A list of 40,000 names is compared 800 million times if each is searched."""
    compared = 0

    class Name(str):
        __hash__ = str.__hash__

        def __eq__(self, other):
            nonlocal compared
            compared += 1
            return super().__eq__(other)

    names = [Name(f"sigmoid:beta=1.{k}1") for k in range(400)]
    header = places_of(["x", *names], "a.csv")
    file = Table("a.csv", header, iter([Rows([2], 401, ["0"] * 401)]))

    def judged(names, table_name):
        return {name: column_of(name, table_name) for name in names if name != "x"}

    assert sum(map(len, read_figures(file, judged))) == 400
    assert compared < 10 * 400


@pytest.mark.parametrize("word", ["1" * 10**5 + "x", "0x" + "f" * 10**5 + "g", "1_" * 10**5])
def test_a_word_that_is_nearly_a_number_is_refused_by_one_reading(word):
    """Else it takes hours: digits could be divided in a million ways between two groups."""
    with pytest.raises(UsageError, match="is not a number"):
        parse_number(word)


@pytest.mark.parametrize("rows", [2000, 8000])
def test_columns_of_results_are_never_whole_in_memory(tmp_path, rows):
    path = tmp_path / "a.csv"
    path.write_text("x,relu\n" + "1.5,1.5\n" * rows)
    with (
        mock.patch("gelu_cli.old.reading.results.HELD", 1000),
        mock.patch("gelu_cli.old.reading.files.CHUNK", 4096),
        SpillFile() as spill,
    ):
        file = read_table(str(path))
        tracemalloc.start()
        (column,) = read_results(file, Due(*2 * [FORMATS["float32"]], str, spill))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert len(column.results) == rows
    assert peak < 900_000


def test_check_in_a_format_says_the_same_whatever_it_holds(tmp_path):
    table = gelu("table", "--all", "--dtype", "float8_e5m2", "--form", "relu").out
    path = tmp_path / "a.csv"
    path.write_text(table + table.partition("\n")[2] + "nan,1,\ninf,1,2\n")
    words = ["check", path, "--dtype", "float8_e5m2", "--view", "regions"]
    whole = run_gelu(*words)
    with mock.patch("gelu_cli.old.reading.results.HELD", 64):
        assert run_gelu(*words) == whole
    assert whole.code == 0


# What a file says of itself


@pytest.mark.parametrize("column", [None, "x"])
def test_a_text_that_becomes_shorter_while_it_is_read_is_refused(tmp_path, column):
    path = tmp_path / "a.txt"
    path.write_text("x\n" * bool(column) + "1.5\n" * 50_000)
    with mock.patch("gelu_cli.old.reading.files.CHUNK", 4000):
        blocks = filter(len, source_blocks(str(path), column, Grid()))
        assert next(blocks).numbers()[0] == 1.5
        os.truncate(path, 150_000)
        with pytest.raises(UsageError, match=r"a\.txt became shorter while it was read"):
            list(blocks)


@pytest.mark.parametrize("name", ["a.npy", "a.txt"])
def test_a_process_whose_file_is_cut_ends_with_one_line(tmp_path, name):
    path = tmp_path / name
    if name == "a.npy":
        np.save(path, np.full(10**6, 1.5))
    else:
        path.write_text("1.5\n" * 10**6)
    words = ["table", "--input", str(path), "--form", "relu", "--quantity", "value"]
    with started(*words) as process:
        read_until(process.stdout, b"1.5")
        os.truncate(path, 2**20)  # the rest of the answer waits in a pipe that is full
        _, said = process.communicate()
    assert process.returncode == 2
    assert said.count(b"\n") == 1
    assert b"became shorter while it was read" in said


@pytest.mark.parametrize("column", [None, "x"])
def test_the_part_of_a_stdin_that_is_left_is_the_whole(tmp_path, column):
    """A shell may have read the first lines of the file."""
    path = tmp_path / "a.txt"
    path.write_text("7\nx\n1\n2\n" if column else "7\n1\n2\n")
    with path.open("rb") as file:
        os.lseek(file.fileno(), 2, os.SEEK_SET)
        words = ["--column", "x"] if column else []
        done = run("table", "-", *words, "--form", "relu", "--quantity", "value", stdin=file)
    assert (done.returncode, done.stdout.split()[1:]) == (0, [b"1.0,1.0", b"2.0,2.0"])


# Numbers however Python is set, and in words of our own


@pytest.mark.parametrize("limit", ["640", "0"])
def test_a_limit_of_python_decides_nothing(limit):
    digits = "1" * (LONGEST - 100)
    script = (
        "from gelu_cli.old.reading.numbers import *\n"
        f"d = {digits!r}\n"
        "assert parse_number('0.' + d) < 1 and parse_number(d + '/' + d) == 1\n"
        "assert parse_decimal('1e' + '0' * 900 + '2') == 100\n"
        "assert parse_number('1e' + '0' * 900 + '2') == 100\n"
        "for word in ('1e' + d, '0x1p' + d, d + 'e-' + d, '0:1:/' + d, d + ':' + '2' + d + ':1'):\n"
        "    try: parse_points(word)\n"
        "    except UsageError: continue\n"
        "    raise AssertionError(word)\n"
    )  # fmt: skip
    done = subprocess.run(
        [GELU[0], "-c", script], env=environment(PYTHONINTMAXSTRDIGITS=limit),
        capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")


PYTHONS_WORDS = ("universal", "newline", "codec", "literal", "could not convert", "np.", "field")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"x,relu\r1,1\r", "line 1 of stdin: not a line of a CSV: a carriage return"),
        (b"x,relu\n1,1\r2\n", "line 2 of stdin: not a line of a CSV: a carriage return"),
        (b"x,relu\n1," + b"1" * 140_000, "line 2 of stdin: not a line of a CSV: a cell has more"),
        (b"x,relu\n1,1\xff\n", "stdin is not text in UTF-8"),
        (b"x,relu\n1,\xc2", "stdin is not text in UTF-8"),
        (b"x,relu\n1,1\0\n", "line 2 of stdin"),
        (b"x,relu\n1," + b"-" * 5000 + b"\n", "line 2 of stdin, column 'relu'"),
        (b"x,relu\n" + b"-" * 5000 + b",1\n", "line 2 of stdin, column 'x'"),
    ],
)
def test_messages_speak_of_the_file_and_the_line(data, said):
    for words in (["check", "-"], ["check", "-", "--dtype", "float32"]):
        answer = run_gelu(*words, stdin=data)
        assert_refused(answer, said)
        assert not [word for word in PYTHONS_WORDS if word in answer.err]
