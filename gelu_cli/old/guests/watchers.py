"""What is done when this process has been killed, and can do nothing itself."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress

END_GROUP = 'read -r group && { read -r end; kill -KILL "-$group"; }'
"""Ends the group of processes whose number it is told.

Linux's PR_SET_PDEATHSIG would end one process without its children, and also when the thread ends
that has started it.
"""

REMOVE = 'read -r end; rm -rf "$1"'
"""Removes a folder."""


class Watcher:
    """A shell that waits for the end of its stdin, which is this process's, to do something.

    It is to be closed where this process does that itself. Without a shell nobody watches.
    """

    def __init__(self, script: str, *arguments: str) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        ours, nothing = subprocess.PIPE, subprocess.DEVNULL
        with suppress(OSError):
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", script, "sh", *arguments],
                stdin=ours, stdout=nothing, stderr=nothing, bufsize=0,
                start_new_session=True,  # what ends this process is not for it
            )  # fmt: skip

    def tell(self, number: int) -> None:
        """Write a number to it."""
        if self._process and self._process.stdin:
            with suppress(OSError):
                os.write(self._process.stdin.fileno(), b"%d\n" % number)

    def kill(self) -> None:
        """End it at once; a handler of signals may call this."""
        if self._process:
            self._process.kill()

    def close(self) -> None:
        """End it, and wait until it is gone."""
        self.kill()
        if self._process and self._process.stdin:
            self._process.wait()
            self._process.stdin.close()
