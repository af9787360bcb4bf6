"""Columns of files in each layout, and the errors that name file and line."""

import io
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gelu_cli.errors import UsageError
from gelu_cli.inputs.columns import read_columns, read_source
from gelu_cli.inputs.point_lists import MANY, read_column

TABLES = {
    "csv": "x,y\n1/3,-0.5\n-2,1e3\n",
    "csv of an old Mac": "# c\rx,y\r1/3,-0.5\r-2,1e3\r",
    "csv of Windows": "\ufeffx,y\r\n1/3,-0.5\r\n-2,1e3\r\n",
    "spaces": "x, y\n1/3, -0.5\n -2 ,1e3",
    "tsv": "x\ty\n1/3\t-0.5\n-2\t1e3\n",
    "semicolons": "x;y\n1/3;-0.5\n-2;1e3\n",
    "white space": "x   y \n1/3  -0.5\n-2   1e3 \n",
    "quotes": '"x","y"\n"1/3","-0.5"\n"-2",1e3\n',
    "comments": '# it\'s "so"\n\nx,y\n1/3,"-0.5"\n\n# more\n-2,1e3\n',
    "markdown": "| x | y |\n|--:|:--|\n| 1/3 | -0.5 |\n| -2 | 1e3 |\n",
    "markdown of an old Mac": "2 rows:\r\r| x | y |\r|--|--|\r| 1/3 | -0.5 |\r| -2 | 1e3 |\r",
    "objects": '[{"x": "1/3", "y": -0.5},\n {"x": -2, "y": 1e3}]',
}
LISTS = ["1/3\n-2\n", " 1/3 -2", "1/3, -2", "1/3,-2", "1/3 # a third\r-2", '["1/3", -2]']
REFUSED = {
    "x,y\n1,2\n1.2.3,4\n": r"f:3: '1.2.3' is not a number; .*look like",
    "x,y\n1,2\n\n# c\n,4\n": "f:5: '' is not a number",
    "x,y\n0,5,1,5\n": "f:2: the number of cells is 4, not 2 .*; fill .* 0.5 for 0,5",
    "x y\n1\n": "f:2: the number of cells is 1, not 2",
    "y,z\n1,2\n": "f has no column 'x'; name one of y, z",
    "x,x\n1,2\n": r"f has a column twice \(x, x\); rename one",
    "1\n2\nthree\n": "f:3: 'three' is not a number",
    "": "f is empty; write",
    "|--|\n": "f is empty; write",
    "x\n": "f holds no numbers; write",
    "[]": "f holds no numbers; write",
    "\\toprule\nx & y \\\\\n": "f is LaTeX, which is not read; write CSV or Markdown",
    "\0\1": "f is neither UTF-8 text nor .npy; save it as one of them, or add --inputs",
    '"x","y"\n"1,2\n': "f:2: .*; close each quote",
    "| x | y |\n|--|--|\n| 1 |\n": "f:3: the number of cells is 1, not 2",
    '[{"x": 1},\n{"x": ': r"f is not JSON .*line 2.*; write",
    '{"x": 1}': "f is not an array; write",
    '[1, {"x": "a"}]': "f, row 2: 'a' is not a number",
}


