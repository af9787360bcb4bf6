"""Whole answers for CI: exit codes, files, GitHub's summary, and what is left after a failure."""

import re
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from gelu_cli import sweep
from gelu_cli.old.writing.asked import Asked, Judging
from gelu_cli.old.writing.destinations import choose
from gelu_cli.old.writing.verdicts import Answer, write_verdicts
from tests.old.cli.runner import assert_all_refused, gelu, refusal, run_gelu

SWEEP = ["sweep", "erfc", "tanh_sum", "--dtype", "bfloat16", "--range",
         "-3:-2.97"]  # fmt: skip
KERNEL = """
calls = [0]
def fails(x):
    calls[0] += 1
    if calls[0] > 1: raise ValueError("no more")
    return x
"""
FAILING = ["sweep", "k.py:fails", "--samples", "8192", "--seed", "1", "--form",
           "relu", "--batch", "4096"]  # fmt: skip
CLOCK = r"\d{4}-\d\d-\d\dT[\d:+-]*"
SUMMARY = "GITHUB_STEP_SUMMARY"


FILES = {"k.py": KERNEL}


@pytest.fixture(autouse=True)
def outside_of_github(folder, monkeypatch):
    monkeypatch.delenv(SUMMARY, raising=False)


@pytest.mark.parametrize(("name", "suffix"), [("html", "html"), ("junit", "xml")])
def test_the_suffix_names_the_document(name, suffix):
    gelu(*SWEEP, "-o", f"a.{suffix}")
    gelu(*SWEEP, "-f", name, "-o", "a.other")
    first, second = (
        re.sub(CLOCK, "", Path(each).read_text()) for each in (f"a.{suffix}", "a.other")
    )
    assert first == second.replace(f"-f {name} ", "").replace("a.other", f"a.{suffix}")


@pytest.mark.parametrize(
    ("name", "end"), [("html", "</html>\n"), ("junit", "</testsuites>\n"), ("github", "hold.\n")]
)
def test_a_document_is_whole_where_a_limit_is_exceeded(name, end):
    done = run_gelu(*SWEEP, "--max-ulp", "0.6", "-f", name)
    assert (done.code, len(done.err.splitlines())) == (1, 1)
    assert "exceeds --max-ulp 0.6" in done.err
    assert done.out.endswith(end)
    assert "tanh_sum: " in done.out


def test_digits_are_those_of_people_in_a_page_and_all_elsewhere():
    page, report = (gelu(*SWEEP, "-f", name).out for name in ("html", "junit"))
    found = [each.get("value") for each in ElementTree.fromstring(report).iter("property")
             if each.get("name") == "max_ulp"]  # fmt: skip
    exact = gelu(*SWEEP, "-f", "html", "-d", "17").out
    for each in found:
        assert len(each) > 14
        assert each[:14] in exact
        assert each[:14] not in page
        assert f"{float(each):.6}" in page


def test_the_summary_of_a_job_is_appended_to(monkeypatch):
    monkeypatch.setenv(SUMMARY, "summary.md")
    Path("summary.md").write_text("# before\n")
    plain = gelu(*SWEEP, "-f", "github").out
    *of_kernels, judged = plain.splitlines()
    assert judged == "::notice title=gelu::No limit was given, so nothing is judged."
    assert [each.partition("::At the input")[0] for each in of_kernels] == [
        "::notice title=erfc", "::notice title=tanh_sum",
    ]  # fmt: skip
    once = Path("summary.md").read_text(encoding="utf-8")
    gelu(*SWEEP, "-f", "github", "-o", "annotations")
    assert Path("annotations").read_text() == plain
    twice = Path("summary.md").read_text(encoding="utf-8")
    assert once.startswith("# before\n## Errors")
    assert twice == once + once.removeprefix("# before\n")


def test_a_summary_that_cannot_be_written_is_said(monkeypatch):
    monkeypatch.setenv(SUMMARY, "missing/summary.md")
    done = run_gelu(*SWEEP, "-f", "github")
    assert (done.code, done.out[:9]) == (3, "::notice ")
    assert not refusal(done._replace(out=""), "cannot write 'missing/summary.md'", code=3)


