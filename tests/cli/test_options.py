"""Every option of every command changes what is printed, or ends with exit 2."""

from functools import cache

import pytest
from typer.main import get_command

from gelu_cli.cli import COMMANDS, app
from tests.runner import gelu

FILES = {
    "x.csv": "x,z\n1,2\n2,3\n",
    "printed.csv": "x,exact,note\n2,1.9545,1.9\n",
    "results.csv": "x,exact\n1.0,0.84375\n2.0,1.9531\n",
    "small.csv": "x,exact\n1e-6,0.0\n",
    "pairs.csv": "x,up,exact\n1.0,2.0,1.6875\n-2.0,-0.5,0.0227\n",
    "k.py": """
import numpy as np
def f(x, gain=1.0): return (gain * x / (1 + np.exp(-1.702 * x))).astype(x.dtype)
def g(x): return np.maximum(x, 0)
def glu(gate, up): return (np.maximum(gate, 0) * up).astype(gate.dtype)
def swapped(up, gate): return glu(gate, up)
def flushing(x): return np.where(abs(x) < 6.2e-5, 0, np.maximum(x, 0)).astype(x.dtype)
def back(upstream, x): return upstream * (x > 0).astype(x.dtype)
""",
    "net.py": """
import torch
def net():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU()), torch.ones(2, 4)
""",
}

BASE = {
    "table": "table 1/3",
    "locate": "locate",
    "variance": "variance --form relu",
    "plot": "plot --form relu",
    "forms": "forms tanh",
    "error": "error 1/3 --form tanh",
    "fit": "fit sigmoid",
    "block": "block --form relu --dtype bfloat16",
    "identify": "identify 2=1.9546",
    "check": "check results.csv --dtype bfloat16",
    "sweep": "sweep erfc --dtype float8_e5m2 --range 1:2 --jobs 1",
    "compare": "compare erfc erf_sum --dtype float8_e5m2 --range 1:2 --jobs 1",
    "model": "model net.py:net",
    "make": "make silu --dtype float8_e5m2 --language numpy",
}
"""A line of each command, for the options of output and those that have no other line."""

OPTIONS = {
    "table": {
        "--form": "relu",
        "--quantity": "gate",
        "--dtype": "bfloat16",
        "--bits": ("table 1 --dtype float16", ""),
        "--all": ("table --dtype float8_e5m2", ""),
        "--input": ("table", "x.csv"),
        "--column": ("table --input x.csv", "z"),
    },
    "locate": {"--form": "tanh"},
    "variance": {"--form": "elu", "--mean": "1", "--sigma": "2", "--momentum": "0.9"},
    "plot": {
        "--form": "silu",
        "--quantity": "gradient",
        "--range": "0:1",
        "--error": "absolute",
        "--target": ("plot --error relative --form tanh", "silu"),
    },
    "forms": {"--view": "models"},
    "error": {
        "--form": "relu",
        "--target": "silu",
        "--quantity": "gradient",
        "--range": ("error --form relu", "2:3"),
        "--mean": ("error --form relu", "1"),
        "--sigma": ("error --form relu", "2"),
        "--samples": ("error --form relu", "100"),
        "--seed": ("error --form relu --samples 100", "1"),
        "--input": ("error", "x.csv"),
        "--column": ("error --input x.csv", "z"),
        "--view": "summary",
    },
    "fit": {
        "--free": ("fit tanh", "a"),
        "--quantity": "gate",
        "--degree": ("fit polynomial --range=-1:1 --free c1", "3"),
        "--criterion": "rms",
        "--range": "0:1",
        "--mean": ("fit sigmoid --criterion rms", "1"),
        "--sigma": ("fit sigmoid --criterion rms", "2"),
        "--view": "points",
    },
    "model": {
        "--batch": "x.csv",
        "--labels": "x.csv",
        "--form": "silu",
        "--kernel": "k.py:g",
        "--dtype": "float16",
        "--each": "",
        "--view": "layers",
    },
    "make": {
        "--dtype": "float8_e4m3fn",
        "--quantity": "gradient",
        "--language": (" -f table", "triton"),
        "--max-ulp": "0.1",
        "--check": "x.csv",
        "--jobs": "0",
        "--view": "tried",
        "--output": "kernel.py",
        "--quiet": (" -o kernel.py", ""),
    },
    "block": {
        "--form": "silu",
        "--target": "silu",
        "--dtype": "float64",
        "--mean": "1",
        "--sigma": "2",
        "--shape": "8,32",
        "--glu": "",
    },
    "identify": {
        "--quantity": "gradient",
        "--dtype": "float16",
        "--input": ("identify", "printed.csv"),
        "--column": ("identify --input printed.csv", "exact"),
        "--digits": ("identify -2.1213150=-0.0359511785 --dtype float32", "3"),
    },
    "check": {
        "--form": ("check 2=1.9546", "tanh"),
        "--quantity": ("check 2=1.0852", "gradient"),
        "--wrong": ("check 2=1.9545", ""),
        "--rename": ("check printed.csv", "note=tanh"),
        "--ignore": ("check printed.csv", "note"),
        "--input": ("check", "printed.csv"),
        "--column": ("check results.csv --dtype bfloat16", "exact"),
        "--dtype": ("check results.csv", "float16"),
        "--result": "float16",
        "--inputs": "x.csv",
        "--all": "",
        "--glu": ("check pairs.csv --dtype bfloat16", ""),
        "--packed": "halves",
        "--gate-limit": ("check pairs.csv --dtype bfloat16 --glu", "0.5"),
        "--up-limit": ("check pairs.csv --dtype bfloat16 --glu", "0.5"),
        "--up-offset": ("check pairs.csv --dtype bfloat16 --glu", "1"),
        "--intermediate": ("check pairs.csv --dtype bfloat16 --glu", "float8_e5m2"),
        "--ftz": ("check small.csv --dtype float16", ""),
    },
}
"""By command and option: a value behind BASE, or another line and a value."""

