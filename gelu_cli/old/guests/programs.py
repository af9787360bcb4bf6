"""A program of the user's own, in any language: raw numbers on its stdin, results on its stdout."""

from __future__ import annotations

import errno
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import IO, cast

import numpy as np

from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.old.arithmetic.format_arrays import Bits, Floats, to_bits, to_floats
from gelu_cli.old.environment import make_standard
from gelu_cli.old.guests.calling import PACKINGS, Calling, UsersFunction, was_given
from gelu_cli.old.guests.watchers import END_GROUP, Watcher
from gelu_cli.old.guests.workers import how_a_signal_ends

LOOK = 0.5
"""Seconds between two looks whether a program has ended whose children hold its stdout."""

GRACE = 0.5
"""Seconds in which a program that has closed its stdout is expected to end."""

AT_THE_END = 10.0
"""Seconds that a program may take to end after its input, unless there is a timeout."""

LAST_BYTES, LAST_LINES = 4096, 10
"""What is kept of stderr."""


class ProgramImplementation(UsersFunction):
    """A program by its command, which is split as a shell does, but run without one.

    It reads little-endian numbers of x's format until its stdin ends, and writes as many results,
    in whatever pieces and as late as it likes. One process may get the inputs of many calls
    (`stream`); else each call has a process. Raises `UsageError` where there is no such program,
    `ComputationError` where it fails.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> cat = ProgramImplementation("cat", Calling(FORMATS["bfloat16"], FORMATS["bfloat16"]))
    >>> cat(np.array([1, -0.0], np.float32)).tolist()
    [1.0, -0.0]
    """

    def __init__(self, command: str, calling: Calling) -> None:
        if calling.second in PACKINGS:
            raise UsageError(
                "--packed: a program reads pairs, each gate before its up; remove --packed"
            )
        self.name = command
        self.asked = {"exec": command}
        self.calling = calling
        self.environments = {}
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"--exec: '{command}' is no command: {error}") from None
        if not self._words:
            raise UsageError("--exec: there is no command: name a program, e.g. --exec ./gelu")

    def load(self, first: Floats | None = None) -> None:
        """Look for the program; raises `UsageError` where it cannot be run."""
        program = self._words[0]
        if not shutil.which(program):
            if os.path.exists(program) and os.path.dirname(program):
                raise UsageError(f"--exec: '{program}' is no program that may be run; see chmod +x")
            raise UsageError(f"--exec: there is no program '{program}'")

    @contextmanager
    def stream(self, calls: Iterable[Floats]) -> Iterator[None]:
        """Have one process of the program get the inputs of calls, which are made in the block.

        Raises `ComputationError` at the end of the block as well, if the program writes more
        results, fails or does not end.
        """
        self.load()
        order = -1 if self.calling.up_first else 1
        bits = (to_bits(self.calling.dtype, x[::order]).T.flatten() for x in calls)  # of pairs
        blocks = (each.astype(each.dtype.newbyteorder("<"), copy=False) for each in bits)
        self.process = pipe = Pipe(self._words, blocks, self.calling.timeout)
        try:
            pipe.start()
            yield
            pipe.finish()
        except PipeError as error:
            how = f"{self.name} has written a result for each input, then {error}"
            raise self._failure(pipe, how) from None
        finally:
            self.close()

    def __call__(self, x: Floats) -> Floats:
        """Return the results that are judged at x: the next call of a stream, or one by itself."""
        if not self.process:
            with self.stream([x]):
                return self(x)
        pipe, size = self.process, self.calling.result.width // 8
        got = np.empty(x.shape[-1], f"<u{size}")
        try:
            pipe.read(got.data.cast("B"))
        except PipeError as error:
            results, rest = divmod(error.written, size)
            part = f" and {rest} of the {size} bytes of one" if rest else ""
            how = f"had written {results:,} results{part} when {error}"
            raise self._failure(pipe, f"{was_given(self.name, x)} and {how}") from None
        return to_floats(self.calling.result, got.astype(f"u{size}", copy=False))

    def _failure(self, pipe: Pipe, message: str) -> ComputationError:
        """Return the error with this message, after what the program has said on stderr."""
        self.close()
        lines = pipe.said.decode(errors="replace").splitlines()[-LAST_LINES:]
        return ComputationError(message, said=[f"stderr: {line}" for line in lines])


