"""Programs: raw numbers on stdin, pairs one by one, raw results on stdout."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence
from contextlib import suppress
from subprocess import PIPE, Popen, TimeoutExpired
from tempfile import TemporaryFile
from threading import Thread
from typing import IO

import numpy as np

from gelu_cli.errors import UsageError
from gelu_cli.kernels.calling import Array, Fault, Loaded
from gelu_cli.kernels.description import Kernel
from gelu_cli.kernels.workers import ending

AT_THE_END = 10.0  # seconds that a program may take to end after its last result
LAST_BYTES, LAST_LINES = 4096, 10  # of stderr, in messages


class Program(Loaded):
    """A command, split as a shell does; each call has a process."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        try:
            self._words = shlex.split(str(kernel.target))
        except ValueError as error:
            raise UsageError(f"--exec: '{kernel.target}' is not a command; {error}") from None
        program = next(iter(self._words), "")
        if not shutil.which(program):
            raise UsageError(f"--exec: there is no program '{program}'; name an executable file")

    def results(self, upstream: Array | None, inputs: Sequence[Array]) -> Array:
        """Run the program on little-endian numbers."""
        dtype, numbers = self.kernel.formats[1].dtype, np.stack(inputs, 1).ravel()
        sent = numbers.view(f"u{numbers.itemsize}").astype(f"<u{numbers.itemsize}").tobytes()
        with TemporaryFile() as said:
            try:
                process = Popen(self._words, stdin=PIPE, stdout=PIPE, stderr=said)
            except OSError as error:
                raise Fault(f"cannot be started: {error.strerror}, see its first line") from None
            try:
                got = _answer(process, sent, len(inputs[0]) * dtype.itemsize)
            except Fault as fault:
                raise Fault(*fault.args, *_last_lines(said)) from None
            finally:
                process.kill()
                process.wait()
        return np.frombuffer(got, f"<u{dtype.itemsize}").astype(f"u{dtype.itemsize}").view(dtype)


def _answer(process: Popen[bytes], sent: bytes, size: int) -> bytes:
    """Write inputs and read `size` bytes of results."""
    Thread(target=_write, args=(process.stdin, sent), daemon=True).start()
    assert process.stdout
    with process.stdout as stream:
        got = stream.read(size + 1)  # one more, to see that there are no more
    written = f"wrote {len(got):,} of {size:,} bytes of results"
    if len(got) > size:
        raise Fault(f"wrote more than {size:,} bytes of results")
    try:
        code = process.wait(AT_THE_END)
    except TimeoutExpired:
        raise Fault(f"{written}, closed its output, but did not end") from None
    if code or len(got) < size:
        raise Fault(f"{written}: {ending(code)}" if code else written)
    return got


def _write(stream: IO[bytes], data: bytes) -> None:
    with suppress(OSError), stream:  # the results of one that reads no more say so
        stream.write(data)


def _last_lines(file: IO[bytes]) -> list[str]:
    file.seek(max(0, file.seek(0, os.SEEK_END) - LAST_BYTES))
    lines = file.read().decode(errors="replace").splitlines()[-LAST_LINES:]
    return [f"stderr: {line}" for line in lines]
