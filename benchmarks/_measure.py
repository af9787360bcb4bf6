"""Wall times of whole processes, taken in turns so that a busy moment hits all alike."""

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

PYTHON = sys.executable
GELU = str(Path(PYTHON).with_name("gelu"))


def medians(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, float]:
    """Return the median seconds of each command, with stdout piped away."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run(command, stdout=subprocess.PIPE, check=True)
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(taken) for name, taken in times.items()}


def machine() -> str:
    """Return one line that names the machine and the versions that decide."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line for line in cpuinfo.read_text().splitlines() if "model name" in line]
        processor = names[0].split(":")[1].strip() if names else processor
    versions = ", ".join(
        f"{name} {version(name)}" for name in ("typer", "mpmath", "numpy", "scipy")
    )
    return (
        f"{os.cpu_count()} × {processor}, {platform.system()}, "
        f"Python {platform.python_version()}, {versions}"
    )
