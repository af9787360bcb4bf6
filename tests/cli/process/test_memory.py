"""However many numbers come in, no more memory is taken."""

import os
import subprocess
from itertools import cycle, islice

import pytest

from tests.cli.processes import GELU, MEBIBYTE, STREAM, environment

MARGIN = 8 * MEBIBYTE
"""200,000 floats in a list alone are 6.1 MiB more; their words, rows or text are far more."""


def stream(count):
    """Yield so many numbers, as text in blocks."""
    block = b"".join(b"%d.5\n" % n for n in range(-5000, 5000))
    return islice(cycle([block]), count // 10_000)


def memory_for(count, name):
    """Return the peak memory, in units of the system, for so many numbers on stdin."""
    words = [*GELU, *STREAM, "-f", name]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()
    ) as process:
        counter = subprocess.Popen(["wc", "-l"], stdin=process.stdout, stdout=subprocess.PIPE)
        for block in stream(count):
            process.stdin.write(block)
        process.stdin.close()
        lines = int(counter.communicate()[0])
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert lines >= count
    return used.ru_maxrss


@pytest.mark.parametrize("name", ["csv", pytest.param("jsonl", marks=pytest.mark.slow)])
def test_many_numbers_take_no_more_memory_than_few(name):
    assert memory_for(300_000, name) < memory_for(50_000, name) + MARGIN


@pytest.mark.slow
def test_a_hundred_million_numbers_take_no_more_memory_than_a_hundred_thousand():
    assert memory_for(100_000_000, "csv") < memory_for(100_000, "csv") + MARGIN
