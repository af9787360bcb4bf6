"""What ends a program of the user's own when this process is killed, and can do nothing itself."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress

SHELL = "/bin/sh"
WATCH = 'read -r group && { read -r end; kill -KILL "-$group"; }'
"""The end of its stdin is that of the process which has started it."""


class Watcher:
    """A process that ends a group of processes as soon as this one is gone, however it ends.

    Linux's PR_SET_PDEATHSIG would end the program alone, without its children, and also when the
    thread ends that has started it. Without a shell nobody watches.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        with suppress(OSError):
            self._process = subprocess.Popen(
                [SHELL, "-c", WATCH],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,  # an interrupt from the terminal is not for it
            )

    def watch(self, group: int) -> None:
        """Have it end this group of processes, from now on."""
        if self._process and self._process.stdin:
            with suppress(OSError):
                os.write(self._process.stdin.fileno(), b"%d\n" % group)

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
