"""A program that reads its stdin and writes its stdout as it likes: both go on at once."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from threading import Thread
from time import monotonic
from typing import IO

from gelu_cli.environment import make_standard
from gelu_cli.guests.watchers import END_GROUP, Watcher

LOOK = 0.5
"""Seconds after which it is seen whether a program is gone whose children hold its stdout."""

GRACE = 0.5
"""Seconds in which a program that has closed its stdout is expected to end."""

AT_THE_END = 10.0
"""Seconds that a program may take to end after its input, where nothing else is said."""

PIPE = 1 << 20
"""Bytes that a pipe may hold, so that both sides seldom wait."""

SET_PIPE_SIZE = 1031
"""F_SETPIPE_SZ of Linux's fcntl."""

LAST_BYTES, LAST_LINES = 4096, 10
"""What is kept of stderr."""


class PipeError(Exception):
    """A program has not done what it should: 'it ended', when it had written so many bytes."""

    def __init__(self, what: str, written: int = 0) -> None:
        super().__init__(what)
        self.written = written


class Pipe:
    """A program in a session of its own, which is given blocks of bytes on its stdin.

    A thread writes them as they are read, whether or not anybody asks for output. While somebody
    does, the program may neither read nor write for `patience` seconds, without a limit if None.
    """

    def __init__(
        self, command: Sequence[str], blocks: Iterable[memoryview], patience: float | None
    ) -> None:
        self._command = command
        self._blocks = blocks
        self._patience = patience
        self._progress = monotonic()
        self._error: BaseException | None = None
        """Why the program could not be started, or a block could not be had."""
        self._said = b""
        self._starter, self._writer, self._listener = (
            Thread(target=work, daemon=True) for work in (self._start, self._write, self._listen)
        )

    def start(self) -> None:
        """Start the program; raises OSError where that fails.

        A thread does, so that `kill` can wait for it where a signal comes just then.
        """
        self._watcher = Watcher(END_GROUP)
        self._starter.start()
        self._starter.join()
        if self._error:
            raise self._error
        self._writer.start()
        self._listener.start()

    def _start(self) -> None:
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # an interrupt from the terminal is for us alone
            )
        except BaseException as error:
            self._error = error
        else:
            self._watcher.tell(self._process.pid)
            for stream in (self._stdin, self._stdout):
                _enlarge(stream.fileno())

    def read(self, room: memoryview) -> None:
        """Fill some bytes with what the program writes next.

        Raises `PipeError` where it writes less before its output ends, or makes no progress.
        """
        self._progress = monotonic()
        written = 0
        while written < len(room):
            if not self._has_output(self._patience):
                raise PipeError(
                    f"it neither read nor wrote for {self._patience:g} s (--timeout)", written
                )
            count = os.readv(self._stdout.fileno(), [room[written:]])
            if not count:
                raise PipeError(self._how_it_ended(), written)
            self._progress = monotonic()
            written += count

    def finish(self) -> None:
        """Wait until the program has ended; raises `PipeError` if it does more than that."""
        patience = self._patience or AT_THE_END
        self._progress = monotonic()
        late = PipeError(f"it did not end within {patience:g} s")
        if not self._has_output(patience):
            raise late
        if os.read(self._stdout.fileno(), 1):
            raise PipeError("it wrote more")
        try:
            code = self._process.wait(patience)
        except subprocess.TimeoutExpired:
            raise late from None
        if code:
            raise PipeError(_end(code))

    def close(self) -> None:
        """End the program and its children at once."""
        self.kill()
        if self._has_started:
            self._process.wait()
            self._stdout.close()
        if self._starter.ident:
            self._watcher.close()
        if self._listener.ident:
            self._listener.join(GRACE)  # who else has its stderr may hold it for ever

    def kill(self) -> None:
        """End the program and its children at once; a handler of signals may call this."""
        if not self._starter.ident:
            return
        self._starter.join(GRACE)
        if self._has_started:
            with suppress(ProcessLookupError, PermissionError):  # nobody is left
                os.killpg(self._process.pid, signal.SIGKILL)
        self._watcher.kill()

    @property
    def _has_started(self) -> bool:
        return hasattr(self, "_process")

    @property
    def last_lines(self) -> list[str]:
        """The last lines that the program has written on stderr."""
        return self._said.decode(errors="replace").splitlines()[-LAST_LINES:]

    @property
    def _stdin(self) -> IO[bytes]:
        return _there(self._process.stdin)

    @property
    def _stdout(self) -> IO[bytes]:
        return _there(self._process.stdout)

    def _has_output(self, patience: float | None) -> bool:
        """Wait until there is something to read, or its end; return False where patience ends."""
        ready = select.poll()
        ready.register(self._stdout, select.POLLIN)
        left = patience or LOOK
        while not ready.poll(1000 * min(left, LOOK)):
            if patience:
                left = self._progress + patience - monotonic()
                if left <= 0:
                    return False
            if self._process.poll() is not None and not ready.poll(0):
                self.kill()  # its children, which have its output
        return True

    def _how_it_ended(self) -> str:
        """Say how the program ended whose output has ended."""
        if self._error:
            raise self._error
        with suppress(subprocess.TimeoutExpired):
            return _end(self._process.wait(GRACE))
        return "it closed its output"

    def _write(self) -> None:
        make_standard()
        if hasattr(signal, "pthread_sigmask"):  # a program that reads no more is no end of ours
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGPIPE])
        descriptor = self._stdin.fileno()
        os.set_blocking(descriptor, False)  # our end's alone
        room = select.poll()
        room.register(descriptor, select.POLLOUT)
        try:
            for block in self._blocks:
                rest = block
                while rest:
                    room.poll()
                    with suppress(BlockingIOError):
                        rest = rest[os.write(descriptor, rest) :]
                        self._progress = monotonic()
        except BrokenPipeError:  # what is missing of its output tells
            pass
        except BaseException as error:
            self._error = error
        finally:
            with suppress(OSError):
                self._stdin.close()

    def _listen(self) -> None:
        stream = _there(self._process.stderr)
        with stream:
            while said := stream.read(LAST_BYTES):
                self._said = (self._said + said)[-LAST_BYTES:]


def _there(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise ValueError("a pipe is missing")
    return stream


def _enlarge(descriptor: int) -> None:
    if sys.platform == "linux":
        import fcntl

        with suppress(OSError):  # more than this user may have
            fcntl.fcntl(descriptor, SET_PIPE_SIZE, PIPE)


def _end(code: int) -> str:
    if code < 0:
        return f"its process ended: {signal.strsignal(-code) or f'signal {-code}'}"
    return f"it ended with exit code {code}" if code else "it ended"
