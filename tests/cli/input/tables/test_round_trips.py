"""What gelu writes it reads: each format as the points of a table and as figures to be judged."""

import io
import sys
from unittest import mock

import pytest

from gelu_cli.cli.input import lines
from gelu_cli.cli.input.tables.objects import ObjectText
from tests.cli.runner import assert_refused, gelu, run_gelu
from tests.cli.streams import ASKED_TOO_SOON, Trickle

FORMATS = ["csv", "tsv", "json", "jsonl", "markdown"]
POINTS = ["-3", "0.1", "-0.0", "1e-9", "-37.5", "440"]
LIMITS = ["inf", "-inf", "nan", "1e20", "-1000"]
IN_FORMATS = [["--dtype", "float32"], ["--dtype", "bfloat16", "--bits"],
              ["--dtype", "float8_e4m3fn"], ["--dtype", "float64"]]  # fmt: skip
IN_PRINT = [[], ["--digits", "3"], ["--digits", "17"], ["--digits", "50"]]
QUANTITIES = [word for each in ("value", "gradient", "gate", "complement", "mask_variance")
              for word in ("--show", each)]  # fmt: skip


def written(name, *words):
    forms = ["--form", "exact", "--form", "sigmoid:beta=1.6"]
    return gelu("table", *POINTS, *LIMITS, *forms, *QUANTITIES, *words, "-f", name).out


@pytest.mark.parametrize("name", FORMATS)
def test_a_table_is_right_in_the_eyes_of_check(name, tmp_path):
    path = tmp_path / "table"  # known by what is in it
    for words in IN_PRINT:
        path.write_text(written(name, *words), encoding="utf-8")
        for answer in (run_gelu("check", path), run_gelu("check", "-", stdin=path.read_bytes())):
            assert (words, answer.code) == (words, 0)
            assert "none of them wrong" in answer.err
            assert len(answer.rows) >= 10 * len(POINTS)
    for words in IN_FORMATS:
        all_digits = ["--digits", "17"] if name == "markdown" else []
        path.write_text(written(name, *words, *all_digits), encoding="utf-8")
        judged = ["--dtype", words[1], "--max-ulp", "0.5", "-q"]
        answer = gelu("check", path, *judged)
        assert answer.rows == gelu("check", "-", *judged, stdin=path.read_bytes()).rows
        assert {row["misrounded"] for row in answer.rows} == {"0"}
        assert len(answer.rows) == 10


@pytest.mark.parametrize("name", FORMATS)
def test_its_points_are_those_of_the_same_table(name, tmp_path):
    for words in [*IN_PRINT, *IN_FORMATS]:
        path = tmp_path / f"table.{name}"
        path.write_text(written(name, *words), encoding="utf-8")
        again = ["--form", "exact", "--form", "sigmoid:beta=1.6", *QUANTITIES, *words, "-f", name]
        assert gelu("table", "-", *again, stdin=path.read_bytes()).out == path.read_text()
        assert gelu("table", "--input", path, *again).out == path.read_text()


@pytest.mark.parametrize("name", FORMATS)
def test_the_points_of_errors_are_read_again(name):
    errors = gelu("error", "-3", "0.5", "--form", "tanh", "-f", name, "--digits", "6").out
    table = gelu("table", "-", "--form", "tanh", "--show", "value", stdin=errors.encode())
    assert table.out == gelu("table", "-3", "0.5", "--form", "tanh", "--show", "value").out
    again = gelu("error", "-", "--form", "tanh", stdin=errors.encode())
    assert again.out == gelu("error", "-3", "0.5", "--form", "tanh").out


# Tables that others write


@pytest.mark.parametrize(
    "text",
    [
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
    ],
)
def test_one_table_in_many_layouts_however_it_arrives(text):
    data = text.encode()
    for size in (1, 7, 1000):
        pieces = [data[i : i + size] for i in range(0, len(data), size)]
        judged = run_gelu("check", "-", stdin=io.BufferedReader(Trickle(pieces)))
        figures = [(row["x"], row["published"]) for row in judged.rows]
        assert (judged.code, figures) == (0, [("-1", "-0.1587"), ("2", "1.9545")])
        points = gelu("table", "-", stdin=io.BufferedReader(Trickle(pieces)))
        assert points.floats("x") == [-1, 2]


def test_the_line_of_a_row_is_that_of_the_file():
    for text, line in (
        ("\n# one\nx,exact\n1,0.8413\n2,oops\n", 5),
        ("\n\n| x | exact |\n|---|---|\n| 1 | 0.8413 |\n| 2 | oops |\n", 6),
        ('\n{"x": 1, "exact": 0.8413}\n{"x": 2,\n "exact": "oops"}\n', 3),
    ):
        answer = run_gelu("check", "-", stdin=text.encode())
        assert_refused(answer, f"line {line} of stdin, column 'exact': 'oops'")


def test_rows_of_each_layout_come_before_more_is_asked_for():
    for text in (b"x,a\n1,2\n", b'[{"x": 1},\n', b'{"x": 1}\n', b"| x |\n|---|\n| 1 |\n"):
        raw = io.BufferedReader(Trickle([text], ASKED_TOO_SOON))
        with mock.patch.object(sys, "stdin", io.TextIOWrapper(raw)):
            from gelu_cli.cli.input.points import read_points

            assert next(read_points(["-"], None, None, exact=False)).numbers() == [1]


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
]


def test_broken_tables_are_named_with_their_line():
    for text, *said in BROKEN:
        assert_refused(run_gelu("check", "-", stdin=text.encode()), *said)


def test_a_text_of_one_line_is_not_held_in_memory():
    """Arrays that programs write have no line ends."""
    rows = b",".join(b'{"x": %d, "relu": %d}' % (k, k) for k in range(20_000))
    with mock.patch.object(lines, "CHUNK", 1 << 14):
        longest = 0
        texts = lines.ArrivingText("-", "stdin", lines.CELL)
        with mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[" + rows + b"]"))):
            from gelu_cli.cli.input.tables.beginnings import layout_of, read_header

            layout = layout_of(texts, "stdin")
            assert read_header(texts, layout) == ["x", "relu"]
            count = 0
            for number, text in texts:
                longest = max(longest, len(text))
                count += sum(1 for _ in layout.rows(number, text))
        assert (count, longest < 3 << 14) == (20_000, True)


CELLS = ["1", "-0.5", "1e-400", "1/3", '"2"', '"0:1:/3"', '""', "null", "true", "0.1e1", '"nan"',
         "123456789012345678901234567890", '"}\\n{"', "[1]", '{"x": 1}']  # fmt: skip


@pytest.mark.parametrize("between", [",", "\n", ",\n  ", " \n "])
def test_many_objects_are_read_as_one_by_one(between):
    for strange in CELLS:
        cells = [*map(str, range(300)), strange, *map(str, range(300))]
        text = between.join(f'{{"a": "b", "x": {cell}}}' for cell in cells)
        text = f"[{text}]" if "," in between else text
        words = ["table", "-", "-q", "--form", "relu", "--show", "value"]
        at_once = run_gelu(*words, stdin=text.encode())
        with mock.patch.object(ObjectText, "plain_cells", return_value=None):
            assert at_once == run_gelu(*words, stdin=text.encode()), strange
        assert at_once.code in (0, 2)
