"""Records that somebody has edited: whatever a field has, it is read or refused in one line."""

import copy
import json
import random
from itertools import cycle
from pathlib import Path

import pytest

from tests.old.cli.runner import run_gelu

KERNEL = """
import numpy as np

def relu(x):
    return np.maximum(x, 0)

def ragged(x):
    y = np.maximum(x, 0) * np.asarray(2 if len(x) == 3 else 1, x.dtype)
    return np.where(x == 3, np.nan, y).astype(x.dtype)
"""
OF_RELU = "--dtype float8_e5m2 --form relu"
LINES = {
    "two": "sweep erfc,tanh_sum --dtype e5m2 --range=-4:4 --digits 6 --criteria",
    "shapes": f"sweep kernel.py:ragged {OF_RELU} --range 1:8 --shapes --max-ulp 3",
    "results": "check results.csv --dtype float8_e5m2",
    "compared": f"compare kernel.py:relu kernel.py:ragged {OF_RELU}",
}
RESULTS = "x,relu,exact_gradient\n1,1.25,1\n-2,0,0\ninf,inf,1\nnan,3,nan\n-inf,0.5,0\n"
BUDGET = """
[[bound]]
max_ulp = 3
wrong_nan = 0
over_1_ulp = 5
[[bound]]
range = "2:4"
max_ulp = 3
"""
GONE = object()
VALUES = [
    GONE, None, "", "text", "a\nb\x1b", True, 0, 1, -1, 0.5, 10**18, 1e300, 5e-324, "nan", "inf",
    "-inf", "1e+999999999", "0." + "1" * 2000, "9" * 60, "0x7f", "0x" + "f" * 40, [], {}, [1], [{}],
    {"a": [{}]}, "float16", "gradient", "max_ulp ≤ two", "compare",
]  # fmt: skip
READERS = [
    "check edited.json -q -o page.html", "check edited.json -f record --max-ulp 1",
    "check edited.json -q -f csv --budget budget.toml", "plot edited.json",
    "compare edited.json {}.json", "check edited.json --view regions -f table",
    "check edited.json -f junit", "check edited.json -f github --digits 3",
    "check edited.json --view plot", "check edited.json --view worst",
]  # fmt: skip
FEW = 15
"""So many edits of each record are tried each time; all of them are slow."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("records")
    (folder / "kernel.py").write_text(KERNEL)
    (folder / "results.csv").write_text(RESULTS)
    (folder / "budget.toml").write_text(BUDGET)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, line in LINES.items():
            run_gelu(*line.split(), "-q", "-o", f"{name}.json")
        yield folder


def places(value, path=()):
    """Yield the path to each part of a value; of arrays the first item and the last."""
    if path:
        yield path
    if isinstance(value, dict):
        for name, each in value.items():
            yield from places(each, (*path, name))
    elif isinstance(value, list) and value:
        for i in sorted({0, len(value) - 1}):
            yield from places(value[i], (*path, i))


def edited(record, path, value):
    """Return a record with another value at a place, or without it."""
    record = copy.deepcopy(record)
    part = record
    for step in path[:-1]:
        part = part[step]
    if value is GONE:
        del part[path[-1]]
    else:
        part[path[-1]] = value
    return record


def fault_of(answer):
    """Return what is wrong with the end of a command that has read an edited record."""
    if answer.code not in (0, 1, 2):
        return f"exit code {answer.code}: {answer.err}"
    if answer.code == 2 and (answer.err.count("\n") != 1 or "edited.json" not in answer.err):
        return f"no line that names the file: {answer.err}"
    return ""


def faults(name, edits, readers):
    record = json.loads(Path(f"{name}.json").read_text(encoding="utf-8"))
    for (path, value), line in zip(edits, readers, strict=False):
        text = json.dumps(edited(record, path, value))
        Path("edited.json").write_text(text, encoding="utf-8")
        if fault := fault_of(run_gelu(*line.format(name).split())):
            yield path, value, line, fault


def edits_of(name):
    record = json.loads(Path(f"{name}.json").read_text(encoding="utf-8"))
    return [(path, value) for path in places(record) for value in VALUES]


@pytest.mark.parametrize("name", LINES)
def test_an_edited_record_is_read_or_refused_in_a_line(recorded, name):
    some = random.Random(name).sample(edits_of(name), FEW)
    assert [*faults(name, some, cycle(READERS))] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", LINES)
def test_every_edit_of_a_record_is_read_or_refused_in_a_line(recorded, name):
    assert [*faults(name, edits_of(name), cycle(READERS))] == []