E5M2 = "--dtype float8_e5m2 --range 1:2 --jobs 1"
SAMPLED = "{erfc} --dtype float32 --range 1:1.001 --samples 99 --jobs 1"
PAIRS = "{glu} --dtype float8_e5m2 --form relu --range 1:2 --glu --jobs 1 --up all"
KERNELS = {
    "--exec": (f"{{none}} {E5M2}", "cat"),
    "--dtype": "float8_e4m3fn",
    "--result": "float16",
    "--form": "tanh",
    "--quantity": "gradient",
    "--compute": "float16",
    "--signature": "scalar",
    "--backend": (f"{{f}} {E5M2}", "nonsense"),
    "--device": (f"{{f}} {E5M2}", "cuda:9"),
    "--kwarg": (f"{{f}} {E5M2}", "gain=2"),
    "--timeout": "0",
    "--jobs": "0",
    "--range": "2:3",
    "--all": (SAMPLED, ""),
    "--samples": (SAMPLED, "98"),
    "--seed": (SAMPLED, "1"),
    "--mean": "1",
    "--sigma": "2",
    "--worst": (f"{{erfc}} {E5M2} --view worst", "1"),
    "--glu": (f"{{glu}} {E5M2} --form relu", ""),
    "--packed": (PAIRS, "halves"),
    "--up-first": (f"{{swapped}} {E5M2} --form relu --glu --up=-2", ""),
    "--backward": (f"{{back}} {E5M2} --form relu --quantity gradient", ""),
    "--up": (PAIRS.removesuffix("--up all"), "5"),
    "--gate-limit": (PAIRS, "0.5"),
    "--up-limit": (PAIRS, "0.5"),
    "--up-offset": (PAIRS, "1"),
    "--intermediate": (PAIRS, "float8_e4m3fn"),
    "--ftz": ("{flushing} --dtype float8_e5m2 --form relu --range 0:1e-4", ""),
    "--view": "worst",
}
"""The options of sweep and compare, whose kernels stand in braces."""

BOUNDS = {
    "--max-ulp": "0.1",
    "--max-abs": "1e-9",
    "--max-rel": "1e-9",
    "--baseline": "base.json",
    "--rtol": (" --view criteria", "0.5"),
    "--atol": (" --view criteria", "0.5"),
    "--mean": "1",
    "--sigma": "2",
    "--worst": (" --view worst", "1"),
    "--view": "worst",
}
"""The options of sweep and check that judge; a line is what is added to BASE."""

OUTPUT = {
    "--format": (" -f csv", "json"),
    "--output": ("", "out.json"),
    "--digits": "3",
    "--quiet": (" -o out.csv", ""),
}
"""The options of every command; a line is what is added to BASE."""


def options_of(command):
    """List the options that typer knows of a command."""
    parameters = get_command(app).get_command(None, command).params
    names = (each.opts[0] for each in parameters)
    return [name for name in names if name.startswith("--") and name != "--help"]


def kernels(command):
    """Return how kernels stand on a line, by the names in braces."""
    words = {name: f"k.py:{name}" for name in ("f", "glu", "swapped", "flushing", "back")}
    one = {"none": "", "erfc": "erfc", **words}
    if command == "compare":
        one = {name: f"{word} {word}" for name, word in one.items()} | {"erfc": "erfc erf_sum"}
    return {name: f"{command} {word}" for name, word in one.items()}


def lines_of(command):
    """Return a line and a value for each option of a command."""
    tables = [OUTPUT, OPTIONS.get(command, {})]
    tables[1:1] = [BOUNDS] if command in ("check", "sweep") else []
    tables[1:1] = [KERNELS] if command in ("compare", "sweep") else []
    lines = {}
    for name, entry in (pair for table in tables for pair in table.items()):
        line, value = entry if isinstance(entry, tuple) else ("", entry)
        if line.startswith(" ") or not line:
            line = BASE[command] + line
        lines[name] = (line.format(**kernels(command)), value)
    return lines


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_changes_the_answer_or_is_refused(command, folder):
    if command == "model":
        pytest.importorskip("torch", reason="its networks are torch's")
    if "--baseline" in options_of(command):
        gelu("sweep", "erf_sum", "--dtype", "float8_e5m2", "-q", "-o", "base.json")
    run, lines, silent = cache(lambda line: gelu(*line.split())), lines_of(command), []
    for option in options_of(command):
        line, value = lines[option]
        plain, changed = run(line), run(f"{line} {option} {value}")
        if changed == plain or changed.code not in (0, 1, 2):
            silent.append((line, option, value, changed))
        elif changed.code == 2:
            assert changed.err.startswith(("gelu: ", "Usage: ")), changed
    assert silent == []
