"""Whatever is on the command line: an answer or one line, an exit code, and nothing else.

The variable GELU_FUZZ is the number of lines; others are drawn each time, or by --hypothesis-seed.
Unless it is set there are 100, always the same.
"""

import os
import signal
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.old.cli.examples import COMMANDS
from tests.old.cli.runner import run_gelu
from tests.old.fuzz.command_lines import FEWEST, SHARES, command_lines, stdin_texts
from tests.old.fuzz.contract import Ended, faults
from tests.old.fuzz.files import Folder

LINES = int(os.environ.get("GELU_FUZZ", "100"))
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


def assert_holds(folder, words, stdin):
    folder.restore()
    with seconds(SECONDS, words):
        code, out, err = run_gelu(*words, stdin=stdin)
    ended = Ended(code, out.encode(errors="surrogateescape"), err.encode())
    assert not list(faults(words, ended, folder)), (words, stdin, ended)


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
        derandomize="GELU_FUZZ" not in os.environ,
        suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.shrink],
    )  # fmt: skip
    @given(command_lines(command), stdin_texts)
    def holds(words, stdin):
        line = (*words, stdin if "-" in words or not words else b"")
        if line not in passed and len(passed) < share:
            assert_holds(folder, [command, *words], stdin)
            passed.add(line)

    holds()
