"""`gelu` run in this process, as a user would see it."""

import csv
import os
import sys
from io import BytesIO, TextIOWrapper
from typing import NamedTuple
from unittest import mock

from gelu_cli.cli.app import run


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
    """A stream that says it is a terminal; COLUMNS tells its width."""

    def isatty(self):
        return True


def run_gelu(*words, stdin=b"", terminal=False):
    """Run one command line with `stdin`, bytes or a binary stream; stdout may be a terminal.

    What is no text on stdout, a picture, comes as surrogates.
    """
    stream = BytesIO(stdin) if isinstance(stdin, bytes) else stdin
    out = (Terminal if terminal else TextIOWrapper)(BytesIO(), "utf-8", newline="")
    err = TextIOWrapper(BytesIO(), "utf-8", newline="")
    stdout = os.dup(1)  # gelu gives it up where it cannot write
    try:
        with mock.patch.multiple(sys, stdin=TextIOWrapper(stream), stdout=out, stderr=err):
            code = run([str(word) for word in words])
    finally:
        os.dup2(stdout, 1)
        os.close(stdout)
    out.flush()
    err.flush()
    return Answer(
        code, out.buffer.getvalue().decode(errors="surrogateescape"), err.buffer.getvalue().decode()
    )


def gelu(*words, stdin=b""):
    """Run a command line that must succeed, in silence on stderr."""
    answer = run_gelu(*words, stdin=stdin)
    assert (answer.code, answer.err) == (0, "")
    return answer


def assert_refused(answer, *fragments, code=2):
    """Nothing on stdout, and one line on stderr that holds the fragments."""
    assert (answer.code, answer.out) == (code, "")
    assert answer.err.startswith("gelu: ")
    assert answer.err.endswith("\n")
    assert len(answer.err.splitlines()) == 1
    assert "\0" not in answer.err
    for fragment in fragments:
        assert fragment in answer.err