@pytest.fixture
def path(tmp_path, monkeypatch):
    """The file `f`, in the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "f"


def columns_of(name):
    return read_columns(read_source(name))


def write(path, text):
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path.name


def test_each_layout_has_the_same_columns(path):
    for layout, text in TABLES.items():
        name = write(path, text)
        assert read_column(name) == [Fraction(1, 3), -2], layout
        assert read_column(name, "y") == [Fraction(-1, 2), 1000], layout
        found = {"x": ["1/3", "-2"], "y": ["-0.5", "1e3"]}
        assert columns_of(name).cells == found, layout


def test_text_may_be_above_a_table_of_markdown(path):
    columns = columns_of(write(path, "## Table\n\nSome, or all:\n\n| x | y |\n|--:|--:|\n|1|2|\n"))
    assert (columns.cells, *columns.lines()) == ({"x": ["1"], "y": ["2"]}, 7)


def test_lists_of_numbers_are_a_column_x(path):
    for text in LISTS:
        assert read_column(write(path, text)) == [Fraction(1, 3), -2], text
        assert columns_of("f").cells == {"x": ["1/3", "-2"]}, text


def test_errors_name_file_line_and_remedy(path):
    for text, message in REFUSED.items():
        with pytest.raises(UsageError, match=f"^{message}"):
            read_column(write(path, text))
    with pytest.raises(UsageError, match="cannot read 'none': No such file"):
        read_column("none")


def test_lines_are_those_of_the_file(path):
    for text in ("# c\n\nx,y\n1,2\n\n3,4\n", "\n\n|x|y|\n|1|2|\n\n|3|4|\n", "\n\n#\n1\n#\n3"):
        columns = columns_of(write(path, text))
        assert [*columns.lines()] == [4, 6], text


def test_cells_keep_what_was_typed(path):
    columns = columns_of(write(path, '[{"x": 1, "y": 0.8410}, {"x": 1e400, "y": null}]'))
    assert columns.cells == {"x": ["1", "1e400"], "y": ["0.8410", ""]}
    columns = columns_of(write(path, 'x,a note\n1,"two\nlines, and a comma"\n2,\n'))
    assert columns["a note"] == ["two\nlines, and a comma", ""]
    assert [*columns.lines()] == [3, 4]
    assert [*columns_of(write(path, ",X\n7,1\n")).cells] == ["column 1", "X"]
    assert read_column(write(path, "0:2:/3 7")) == [0, 1, 2, 7]


@settings(max_examples=8)
@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=9), st.sampled_from(",\t; "))
def test_many_numbers_are_the_float64s_that_were_written(tmp_path_factory, numbers, between):
    path = tmp_path_factory.getbasetemp() / "many"
    numbers = (numbers * MANY)[:MANY]
    table = f"x{between}y\n" + "".join(f"{x!r}{between}1\n" for x in numbers)
    for text in (table, "\n".join(map(repr, numbers))):
        path.write_text(text)
        found = read_column(str(path))
        assert isinstance(found, np.ndarray)
        assert list(map(repr, found.tolist())) == list(map(repr, numbers))


def test_many_numbers_that_are_not_decimals(path):
    words = ["1/3", "0x1p-2", "−1"] * MANY
    for text in ("x,y\n" + "".join(f"{word},1\n" for word in words), "\n".join(words)):
        assert read_column(write(path, text)).tolist() == [1 / 3, 0.25, -1] * MANY
        exact = read_column(path.name, as_typed=True)
        assert exact[:3] == [Fraction(1, 3), Fraction(1, 4), -1]
    for line, message in {"a,2": "'a' is not a number", "1": "the number of cells is 1"}.items():
        with pytest.raises(UsageError, match=f"^f:{MANY + 2}: {message}"):
            read_column(write(path, "x,y\n" + "1,2\n" * MANY + line))


def test_arrays(path, tmp_path):
    x = np.array([[0.5, -2], [np.inf, 3]])
    for array in (x, x.astype(np.float16), np.asfortranarray(x)):
        np.save(tmp_path / "a.npy", array)
        assert read_column("a.npy") == [Fraction(1, 2), np.inf]
        assert columns_of("a.npy").cells == {"x": ["0.5", "inf"], "": ["-2.0", "3.0"]}
    np.save(tmp_path / "a.npy", x.ravel())
    assert columns_of("a.npy").cells == {"x": ["0.5", "-2.0", "inf", "3.0"]}
    np.save(tmp_path / "a.npy", np.ones((2, 3)))
    assert columns_of("a.npy").cells == {"x": ["1.0"] * 6}
    for array, message in {
        ("a",): "a.npy holds <U1, not numbers",
        (None,): "a.npy is not a complete .npy",
    }.items():
        np.save(tmp_path / "a.npy", np.array(array), allow_pickle=True)
        with pytest.raises(UsageError, match=message):
            read_column("a.npy")
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\1\0")
    with pytest.raises(UsageError, match=r"a.npy is not a complete .npy of numbers"):
        read_column("a.npy")


def test_stdin_is_a_file(monkeypatch):
    for data, x in ((b"x,y\n1,2\n", [1]), (b"1 2", [1, 2])):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert read_column("-") == x
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UsageError, match=r"^stdin is empty"):
        read_column("-")
