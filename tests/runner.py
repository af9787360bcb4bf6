"""The command line, run in this process."""

import sys
from contextlib import redirect_stderr, redirect_stdout
from csv import DictReader
from io import BytesIO, StringIO, TextIOWrapper
from json import loads
from typing import Any, NamedTuple
from unittest import mock

from gelu_cli.__main__ import main


class Run(NamedTuple):
    """How a command line ended: exit code, stdout, stderr."""

    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[dict[str, str]]:
        """The rows of CSV."""
        return list(DictReader(self.out.splitlines()))

    @property
    def json(self) -> Any:
        """What JSON holds."""
        return loads(self.out)


class Terminal(StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def gelu(*words: object, stdin: str | bytes | None = None, terminal: bool = False) -> Run:
    """Run `gelu WORDS…`; with `stdin` a pipe, with `terminal` stdout is one of 80 columns."""
    out, err = Terminal() if terminal else StringIO(), StringIO()
    data = stdin.encode() if isinstance(stdin, str) else stdin
    source = Terminal() if data is None else TextIOWrapper(BytesIO(data), encoding="utf-8")
    code = 0
    with (
        mock.patch.object(sys, "argv", ["gelu", *map(str, words)]),
        mock.patch.object(sys, "stdin", source),
        mock.patch.dict("os.environ", {"COLUMNS": "80", "TERM": "dumb"} if terminal else {}),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
    return Run(code, out.getvalue(), err.getvalue())
