"""The descriptors 0, 1 and 2: whose they are when the program begins, and how stdout ends."""

from __future__ import annotations

import errno
import os
import sys

from gelu_cli.cli.output.messages import complain
from gelu_cli.errors import OutputError


def take_descriptors() -> None:
    """Take the descriptors of streams that are closed, so that no file gets one of them.

    What is written to stderr would land in it. As these are, 0 cannot be read nor 1 and 2 written.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:  # the lowest that is free is the one that is opened
            os.open(os.devnull, os.O_RDONLY if descriptor else os.O_WRONLY)


def close_stdout(code: int) -> int:
    """Close stdout and return the exit code; a disk with a quota may refuse only now."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
        os.close(1)
    except OSError as error:
        if error.errno != errno.EBADF:
            return complain(f"cannot write the output: {error.strerror}", OutputError.exit_code)
    return code
