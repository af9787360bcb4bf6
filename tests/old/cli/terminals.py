"""Terminals that show what command lines print, and the text without its colours."""

import json
import os
import pty
import re
import subprocess
import sys
import termios

from tests.old.cli.processes import environment

SESSION = """
import json, os, sys
from gelu_cli.old.cli.app import run
before = dict(os.environ)
for line in open(int(sys.argv[1])):
    words, changes = json.loads(line)
    os.environ.clear()
    os.environ.update(before | changes)
    code = run(words)
    sys.stdout.flush()
    print(f"\\x01{code}\\x02", end="", flush=True)
"""
ENDED = re.compile(rb"\x01(\d+)\x02")
ERASED = re.compile(r"[^\n]*\r\x1b\[K")
"""What a terminal no longer shows: progress, on a machine that has much to do."""


class Session:
    """One process on a pseudo-terminal that runs one line after another, as a pipe has them."""

    def __init__(self):
        self._ours, its = pty.openpty()
        lines, feed = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-c", SESSION, str(lines)],
            stdin=its, stdout=its, stderr=its, env=environment(), pass_fds=[lines],
        )  # fmt: skip
        os.close(its)
        os.close(lines)
        self._feed = os.fdopen(feed, "w")

    def show(self, width, *words, **env):
        """Return what a terminal of that width shows of a command line that must succeed."""
        termios.tcsetwinsize(self._ours, (24, width))
        print(json.dumps([words, env]), file=self._feed, flush=True)
        shown = b""
        while not (ended := ENDED.search(shown)):
            shown += os.read(self._ours, 1 << 16)
        assert ended[1] == b"0", shown
        return ERASED.sub("", shown[: ended.start()].decode().replace("\r\n", "\n"))

    def close(self):
        """End the process, which has no more lines to run."""
        self._feed.close()
        self._process.wait()
        os.close(self._ours)


def read_terminal(controller):
    """Return what was written to a terminal, or nothing when nobody writes to it any more."""
    try:
        return os.read(controller, 1 << 16)
    except OSError:  # how Linux says so
        return b""


def shown_by(command, *, width=80, env=None, **streams):
    """Return what a command shows on a terminal, and its end, with what it wrote to pipes."""
    ours, its = pty.openpty()
    termios.tcsetwinsize(its, (24, width))
    streams = {"stdin": its, "stdout": its, "stderr": its} | streams
    with subprocess.Popen(command, env=environment(**env or {}), **streams) as process:
        os.close(its)
        shown = b"".join(iter(lambda: read_terminal(ours), b""))
        written = process.communicate()
    os.close(ours)
    ended = subprocess.CompletedProcess(command, process.returncode, *written)
    return shown.decode().replace("\r\n", "\n"), ended


def plain(text):
    """Return the text without colours."""
    return re.sub(r"\x1b\[[\d;]*m", "", text)
