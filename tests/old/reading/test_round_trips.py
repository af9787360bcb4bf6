"""What gelu writes it reads as Python's own readers do: as points, and as figures to be judged."""

import csv
import json

import pytest

from tests.old.cli.runner import gelu, run_gelu

POINTS = ["-3", "0.1", "-0.0", "1e-9", "-37.5", "inf", "-inf", "nan"]
SIGMOID = "sigmoid:beta=1.6"
SHOWN = ["--form", "relu", "--form", SIGMOID, "--quantity", "value"]
IN_PRINT = [[], ["--digits", "3"], ["--digits", "50"]]
IN_FORMATS = [
    ["--dtype", "bfloat16", "--bits"],
    ["--dtype", "float8_e4m3fn"],
    ["--dtype", "float64"],
]
every_layout = pytest.mark.parametrize("name", ["csv", "tsv", "json", "jsonl", "markdown"])


def cells_of(name, text):
    """Return the rows of a table by what Python has for it: texts, or None for JSON's null."""
    if name in ("json", "jsonl"):
        objects = [text] if name == "json" else text.splitlines()
        rows = [json.loads(each, parse_float=str, parse_int=str) for each in objects]
        return rows[0] if name == "json" else rows
    if name == "markdown":
        lines = [line.strip("|").replace(" ", "").split("|") for line in text.splitlines()]
        return [dict(zip(lines[0], row, strict=True)) for row in lines[2:]]
    return list(csv.DictReader(text.splitlines(), delimiter={"csv": ",", "tsv": "\t"}[name]))


def figures_of(name, text):
    """Return x, column and figure of every cell that holds a number, NaN among them, in order."""
    return [
        (repr(float(row["x"])), column, row[column].lower())
        for row in cells_of(name, text)
        for column in ("relu", SIGMOID)
        if row[column] is not None
    ]


@every_layout
@pytest.mark.parametrize("words", IN_PRINT, ids=" ".join)
def test_figures_are_judged_as_they_stand_in_the_text(name, words, tmp_path):
    text = gelu("table", *POINTS, *SHOWN, *words, "-f", name).out
    read = cells_of(name, text)
    assert [repr(float(row["x"])) for row in read] == [repr(float(x)) for x in POINTS]
    for row in read:
        x = float(row["x"])
        assert row["relu"] is None or repr(float(row["relu"])) == repr(0.0 if x <= 0 else x)
    count = len(figures_of(name, text))
    path = tmp_path / "table"  # known by what is in it
    for written, wrong in ((text, 0), (text.replace("-0.02", "-0.03"), 1)):
        path.write_text(written, encoding="utf-8")
        answer = run_gelu("check", path, *words)
        judged = [
            (repr(float(row["x"])), row["column"], row["published"].lower()) for row in answer.rows
        ]
        assert judged == figures_of(name, written)
        verdicts = [row["verdict"] for row in answer.rows]
        assert (answer.code, verdicts.count("wrong"), verdicts.count("right")) == (
            wrong, wrong, count - wrong,
        )  # fmt: skip


@every_layout
@pytest.mark.parametrize("words", IN_FORMATS, ids=" ".join)
def test_results_in_a_format_are_judged_as_they_stand_in_the_text(name, words, tmp_path):
    digits = ["--digits", "17"] if name == "markdown" else []
    text = gelu("table", *POINTS, *SHOWN, *words, *digits, "-f", name).out
    rows = cells_of(name, text)
    bits = "bits" if name == "markdown" else f"{SIGMOID}_bits"  # as its headings are
    judged = bits if "--bits" in words else SIGMOID
    count = sum(row[judged] is not None for row in rows)
    other = "0x3f80" if "--bits" in words else "1.0"
    path = tmp_path / "table"
    for written, wrong in ((text, 0), (text.replace(rows[0][judged], other), 1)):
        path.write_text(written, encoding="utf-8")
        summary = run_gelu("check", path, "--dtype", words[1], "--view", "summary").rows
        found = [(int(row["inputs"]), int(row["misrounded"])) for row in summary]
        assert found == [(count, 0), (count, wrong)]


@every_layout
def test_its_points_are_those_of_the_same_table(name, tmp_path):
    for words in [*IN_PRINT, *IN_FORMATS]:
        path = tmp_path / f"table.{name}"
        path.write_text(gelu("table", *POINTS, *SHOWN, *words, "-f", name).out, encoding="utf-8")
        again = gelu("table", "--input", path, *SHOWN, *words, "-f", name)
        assert again.out == path.read_text(encoding="utf-8")


@every_layout
def test_the_points_of_errors_are_read_again(name):
    errors = gelu("error", "-3", "0.5", "--form", "tanh", "-f", name, "--digits", "6").out
    again = gelu("error", "-", "--form", "tanh", stdin=errors.encode())
    assert again.out == gelu("error", "-3", "0.5", "--form", "tanh").out
