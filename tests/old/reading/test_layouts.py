"""What a text is, its beginning tells: a list of numbers, a table, which column has the points."""

import io
import os
import threading
from unittest import mock

import pytest

from gelu_cli.old.reading.files import texts_of
from gelu_cli.old.reading.layouts import begin
from gelu_cli.old.reading.points import read_points
from gelu_cli.old.reading.tables import read_table
from tests.old.cli.runner import assert_refused, run_gelu
from tests.old.cli.streams import ASKED_TOO_SOON, Trickle, stdin_of

RELU = ["--form", "relu", "--quantity", "value"]


def in_pieces(text, size):
    """Return a stream on which the text comes in pieces of so many bytes."""
    data = text.encode()
    return io.BufferedReader(Trickle([data[i : i + size] for i in range(0, len(data), size)]))


def points(text, *words, size=1000):
    """Return the points of a text that comes in pieces, and what is said on stderr."""
    answer = run_gelu("table", "-", *RELU, *words, stdin=in_pieces(text, size))
    assert answer.code == 0, answer.err
    return answer.floats("x"), answer.err


LISTS = ["1 2\n3\n", "# two lines\n\n1, 2 # and more, 7\n# 8\n3\n", "+1\n.2e1\n0x3\n", "1;2;3"]


@pytest.mark.parametrize("text", LISTS)
@pytest.mark.parametrize("size", [1, 5, 1000])
def test_a_list_of_numbers_may_have_comments_wherever_it_is_cut(text, size):
    assert points(text, size=size) == ([1, 2, 3], "")


def test_a_comment_that_is_cut_goes_on_however_long_it_is():
    assert points("1 2 # " + "8 " * 20_000 + "\n3\n", size=10_000) == ([1, 2, 3], "")


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
    '"#"\t"x"\n"a\nb"\t1\nb\t2\n',
]


@pytest.mark.parametrize("text", TABLES)
@pytest.mark.parametrize("size", [1, 5, 1000])
def test_x_is_found_by_its_header_wherever_the_text_is_cut(text, size):
    assert points(text, size=size)[0] == [1, 2]


def test_one_note_names_what_is_not_gelus_own():
    assert points(TABLES[0])[1] == points(TABLES[6])[1] == ""
    said = "gelu: note: columns 'name, first', 'b' of stdin are left alone\n"
    assert points('"name, first";x;b\na;1;2\n')[1] == said
    assert points('"name, first";x;b\na;1;2\n', "--column", "b") == ([2], "")
    assert "column 'column 1' of stdin is left alone" in points(TABLES[1])[1]


FIGURES = [
    "x,exact\n-1,-0.1587\n2,1.9545\n",
    "X;exact\n-1;-0.1587\n2;1.9545\n",
    "exact\tx\n-0.1587\t-1\n1.9545\t2\n",
    "x   exact\n-1  -0.1587\n 2   1.9545\n",
    "# made by hand\n\n# twice\nx,exact\n-1,-0.1587\n# and\n2,1.9545\n",
    "# x,exact\n-1,-0.1587\n2,1.9545\n",
    "\ufeffx,exact\r\n-1,-0.1587\r\n2,1.9545\r\n",
    "|x|exact|\n|-|:-:|\n|-1|**-0.1587**|\n| 2 | `1.9545` |\n",
    '[{"x": -1, "exact": -0.1587}, {"exact": "1.9545", "x": 2}]',
    '[{"x":-1,"exact":-0.1587},{"x":2,"exact":1.9545}]\n',
    '{"x": -1, "exact": -0.1587}\n\n{"x": 2, "exact": 1.9545}',
    '{\n  "x": -1,\n  "exact": -0.1587\n}\n{\n  "x": 2,\n  "exact": 1.9545\n}\n',
]


@pytest.mark.parametrize("text", FIGURES)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_one_table_in_many_layouts_however_it_arrives(text, size):
    judged = run_gelu("check", "-", stdin=in_pieces(text, size))
    figures = [(row["x"], row["published"]) for row in judged.rows]
    assert (judged.code, figures) == (0, [("-1", "-0.1587"), ("2", "1.9545")])
    assert points(text, size=size)[0] == [-1, 2]


