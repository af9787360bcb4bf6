"""What surrounds a command line as a process: streams, variables, limits and signals."""

import signal

from hypothesis import strategies as st

from gelu_cli.old.sweeping.routines import ROUTINES
from tests.old.cli.examples import COMMANDS
from tests.old.fuzz.command_lines import (
    WAITING_LINES,
    command_lines,
    guest_lines,
    stdin_texts,
)
from tests.old.fuzz.contract import Circumstances

ENDS = [signal.SIGTERM, signal.SIGHUP]
SIGNALS = [signal.SIGINT, *ENDS]
"""An interrupt is for lines that have begun: before, it is Python's."""

STDIN = ["pipe"] * 8 + ["file", "closed", "null", "tty", "writing", "zeros"]
STDOUT = ["pipe"] * 12 + ["file", "closed", "null", "full", "broken", "tty", "tty", "reading"]
STDERR = ["pipe"] * 20 + ["file", "closed", "null", "full", "broken", "tty", "tty", "reading"]
VARIABLES = [
    ("COLUMNS", "1"), ("COLUMNS", "20"), ("COLUMNS", "0"), ("COLUMNS", "-1"), ("COLUMNS", "wide"),
    ("TERM", "dumb"), ("TERM", ""), ("NO_COLOR", "1"), ("FORCE_COLOR", "1"),
    ("PYTHONINTMAXSTRDIGITS", "640"), ("PYTHONINTMAXSTRDIGITS", "0"),
    ("PYTHONIOENCODING", "ascii"), ("PYTHONIOENCODING", "latin-1"),
    ("PYTHONIOENCODING", "ascii:ignore"),
    ("TMPDIR", "/nowhere"), ("HOME", "/nowhere"),
]  # fmt: skip
WHEN_EXECUTED = [
    ("PYTHONOPTIMIZE", "2"), ("LC_ALL", "C"), ("LC_ALL", "nonsense"), ("PYTHONUTF8", "0"),
    ("PYTHONWARNINGS", "always"), ("PYTHONDEVMODE", "0"), ("PYTHONUNBUFFERED", "1"),
    ("PYTHONHASHSEED", "0"), ("PYTHONDONTWRITEBYTECODE", "1"), ("PYTHONSAFEPATH", "1"),
]  # fmt: skip
LIMITS = [
    *(("AS", amount) for amount in (1 << 16, 1 << 20, 4 << 20, 16 << 20, 64 << 20)),
    *(("FSIZE", amount) for amount in (0, 1, 100, 5000)),
    *(("NOFILE", amount) for amount in (4, 5, 8, 16)),
    ("CORE", 0), ("STACK", 1 << 20),
]  # fmt: skip
EXECUTED = 1 / 50
"""Of lines; each takes a quarter of a second more."""

delays = st.floats(0.002, 0.4)


def rarely(share, strategy, otherwise=None):
    """Return what a strategy draws in so many of all cases."""
    return st.integers(0, round(1 / share) - 1).flatmap(
        lambda n: strategy if n == 1 else st.just(otherwise)
    )


@st.composite
def circumstances(draw, waiting=False):
    """Return what surrounds a line; one that waits is sent a signal."""
    executed = draw(rarely(EXECUTED, st.just(True), False))
    signals = st.sampled_from(ENDS if executed else SIGNALS)
    sign = draw(signals if waiting else rarely(1 / 8, signals | st.just(signal.SIGPIPE)))
    variables = VARIABLES + WHEN_EXECUTED if executed else VARIABLES
    silent = sign not in (None, signal.SIGPIPE) and draw(st.booleans())
    limit = None if executed or waiting else draw(rarely(1 / 10, st.sampled_from(LIMITS)))
    small = limit and limit[0] == "FSIZE"  # of what we read as well
    return Circumstances(
        stdin="silent" if silent else draw(st.sampled_from(STDIN)),
        stdout="pipe" if small else draw(st.sampled_from(STDOUT)),
        stderr="pipe" if small else draw(st.sampled_from(STDERR)),
        variables=draw(
            rarely(1 / 6, st.lists(st.sampled_from(variables), max_size=2).map(dict), {})
        ),
        limit=limit,
        sign=sign,
        delay=draw(delays) if sign else 0.0,
        executed=executed,
    )


SHARES = {"table": 40, "check": 16, "forms": 6, "locate": 6, "sweep": 1}
"""Of the lines, by command, as they cost; of other commands there are 2."""


def one_routine(words):
    """Return the words of a sweep with one routine, where all of them were meant."""
    chosen = any(":" in word or word in ROUTINES for word in words)
    return words if chosen or words[0] != "sweep" else [*words, "erfc"]


def process_lines():
    """Return command lines, their stdin and what surrounds them."""
    commands = [name for name in COMMANDS for _ in range(SHARES.get(name, 2))]
    usual = st.sampled_from(commands).flatmap(
        lambda name: command_lines(name).map(lambda words: one_routine([name, *words]))
    )
    lines = st.integers(0, 24).flatmap(lambda n: guest_lines() if n == 1 else usual)
    ending = st.tuples(lines, stdin_texts, circumstances())
    waiting = st.tuples(st.sampled_from(WAITING_LINES), stdin_texts, circumstances(waiting=True))
    return st.integers(0, 49).flatmap(lambda n: waiting if n == 1 else ending)
