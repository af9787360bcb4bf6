"""Columns that --keep prints in front of the results of their rows."""

import csv
import io
import json
from itertools import islice

import pytest

from gelu_cli.old.reading.names import Kept
from gelu_cli.old.reading.numbers import Grid
from gelu_cli.old.reading.points import Reading, source_points
from tests.old.cli.runner import assert_refused, gelu, run_gelu

RELU = ["--form", "relu", "--show", "value"]
TABLE = b'id,x,"a, b"\nfirst,1, p \n"s, 2",-2,\nthird,0:1:0.5,"q""r"\n'


def rows(answer):
    return [*csv.reader(answer.out.splitlines())]


def test_kept_cells_stand_in_front_as_they_were_and_go_with_a_range():
    answer = gelu("table", "-", *RELU, "--keep", "id,3", stdin=TABLE)
    assert rows(answer) == [
        ["id", "a, b", "x", "relu"],
        ["first", " p ", "1.0", "1.0"],
        ["s, 2", "", "-2.0", "0.0"],
        *(["third", 'q"r', x, x] for x in ("0.0", "0.5", "1.0")),
    ]
    assert rows(gelu("table", "-", *RELU, "--keep", "3", "--keep", "id", stdin=TABLE))[1][:2] == [
        " p ", "first",
    ]  # fmt: skip


def test_every_form_of_a_point_has_its_kept_cells():
    words = ["error", "-", "--form", "tanh,sigmoid", "--keep", "id"]
    found = rows(gelu(*words, "-q", stdin=TABLE))
    assert found[0][:3] == ["id", "form", "quantity"]
    assert [row[0] for row in found[1:]] == ["first"] * 2 + ["s, 2"] * 2 + ["third"] * 6


@pytest.mark.parametrize("options", [(), ("--digits", "20"), ("--dtype", "bfloat16", "--bits")])
def test_kept_cells_stay_with_their_points_among_many(options):
    """In blocks of arrays and in single points, by several threads, with cells left out."""
    count = 700 if "20" in options else 70_000
    x = [f"{k % 100}" if k % 977 else "none" for k in range(1, count)]
    table = "x,k\n" + "".join(f"{each},{k}\n" for k, each in enumerate(x))
    words = [*RELU, *options, "--keep", "k", "--skip-unreadable", "--jobs", "2", "-f", "json"]
    words = [word for word in words if "20" not in options or word not in ("--jobs", "2")]
    found = json.loads(run_gelu("table", "-", *words, stdin=table.encode()).out)
    assert [(row["k"], int(float(row["x"]))) for row in found] == [
        (str(k), int(each)) for k, each in enumerate(x) if each != "none"
    ]


def test_what_cannot_be_kept_is_refused_in_one_line(tmp_path):
    for words, said in (
        (["table", "1", "--keep", "id"], "--keep keeps columns of --input FILE"),
        (["table", "-", "--keep", "no"], "no column 'no'; it has: id, x, a, b"),
        (["table", "-", "--keep", "x"], "--keep x: the answer has a column 'x' of its own"),
        (["error", "-", "--keep", "id", "--view", "summary"], "--keep is for --view points"),
    ):
        assert_refused(run_gelu(*words, "-q", stdin=TABLE), said)
    assert_refused(run_gelu("table", "-", "--keep", "1", stdin=b"1 2\n"), "stdin is none")


def test_cells_of_a_long_range_are_not_copied_before_its_points_are_used():
    reading = Reading(kept=Kept(["id"]))
    text = io.BytesIO(b"id,x\na,0:999999999:1\n")
    blocks = source_points(text, "-", None, Grid(), reading)
    assert 0 < len(next(filter(len, blocks))) < 10**6
    assert [*islice(reading.kept.waiting(), 3)] == [("a",)] * 3
