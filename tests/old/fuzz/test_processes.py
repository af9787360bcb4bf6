"""Whatever is on the command line and around it: a process that ends by the contract, whole.

The variable GELU_FUZZ_PROCESSES is the number of lines, 40 unless it is set. What fails is printed
with its seed; with that as GELU_FUZZ_SEED and no number, it is among the lines that are run.
"""

import os
import pickle
import random
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.old.cli.processes import environment
from tests.old.fuzz.circumstances import process_lines
from tests.old.fuzz.contract import Request, faults
from tests.old.fuzz.files import Folder

LINES = int(os.environ.get("GELU_FUZZ_PROCESSES", "40"))
SEED = int(os.environ.get("GELU_FUZZ_SEED", random.randrange(10**9)))
OF_A_SEED, OF_A_PART = 20, 1000
"""So many lines are drawn from one seed, and run in one test."""
MOST = 10
"""So many lines that fail end a part."""

HOUSE = Path(__file__).parents[3]

pytestmark = pytest.mark.skipif(
    not hasattr(os, "pidfd_open") or not hasattr(os, "memfd_create"),
    reason="descriptors of processes are Linux's",
)


@pytest.fixture(scope="module")
def nursery():
    command = [sys.executable, "-m", "tests.old.fuzz.nursery"]
    settings = environment(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=HOUSE, env=settings, **pipes) as process:
        yield process
        process.stdin.close()


def ended(nursery, request):
    """Return how a line ends."""
    pickle.dump(request, nursery.stdin)
    nursery.stdin.flush()
    return pickle.load(nursery.stdout)


def drawn(number):
    """Return the lines of a seed: all different, as Hypothesis varies none of them."""
    examples = []

    @seed(number)
    @settings(
        max_examples=2, deadline=None, database=None,
        suppress_health_check=list(HealthCheck), phases=[Phase.generate],
    )  # fmt: skip
    @given(st.lists(process_lines(), min_size=OF_A_SEED, max_size=OF_A_SEED))
    def take(lines):
        examples.append(lines)

    take()
    return examples[-1]  # the first one is the simplest, whatever the seed


@pytest.mark.timeout(0)  # each line has a time of its own
@pytest.mark.parametrize("first", range(0, LINES, OF_A_PART))
def test_every_process_ends_by_the_contract(nursery, tmp_path, first):
    folder = Folder(tmp_path / "folder")
    failed = 0
    for number in range(first, min(first + OF_A_PART, LINES), OF_A_SEED):
        own_seed = SEED + number // OF_A_SEED
        for line in drawn(own_seed):
            if fault := fault_of(nursery, folder, *line):
                failed += 1
                print(f"{fault}\n  GELU_FUZZ_SEED={own_seed}\n", flush=True)
        if failed >= MOST:
            break
    assert not failed, "see the lines that are printed"


def fault_of(nursery, folder, words, stdin, around):
    """Return what is to be known of a line if it fails, else nothing."""
    folder.restore()
    end = ended(nursery, Request(str(folder.path), words, stdin, around))
    found = "; ".join(faults(words, end, folder, around))
    shown = (found, f"gelu {shlex.join(words)}", f"stdin {stdin!r}", f"{around}", f"{end}")
    return found and "\n  ".join(shown)
