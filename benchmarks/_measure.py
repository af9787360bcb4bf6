"""Times of whole processes, and the machine that they were measured on."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

PYTHON = sys.executable
GELU = str(Path(PYTHON).with_name("gelu"))
PACKAGES = ("typer", "rich", "numpy", "scipy", "mpmath", "python-flint")
FOREIGN = {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"}
"""What would have programs compiled at every start, or written piece by piece."""


class Seconds(NamedTuple):
    """What a process took: by the clock, and of the processor, children included."""

    wall: float
    cpu: float


class FailedError(Exception):
    """A process ended with an exit code other than 0; the last line that it wrote says why."""


def seconds(command: Sequence[str], folder: str, stdin: str = os.devnull) -> Seconds:
    """Run a command in a folder, with stdout thrown away, and return what it took.

    Raises FailedError with the last line of stderr.
    """
    env = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    with open(Path(folder, stdin), "rb") as source, TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env=env, stdin=source, stdout=subprocess.DEVNULL, stderr=errors
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            lines = errors.read().decode(errors="replace").split("\n")
            raise FailedError(
                next(filter(None, reversed(lines)), f"exit code {process.returncode}")
            )
    return Seconds(wall, usage.ru_utime + usage.ru_stime)


def medians(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, float]:
    """Return the median seconds of each command by the clock, taken in turns."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(seconds(command, os.curdir).wall)
    return {name: statistics.median(taken) for name, taken in times.items()}


def processor() -> str:
    """Return the cores that this process may use, the processor and the system."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line for line in cpuinfo.read_text().splitlines() if "model name" in line]
        name = names[0].split(":")[1].strip() if names else name
    return f"{os.cpu_count()} × {name}, {platform.system()}"


def software() -> str:
    """Return the versions of Python and of what decides."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"Python {platform.python_version()}, {versions}"


def machine() -> str:
    """Return one line that names the machine and the versions that decide."""
    return f"{processor()}, {software()}"


if __name__ == "__main__":  # another Python tells its versions
    print(software())
