"""A command line with what surrounds it, and what must hold of its end."""

import csv
import json
import re
import signal
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tests.old.fuzz.kernels import SAYS


class Circumstances(NamedTuple):
    """What surrounds a command line; by default, what surrounds most."""

    stdin: str = "pipe"
    stdout: str = "pipe"
    stderr: str = "pipe"
    variables: Mapping[str, str] = {}
    limit: tuple[str, int] | None = None
    """A resource, and how much of it there is; of memory, how much more than is taken."""
    sign: int | None = None
    delay: float = 0.0
    """Seconds after which the signal is sent."""
    executed: bool = False
    """Whether it is the installed command, with all that it imports."""


class Request(NamedTuple):
    """A command line, its stdin and what surrounds it."""

    folder: str
    words: list[str]
    stdin: bytes
    around: Circumstances


class Ended(NamedTuple):
    """How a line has ended: its code, or the negative number of a signal; what it wrote."""

    code: int
    out: bytes
    err: bytes
    late: bool = False
    """Whether it had to be killed."""
    left: int = 0
    """How many processes it has left behind."""
    seconds: float = 0.0


PROGRESS = re.compile(r"[^\n]*\r\x1b\[K")
KERNEL = re.compile(r"\S+:\S+?(\(.*\))?: ")
"""How the lines of a kernel begin: with its name."""
KILLED = 128 + signal.SIGINT
USAGE, FAILED = 2, (2, 3, 4)
USUAL = Circumstances()
ASIDES = ("gelu: note: ", "gelu: interrupted after ", "gelu: stderr: ")
HELP = ("-h", "--help")
"""How the words that ask for help begin: options may be shortened."""
CAPTURED = ("pipe", "file", "tty")


def read_json(text):
    def refuse(name):
        raise ValueError(f"{name} is not JSON")

    json.loads(text, parse_constant=refuse)


def read_lines(text, delimiter):
    widths = {len(row) for row in csv.reader(text.splitlines(), delimiter=delimiter, strict=True)}
    if len(widths) > 1:
        raise ValueError(f"rows of {widths} cells")


READERS = {
    "json": read_json,
    "jsonl": lambda text: [read_json(line) for line in text.splitlines()],
    "csv": lambda text: read_lines(text, ","),
    "tsv": lambda text: read_lines(text, "\t"),
}


def format_of(words):
    """Return what --format says, if it is a word of its own."""
    return next((name for word, name in pairwise(words) if word in ("-f", "--format")), None)


def faults(words, ended, folder, around=USUAL):
    """Yield what does not hold of the end of a line, and of the folder that it leaves."""
    changes = folder.changes()
    files = 2 if "--tighten" in words else 1  # the answer and the budget
    yield from faults_of_the_end(ended, changes, around, files)
    yield from faults_of_what_is_said(ended, changes, around)
    try:
        asks_for_help = any(word.startswith(HELP) for word in words)
        answered = ended.code == 0 and ended.out and not asks_for_help
        if answered and around.stdout in ("pipe", "file"):
            READERS.get(format_of(words), str)(text_of(ended.out, around))
        for name in changes:
            suffix = Path(name).suffix[1:]
            if suffix in READERS and not any(word.startswith(("-f", "--f")) for word in words):
                READERS[suffix]((folder.path / name).read_text(encoding="utf-8"))
    except (ValueError, csv.Error) as error:
        yield f"what it wrote cannot be read: {error}"


def faults_of_the_end(ended, changes, around, files=1):
    if ended.late:
        yield "it did not end"
    if ended.left:
        yield f"it left {ended.left} processes"
    if ended.code not in codes(around):
        yield f"it ended with {ended.code}"
    if any(name.startswith(".gelu") for name in changes) or len(changes) > files:
        yield f"it left {changes}"
    if ended.code in FAILED and changes:
        yield f"it failed, and changed {changes}"
    streamed = b" of stdin: " in ended.err  # what came before a bad word is out already
    if ended.code == USAGE and ended.out and not streamed:
        yield "it refused, and printed something"


def faults_of_what_is_said(ended, changes, around):
    code, lines = ended.code, said(text_of(ended.err, around))
    told = around.stderr in CAPTURED
    complaints = [line for line in lines if not line.startswith(ASIDES)]
    messages = (line.startswith("gelu: ") and line.isprintable() for line in lines)
    if not all(messages) and not (code < 0 or code == KILLED):
        yield "on stderr is more than messages"
    if any("Traceback" in line or "internal error" in line for line in lines):
        yield "on stderr is what is meant for us"
    if code in FAILED and told and len(complaints) != 1:
        yield "no line that says why"
    if code == 1 and told and around.stdout in CAPTURED and not (lines or ended.out or changes):
        yield "it told nothing"  # a wrong figure, under --quiet
    if code == 0 and complaints:
        yield "it complained, and ended with 0"


def text_of(data, around):
    """Return what a line has written as text."""
    encoding = around.variables.get("PYTHONIOENCODING", "utf-8").partition(":")[0]
    return data.decode(encoding, "backslashreplace")


def said(err):
    """Return the lines on stderr that the kernel did not write, without progress."""
    lines = PROGRESS.sub("", err.replace("\r\n", "\n")).split("\n")
    return [line for line in lines if line and (line.startswith("gelu: ") or not is_said(line))]


def is_said(line):
    """Return whether a kernel has said a line, or a copy that it has made of its process."""
    return SAYS in line or KERNEL.match(line)


def codes(around):
    """Return the exit codes that there may be, negative ones for signals."""
    allowed = {0, 1, 2, 3, 4}
    if around.sign == signal.SIGINT:
        allowed.add(KILLED)
    if around.sign:  # of an interrupt too: Python has ended what it is to do at the end
        allowed.add(-around.sign)
    if "broken" in (around.stdout, around.stderr):
        allowed.add(-signal.SIGPIPE)
    return allowed
