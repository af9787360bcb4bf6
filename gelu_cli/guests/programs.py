"""A program of the user's own, in any language: raw numbers on its stdin, results on its stdout."""

from __future__ import annotations

import errno
import os
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from gelu_cli.arithmetic.memory import to_bits, to_floats
from gelu_cli.arithmetic.rounding import Floats
from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.guests.calling import Calling, UsersFunction, was_given
from gelu_cli.guests.pipes import Pipe, PipeError


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
            self._start(pipe)
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

    def values(self, x: Floats) -> Floats:
        """Return what the program returns at x."""
        return self(x)

    def _start(self, pipe: Pipe) -> None:
        try:
            pipe.start()
        except OSError as error:
            program = self._words[0]
            raise UsageError(
                f"--exec: '{program}' cannot be started: {_why_not(program, error)}"
            ) from None

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
