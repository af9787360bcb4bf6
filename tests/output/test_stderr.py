"""Progress: on a terminal only, and gone at the end; lines on stderr."""

from contextlib import redirect_stderr, suppress
from io import StringIO
from time import monotonic
from unittest.mock import Mock

from gelu_cli.output.streams import progress, say
from tests.runner import Terminal

ERASE_LINE, SHOW_CURSOR = "\x1b[2K", "\x1b[?25h"


def test_nothing_is_shown_if_quiet_off_a_terminal_or_done_soon():
    at_once = {"after": 0}
    for quiet, stream, more in (
        (True, Terminal, at_once),
        (False, StringIO, at_once),
        (True, StringIO, at_once),
        (False, Terminal, {}),
    ):
        with redirect_stderr(stream()) as err, progress(quiet, **more) as report:
            report(1, 2)
        assert err.getvalue() == "", (quiet, stream)


def test_a_line_on_stderr_is_written_at_once():
    """Else output of another program comes before its end, where streams are not buffered."""
    with redirect_stderr(Mock()) as err:
        say("fault; remedy")
    err.write.assert_called_once_with("gelu: fault; remedy\n")


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
