"""Command lines drawn at random: each ends as the contract says, and never by our mistake."""

import csv
import json
import os
import random
import re

import pytest
from typer.main import get_command

from gelu_cli.cli import COMMANDS, app
from tests.runner import gelu

LINES = int(os.environ.get("GELU_FUZZ", "8"))
"""A command; with twelve commands about a hundred."""

FILES = {
    "x.csv": "x,exact\n1,0.8413\n-2,-0.0455\ninf,inf\n",
    "bad.csv": "x;exact\n1,\n,2\n\n\x00\n",
    "empty.json": "[]",
    "k.py": "import numpy as np\ndef f(x): return np.maximum(x, 0)\ndef g(x, u): return x * u\n",
}

WRONG = [
    "",
    "x",
    "-",
    "--1",
    "1:0:1",
    "1,2",
    "nan",
    "inf",
    "-0.0",
    "1e400",
    "tahn",
    "none.csv",
    "bad.csv",
    "empty.json",
    "silu:x=1",
    "k.py:none",
    ".",
    "gradeint",
]
NUMBERS = ["0", "1", "2.5", "1/3", "2^-12", "0x1p-3", "1_0"]
NAMES = ["exact", "tanh", "sigmoid:beta=1.5", "relu", "quick_gelu", "Phi"]
POOLS = {
    "X": [*NUMBERS, "-2.5", "-inf", "1e-300", "-1:1:0.5", "0:1:/3"],
    "FORM": ["sigmoid", "hard"],
    "X=Y": ["1=0.8413", "2=1.9546", "-1=-0.16"],
    "X=Y|FILE": ["1=0.8413", "2=1.9546", "-1=-0.16"],
    "NAME": ["tanh", "GELU", "summary", "points"],
    "KERNEL": ["erfc", "tanh_sum", "k.py:f"],
    "A": ["erfc", "k.py:f"],
    "B": ["tanh_sum", "sigmoid"],
    "F": NAMES,
    "F,...": NAMES,
    "FILE": ["x.csv", "out.md", "out.json", "out.csv"],
    "D,FF": ["8,32"],
    "COMMAND": ["cat"],
    "FORMAT": ["float8_e5m2", "float8_e4m3fn", "csv", "json", "markdown", "latex", "table"],
    "FORMAT,...": ["bfloat16", "float16,float32"],
    "Q": ["value", "gradient"],
    "Q,...": ["value", "gate,gradient", "all"],
    "A:B": ["-1:1", "0:1", "2:3"],
}
"""Words by the metavar of an option or argument; others take numbers."""

SMALL = {
    "block": ["--dtype", "bfloat16", "--form", "relu"],
    "compare": ["--dtype", "float8_e5m2"],
    "sweep": ["--dtype", "float8_e5m2"],
}
"""What keeps lines quick, unless they draw otherwise."""

OURS = re.compile(r"gelu: \S.*|\S+: .*")
"""A line of ours, or what a kernel has written behind its name."""


def draw(command, rng):
    """Draw a line of a command, from the parameters that typer knows."""
    parameters = get_command(app).get_command(None, command).params
    options = [each for each in parameters if each.opts[0].startswith("-")]

    def value(metavar):
        right = POOLS.get(metavar, NUMBERS)
        return rng.choice(right if rng.random() < 0.9 else WRONG)

    words = list(SMALL.get(command, []))
    for each in rng.sample(options, min(len(options), rng.choice([0, 1, 1, 2, 3]))):
        if each.opts[0] != "--all":  # which may be millions of numbers
            words += [rng.choice(each.opts), *([] if each.is_flag else [value(each.metavar)])]
    for each in parameters:
        if each not in options and (command != "error" or rng.random() < 0.5):
            words += [
                value(each.metavar) for _ in range(rng.choice([1, 1, 2]) if each.nargs < 0 else 1)
            ]
    return words


def fault(words, run):
    """Say what is wrong with the end of a line; "" if nothing is."""
    lines = run.err.splitlines()
    if run.code not in (0, 1, 2, 3, 4):
        return f"exit code {run.code}"
    if run.code == 2 and run.err.startswith("Usage: gelu"):
        return "" if run.out == "" else "typer refuses, and something is printed"
    if strange := [line for line in lines if not OURS.fullmatch(line)]:
        return f"not a line of ours: {strange[0]!r}"
    if run.code >= 2:
        said = [line for line in lines if line.startswith("gelu: ")]
        return "" if said and run.out == "" else "an error without a message, or with an answer"
    formats = [words[i + 1] for i, word in enumerate(words[:-1]) if word in ("-f", "--format")]
    format = formats[-1] if formats else "csv"
    if format == "json" and run.out:
        json.loads(run.out)
    if format == "csv" and run.out and words[0] != "fit":
        rows = list(csv.reader(run.out.splitlines()))
        return "" if len({*map(len, rows)}) == 1 else "rows of several lengths"
    return ""


@pytest.mark.parametrize("command", COMMANDS)
def test_a_line_drawn_at_random_ends_as_the_contract_says(command, folder):
    rng, faults = random.Random(f"{command} 1"), {}
    for _ in range(LINES):
        words = [command, *draw(command, rng)]
        run = gelu(*words, stdin=rng.choice(["1\n2\n", "", None]))
        if wrong := fault(words, run):
            faults[" ".join(words)] = wrong, run
    assert faults == {}