def test_a_kernel_that_fails_is_an_error_and_leaves_the_file():
    Path("old.xml").write_text("old")
    done = run_gelu(*FAILING, "--max-ulp", "2", "-o", "old.xml")
    assert (done.code, Path("old.xml").read_text()) == (4, "old")
    root = ElementTree.fromstring(done.out)
    (error,) = root.iter("error")
    assert "k.py:fails raised ValueError" in error.get("message")
    assert (root.get("errors"), root.get("failures")) == ("1", "0")
    page = run_gelu(*FAILING, "-f", "html").out
    assert "The answer is not complete." in page


BUDGET = """
[[bound]]
kernel = "erfc"
max_ulp = 30
over_1_ulp = 1

[[bound]]
kernel = "erfc"
range = "-4:-2"
wrong_nan = 3
reason = "once it was so"
"""


def test_bounds_of_a_file_have_their_lines_and_so_has_a_failure_that_vanished():
    Path("b.toml").write_text(BUDGET)
    words = [*SWEEP[:2], "--dtype", "bfloat16", "--range=-4:-2", "--budget", "b.toml"]
    done = run_gelu(*words, "-f", "github")
    error, warning, told, notice = done.out.splitlines()
    assert told.startswith("::notice title=erfc::Every result is within 1 ULP")
    assert done.code == 1
    assert error.startswith("::error file=b.toml,line=5,title=erfc%3A over_1_ulp ≤ 1::")
    assert warning.startswith("::warning file=b.toml,line=10,title=erfc%3A a known failure::")
    assert "fails no longer" in warning
    assert notice.endswith("1 of 3 limits does not hold.")
    root = ElementTree.fromstring(run_gelu(*words, "-f", "junit").out)
    (failing,) = [case for case in root.iter("testcase") if case.find("failure") is not None]
    assert (failing.get("file"), failing.get("line")) == ("b.toml", "5")
    page = run_gelu(*words, "-f", "html").out
    assert page.index("&#10007; fails") < page.index("! vanished") < page.index("&#10003; holds")


def test_a_document_says_where_a_limit_holds_for_a_sample_alone():
    line = "sweep logistic --range=1:1.5 --samples 20 --form self"
    answer = run_gelu(*line.split(), "--max-ulp", "99", "-f", "html")
    assert "the figure is a lower bound" in answer.out


def test_an_interrupt_is_an_error(capsys):
    verdict = sweep(
        lambda x: np.maximum(x, np.zeros_like(x)), dtype="bfloat16", form="relu", low=1, high=2
    )
    verdict.complete = False
    judging = Judging(max_ulp=Fraction(9))
    with pytest.raises(KeyboardInterrupt):
        write_verdicts(Answer("sweep", [verdict], judging), choose(Asked("junit", quiet=True)))
    (error,) = ElementTree.fromstring(capsys.readouterr().out).iter("error")
    assert error.get("message") == "interrupted after 129 inputs"


def test_what_a_document_does_not_use_is_refused():
    assert_all_refused(
        *SWEEP,
        cases=[
            ("-f html --view regions", "--view regions", "html is all of it", "another --format"),
            ("-o a.xml --view regions", "--view regions", "junit is all of it", "another --format"),
            ("-f junit --no-header", "--no-header is for csv and tsv, not for junit"),
            ("-o a.html --no-header", "--no-header is for csv and tsv, not for html"),
            ("-f junit --worst 3", "--worst"),
            ("-f html -o a.svg", "--format html contradicts", "svg"),
            ("-f github -o a.json", "--format github contradicts", "record"),
            ("-f junit -o a.csv", "--format junit contradicts", "csv"),
        ],
    )
    assert_all_refused(
        *SWEEP[:-2],
        cases=[("--at 1 -f github", "--at is a table: github is of a sweep")],
    )
    assert [path.name for path in Path().iterdir() if path.suffix != ".py"] == []


def test_a_limit_of_a_sample_that_is_exceeded_is_not_said_to_hold():
    words = ["sweep", "erf_sum", "--samples", "2000", "--range", "1:8"]
    failed = run_gelu(*words, "--max-abs", "1e-30")
    assert failed.code == 1
    assert "exceeds 1e-30" in failed.err
    assert "hold" not in failed.err
    assert "limits hold for the 2,000 inputs" in run_gelu(*words, "--max-abs", "1").err
