"""The line that tells how far a run is: on a terminal alone, no wider than it, gone at the end."""

import io
import subprocess
import sys
from itertools import count

import pytest
from rich.cells import cell_len

from gelu_cli.old import stages
from gelu_cli.old.answers.variance import variance
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.calculus import monte_carlo
from gelu_cli.old.formulas import find_form
from gelu_cli.old.guests.calling import Calling
from gelu_cli.old.guests.hosted import GuestImplementation
from gelu_cli.old.report import read
from gelu_cli.old.sweeping.implementations import Kernel
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.sweep import Sweep
from gelu_cli.old.sweeping.truth import Question
from gelu_cli.old.writing import progress as _progress
from gelu_cli.old.writing.progress import ERASE, Progress, found_by
from tests.old.cli.runner import gelu
from tests.old.cli.terminals import shown_by


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")


def watched_on(stream, monkeypatch):
    """Have a stream stand for stderr, and a clock on which every look takes a second."""
    seconds = count(0.0)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(_progress, "monotonic", lambda: next(seconds))
    return stream


def said(stream, monkeypatch, quiet=False, name="tanh_sum"):
    """Return what is written to a stream that stands for stderr, with a second between steps."""
    watched_on(stream, monkeypatch)
    with Progress(quiet) as progress:
        show = progress.over_inputs(name)
        show(1_000, 4_278_190_080)
        show(2_000, 4_278_190_080)
    return stream.getvalue()


def lines_of(stream):
    return [line for line in stream.getvalue().split(ERASE) if line]


LONG = "k.py:f(a='" + "x" * 300 + "')"
NAMES = ["tanh_sum", LONG, "漢字😀" * 100, "a\x1b[2J\n\u202e" * 40, "e\u0301" * 300]


@pytest.mark.parametrize("name", NAMES, ids=["usual", "long", "wide", "unseen", "combining"])
def test_no_name_hides_the_figures_steers_the_terminal_or_folds_the_line(monkeypatch, name):
    for columns, figures in ((40, ": 0%, "), (80, ": 0%, 1,000 inputs a second, 4278188 s left")):
        monkeypatch.setenv("COLUMNS", str(columns))
        nothing, *lines, last = said(Terminal(), monkeypatch, name=name).split("\r\033[K")
        assert (nothing, len(lines), last) == ("", 2, "")
        assert figures in lines[1]
        for line in lines:
            assert cell_len(line) < columns
            assert line.isprintable()


def test_off_a_terminal_in_silence_and_where_no_line_can_be_erased_there_is_none(monkeypatch):
    assert said(io.StringIO(), monkeypatch) == ""
    assert said(Terminal(), monkeypatch, quiet=True) == ""
    monkeypatch.setenv("TERM", "dumb")
    assert said(Terminal(), monkeypatch) == ""


def test_work_that_tells_nothing_is_seen_to_go_on(monkeypatch):
    terminal = watched_on(Terminal(), monkeypatch)
    with Progress(quiet=False) as progress:
        progress.renew()
        progress.renew()
    assert lines_of(terminal) == ["working, 1 s", "working, 2 s"]


def test_the_line_is_renewed_by_a_thread_that_ends_with_the_work(monkeypatch):
    terminal = watched_on(Terminal(), monkeypatch)
    started = []

    class Thread:
        def __init__(self, target, daemon):
            self.target = target
            assert daemon

        def start(self):
            started.append(self.target)

    monkeypatch.setattr(_progress, "Thread", Thread)
    with Progress(quiet=False) as progress:
        waits = iter([False, False, True])
        monkeypatch.setattr(progress.ended, "wait", lambda seconds: next(waits))
        (renewing,) = started
        renewing()
        assert len(lines_of(terminal)) == 2
    assert progress.ended.is_set()


