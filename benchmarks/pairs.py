"""Every pair of bfloat16s, or of those with sizes in a range: a sweep beside the kernel alone.

    python benchmarks/pairs.py [LOW HIGH]

The kernel is docs/kernels/glu.py:geglu. Both run in as many processes as there are cores.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does

import numpy as np
from _measure import GELU, PYTHON, machine, seconds

KERNEL = Path(__file__).parent.parent / "docs" / "kernels" / "glu.py"
GATES = 512
"""Gates in a call of the kernel, each with 128 ups: as many pairs as a sweep has in one."""


def alone(gates: np.ndarray, ups: np.ndarray) -> None:
    """Call the kernel with each gate and each up."""
    import ml_dtypes

    sys.path.insert(0, str(KERNEL.parent))
    from glu import geglu

    for start in range(0, len(ups), 128):
        some = ups[start : start + 128].astype(ml_dtypes.bfloat16)
        with np.errstate(all="ignore"):
            geglu(np.repeat(gates.astype(ml_dtypes.bfloat16), len(some)), np.tile(some, len(gates)))


def every(low: float, high: float) -> None:
    """Call the kernel alone with every pair, on all cores."""
    from gelu_cli.old.arithmetic.format_arrays import every_number
    from gelu_cli.old.arithmetic.formats import FORMATS

    ups, gates = (every_number(FORMATS["bfloat16"], *ends) for ends in ((), (low, high)))
    blocks = [gates[i : i + GATES] for i in range(0, len(gates), GATES)]
    with ProcessPoolExecutor() as pool:
        list(pool.map(partial(alone, ups=ups), blocks))


def main() -> None:
    if sys.argv[1:2] == ["alone"]:
        every(*map(float, sys.argv[2:]))
        return
    low, high = sys.argv[1:] or ("-inf", "inf")
    asked = ["--glu", "--dtype", "bfloat16", "--up", "all", f"--range={low}:{high}"]
    commands = {
        "the kernel alone": [PYTHON, __file__, "alone", low, high],
        "gelu sweep": [GELU, "sweep", f"{KERNEL}:geglu", *asked, "-q", "-f", "csv"],
    }
    taken = {name: seconds(command, os.curdir) for name, command in commands.items()}
    print(machine())
    base = taken["the kernel alone"]
    for name, each in taken.items():
        print(f"{name}: {each.wall:.0f} s, CPU {each.cpu:.0f} s, × {each.wall / base.wall:.2f}")


if __name__ == "__main__":
    main()
