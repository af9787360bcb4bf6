"""A limit that some inputs keep is not said to hold for all: a note tells, once."""

import pytest

from tests.old.cli.runner import gelu, run_gelu

NOTE = (
    "gelu: note: {names}: --max-ulp {limit} holds for the {inputs} inputs judged; others may have "
    "larger errors, the figure is a lower bound{remedy}\n"
)
SAMPLE = ("sweep", "--samples", "2000", "--view", "summary", "-f", "csv")


@pytest.mark.parametrize(
    ("dtype", "remedy"), [("float32", "; --all takes every float32"), ("float64", "")]
)
def test_a_sample_that_keeps_the_limit_is_a_lower_bound(dtype, remedy):
    words = ("erfc", "erf_sum", "--dtype", dtype, "--range", "1:1.5")
    answer = run_gelu(*SAMPLE, *words, "--max-ulp", "1e17")
    assert answer.code == 0
    (inputs,) = {int(row["inputs"]) for row in answer.rows}
    said = NOTE.format(names="erfc, erf_sum", limit="1e+17", inputs=f"{inputs:,}", remedy=remedy)
    assert answer.err == said


def test_what_keeps_the_limit_is_told_beside_what_exceeds_it():
    words = ("erf_sum", "erfc", "--max-ulp", "1e5")
    answer = run_gelu(*SAMPLE, *words)
    assert answer.code == 1
    first, second = answer.err.splitlines()
    assert first.startswith(
        "gelu: note: erfc: --max-ulp 100000 holds for the 2,000 inputs judged; "
    )
    assert second.startswith("gelu: erf_sum: 1.67")


@pytest.mark.parametrize(
    "words",
    [
        ("--samples", "2000", "-q", "--max-ulp", "1e9"),
        ("--samples", "2000"),
        ("--all", "--range", "1:1.001", "--max-ulp", "9"),
        ("--range", "1:1.001", "--max-ulp", "9"),  # has no more numbers than a sample
        ("--dtype", "bfloat16", "--max-ulp", "999"),
    ],
)
def test_nothing_is_said_of_all_inputs_without_a_limit_or_quietly(words):
    answer = run_gelu("sweep", "erfc", *words, "--view", "summary", "-f", "csv")
    assert (answer.code, answer.err) == (0, "")


def test_a_limit_holds_for_the_rows_of_a_table(tmp_path):
    (tmp_path / "kernel.csv").write_text("x,exact,tanh\n1,0.84,0.84\n2,1.953125,\n")
    words = ("check", str(tmp_path / "kernel.csv"), "--dtype", "bfloat16", "--view", "summary")
    answer = run_gelu(*words, "--max-ulp", "1", "-f", "csv")
    assert answer.code == 0
    one, other = (
        NOTE.format(names=name, limit=1, inputs=inputs, remedy="")
        for name, inputs in (("exact", 2), ("tanh", 1))
    )
    assert answer.err == one + other


@pytest.mark.parametrize(
    ("ends", "samples", "exhaustive"),
    [("1.0:1.002", [], "yes"), ("1.0:1.002", ["--samples", "16777"], "no"),
     ("1.0:1.002", ["--samples", "16778"], "yes")],
)  # fmt: skip
def test_every_input_of_a_small_range_is_every_input(ends, samples, exhaustive):
    words = ("sweep", "erfc", "--range", ends, *samples, "--view", "summary")
    assert gelu(*words).rows[0]["exhaustive"] == exhaustive
    heading = "max ULP ≥" if exhaustive == "no" else "max ULP  "
    assert heading in gelu(*words, "-f", "table").out
