"""Programs: raw numbers on stdin, pairs one by one, raw results on stdout."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from tempfile import TemporaryFile
from threading import Thread
from typing import IO

import numpy as np

from gelu_cli.errors import UsageError
from gelu_cli.kernels.calling import Array, Fault, Loaded
from gelu_cli.kernels.description import Kernel
from gelu_cli.kernels.workers import GRACE, ending

AT_THE_END = 10.0  # seconds that a program may take to end after its last result
LAST_BYTES, LAST_LINES = 4096, 10  # of stderr, in messages


class Program(Loaded):
    """A command, split as a shell does; each call has a process."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        command = str(kernel.target)
        if kernel.packed or kernel.backward:
            name = "--packed" if kernel.packed else "--backward"
            raise UsageError(
                f"{name}: a program reads x, or each gate before its up; remove {name}"
            )
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"--exec: '{command}' is not a command; {error}") from None
        program = next(iter(self._words), "")
        if not shutil.which(program):
            there = os.path.exists(program) and os.path.dirname(program)
            remedy = "make it executable by chmod +x" if there else "name one, e.g. --exec ./gelu"
            raise UsageError(f"--exec: there is no program '{program}'; {remedy}")

    def results(self, upstream: Array | None, inputs: Sequence[Array]) -> Array:
        """Run the program on little-endian numbers."""
        sent = np.stack(inputs, 1).ravel()
        bits = sent.view(f"u{sent.itemsize}").astype(f"<u{sent.itemsize}", copy=False)
        dtype, pipe = self.kernel.formats[1].dtype, subprocess.PIPE
        with TemporaryFile() as said:
            try:
                process = subprocess.Popen(self._words, stdin=pipe, stdout=pipe, stderr=said)
            except OSError as error:
                fault = f"--exec: '{self._words[0]}' cannot be started"
                raise UsageError(f"{fault}; {error.strerror}: see its first line") from None
            try:
                got = _answer(process, bits.tobytes(), len(inputs[0]), dtype.itemsize)
            except Fault as fault:
                raise Fault(*fault.args, *_last_lines(said)) from None
            finally:
                process.kill()
                process.wait()
        return np.frombuffer(got, f"<u{dtype.itemsize}").astype(f"u{dtype.itemsize}").view(dtype)


def _answer(process: subprocess.Popen[bytes], sent: bytes, count: int, size: int) -> bytes:
    """Write inputs and read `count` results of `size` bytes."""
    Thread(target=_write, args=(process.stdin, sent), daemon=True).start()
    assert process.stdout
    with process.stdout as stream:
        got = stream.read(count * size + 1)  # one more, to see that there are no more
    results, rest = divmod(len(got), size)
    written = f"had written {results:,} results"
    written += f" and {rest} of the {size} bytes of one when" if rest else " when"
    if results >= count:
        written = "has written a result for each input, then"
    if len(got) > count * size:
        raise Fault(f"{written} it wrote more")
    try:
        code = process.wait(GRACE if results < count else AT_THE_END)
    except subprocess.TimeoutExpired:
        raise Fault(f"{written} it closed its output, but did not end") from None
    if code or results < count:
        exited = f"it ended with exit code {code}" if code else "it ended"
        raise Fault(f"{written} {ending(code) if code < 0 else exited}")
    return got


def _write(stream: IO[bytes], data: bytes) -> None:
    with suppress(OSError), stream:  # the results of one that reads no more say so
        stream.write(data)


def _last_lines(file: IO[bytes]) -> list[str]:
    file.seek(max(0, file.seek(0, os.SEEK_END) - LAST_BYTES))
    lines = file.read().decode(errors="replace").splitlines()[-LAST_LINES:]
    return [f"stderr: {line}" for line in lines]
