"""A signal at any moment of any command: it ends, says a line at most, and leaves files whole."""

import os
import signal
import subprocess
from random import Random

import pytest

from tests.cli.processes import GELU, SCRIPT, started
from tests.cli.runner import gelu

LINES = [
    "table 0:1:/20000 --form exact -o old.csv",
    "table -3 0.1 --digits 400",
    "error -o old.csv",
    "locate --digits 300",
    "variance --form tanh --samples 3000000",
    "sweep --routine erfc --dtype bfloat16 -o old.csv",
    "sweep --routine tanh_sum --samples 400000 --jobs 2",
    "sweep --impl kernel.py:gelu --dtype float16",
    "check published.csv",
    "plot",
    "plot -o old.svg",
    "forms",
    "completion bash",
    "--help",
]
"""Every command, with files and without."""

SIGNALS = [signal.SIGINT] * 3 + [signal.SIGTERM, signal.SIGHUP]

HOOK = """
import os, sys
up = False
left = int(os.environ["EVENTS"])

def hook(event, args):
    global up, left
    if not up and event == "import" and args[0] == "gelu_cli.cli":
        up = True
        os.write(int(os.environ["UP"]), b"up")
    if up:
        left -= 1
        if not left:
            os.kill(os.getpid(), int(os.environ["SIGNAL"]))

sys.addaudithook(hook)
"""
"""As Python loads it before the program: it tells when the program begins.

It sends the signal when so many events have happened, an import, an open file or the like.
"""

FEW, MANY = 16, 300


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(HOOK)
    work = tmp_path / "work"
    work.mkdir()
    (work / "old.csv").write_text("old\n")
    (work / "old.svg").write_text("old\n")
    (work / "kernel.py").write_text("def gelu(x):\n    return x\n")
    (work / "published.csv").write_text("x,exact\n1,0.8413\n")
    return work


@pytest.mark.parametrize(
    "seed",
    [*range(FEW), *(pytest.param(n, marks=pytest.mark.slow) for n in range(FEW, MANY))],
)
def test_a_signal_at_any_moment_ends_it(folder, seed):
    random = Random(seed)
    words = LINES[seed % len(LINES)].split()
    number = random.choice(SIGNALS)
    events = int(10 ** random.uniform(0, 3.5)) if random.random() < 0.5 else 0
    before = sorted(os.listdir(folder))
    read, up = os.pipe()
    env = {
        "PYTHONPATH": str(folder.parent / "hook"),
        "EVENTS": str(events), "UP": str(up), "SIGNAL": str(int(number)),
    }  # fmt: skip
    program = random.choice([GELU, SCRIPT])
    with started(*words, program=program, cwd=folder, env=env, pass_fds=[up]) as process:
        os.close(up)
        assert os.read(read, 2) == b"up", process.communicate()
        os.close(read)
        if not events:
            try:
                process.wait(random.choice([0.05, 0.5]) * random.random())
            except subprocess.TimeoutExpired:
                process.send_signal(number)
        _, said = process.communicate()
    code = process.returncode if process.returncode >= 0 else 128 - process.returncode
    assert code in {0, 128 + number}, said  # 0: it had ended before
    assert b"Traceback" not in said
    assert said.count(b"\n") <= 1
    assert sorted(os.listdir(folder)) == before
    if (table := (folder / "old.csv").read_text()) != "old\n":
        assert table == gelu(*words[: words.index("-o")]).out
    if (picture := (folder / "old.svg").read_text()) != "old\n":
        assert picture.endswith("</svg>\n")
