"""The tests of libraries on a device, for a machine that has one, with a report to keep.

    python tests/old/on_device.py --device cuda > docs/on-device-MACHINE.txt

It asks of PyTorch, JAX, CuPy and TensorFlow what tests/old/guests/backends/test_libraries.py asks on
the CPU, and sweeps their GELUs and the Triton kernel of docs/kernels. What is not installed, or has
no such device, is named and left out. The exit code is 1 if a case fails, or nothing could be
asked.
"""

import argparse
import os
import platform
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from gelu_cli import sweep  # noqa: E402
from gelu_cli.errors import UsageError, described  # noqa: E402
from gelu_cli.old.guests.backends import backend_class  # noqa: E402
from tests.old.guests.backends.libraries import Case, Library, cases_of, record  # noqa: E402

LIBRARIES = ("torch", "jax", "cupy", "tensorflow")
TRITON = f"{ROOT / 'docs/kernels/gelu_triton.py'}:gelu"
SWEPT = {
    "torch": ("torch.nn.functional:gelu", "exact", ("value", "gradient")),
    "jax": ("jax.nn:gelu", "tanh", ("value", "gradient")),
    "tensorflow": ("tensorflow.nn:gelu", "exact", ("value", "gradient")),
}
"""A function of each library, the form that it computes, and what is asked of it."""

DTYPES = ("float32", "float16", "bfloat16")


class Asked:
    """Prints a line for each case, and counts."""

    def __init__(self):
        self.passed = self.failed = 0

    def __call__(self, name, work):
        """Do what is asked, and print what comes of it."""
        try:
            figure = work()
        except Exception as error:
            self.failed += 1
            print(f"    FAILED  {name}: {described(error)}")
        else:
            self.passed += 1
            print(f"    ok      {name}: {figure}")
        sys.stdout.flush()


def main():
    """Ask every library that is here; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cuda", help="as PyTorch and JAX name it")
    device = parser.parse_args().device
    print(f"machine: {platform.platform()}, Python {platform.python_version()}")
    print(f"device:  {device}\n")
    asked = Asked()
    for name in LIBRARIES:
        ask_library(name, device, asked)
    ask_triton(device, asked)
    print(f"\n{asked.passed} passed, {asked.failed} failed")
    return 1 if asked.failed or not asked.passed else 0


def ask_library(name, device, asked):
    """Ask a library every question, or say why not."""
    if not find_spec(name):
        print(f"{name}: not installed")
        return
    backend_class(name).prepare()
    place = device.replace("cuda", "GPU") if name == "tensorflow" else device
    library = Library(name)
    try:
        print(f"{name}: {record(Case(library, 'float32', place))}")
    except UsageError as error:
        print(f"{name}: left out: {error}")
        return
    for question, case in cases_of(library, place):
        asked(f"{question.__name__} {case.dtype}", lambda q=question, c=case: q(c))
    if name in SWEPT:
        word, target, quantities = SWEPT[name]
        for quantity in quantities:
            for dtype in DTYPES:
                asked(f"{word} {quantity} {dtype}", swept(word, target, quantity, dtype, place))


def ask_triton(device, asked):
    """Sweep the Triton kernel, on a CPU by Triton's interpreter."""
    if not find_spec("triton") or not find_spec("torch"):
        print("triton: not installed")
        return
    import triton

    if device == "cpu":
        os.environ["TRITON_INTERPRET"] = "1"
    print(f"triton: {triton.__version__}")
    for dtype in DTYPES:
        asked(f"gelu_triton.py {dtype}", swept(TRITON, "tanh", "value", dtype, device, "torch"))


def swept(word, target, quantity, dtype, device, backend=None):
    """Return what sweeps a function, and says how far its results are off."""

    def work():
        settings = {"dtype": dtype, "form": target, "quantity": quantity}
        if dtype == "float32":
            settings["samples"] = 100_000
        settings |= {"low": -8.0, "high": 8.0}  # beyond, gradients of the tanh form overflow to NaN
        verdict = sweep(word, device=device, backend=backend, **settings)
        if verdict.total.wrong_nan or not verdict.total.inputs:
            raise AssertionError(f"{verdict.total.wrong_nan} results are NaN")
        return f"{verdict.max_ulp:g} ULP, {verdict.total.misrounded:,} misrounded"

    return work


if __name__ == "__main__":
    sys.exit(main())