def test_rows_of_each_layout_come_before_more_is_asked_for():
    for text in (b"1\n", b"x,a\n1,2\n", b'[{"x": 1},\n', b'{"x": 1}\n', b"| x |\n|---|\n| 1 |\n"):
        with stdin_of(text, at_end=ASKED_TOO_SOON):
            assert next(read_points(["-"], None, None, exact=False)).numbers() == [1]


def test_a_pause_in_a_stream_is_no_line_of_it():
    with stdin_of(b"x,name\n\n", b"\n1,2\n", b'2,"a\n', b'b"\n', b"3,4"):
        rows = [
            (number, x, name)
            for block in read_table("-").blocks
            for number, x, name in zip(block.numbers, block.column(0), block.column(1), strict=True)
        ]
    assert rows == [(4, "1", "2"), (6, "2", "a\nb"), (7, "3", "4")]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with a name")
@pytest.mark.parametrize("words", [["check"], ["table", *RELU, "--input"], ["identify"]])
def test_a_pipe_with_a_name_is_opened_once(tmp_path, words):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=["x,exact\n1,0.8413\n2,1.9545\n"])
    writer.start()
    assert len(run_gelu(*words, pipe, "-q").rows) >= 2
    writer.join()


def test_a_header_without_rows_is_an_empty_table():
    for text in ("x\n", "name,x\n", "| x |\n|---|\n"):
        answer = run_gelu("table", "-", *RELU, "-q", stdin=text.encode())
        assert (answer.code, answer.out) == (0, "x,relu\n")
    answer = run_gelu("error", "-", "--form", "relu", "-q", stdin=b"x\n")
    assert (answer.code, len(answer.out.splitlines())) == (0, 1)


def test_a_header_that_begins_with_a_tab_has_a_column_without_a_name():
    answer = run_gelu("check", "-", stdin=b"\tx\texact\n0\t1\t0.8413\n1\t2\t1.9545\n")
    assert [(row["x"], row["published"]) for row in answer.rows] == [
        ("1", "0.8413"),
        ("2", "1.9545"),
    ]


@pytest.mark.parametrize("digits", [(), ("--digits", "20")])
def test_cells_without_a_number_may_be_left_out(digits):
    table = b"x,y\n1,2\n,3\nNA,1\noops,2\n2,2\n"
    words = ["table", "-", *RELU, *digits]
    assert_refused(run_gelu(*words, "-q", stdin=table), "line 3 of stdin: no number in column 'x'")
    for data, place in (
        (table, "3 cells cannot be read and are left out; the first: line 3"),
        (b"1 oops\n2 # 3\n", "1 cell cannot be read and is left out: line 1"),
    ):
        answer = run_gelu(*words, "--skip-unreadable", stdin=data)
        assert (answer.code, answer.floats("x")) == (0, [1, 2])
        assert place in answer.err
    assert_refused(run_gelu("table", "1", "--skip-unreadable"), "--skip-unreadable is of --input")


def test_a_column_may_be_named_by_its_position():
    assert points("a,b,x\n1,2,3\n", "--column", "2")[0] == [2]
    answer = run_gelu("table", "-", *RELU, "--column", "2", stdin=b"a,b,2\n1,4,3\n")
    assert answer.floats("x") == [3]
    assert answer.err == (
        "gelu: note: --column 2 is the column of that name, which is column 3 of stdin\n"
    )
    assert points("1,2\n3,4\n", "--column", "2")[0] == [2, 4]  # no header
    assert points("1,2.5\n3,4\n", "--column", "2")[0] == [2.5, 4]  # no header
    assert_refused(run_gelu("table", "-", "--column", "3", stdin=b"a,x\n1,2\n"), "no column '3'")


@pytest.mark.parametrize("rest", [b'{"x": 1},\n', b'{"x": 1}, {"x"'])
def test_rows_behind_a_comment_come_before_more_is_asked_for(rest):
    with stdin_of(b"# made by hand\n[", rest, at_end=ASKED_TOO_SOON):
        blocks = filter(len, read_points(["-"], None, None, exact=False))
        assert next(blocks).numbers() == [1]


# What is refused

