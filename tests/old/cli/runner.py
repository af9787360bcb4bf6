"""`gelu` run in this process, as a user would see it."""

import csv
import os
import sys
from io import BytesIO, TextIOWrapper
from typing import NamedTuple
from unittest import mock

from gelu_cli.old.cli.app import run


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def rows(self):
        """The rows of a csv answer, each a dictionary of texts."""
        return list(csv.DictReader(self.out.splitlines()))

    @property
    def columns(self):
        return self.out.splitlines()[0].split(",")

    def floats(self, column):
        return [float(row[column]) for row in self.rows]


class Terminal(TextIOWrapper):
    """A stream that says it is a terminal; its width is the variable COLUMNS."""

    def isatty(self):
        return True


def run_gelu(*words, stdin=b"", encoding="utf-8", stdout=TextIOWrapper):
    """Run one command line with `stdin`, bytes or a binary stream.

    `stdout` is the class of the stream that it writes to: a pipe, or a `Terminal`; None closes
    it. What is no text on stdout, a picture, comes as surrogates.
    """
    stream = BytesIO(stdin) if isinstance(stdin, bytes) else stdin
    out = (stdout or TextIOWrapper)(BytesIO(), encoding, newline="")
    err = TextIOWrapper(BytesIO(), encoding, newline="")
    streams = {"stdin": TextIOWrapper(stream), "stdout": out if stdout else None, "stderr": err}
    descriptor = os.dup(1)  # gelu gives it up where it cannot write
    try:
        with mock.patch.multiple(sys, **streams):
            code = run([str(word) for word in words])
    finally:
        os.dup2(descriptor, 1)
        os.close(descriptor)
    out.flush()
    err.flush()
    return Answer(
        code,
        out.buffer.getvalue().decode(errors="surrogateescape"),
        err.buffer.getvalue().decode(),
    )


def gelu(*words, **settings):
    """Run a command line that must succeed, in silence on stderr."""
    answer = run_gelu(*words, **settings)
    assert (answer.code, answer.err) == (0, "")
    return answer


def refusal(answer, *fragments, code=2):
    """Return what is wrong with a refusal, "" if nothing is.

    Right is nothing on stdout, and one line on stderr that holds the fragments.
    """
    if (answer.code, answer.out) != (code, ""):
        return f"it ended with {answer.code} and printed {answer.out!r}"
    if not answer.err.startswith("gelu: ") or not answer.err.endswith("\n"):
        return f"no message: {answer.err!r}"
    if len(answer.err.splitlines()) != 1 or "\0" in answer.err:
        return f"not one line of text: {answer.err!r}"
    missing = [fragment for fragment in fragments if fragment not in answer.err]
    return f"{missing} missing in {answer.err!r}" if missing else ""


def assert_refused(answer, *fragments, code=2):
    """Assert nothing on stdout, and one line on stderr that holds the fragments."""
    assert not refusal(answer, *fragments, code=code)


def assert_all_refused(*command, cases, code=2):
    """Assert that each line is refused, after the command, with what its message must hold.

    A line is a text to be split into words, or a list of words; all that go wrong are shown.
    """
    wrong = {}
    for line, *fragments in cases:
        words = line.split() if isinstance(line, str) else line
        if fault := refusal(run_gelu(*command, *words), *fragments, code=code):
            wrong[" ".join(words)] = fault
    assert not wrong
