"""Every command and every kind of kernel once, as a user calls it: what comes first is right.

The figures are those of textbooks, of closed forms or counted by hand.
"""

import math
import shutil
import subprocess
import sys

import pytest

from tests.old.cli.examples import COMMANDS
from tests.old.cli.runner import gelu, run_gelu

FIGURES = {
    "table": (["1", "--quantity", "value"], "exact", (1 + math.erf(math.sqrt(0.5))) / 2),
    "error": (["3", "--form", "relu"], "abs_error", 3 * math.erfc(3 / math.sqrt(2)) / 2),
    "locate": (["--form", "silu"], "x", -1.2784645427610738),  # −1 − W(1/e)
    "variance": (["--form", "relu"], "mean", 1 / math.sqrt(2 * math.pi)),
    "block": (["--form", "noisy_relu", "--target", "relu"], "gradient_relative_rms", 6**-0.5),
    "check": (["1=0.8413"], "off_by", 0.447),
    "sweep": (["logistic", "--dtype", "float8_e5m2", "--view", "summary"],
              "inputs", 2**8 - 2 * 3 - 2),  # less NaNs and infinities
    "compare": (["logistic", "erf_sum", "--dtype", "float8_e4m3fn"], "inputs", 2**8 - 2),
    "identify": (["1=0.8412", "2=1.9546"], "agree", 2),
    "fit": (["sigmoid", "--quantity", "gate"], "fitted", 1.7017449),  # Camilli, Psychometrika 1994
    "forms": (["relu", "--view", "figures", "-f", "csv"], "value", 0),
}  # fmt: skip
WORDS = {
    "plot": (["--form", "exact", "--format", "svg"], "<svg"),
    "completion": (["bash"], "complete"),
    "help": (["table"], "Usage: gelu table"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_answers(command):
    if command in WORDS:
        words, text = WORDS[command]
        assert text in gelu(command, *words).out
        return
    words, column, want = FIGURES[command]
    answer = run_gelu(command, *words)
    assert answer.code == 0
    assert float(answer.rows[0][column]) == pytest.approx(want, rel=1e-6, abs=1e-12)


NEXT = 2 + 2**-22
PYTHON = f"""import numpy as np
def relu(x):
    return np.where(x == 2, np.float32({NEXT}), np.maximum(x, 0))
"""
C = f"""#include <stdint.h>
void relu(const float *x, float *y, int64_t n) {{
    for (; n; n--, x++, y++) *y = *x == 2 ? {NEXT}f : *x > 0 ? *x : 0;
}}
"""
PROGRAM = f"""#!{sys.executable} -I
import array, os
x = array.array("f", os.read(0, 1 << 16))
os.write(1, array.array("f", [{NEXT} if each == 2 else max(each, 0) for each in x]))
"""
CSV = f"x,relu\n2,{NEXT}\n{NEXT},{NEXT}\n"


@pytest.mark.parametrize("kind", ["python", "c", "program", "results"])
def test_a_kernel_of_any_kind_is_found_wrong_where_it_is(kind, tmp_path, monkeypatch):
    """It is ReLU but for 2, where it is one number too high: off by 1 ULP."""
    monkeypatch.chdir(tmp_path)
    name, text, words = {
        "python": ("k.py", PYTHON, ["sweep", "k.py:relu"]),
        "c": ("k.c", C, ["sweep", "./k.so:relu"]),
        "program": ("k", PROGRAM, ["sweep", "--exec", "./k"]),
        "results": ("k.csv", CSV, ["check", "k.csv"]),
    }[kind]
    (tmp_path / name).write_text(text)
    (tmp_path / name).chmod(0o755)
    if kind == "c":
        compiler = shutil.which("cc")
        if not compiler:
            pytest.skip("there is no C compiler, cc")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", "k.so", name], check=True)
    words += ["--dtype", "float32", "--form", "relu", "--view", "summary", "--quiet"]
    ranged = ["--range", f"2:{NEXT}"] if kind != "results" else []
    answer = run_gelu(*words, *ranged)
    assert (answer.code, answer.err) == (0, "")
    (row,) = answer.rows
    assert (float(row["max_ulp"]), float(row["max_ulp_x"]), row["misrounded"]) == (1, 2, "1")