WITHOUT_POINTS = [
    ("a,b\n1,2\n", "stdin has no column 'x'; it has: a, b", "--column NAME"),
    ('[{"a": 1}]', "stdin has no column 'x'; it has: a", "--column NAME"),
    ('{"x": 1}\n{"x": null}\n', "line 2 of stdin: no number in column 'x'"),
    ("| a |\n|---|\n| 1 |\n", "stdin has no column 'x'; it has: a"),
    ("x,x\n1,2\n", "the column 'x' twice"),
    ("# nothing but\n# comments", "stdin holds no numbers"),
    ("value\n1\n", "line 1 of stdin: 'value' is not a number", "--column NAME"),
    ("y,x\n1,2\n3\n", "line 3 of stdin: no number in column 'x'"),
    ("y,x\n1,2\n3,\n", "line 3 of stdin: no number in column 'x'"),
    ("x\n1\n\noops\n", "line 4 of stdin: 'oops' is not a number"),
    ('x,y\n1,"1\n2,2\n3,3\n', "ends inside a quoted cell"),
]
BROKEN = [
    ('{"x": 1', "does not end"),
    ('{"x": 1, "exact": 0.8}\n{"x": 2, "tanh": 1}', "line 2 of stdin has 'tanh'"),
    ('[{"x": 1}, 7]', "not an object of JSON", "it is 7"),
    ("[1, 2", "1"),
    ("{x: 1}\n", "line 1 of stdin: not an object of JSON"),
    ('{"x": ' + "[" * 10_000, "nested too deeply"),
    ("| x | exact |\n| 1 | 0.8 |\nand so on\n", "line 3 of stdin: not a row of a Markdown table"),
    ("| x | exact |\n| 1 |\n", "line 2 of stdin has 1 cell, its header 2"),
    ("[]", "stdin is empty"),
    ("# nothing\n", "stdin is empty"),
    ('x,relu\n1,"1\n2,2\n', "ends inside a quoted"),
    # The line of a row is that of the file.
    ("\n# one\nx,exact\n1,0.8413\n2,oops\n", "line 5 of stdin, column 'exact': 'oops'"),
    ("\n\n| x | exact |\n|---|---|\n| 1 | 0.8413 |\n| 2 | oops |\n", "line 6 of stdin, column"),
    ('\n{"x": 1, "exact": 0.8413}\n{"x": 2,\n "exact": "oops"}\n', "line 3 of stdin, column"),
]


@pytest.mark.parametrize(
    ("command", "text", "said"),
    [("table", text, said) for text, *said in WITHOUT_POINTS]
    + [("check", text, said) for text, *said in BROKEN],
)
def test_a_text_that_is_broken_or_has_no_points_is_refused_with_its_line(command, text, said):
    assert_refused(run_gelu(command, "-", "-q", stdin=text.encode()), *said)


# Objects of JSON


def test_a_text_of_one_line_is_not_held_in_memory():
    """Arrays that programs write have no line ends."""
    rows = b",".join(b'{"x": %d, "relu": %d}' % (k, k) for k in range(20_000))
    stream = io.BytesIO(b"[" + rows + b"]")
    with mock.patch("gelu_cli.old.reading.files.CHUNK", 1 << 14):
        blocks = [rows for _, rows in begin(texts_of(stream, "a")).blocks("a")]
    assert blocks[0][0] == ["x", "relu"]
    assert sum(map(len, blocks)) == 1 + 20_000
    assert max(map(len, blocks)) < (3 << 14) // len('{"x": 1, "relu": 1}')


CELLS = ["1", "-0.5", "1e-400", "1/3", '"2"', '"0:1:/3"', '""', "null", "true", "0.1e1", '"nan"',
         "123456789012345678901234567890", '"}\\n{"', "[1]", '{"x": 1}']  # fmt: skip


@pytest.mark.parametrize("between", [",", "\n", ",\n  ", " \n "])
def test_many_objects_are_read_as_one_by_one(between):
    for strange in CELLS:
        cells = [*map(str, range(300)), strange, *map(str, range(300))]
        text = between.join(f'{{"a": "b", "x": {cell}}}' for cell in cells)
        text = f"[{text}]" if "," in between else text
        words = ["table", "-", "-q", *RELU]
        at_once = run_gelu(*words, stdin=text.encode())
        in_part = run_gelu(*words, stdin=in_pieces(text, 4000))
        assert (at_once.code, at_once.err) == (in_part.code, in_part.err), strange
        assert at_once.out == in_part.out or at_once.code == 2
        assert at_once.code in (0, 2)
