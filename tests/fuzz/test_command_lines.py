"""Whatever is on the command line: an answer or one line, an exit code, and nothing else.

The variable GELU_FUZZ is the number of lines, 200 unless it is set; other lines come with each
--hypothesis-seed.
"""

import csv
import json
import os
import signal
from contextlib import contextmanager
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.cli.examples import COMMANDS
from tests.cli.runner import run_gelu
from tests.fuzz.command_lines import command_lines, stdin_texts
from tests.fuzz.folder import SAID_BY_KERNEL, Folder

LINES = int(os.environ.get("GELU_FUZZ", "200"))
"""A few percent fewer are run: where there is little to choose, not every line drawn is new."""
SECONDS = 120


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = Folder(tmp_path_factory.mktemp("fuzz") / "folder")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder.path)
        yield folder


class Hangs(BaseException):
    """No error that gelu could take for its own."""


@contextmanager
def seconds(most, words):
    def ring(number, frame):
        raise Hangs(f"over {most} s: {words}")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(most)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def read_json(text):
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


def read_lines(text, delimiter):
    widths = {len(row) for row in csv.reader(text.splitlines(), delimiter=delimiter, strict=True)}
    assert len(widths) <= 1


READERS = {
    "json": read_json,
    "jsonl": lambda text: [read_json(line) for line in text.splitlines()],
    "csv": lambda text: read_lines(text, ","),
    "tsv": lambda text: read_lines(text, "\t"),
}


def format_of(words):
    """Return what --format says, if it is a word of its own."""
    return next((name for word, name in pairwise(words) if word in ("-f", "--format")), None)


def assert_holds(folder, words, stdin):
    folder.restore()
    with seconds(SECONDS, words):
        code, out, err = run_gelu(*words, stdin=stdin)
    lines = [line for line in err.splitlines() if line != SAID_BY_KERNEL]
    assert code in (0, 1, 2)
    assert "internal error" not in err
    assert all(line.startswith("gelu: ") and line.isprintable() for line in lines), err
    assert not any(name.startswith(".gelu") for name in folder.changes())
    if code == 2:
        assert (out, len(lines), folder.changes()) == ("", 1, set())
    elif code == 1:
        assert lines or out or folder.changes()  # a wrong figure, under --quiet
    else:
        assert all(line.startswith("gelu: note: ") for line in lines)
        if out and not out.startswith("Usage: "):
            READERS.get(format_of(words), str)(out)


SHARES = {
    "table": 38, "check": 27, "forms": 5, "locate": 3, "sweep": 3, "error": 2, "variance": 2,
    "plot": 2,
}  # fmt: skip
"""Of the lines, by command, as they cost; the other commands have `FEWEST` each."""
FEWEST = 1
REPEATED = 2
"""So many lines are drawn for each that is run: the half of them come again."""

WHOLE = sum(SHARES.get(command, FEWEST) for command in COMMANDS)


@pytest.mark.timeout(0)  # each line has a time of its own
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_line_ends_by_the_contract(folder, command):
    share = LINES * SHARES.get(command, FEWEST) // WHOLE
    passed = set()

    @settings(
        max_examples=REPEATED * share, deadline=None, database=None,
        suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.shrink],
    )  # fmt: skip
    @given(command_lines(command), stdin_texts)
    def holds(words, stdin):
        line = (*words, stdin if "-" in words else b"")
        if line not in passed and len(passed) < share:
            assert_holds(folder, [command, *words], stdin)
            passed.add(line)

    holds()
