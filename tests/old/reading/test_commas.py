"""A comma between digits may be a decimal one: it is not read as something else in silence."""

import re
from io import BytesIO
from unittest import mock

import numpy as np
import pytest

from gelu_cli.old.reading.numbers import Grid
from tests.old.cli.runner import assert_all_refused, assert_refused, run_gelu

DOUBTFUL = {
    "1,5\n": ("line 1", "'1,5' may be 1.5, or 1 and 5"),
    "-0,5\n": ("line 1", "'-0,5' may be -0.5, or -0 and 5"),
    "1,5 2,5\n": ("line 1", "'1,5'"),
    "0,5;0,345\n": ("line 1", "'0,5'"),
    "0,5\t0,345\n": ("line 1", "'0,5'"),
    "1\n2\n3 0,5\n": ("line 3", "'0,5' may be 0.5, or 0 and 5"),
    "1,000\n2,000\n": ("line 1", "'1,000'"),
    "1,5e3\n": ("line 1", "'1,5e3'"),
    ",5\n": ("line 1", "',5'"),
    "# one\n1,5\n": ("line 2", "'1,5'"),
    "1,2\n" * 10_000: ("line 1", "'1,2'"),
}
LISTS = {
    "1, 5\n": [1, 5],
    "1,5,2\n": [1, 5, 2],
    "1.5,2.5\n": [1.5, 2.5],
    "0.5,1\n1,5\n": [0.5, 1, 1, 5],
    "1,-5\n2,7": [1, -5, 2, 7],
    "1,\n5,\n": [1, 5],
    "1;5\n": [1, 5],
    "pi,2\n": [np.pi, 2],
    "1e3,5\n": [1000, 5],
    "# 1,5\n1 2\n": [1, 2],
    "1 2\n3 4\n5 6 7\n": [1, 2, 3, 4, 5, 6, 7],
    "1,2,\n3,4,\n5,6,\n7\n": [1, 2, 3, 4, 5, 6, 7],
}


def read(text, *words):
    return run_gelu("table", "-", "--form", "relu", *words, stdin=text.encode())


@pytest.mark.parametrize("digits", [(), ("--digits", 20)], ids=["float64", "exact"])
@pytest.mark.parametrize("text", DOUBTFUL, ids=lambda text: text[:10])
def test_what_may_be_one_number_or_two_is_refused_with_what_to_write(text, digits):
    place, said = DOUBTFUL[text]
    answer = read(text, *digits)
    remedy = "write decimal points (tr , .), or a space after each comma"
    assert_refused(answer, f"{place} of stdin: {said}", remedy)


@pytest.mark.parametrize("text", LISTS, ids=lambda text: text[:10])
def test_a_list_is_read_in_silence(text):
    answer = read(text)
    assert (answer.code, answer.err, answer.floats("x")) == (0, "", LISTS[text])


PAIRS = {
    "-1,-0.1587\n0,0\n1,0.8413\n": [-1, -0.1587, 0, 0, 1, 0.8413],
    "-1.5;-0.1\n0;0\n1;0.8413\n2;1.9545\n": [-1.5, -0.1, 0, 0, 1, 0.8413, 2, 1.9545],
    "-1\t-0.1587\n0\t0\n1\t0.8413": [-1, -0.1587, 0, 0, 1, 0.8413],
    "-1.5 , -0.1\r\n" * 200: [-1.5, -0.1] * 200,
}


@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize("text", PAIRS, ids=lambda text: text[:10])
def test_a_list_that_may_be_a_table_of_pairs_is_read_with_a_note(text, pieces):
    answer = read(text) if not pieces else run_gelu(
        "table", "-", "--form", "relu", stdin=InPieces(text.encode())
    )  # fmt: skip
    assert (answer.code, answer.floats("x")) == (0, PAIRS[text])
    assert answer.err == (
        "gelu: note: each line of stdin has two numbers, and both are points; if they are x and y, "
        "put a line with their names before them, such as x,y\n"
    )
    assert read(text, "--quiet").err == ""


def test_what_numpy_writes_is_a_list(tmp_path):
    numbers = np.random.default_rng(1).normal(size=(5000, 3))
    np.savetxt(tmp_path / "points.csv", numbers, delimiter=",")
    answer = run_gelu("table", "--input", tmp_path / "points.csv", "--form", "relu")
    assert answer.err == ""
    assert answer.floats("x") == numbers.ravel().tolist()


@pytest.mark.parametrize("text", ["1,2,3," * 1000, "1.5,2\n" * 1000, "1, 2\n" * 1000])
def test_a_long_list_is_read_as_a_whole(text):
    with mock.patch.object(Grid, "parse") as parse:
        answer = read(text)
    assert not parse.called
    assert answer.floats("x") == [*map(float, re.findall(r"[\d.]+", text))]


class InPieces(BytesIO):
    """A stream from which one byte comes at a time."""

    def read1(self, size=-1):
        return self.read(1)


def test_a_word_is_judged_whole_however_it_arrives():
    for text in (b"1,5\n", b"1,5"):
        answer = run_gelu("table", "-", "--form", "relu", stdin=InPieces(text))
        assert_refused(answer, "'1,5' may be 1.5, or 1 and 5")


WHERE = {
    ("table", "1,5"): "'1,5' is not a number; write 1.5, or 1 5 for two of them",
    ("table", "1,5,2"): "'1,5,2' is not a number; write 1 5 2",
    ("table", "0,5:1:/3"): "'0,5' is not a number; write 0.5",
    ("error", "--range", "0,5:1"): "--range: '0,5' is not a number; write 0.5",
    ("variance", "--sigma", "0,5"): "--sigma: '0,5' is not a number; write 0.5",
}


def test_a_word_of_the_command_line_says_what_to_write():
    assert_all_refused(cases=WHERE.items())


@pytest.mark.parametrize("rows", [1, 20_000])
def test_a_row_that_decimal_commas_have_cut_is_refused(rows):
    text = "x,exact\n" + "0.5,0.3\n" * (rows - 1) + "0,5,0,345\n"
    answer = read(text)
    assert_refused(answer, f"line {rows + 1} of stdin has 4 cells, its header 2; decimal commas")


def test_a_cell_with_a_decimal_comma_is_refused():
    answer = read("x;exact\n0,5;0,345\n")
    assert_refused(answer, "line 2 of stdin: '0,5' is not a number; write 0.5")


def test_preactivations_are_read_as_points_are():
    answer = run_gelu("block", "--input", "-", stdin=b"0,5\n1,5\n")
    assert_refused(answer, "'0,5' may be 0.5, or 0 and 5")
