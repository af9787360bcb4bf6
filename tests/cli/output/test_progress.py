"""The line that tells how far a run is: on a terminal alone, no wider than it, gone at the end."""

import io
import sys
from itertools import count

import pytest
from rich.cells import cell_len

from gelu_cli.cli.output import progress as _progress
from gelu_cli.cli.output.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def said(stream, monkeypatch, quiet=False, name="tanh_sum"):
    """Return what is written to a stream that stands for stderr, with a second between steps."""
    seconds = count(0.0)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(_progress, "monotonic", lambda: next(seconds))
    with Progress(quiet) as progress:
        show = progress.over_inputs(name)
        show(1_000, 4_278_190_080)
        show(2_000, 4_278_190_080)
    return stream.getvalue()


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_it_fits_the_terminal_and_is_gone_at_the_end(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    nothing, *lines, last = said(Terminal(), monkeypatch).split("\r\033[K")
    assert (nothing, len(lines), last) == ("", 2, "")
    assert all(line.startswith("tanh_sum: 0%") and len(line) < columns for line in lines)


NAMES = ["k.py:f(a='" + "x" * 300 + "')", "漢字😀" * 100, "a\x1b[2J\n\u202e" * 40, "e\u0301" * 300]


@pytest.mark.parametrize("name", NAMES, ids=["long", "wide", "unseen", "combining"])
def test_no_name_hides_the_figures_steers_the_terminal_or_folds_the_line(monkeypatch, name):
    for columns, figures in ((40, ": 0%, "), (80, ": 0%, 1,000 inputs a second, 4278188 s left")):
        monkeypatch.setenv("COLUMNS", str(columns))
        _, *lines, _ = said(Terminal(), monkeypatch, name=name).split("\r\033[K")
        assert len(lines) == 2
        assert figures in lines[1]
        for line in lines:
            assert cell_len(line) < columns
            assert line.isprintable()


def test_off_a_terminal_and_in_silence_there_is_none(monkeypatch):
    assert said(io.StringIO(), monkeypatch) == ""
    assert said(Terminal(), monkeypatch, quiet=True) == ""
