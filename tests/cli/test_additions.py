"""A form is one entry: √(x² + b), b = 1, added to a copy of the package, has every command."""

import json
import os
import subprocess
import sys
from csv import DictReader
from decimal import Decimal, localcontext
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import ndtr
from scipy.stats import norm

import gelu_cli
import tests
from tests.truth.mpmath import M

ENTRY = """
[hyperbola]
definition = "√(x² + b), b = 1"
value = { polynomial = "-x", tail = "b/(√(x·x + b) - x)" }  # √(x² + b) + x does not cancel
symmetry = "even"
parameters = { b = "1" }
positive = ["b"]
aliases = ["smooth_abs"]
"""


PROCESS = """
import json, sys
from tests.runner import gelu
for line in sys.stdin:
    print(json.dumps(gelu(*line.split())), flush=True)
"""


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """Yield a function that runs a line in a process with the copy, and reads its CSV."""
    folder = tmp_path_factory.mktemp("added")
    source = Path(gelu_cli.__file__).parent
    copytree(source, folder / "gelu_cli")  # with compiled modules
    with (folder / "gelu_cli/formulas/forms.toml").open("a", encoding="utf-8") as file:
        file.write(ENTRY)
    env = {**os.environ, "PYTHONPATH": f"{folder}:{Path(tests.__file__).parents[1]}"}
    words, pipe = [sys.executable, "-c", PROCESS], subprocess.PIPE
    with subprocess.Popen(words, env=env, cwd=folder, stdin=pipe, stdout=pipe, text=True) as here:

        def run(line):
            print(line, "-f csv", file=here.stdin, flush=True)
            code, out, err = json.loads(here.stdout.readline())
            assert code == 0, err
            return list(DictReader(out.splitlines()))

        yield run
        here.stdin.close()


def test_table_has_its_quantities_to_fifty_digits(rows):
    found = rows("table -2.5 0.3 1e6 --form smooth_abs --quantity all -d 50")
    with localcontext(prec=50) as context:
        for row in found:
            exact = Decimal(row["x"])
            context.prec = 120
            root = (exact * exact + 1).sqrt()
            wants = [root, exact / root, 1 / root**3, exact - root]
            context.prec = 50
            names = ("", "_gradient", "_curvature", "_complement")
            assert [Decimal(row[f"smooth_abs{name}"]) for name in names] == [+y for y in wants]


def test_table_rounds_it_to_a_format_also_in_arrays(rows):
    (one,) = rows("table 3 --form hyperbola --quantity value --dtype bfloat16 --bits")
    assert (one["hyperbola"], one["hyperbola_bits"]) == ("3.15625", "0x404a")
    many = rows("table -300:300:0.25 --form hyperbola --quantity value")
    for row in many[::97]:
        with M.workdps(40):
            assert float(row["hyperbola"]) == float(M.sqrt(M.mpf(row["x"]) ** 2 + 1))


def test_error_has_its_suprema_averages_and_errors_at_points(rows):
    found = {row["metric"]: row for row in rows("error --form hyperbola --target relu")}
    # √(x² + 1) − max(x, 0) rises to 10.05 at −10; there is no bound on its ratio to 0.
    assert float(found["max_abs_error"]["value"]) == float(M.sqrt(101))
    assert found["max_rel_error"]["value"] == "inf"
    (row,) = rows("error 0.75 --form hyperbola --target relu")
    assert (row["approx"], row["abs_error"]) == ("1.25", "0.5")


def test_locate_finds_its_minimum_and_no_inflection(rows):
    (row,) = rows("locate --form hyperbola")
    assert (row["point"], row["x"], row["value"], row["curvature"]) == (
        "minimum",
        "0.0",
        "1.0",
        "1.0",
    )


def test_variance_has_its_moments(rows):
    (row,) = rows("variance --form hyperbola")
    # E(X² + 1) = 2 and E X²/(X² + 1) = 1 − √(π/2)·e^½·erfc(√½).
    slope = 1 - M.sqrt(M.pi / 2) * M.exp(0.5) * M.erfc(M.sqrt(0.5))
    assert (row["second_moment"], row["gradient_mean"]) == ("2.0", "0.0")
    assert abs(float(row["gradient_second_moment"]) / float(slope) - 1) < 1e-15
    assert float(row["negative_probability"]) == 0


def test_forms_and_plot_show_it(rows):
    assert any("√(x² + b), b = 1" in row.values() for row in rows("forms smooth_abs"))
    drawn = rows("plot --form hyperbola,relu --range -1:1")
    assert len(drawn) == 801
    assert drawn[400]["hyperbola"] == "1.0"


KERNEL = """
import numpy as np


def root(x):
    return np.sqrt(x.astype(np.float64) ** 2 + 1).astype(np.float32).astype(x.dtype)


def off(x):
    return np.where(x == 2, np.full_like(x, 3), root(x))
"""


def test_kernels_are_measured_against_it(rows, tmp_path):
    file = tmp_path / "k.py"
    file.write_text(KERNEL)
    asked = "--form hyperbola --dtype float8_e5m2"
    (right,) = rows(f"sweep {file}:root {asked}")
    assert (right["misrounded"], right["wrong_special"]) == ("0", "0")
    (one, other) = rows(f"compare {file}:root {file}:off {asked}")
    with M.workdps(40):
        ulp = float((3 - M.sqrt(5)) * 2)  # numbers from 2 to 4 are ½ apart
    assert (float(other["max_ulp"]), other["max_ulp_x"]) == (ulp, "2.0")
    assert (one["differ"], one["nearer"], other["nearer"]) == ("1", "1", "0")
    found = rows("check 0.75=1.25 2=2.2361 --form hyperbola")
    assert [row["verdict"] for row in found] == ["right", "right"]


def test_its_parameter_is_fitted(rows):
    """The gradient x/√(x² + b), nearest to GELU's on [0.2, 0.7]."""
    (row,) = rows("fit hyperbola --quantity gradient --range 0.2:0.7")
    x = np.linspace(0.2, 0.7, 50_001)

    def largest(b):
        return np.max(np.abs(x / np.sqrt(x * x + b) - ndtr(x) - x * norm.pdf(x)))

    found = minimize_scalar(largest, bounds=(0.001, 1), options={"xatol": 1e-10})
    assert float(row["fitted"]) == pytest.approx(found.x, rel=1e-6)
    assert float(row["error_fitted"]) == pytest.approx(found.fun, rel=1e-6)


def test_values_of_it_are_identified_and_a_block_can_have_it(rows):
    first, *_ = rows("identify 2=2.23607 3=3.16228 -0.3=1.04403")
    assert (first["form"], first["agree"]) == ("hyperbola", "3")
    low, high = map(float, first["parameter"].removeprefix("b in [")[:-1].split(", "))
    assert low <= 1 <= high < low + 1e-4
    (row,) = rows("block --form hyperbola --target relu")
    assert 0 < float(row["relative_rms"]) < 2
