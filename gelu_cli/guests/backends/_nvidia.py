"""What Nvidia's driver says of itself."""

from __future__ import annotations

import subprocess


def driver() -> str:
    """Return the version of Nvidia's driver as part of a sentence, or nothing if nobody knows."""
    words = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        said = subprocess.run(words, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    version = said.stdout.partition("\n")[0].strip()
    return f", driver {version}" if version else ""
