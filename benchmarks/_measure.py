"""The machine and the versions that times were measured on."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("typer", "rich", "numpy", "scipy", "mpmath", "python-flint")


def processor() -> str:
    """Return the cores that this process may use, the processor and the system."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line for line in cpuinfo.read_text().splitlines() if "model name" in line]
        name = names[0].split(":")[1].strip() if names else name
    return f"{os.cpu_count()} × {name}, {platform.system()}"


def machine() -> str:
    """Return one line that names the machine and the versions."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"{processor()}, Python {platform.python_version()}, {versions}"