class PipeError(Exception):
    """A program has not done what it should, as 'it ended'; `written` bytes had come before."""

    def __init__(self, what: str, written: int = 0) -> None:
        super().__init__(what)
        self.written = written


class Pipe:
    """A program in a session of its own, which is given blocks of integers on its stdin.

    A thread writes them as they are read, whether or not anybody asks for output. While somebody
    does, the program may neither read nor write for `patience` seconds, without a limit if None.
    """

    def __init__(
        self, command: Sequence[str], blocks: Iterable[Bits], patience: float | None
    ) -> None:
        self.said = b""
        """The last that the program has written on stderr."""
        self._command = command
        self._blocks = blocks
        self._patience = patience
        self._progress = monotonic()
        self._error: BaseException | None = None
        """Why the program could not be started, or a block could not be had."""
        self._starter, self._writer, self._listener = (
            Thread(target=work, daemon=True) for work in (self._start, self._write, self._listen)
        )

    def start(self) -> None:
        """Start the program; raises `UsageError` where that fails.

        A thread does, so that `kill` can wait for it where a signal comes just then.
        """
        self._watcher = Watcher(END_GROUP)
        self._starter.start()
        self._starter.join()
        if isinstance(self._error, OSError):
            program, why = self._command[0], _why_not(self._command[0], self._error)
            raise UsageError(f"--exec: '{program}' cannot be started: {why}") from None
        if self._error:
            raise self._error
        self._writer.start()
        self._listener.start()

    def _start(self) -> None:
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                self._command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0,
                start_new_session=True,  # an interrupt from the terminal is for us alone
            )  # fmt: skip
        except BaseException as error:
            self._error = error
        else:
            self._stdin, self._stdout, self._stderr = (
                cast("IO[bytes]", each)
                for each in (self._process.stdin, self._process.stdout, self._process.stderr)
            )
            self._watcher.tell(self._process.pid)

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
                if self._error:
                    raise self._error
                ended = "it closed its output"
                with suppress(subprocess.TimeoutExpired):
                    ended = _end(self._process.wait(GRACE))
                raise PipeError(ended, written)
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
        if hasattr(self, "_process"):
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
        if hasattr(self, "_process"):
            with suppress(ProcessLookupError, PermissionError):  # nobody is left
                os.killpg(self._process.pid, signal.SIGKILL)
        self._watcher.kill()

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
                rest = block.data.cast("B")
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
        with self._stderr as stream:
            while said := stream.read(LAST_BYTES):
                self.said = (self.said + said)[-LAST_BYTES:]


def _end(code: int) -> str:
    if code < 0:
        return how_a_signal_ends(code)
    return f"it ended with exit code {code}" if code else "it ended"


def _why_not(program: str, error: OSError) -> str:
    """Return why a program that is there cannot be started; the system says it of a script, too."""
    if error.errno == errno.ENOEXEC:
        return "it is no program for this machine, and no script with a first line like #!/bin/sh"
    path = Path(shutil.which(program) or program)
    named = None
    with suppress(OSError):
        if path.is_file():  # to open a pipe would be to wait
            with path.open("rb") as file:
                named = re.match(rb"#![ \t]*([^ \t\n]+)", file.readline(1000))
    if named and not shutil.which(interpreter := os.fsdecode(named[1])):
        return f"its first line names '{interpreter}', which is no program here"
    if error.errno == errno.ENOENT and shutil.which(program):
        return "it is for a system with another loader"
    return str(error.strerror)
