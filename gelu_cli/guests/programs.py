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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import IO, Any, cast

import numpy as np

from gelu_cli.arithmetic.format_arrays import Floats, to_bits, to_floats
from gelu_cli.environment import make_standard
from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.guests.calling import Calling, UsersFunction, was_given
from gelu_cli.guests.watchers import END_GROUP, Watcher
from gelu_cli.guests.workers import how_a_signal_ends

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

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> cat = ProgramImplementation("cat", Calling(FORMATS["bfloat16"], FORMATS["bfloat16"]))
    >>> cat(np.array([1, -0.0], np.float32)).tolist()
    [1.0, -0.0]
    """

    differentiated = False

    def __init__(self, command: str, calling: Calling) -> None:
        self.name = command
        self.calling = calling
        self.environments = {}
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"--exec: '{command}' is no command: {error}") from None
        if not self._words:
            raise UsageError("--exec: there is no command: name a program, e.g. --exec ./gelu")
        self._pipe: Pipe | None = None

    @property
    def asked(self) -> Mapping[str, Any]:
        """The command."""
        return {"exec": self.name}

    def load(self, first: Floats | None = None) -> None:
        """Look for the program; raises `UsageError` where it cannot be run."""
        program = self._words[0]
        if not shutil.which(program):
            if os.path.exists(program) and os.path.dirname(program):
                raise UsageError(f"--exec: '{program}' is no program that may be run; see chmod +x")
            raise UsageError(f"--exec: there is no program '{program}'")

    def close(self) -> None:
        """End the program at once."""
        if self._pipe:
            self._pipe.close()
            self._pipe = None

    def kill(self) -> None:
        """End the program and its children at once; a handler of signals may call this."""
        if self._pipe:
            self._pipe.kill()

    @contextmanager
    def stream(self, calls: Iterable[Floats]) -> Iterator[None]:
        """Have one process of the program get the inputs of calls, which are made in the block.

        Raises `ComputationError` at the end of the block as well, if the program writes more
        results, fails or does not end.
        """
        self.load()
        blocks = (self._bytes(x) for x in calls)
        self._pipe = pipe = Pipe(self._words, blocks, self.calling.timeout)
        try:
            pipe.start()
            yield
            pipe.finish()
        except PipeError as error:
            raise self._failure(
                f"{self.name} has written a result for each input, then {error}"
            ) from None
        finally:
            self.close()

    def __call__(self, x: Floats) -> Floats:
        """Return the results that are judged at x: the next call of a stream, or one by itself."""
        if self._pipe:
            return self._next(self._pipe, x)
        with self.stream([x]):
            return self(x)

    def _bytes(self, x: Floats) -> memoryview:
        bits = to_bits(self.calling.dtype, x)
        return bits.astype(bits.dtype.newbyteorder("<"), copy=False).data.cast("B")

    def _next(self, pipe: Pipe, x: Floats) -> Floats:
        size = self.calling.result.width // 8
        got = np.empty(len(x), f"<u{size}")
        try:
            pipe.read(got.data.cast("B"))
        except PipeError as error:
            results, rest = divmod(error.written, size)
            part = f" and {rest} of the {size} bytes of one" if rest else ""
            written = f"{results:,} results{part}"
            raise self._failure(
                f"{was_given(self.name, x)} and had written {written} when {error}"
            ) from None
        return to_floats(self.calling.result, got.astype(f"u{size}", copy=False))

    def _failure(self, message: str) -> ComputationError:
        """Return the error with this message, after what the program has said on stderr."""
        pipe = self._pipe
        self.close()
        lines = pipe.last_lines if pipe else []
        return ComputationError(message, said=[f"stderr: {line}" for line in lines])


def _why_not(program: str, error: OSError) -> str:
    """Return why a program that is there cannot be started; the system says it of a script, too."""
    if error.errno == errno.ENOEXEC:
        return "it is no program for this machine, and no script with a first line like #!/bin/sh"
    interpreter = _interpreter(program)
    if interpreter and not shutil.which(interpreter):
        return f"its first line names '{interpreter}', which is no program here"
    if error.errno == errno.ENOENT and shutil.which(program):
        return "it is for a system with another loader"
    return str(error.strerror)


def _interpreter(program: str) -> str:
    """Return what the first line of a script names after `#!`; empty if it is none."""
    path = Path(shutil.which(program) or program)
    if not path.is_file():  # to open a pipe would be to wait
        return ""
    try:
        with path.open("rb") as file:
            named = re.match(rb"#![ \t]*([^ \t\n]+)", file.readline(1000))
    except OSError:
        return ""
    return os.fsdecode(named[1]) if named else ""


class PipeError(Exception):
    """A program has not done what it should, as 'it ended'; `written` bytes had come before."""

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

    @property
    def last_lines(self) -> list[str]:
        """The last lines that the program has written on stderr."""
        return self._said.decode(errors="replace").splitlines()[-LAST_LINES:]

    @property
    def _stdout(self) -> IO[bytes]:
        return cast("IO[bytes]", self._process.stdout)

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
        stdin = cast("IO[bytes]", self._process.stdin)
        descriptor = stdin.fileno()
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
                stdin.close()

    def _listen(self) -> None:
        with cast("IO[bytes]", self._process.stderr) as stream:
            while said := stream.read(LAST_BYTES):
                self._said = (self._said + said)[-LAST_BYTES:]


def _end(code: int) -> str:
    if code < 0:
        return how_a_signal_ends(code)
    return f"it ended with exit code {code}" if code else "it ended"