def test_quick_work_says_nothing(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(_progress, "monotonic", lambda: 0.0)
    with Progress(quiet=False):
        stages.tell("done at once")
    assert stream.getvalue() == ""


def test_while_the_answer_is_written_there_is_no_line(monkeypatch):
    terminal = watched_on(Terminal(), monkeypatch)
    with Progress(quiet=False) as progress:
        progress.renew()
        with progress.hidden():
            assert terminal.getvalue().endswith(ERASE)
            progress.renew()
            stages.tell("not now")
            assert terminal.getvalue().endswith(ERASE)
        progress.renew()
    assert lines_of(terminal)[-1].startswith("not now")


def test_a_terminal_that_goes_away_ends_no_work(monkeypatch):
    terminal = watched_on(Terminal(), monkeypatch)
    with Progress(quiet=False) as progress:
        terminal.close()
        progress.renew()
        progress.renew()


def test_while_a_person_types_nothing_is_written(monkeypatch):
    terminal = watched_on(Terminal(), monkeypatch)
    with Progress(quiet=False) as progress:
        progress.renew()
        stages.tell("")
        progress.renew()
        stages.tell("not now")
        assert terminal.getvalue().endswith(ERASE)


def test_inputs_are_all_done_only_when_none_is_left():
    almost = _progress.inputs_done("erfc", 9_999, 10_000)(60.0)
    assert almost == "erfc: 99%, 167 inputs a second, 1 s left"
    assert _progress.inputs_done("erfc", 10_000, 10_000)(60.0) == "erfc: 10,000 inputs judged, 60 s"


def test_a_sweep_names_what_is_left_when_all_inputs_are_judged(monkeypatch, tmp_path):
    (tmp_path / "k.py").write_text("def f(x): return x\n")
    terminal = watched_on(Terminal(), monkeypatch)
    calling = Calling(FORMATS["float32"], FORMATS["float32"])
    question = Question(find_form("relu"), "value", FORMATS["float32"])
    function = GuestImplementation("k", f"{tmp_path}/k.py:f", {}, calling)
    sweep = Sweep([Kernel(function, question)], Inputs(-4.0, 4.0, every=False, samples=3000))
    with function:
        (verdict,) = found_by(sweep, sweep.verdicts, "k", quiet=False)
    with Progress(quiet=False):
        assert verdict.max_ulp > 0
    shown = "\n".join(lines_of(terminal))
    stages_of_it = [
        "k: 3,", "k: neighbours of the worst inputs", "k: some inputs again", "k: exact errors",
    ]  # fmt: skip
    places = [shown.index(f"\n{stage}") for stage in stages_of_it]
    assert places == sorted(places)
    assert "100%" not in shown
    assert " 0 s left" not in shown


def test_calculus_tells_the_form_the_step_and_the_bits(monkeypatch):
    terminal = watched_on(Terminal(), monkeypatch)
    monkeypatch.setattr(monte_carlo, "BATCH", 1000)
    with Progress(quiet=False):
        read(variance([find_form("tanh")], digits=30, samples=3000))
    shown = " ".join(lines_of(terminal))
    assert "tanh: averages, to 113 bits" in shown
    assert "tanh: 2,000 of 3,000 samples" in shown


IMPATIENT = """
import sys
from gelu_cli.old.writing import progress
progress.FIRST_SECONDS, progress.SECONDS = 0, 0.01
from gelu_cli.old.cli.app import run
sys.exit(run(sys.argv[1:]))
"""
"""`gelu` that shows every stage at once, so that no test has to wait for one."""


IMPATIENT_GELU = [sys.executable, "-c", IMPATIENT]
WORDS = ["variance", "--form", "tanh"]


@pytest.mark.parametrize("name", ["table", "json"])
def test_on_a_real_terminal_the_line_is_gone_before_the_answer_comes(name):
    shown, ended = shown_by([*IMPATIENT_GELU, *WORDS, "--format", name], width=40)
    assert ended.returncode == 0
    pieces = shown.split(ERASE)
    lines = [piece for piece in pieces if "\n" not in piece]
    assert any("tanh: averages, to" in line for line in lines)
    assert max(map(len, lines)) < 40
    quiet, _ = shown_by([*IMPATIENT_GELU, *WORDS, "--format", name, "--quiet"], width=40)
    assert quiet == "".join(piece for piece in pieces if "\n" in piece)


def test_an_answer_that_goes_elsewhere_has_nothing_of_it():
    shown, ended = shown_by([*IMPATIENT_GELU, *WORDS], width=40, stdout=subprocess.PIPE)
    assert "tanh: averages, to" in shown
    assert shown.endswith(ERASE)
    assert ended.stdout.decode() == gelu(*WORDS).out
