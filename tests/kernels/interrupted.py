"""A program that waits for kernels that hang; tests send it signals."""

import sys
from pathlib import Path

from gelu_cli.kernels import workers
from tests.kernels.calls import Calls, Unit, array, kernel

KERNEL = """
import subprocess, time
def f(x):
    if x[0] < 2:
        return x
    subprocess.Popen(["sleep", "{sleep}"])
    print("hangs", flush=True)
    time.sleep(1000)
"""


def main(sleep: str) -> None:
    """Print the indices of units that are done."""
    Path("hangs.py").write_text(KERNEL.format(sleep=sleep))
    units = [Unit((array([x]),)) for x in (0.0, 1.0, 2.0, 3.0)]
    try:
        print("begins", flush=True)
        for index, _ in workers.run(Calls(kernel("hangs.py:f")), units, jobs=2):
            print(index, flush=True)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main(sys.argv[1])
