"""A terminal that shows what several command lines print, and the text without its colours."""

import json
import os
import pty
import re
import subprocess
import sys
import termios

from tests.cli.processes import environment

SESSION = """
import json, os, sys
from gelu_cli.cli.app import run
before = dict(os.environ)
for line in sys.stdin.buffer:
    words, changes = json.loads(line)
    os.environ.clear()
    os.environ.update(before | changes)
    code = run(words)
    sys.stdout.flush()
    print(f"\\x01{code}\\x02", end="", flush=True)
"""
ENDED = re.compile(rb"\x01(\d+)\x02")


class Session:
    """One process on a pseudo-terminal, with a pipe for stdin, that runs one line after another."""

    def __init__(self):
        self._ours, its = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-c", SESSION],
            stdin=subprocess.PIPE, stdout=its, stderr=its, env=environment(),
        )  # fmt: skip
        os.close(its)

    def show(self, width, *words, **env):
        """Return what a terminal of that width shows of a command line that must succeed."""
        termios.tcsetwinsize(self._ours, (24, width))
        self._process.stdin.write(json.dumps([words, env]).encode() + b"\n")
        self._process.stdin.flush()
        shown = b""
        while not (ended := ENDED.search(shown)):
            shown += os.read(self._ours, 1 << 16)
        assert ended[1] == b"0", shown
        return shown[: ended.start()].decode().replace("\r\n", "\n")

    def close(self):
        """End the process, which has no more lines to run."""
        self._process.stdin.close()
        self._process.wait()
        os.close(self._ours)


def plain(text):
    """Return the text without colours."""
    return re.sub(r"\x1b\[[\d;]*m", "", text)
