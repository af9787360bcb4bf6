"""Whatever is on the command line: an answer or one line, an exit code, and nothing else.

The questions are the real ones with fewer inputs: counts are cut to `MOST`. The variable GELU_FUZZ
is the number of lines, 500 unless it is set; other lines come with each --hypothesis-seed.
"""

import csv
import json
import os
import signal
from contextlib import contextmanager
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from gelu_cli.cli import options
from gelu_cli.cli.commands import sweep
from gelu_cli.cli.input import numbers
from gelu_cli.cli.output import output as _output
from tests.cli.examples import COMMANDS
from tests.cli.runner import run_gelu
from tests.fuzz.command_lines import command_lines, stdin_texts
from tests.fuzz.folder import SAID_BY_KERNEL, Folder

MOST, MOST_POINTS = 40, 200
LINES = int(os.environ.get("GELU_FUZZ", "500"))
"""A few percent fewer are run: where there is little to choose, not every line drawn is new."""
SECONDS = 60


def nearer(inputs):
    """Return inputs that are fewer where every float32 was asked for, or nothing."""

    def fewer(number_format, *arguments):
        asked = inputs(number_format, *arguments)
        whole = asked.every and number_format.width > 16
        asked = asked._replace(samples=min(asked.samples, MOST))
        return asked._replace(low=1.0, high=1.0001) if whole else asked

    return fewer


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        whole = options.parse_whole

        def fewer(*arguments):
            return min(whole(*arguments), MOST)

        patch.setattr(options, "parse_whole", fewer)
        patch.setattr(_output, "parse_whole", fewer)
        patch.setattr(numbers, "MOST_POINTS", MOST_POINTS)
        patch.setattr(sweep, "_inputs", nearer(sweep._inputs))
        folder = Folder(tmp_path_factory.mktemp("fuzz") / "folder")
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
