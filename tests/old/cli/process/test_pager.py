"""What people read goes through the user's pager, as git's answers do."""

import re
import shutil
import signal
import subprocess
from contextlib import closing

import pytest

from tests.old.cli.processes import GELU
from tests.old.cli.runner import gelu
from tests.old.cli.terminals import Session, plain, shown_by

LONG = ["table", "-4:4:/40", "--form", "relu"]
SHORT = ["table", "-4:4:/4", "--form", "relu"]
PAGER = "sed s/^/|/"
"""It shows which lines went through it."""


@pytest.fixture(scope="module")
def terminal():
    with closing(Session()) as session:
        yield session


def table(*words):
    return gelu(*words, "-f", "table").out


def paged(text):
    return "".join(f"|{line}\n" for line in text.splitlines())


def test_a_table_goes_through_the_pager(terminal):
    assert plain(terminal.show(80, *LONG, PAGER=PAGER)) == paged(table(*LONG))
    assert plain(terminal.show(80, *SHORT, PAGER=PAGER)) == paged(table(*SHORT))


@pytest.mark.skipif(not shutil.which("less"), reason="less is not installed")
def test_less_shows_what_fits_the_screen_and_ends(terminal):
    shown = plain(terminal.show(80, *SHORT, TERM="xterm"))
    assert "".join(re.sub(r"\x1b[^a-zA-Z]*[a-zA-Z=>]|\r", "", shown).split()) == "".join(
        table(*SHORT).split()
    )


def test_all_tables_of_an_answer_go_through_one_pager(terminal):
    words = ["sweep", "erfc", "--dtype", "float8_e5m2"]
    numbered = plain(terminal.show(80, *words, PAGER="sed ="))
    bare = plain(terminal.show(80, *words, NO_COLOR="1", PAGER=""))
    count = bare.count("\n")
    assert numbered.splitlines()[::2] == [*map(str, range(1, count + 1))]
    assert [line.rstrip() for line in numbered.splitlines()[1::2]] == bare.splitlines()


def test_help_goes_through_the_pager(terminal):
    shown = terminal.show(80, "sweep", "--help", PAGER=PAGER)
    assert shown == paged(terminal.show(80, "sweep", "--help"))


@pytest.mark.parametrize("no_pager", ["", "cat", "no-such-program -x", "'", "less"])
def test_without_a_pager_it_is_printed(terminal, no_pager):
    dumb = {"TERM": "dumb"} if no_pager == "less" else {}
    assert plain(terminal.show(80, *LONG, PAGER=no_pager, **dumb)) == table(*LONG)


@pytest.mark.parametrize("pager", ["false", "sh -c 'exit 3'", "sh -c 'read line; exit 1'"])
def test_what_a_pager_that_fails_has_not_read_is_printed(terminal, pager):
    many = ["table", "0:1:/2000", "--form", "relu"]
    for words in (LONG, SHORT, many):
        assert plain(terminal.show(80, *words, PAGER=pager)) == gelu(*words, "-f", "table").out
    assert terminal.show(80, "sweep", "--help", PAGER=pager).startswith("How ")


def on_a_terminal(*words, stdin, **env):
    """Return what a process of its own shows on a terminal, and what it says on stderr."""
    shown, ended = shown_by([*GELU, *words], stdin=stdin, stderr=subprocess.PIPE, env=env)
    assert ended.returncode == 0
    return plain(shown), ended.stderr


@pytest.mark.parametrize("stdin", [subprocess.DEVNULL, subprocess.PIPE])
def test_a_pager_that_nobody_can_leave_is_none(terminal, stdin):
    assert on_a_terminal(*LONG, stdin=stdin, PAGER=PAGER) == (table(*LONG), b"")
    assert on_a_terminal("sweep", "--help", stdin=stdin, PAGER=PAGER)[0].startswith("How ")
    assert plain(terminal.show(80, *LONG, PAGER=PAGER, CI="true")) == table(*LONG)
    assert plain(terminal.show(80, *LONG, PAGER=PAGER, CI="")) == paged(table(*LONG))


@pytest.mark.parametrize("form", ["csv", "markdown"])
def test_only_tables_are_paged(terminal, form):
    shown = terminal.show(80, *LONG, "-f", form, PAGER=PAGER)
    assert shown == gelu(*LONG, "-f", form).out


def test_what_is_said_comes_after_what_was_shown(terminal, tmp_path):
    """A pager has the screen until it is left."""
    for words in (LONG, SHORT):
        path = tmp_path / "figures.csv"
        path.write_text(gelu(*words, "--digits", "4").out, encoding="utf-8")
        shown = plain(terminal.show(80, "check", str(path), PAGER=PAGER))
        assert "Figures" in shown.splitlines()[0]
        assert shown.splitlines()[-1].startswith("gelu: note: ")


def test_less_is_asked_for_colours_and_to_end_by_itself_unless_the_user_has_said(terminal):
    pager = "sh -c 'cat >/dev/null; echo $LESS'"
    assert terminal.show(80, *LONG, PAGER=pager) == "FRX\n"
    assert terminal.show(80, *LONG, PAGER=pager, LESS="S") == "S\n"
    assert "\x1b[" in terminal.show(80, *LONG, PAGER=PAGER)


def test_a_pager_that_is_left_early_ends_it_in_silence():
    words = ["table", "0:1:/5000", "--form", "relu"]
    shown, ended = shown_by([*GELU, *words], stderr=subprocess.PIPE, env={"PAGER": "head -n 3"})
    assert (len(shown.splitlines()), ended.stderr) == (3, b"")
    assert ended.returncode in (0, -signal.SIGPIPE)  # head may have taken all that came
