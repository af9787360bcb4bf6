"""A real terminal, through a pseudo-terminal: its width, its colours, and its refusals of them."""

import os
from collections import Counter
from contextlib import closing
from unittest import mock

import pytest

from tests.old.cli.processes import CSV, RELU, environment
from tests.old.cli.runner import gelu
from tests.old.cli.terminals import Session, plain


@pytest.fixture(scope="module")
def terminal():
    with closing(Session()) as session:
        yield session


def test_on_a_terminal_of_any_width_no_digit_is_lost(terminal):
    words = [
        "table",
        "-3.25",
        "1e-300",
        "1e9",
        "-inf",
        "0.1",
        "--quantity",
        "value",
        "--digits",
        "17",
    ]
    expected = [cell.removesuffix(".0") for row in gelu(*words).rows for cell in row.values()]
    digits = Counter(char for char in "".join(expected) if char.isdigit())
    for width in (60, 30, 15, 10):
        assert not digits - Counter(plain(terminal.show(width, *words)))


def test_a_number_longer_than_the_line_is_folded_and_whole(terminal):
    words = ["table", "1", "--form", "exact", "--quantity", "value", "--digits", "60"]
    text = plain(terminal.show(40, *words))
    (row,) = gelu(*words).rows
    assert row["exact"] in "".join(text.split())
    assert max(map(len, text.splitlines())) <= 40


@pytest.mark.parametrize("words", [["table", "-3", "1"], ["forms"]], ids=" ".join)
def test_every_width_of_a_terminal_is_wide_enough(terminal, words):
    for width in (1, 5, 10, 80):
        lines = plain(terminal.show(width, *words)).splitlines()
        assert max(map(len, lines)) <= width


SWEEP = ["sweep", "erfc", "--dtype", "float8_e5m2", "--view", "plot"]


@pytest.mark.parametrize(
    "words", [["plot"], ["plot", "--error", "relative", "--range", "1:2"], SWEEP], ids=" ".join
)
def test_a_picture_is_as_wide_as_the_terminal(terminal, words):
    for width in (20, 80, 200):
        shown = terminal.show(width, *words, "--quiet")
        assert max(map(len, plain(shown).splitlines())) == width
        assert "\x1b[38;5;" in shown
        assert " ⠤" in plain(shown)


@pytest.mark.parametrize("words", [["table", "1"], ["plot"]], ids=" ".join)
def test_a_terminal_gets_colour_unless_it_is_refused(terminal, words):
    coloured = terminal.show(80, *words)
    assert "\x1b[" in coloured
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}):
        shown = terminal.show(80, *words, **env)
        assert "\x1b" not in shown
        assert words == ["plot"] or shown == plain(coloured)
    assert "\x1b[" in terminal.show(80, *words, NO_COLOR="")  # empty is as good as unset


def test_on_a_terminal_another_format_is_what_it_is_in_a_pipe(terminal):
    assert terminal.show(80, *RELU, "--format", "csv").encode() == CSV


TABLE = ["table", "1", "2.5", "--quantity", "all", "-f", "table"]


def in_a_pipe(*words, **env):
    """Return what a command prints where there is no terminal anywhere."""
    with mock.patch.dict(os.environ, environment(**env), clear=True):
        return gelu(*words).out


def test_a_table_in_a_pipe_is_as_wide_as_80_columns_or_as_COLUMNS_says(terminal):  # noqa: N802
    shown = {width: terminal.show(width, *TABLE, NO_COLOR="1") for width in (40, 80, 200)}
    assert in_a_pipe(*TABLE) == shown[80]
    for width, text in shown.items():
        assert in_a_pipe(*TABLE, COLUMNS=str(width)) == text
    assert len(set(shown.values())) == len(shown)


@pytest.mark.parametrize("words", [["table", "1", "-f", "table"], ["plot"]], ids=" ".join)
def test_colours_in_a_pipe_are_there_if_they_are_forced(words):
    bare = in_a_pipe(*words)
    assert "\x1b" not in bare
    for forced in ({"FORCE_COLOR": "3"}, {"CLICOLOR_FORCE": "1"}):
        coloured = in_a_pipe(*words, **forced)
        assert "\x1b[" in coloured
        assert plain(coloured) == bare
    for not_forced in ({"FORCE_COLOR": ""}, {"CLICOLOR_FORCE": "0"}):
        assert in_a_pipe(*words, **not_forced) == bare
    assert in_a_pipe(*words, FORCE_COLOR="1", NO_COLOR="1") == bare
    assert in_a_pipe("table", "1", FORCE_COLOR="1") == gelu("table", "1").out
