"""Every exit code: a command line that ends with it, and where it is told."""

import re
from pathlib import Path
from unittest import mock

import pytest

import gelu_cli.old.answers.forms.listing as answer
from gelu_cli.errors import EXIT_CODES, INTERRUPTED, ComputationError
from tests.old.cli.processes import assert_one_line, run, shell
from tests.old.cli.runner import assert_refused, run_gelu

FILES = {"published.csv": "x,exact\n1,0.9\n"}
DOCS = Path(__file__).parents[4] / "docs"


class OddError(Exception):
    """One of which not even the text can be had."""

    def __str__(self):
        raise ValueError


ENDS = {
    "forms": 0,
    "check published.csv": 1,
    "table --input nowhere.csv": 2,
    "forms -o nowhere/a.csv": 3,
}
"""Success, a judgement, input that cannot be read, an answer that cannot be written."""


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("line", "code"), ENDS.items())
def test_a_process_ends_with_its_code(line, code):
    done = run(*line.split())
    assert (done.returncode, bool(done.stdout)) == (code, code < 2)
    assert (done.stderr.count(b"\n"), code == 0) in ((0, True), (1, False))


def test_4_is_an_answer_that_cannot_be_computed():
    much = ["sweep", "erfc", "--samples", "1000000000"]
    done = shell("", *much, prefix="ulimit -v 2000000;")
    assert_one_line(done, 4, b"gelu: not enough memory\n")


ERRORS = [
    (ComputationError("no average\nconverges"), 4, r"no average\nconverges"),
    (MemoryError(), 4, "not enough memory"),
    (OSError(24, "Too many"), 4, "answer could not be computed: Too many"),
    (ZeroDivisionError("0"), 70, "internal error, please report it: ZeroDivisionError: 0"),
    (RecursionError("deep"), 70, "internal error, please report it: RecursionError: deep"),
    (SystemExit(0), 70, "internal error, please report it: SystemExit: 0"),
    (OddError(), 70, "internal error, please report it: OddError"),
]


@pytest.mark.parametrize(("error", "code", "said"), ERRORS, ids=repr)
def test_an_error_in_an_answer_is_one_line(monkeypatch, error, code, said):
    monkeypatch.setattr(answer, "forms", mock.Mock(side_effect=error))
    assert_refused(run_gelu("forms"), said, code=code)


def test_130_is_an_interrupt(monkeypatch):
    """What is interrupted as a process is in test_signals.py."""
    monkeypatch.setattr(answer, "forms", mock.Mock(side_effect=KeyboardInterrupt))
    assert run_gelu("forms").code == INTERRUPTED == 130


def test_the_manual_and_the_pages_tell_every_code():
    told = {str(code): meaning for code, meaning in EXIT_CODES.items()}
    assert list(told) == ["0", "1", "2", "3", "4", "70", "130"]
    manual = (DOCS / "gelu.1").read_text(encoding="utf-8").replace("\\-", "-")
    status = manual.partition(".SH EXIT STATUS\n")[2].partition(".SH ")[0]
    assert dict(re.findall(r"\.TP\n\.B (\d+)\n(.*)\n", status)) == told
    page = (DOCS / "output.md").read_text(encoding="utf-8").partition("## Exit codes\n")[2]
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", page, re.M)
    assert {code: meaning.replace("`", "") for code, meaning in rows} == told
