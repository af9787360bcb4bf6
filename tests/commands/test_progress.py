"""The line that tells how far a run is: on a terminal alone, never wider than it, gone at the end."""

import io
import sys

import pytest

from gelu_cli.commands import _progress
from gelu_cli.commands._progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    clock = iter(range(100))
    monkeypatch.setattr(_progress, "monotonic", lambda: float(next(clock)))
    return stream


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_it_fits_the_terminal_and_is_gone_at_the_end(terminal, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    with Progress("tanh_sum", quiet=False) as progress:
        progress(1_000, 4_278_190_080)
        progress(2_000, 4_278_190_080)
    *lines, last = terminal.getvalue().split("\r\033[K")
    assert len(lines) == 3
    assert all(line.startswith("tanh_sum: 0%") and len(line) < columns for line in lines[1:])
    assert last == ""


@pytest.mark.parametrize("quiet", [True, False])
def test_off_a_terminal_and_in_silence_there_is_none(quiet, monkeypatch):
    stream = Terminal() if quiet else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress("tanh_sum", quiet) as progress:
        progress.last = -1e9
        progress(1, 2)
    assert stream.getvalue() == ""
