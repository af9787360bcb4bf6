"""Progress: on a terminal only, and gone at the end."""

from contextlib import redirect_stderr, suppress
from io import StringIO
from time import monotonic

import pytest

from gelu_cli.output.progress import progress
from tests.runner import Terminal

ERASE_LINE, SHOW_CURSOR = "\x1b[2K", "\x1b[?25h"


@pytest.mark.parametrize(
    ("quiet", "stream"), [(True, Terminal), (False, StringIO), (True, StringIO)]
)
def test_nothing_is_shown_if_quiet_or_off_a_terminal(quiet, stream):
    with redirect_stderr(stream()) as err, progress(quiet, after=0) as report:
        report(1, 2)
    assert err.getvalue() == ""


def test_quick_work_shows_nothing():
    with redirect_stderr(Terminal()) as err, progress(False) as report:
        report(1, 2)
    assert err.getvalue() == ""


def test_the_share_is_shown_and_erased_even_after_an_error(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    with redirect_stderr(Terminal()) as err, suppress(KeyError), progress(False, after=0) as report:
        end = monotonic() + 10
        while "25%" not in err.getvalue() and monotonic() < end:
            report(1, 4)
        raise KeyError
    _, share, last = err.getvalue().rpartition("25%")
    assert share
    assert ERASE_LINE in last
    assert SHOW_CURSOR in last
