"""What a text is, its beginning tells: a list of numbers, a table, which column has the points."""

import io

import pytest

from tests.cli.runner import assert_refused, run_gelu
from tests.cli.streams import Trickle


def points(text, *words, size=1000):
    """The points of a text that comes in pieces of a size, and what is said on stderr."""
    data = text.encode()
    pieces = [data[i : i + size] for i in range(0, len(data), size)]
    stdin = io.BufferedReader(Trickle(pieces))
    answer = run_gelu("table", "-", "--form", "relu", "--show", "value", *words, stdin=stdin)
    assert answer.code == 0, answer.err
    return answer.floats("x"), answer.err


LISTS = [
    "1 2\n3\n",
    "# two lines\n\n1, 2 # and more, 7\n# 8\n3\n",
    "+1\n.2e1\n0x3\n",
    "1;2;3",
]


@pytest.mark.parametrize("text", LISTS)
@pytest.mark.parametrize("size", [1, 5, 1000])
def test_a_list_of_numbers_may_have_comments_wherever_it_is_cut(text, size):
    assert points(text, size=size) == ([1, 2, 3], "")


def test_words_that_are_numbers_are_no_header():
    assert points("inf\n2\n") == ([float("inf"), 2], "")
    assert points("pi")[0] == [3.141592653589793]


TABLES = [
    "x\n1\n2\n",
    ",x,exact\n0,1,0.8413\n1,2,1.9545\n",  # as pandas writes its index
    '"name, first";"x"\n"a";1\n"b";2\n',
    "\n\n  \nexact,x\n0.8413,1\n1.9545,2\n",
    "x_bits\tx\n0x3f80\t1\n0x4000\t2\n",
    "# x,exact\n1,0.8413\n2,1.9545\n",
    "form,quantity,x,target\ntanh,value,1,\ntanh,value,2,\n",
]


@pytest.mark.parametrize("text", TABLES)
def test_x_is_found_by_its_header_wherever_the_text_is_cut(text):
    for size in (1, 5, 1000):
        assert points(text, size=size)[0] == [1, 2]


def test_one_note_names_what_is_not_gelus_own():
    assert points(TABLES[0])[1] == points(TABLES[6])[1] == ""
    said = "gelu: note: columns 'name, first', 'b' of stdin are left alone\n"
    assert points('"name, first";x;b\na;1;2\n')[1] == said
    assert points('"name, first";x;b\na;1;2\n', "--column", "b") == ([2], "")
    assert "column 'column 1' of stdin is left alone" in points(TABLES[1])[1]


WRONG = [
    ("a,b\n1,2\n", "stdin has no column 'x'; it has: a, b", "--column NAME"),
    ('[{"a": 1}]', "stdin has no column 'x'; it has: a", "--column NAME"),
    ('{"x": 1}\n{"x": null}\n', "line 2 of stdin: no number in column 'x'"),
    ("| a |\n|---|\n| 1 |\n", "stdin has no column 'x'; it has: a"),
    ("x,x\n1,2\n", "the column 'x' twice"),
    ("# nothing but\n# comments", "stdin holds no numbers"),
    ("x\n", "stdin holds no numbers"),
    ("value\n1\n", "line 1 of stdin: 'value' is not a number", "--column NAME"),
]


def test_a_text_without_points_is_refused():
    for text, *said in WRONG:
        assert_refused(run_gelu("table", "-", stdin=text.encode()), *said)
