"""A signal at any moment of any command: it ends, says a line at most, and leaves files whole."""

import signal
from random import Random

import pytest

from tests.old.cli.processes import GELU, SCRIPT, names, started
from tests.old.cli.runner import gelu

LINES = [
    "table 0:1:/20000 --form exact -o old.csv",
    "table -3 0.1 --digits 400",
    "error -o old.csv",
    "locate --digits 300",
    "variance --form tanh --samples 3000000",
    "sweep erfc --dtype bfloat16 -o old.csv",
    "sweep tanh_sum --samples 400000 --jobs 2",
    "sweep kernel.py:gelu --dtype float16",
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
up, left = False, int(os.environ["LEFT"])

def tick(*_):
    global left
    left -= 1
    if not left:
        open(os.environ["SENT"], "w").close()
        os.kill(os.getpid(), int(os.environ["SIGNAL"]))

def hook(event, args):
    global up
    if not up and event == "import" and args[0] == "gelu_cli.old.cli":
        up = True
        if os.environ["COUNTED"] == "calls":
            sys.setprofile(tick)
    if up and os.environ["COUNTED"] == "events":
        tick()

sys.addaudithook(hook)
"""
"""As Python loads it before the program, which begins with its first import.

It sends the signal when so many events have happened, an import, an open file or the like, or when
so many functions have been called or left.
"""

MOMENTS = {"events": 3.5, "calls": 5.5}
"""So many powers of ten are there of each, at most."""

FEW, MANY = 16, 300


@pytest.fixture
def work(tmp_path):
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(HOOK)
    work = tmp_path / "work"
    work.mkdir()
    (work / "old.csv").write_text("old\n")
    (work / "old.svg").write_text("old\n")
    (work / "kernel.py").write_text("def gelu(x):\n    return x\n")
    (work / "published.csv").write_text("x,exact\n1,0.8413\n")
    return work


def ended(words, work, program, **moment):
    """Run a line that gets a signal at a moment; return what it is, None if it ended before."""
    sent = work.parent / "sent"
    env = {"PYTHONPATH": str(work.parent / "hook"), "SENT": str(sent), **moment}
    with started(*words, program=program, cwd=work, env=env) as process:
        _, said = process.communicate()
    return (process.returncode, said) if sent.exists() else None


@pytest.mark.parametrize(
    "seed", [*range(FEW), *(pytest.param(n, marks=pytest.mark.slow) for n in range(FEW, MANY))]
)
def test_a_signal_at_any_moment_ends_it(work, seed):
    random = Random(seed)
    words = LINES[seed % len(LINES)].split()
    number = random.choice(SIGNALS)
    counted, most = random.choice([*MOMENTS.items()])
    left = int(10 ** random.uniform(most / 2, most))
    program = random.choice([GELU, SCRIPT])
    before = names(work)
    moment = {"COUNTED": counted, "SIGNAL": str(int(number))}
    while not (end := ended(words, work, program, LEFT=str(left), **moment)):
        for name in ("old.csv", "old.svg"):  # a whole run may have written them
            (work / name).write_text("old\n")
        left //= 2
    code, said = end
    assert (code if code >= 0 else 128 - code) == 128 + number, said
    assert b"Traceback" not in said
    assert said.count(b"\n") <= 1
    assert names(work) == before
    if (table := (work / "old.csv").read_text()) != "old\n":
        assert table == gelu(*words[: words.index("-o")]).out
    if (picture := (work / "old.svg").read_text()) != "old\n":
        assert picture.endswith("</svg>\n")
