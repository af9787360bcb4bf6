"""What --skip-unreadable leaves out, what is left where that is everything, and what errors say."""

import io

import numpy as np
import pytest

from tests.old.cli.runner import assert_refused, gelu, run_gelu

RELU = ["--form", "relu", "--show", "value"]
REMEDY = "; --skip-unreadable leaves it out\n"


@pytest.mark.parametrize("stdin", [b"x,y\n", b"x,y\nno,1\n,2\n", b"no none\n"])
def test_a_table_of_nothing_is_empty_and_said_to_be(stdin):
    answer = run_gelu("table", "-", *RELU, "--skip-unreadable", stdin=stdin)
    assert (answer.code, answer.out) == (0, "x,relu\n")
    assert answer.err.endswith("gelu: note: stdin holds no points\n")
    points = run_gelu("error", "-", "--skip-unreadable", stdin=stdin)
    assert (points.code, points.out.count("\n")) == (0, 1)


def test_a_row_with_too_many_cells_is_skipped_and_counted():
    table = b"x,relu\n1,1\n2,2,2\n3,3\n4,4,4\n"
    said = "2 rows cannot be read and are left out; the first: line 3 of stdin has 3 cells"
    for words in (["table", "-", *RELU], ["error", "-"], ["check", "-"],
                  ["check", "-", "--dtype", "float32", "--view", "worst"]):  # fmt: skip
        assert_refused(run_gelu(*words, "-q", stdin=table), f"3 cells, its header 2{REMEDY}")
        answer = run_gelu(*words, "--skip-unreadable", stdin=table)
        assert (answer.code, said in answer.err) == (0, True)
    assert [row["x"] for row in run_gelu("check", "-", "--skip-unreadable", stdin=table).rows] == [
        "1", "3",
    ]  # fmt: skip
    ragged = run_gelu("check", "-", "--skip-unreadable", stdin=b"x,relu\n1,1\n2\n")
    assert "1 row cannot be read and is left out: line 3 of stdin has 1 cell" in ragged.err


def test_an_unreadable_cell_names_the_remedy_where_there_is_one(tmp_path):
    table = b"x,relu,note\nno,1,2\n"
    for words in (["table", "-"], ["error", "-"], ["check", "-", "--column", "relu"]):
        answer = run_gelu(*words, stdin=table)
        assert answer.err.endswith(REMEDY)
        assert answer.err.count("\n") == 1  # an error stands alone
    assert run_gelu("table", "-", stdin=b"1 no\n").err.endswith(REMEDY)
    assert "--skip" not in run_gelu("identify", "-", stdin=b"x,y\n1,no\n").err
    assert "--skip" not in run_gelu("identify", "-", stdin=b"x,y\n1,2,3\n").err


BROKEN = [
    ('{"x": [1, 2], "y": [3, 4]}', "'x' is a list: each row of a table is an object"),
    ('{"x": {"0": 1}, "y": {"0": 2}}', "orient='records'"),
    ('{"a": {"0": 1}, "b": {"0": 2}}', "'a' is an object"),
    ("[1, 2, 3]", "an array of JSON is a table if each row is an object"),
    ("[[1, 2], [3, 4]]", "an array of JSON is a table if each row is an object"),
    ('[{"x": 1, "x": 2}]', "it has 'x' twice"),
    ('{"x": ', "it does not end"),
]


@pytest.mark.parametrize(("text", "said"), BROKEN)
@pytest.mark.parametrize("command", ["table", "check"])
def test_json_that_is_no_table_is_told_so(command, text, said):
    assert_refused(run_gelu(command, "-", "--skip-unreadable", stdin=text.encode()), said)


def test_other_columns_of_json_may_hold_anything():
    text = b'[{"x": 1, "all": {"a": [1]}}]'
    assert gelu("table", "-", *RELU, "-q", stdin=text).floats("x") == [1]


# Columns by position


def test_columns_between_white_space_and_of_arrays_have_positions():
    assert gelu("table", "-", *RELU, "--column", "2", stdin=b"1 2\n3 4\n").floats("x") == [2, 4]
    assert gelu("table", "-", *RELU, "--column", "b", stdin=b"a b\n3 4\n").floats("x") == [4]
    for order in "CF":
        written = io.BytesIO()
        np.save(written, np.asarray([[1, 2, 3], [4, 5, 6.5]], order=order))
        for digits in ([], ["--digits", "20"]):
            words = ["table", "-", *RELU, "--column", "3", *digits]
            assert gelu(*words, stdin=written.getvalue()).floats("x") == [3, 6.5]
        words[words.index("3")] = "4"
        assert_refused(run_gelu(*words, stdin=written.getvalue()), "no column '4'", "column 3")


def test_check_takes_positions_and_says_where_a_name_wins():
    table = b"x,tanh,exact\n1,0.8412,0.8413\n"
    answer = run_gelu("check", "-", "--column", "3", stdin=table)
    assert [row["column"] for row in answer.rows] == ["exact"]
    words = ["check", "-", "--dtype", "float16", "--column", "4", "--view", "worst"]
    bits = b"x,x_bits,tanh,exact,exact_bits\n1,0x3c00,0.8,0.8413,0x3abb\n"
    assert {row["routine"] for row in run_gelu(*words, stdin=bits).rows} == {"exact"}
    for empty in (["table", "-"], ["check", "-"], ["identify", "-"]):
        assert_refused(run_gelu(*empty, "--column", "", stdin=table), "--column '' names no column")
