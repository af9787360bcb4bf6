"""A metric is one entry and a backend one file: each is added to a copy, and used."""

import json

from tests.house import copy_of_the_house, insert, run

METRICS = """
    Metric("over_2_ulp", "over 2 ULP", lambda block: count(block.errors > 2)),
    Metric("zeros", "zeros", lambda block: count(block.got == 0), in_regions=True),
"""

BACKEND = '''"""Masked arrays."""

def to_array(x, number_format):
    import masked
    return masked.MaskedArray(x.astype(number_format.name))
'''

KERNEL = """import masked

def gelu(x):
    assert isinstance(x, masked.MaskedArray), type(x)
    return -x
"""


def rows(house, *words):
    answer = run(house, "sweep", *words, "--format", "json")
    assert (answer.returncode, answer.stderr) == (0, "")
    return json.loads(answer.stdout)


def test_a_metric_is_one_entry(tmp_path):
    house = copy_of_the_house(tmp_path)
    insert(house / "gelu_cli/kernels/metrics.py", "METRICS = (", METRICS)
    words = ("--routine", "erf_sum", "--dtype", "float8_e4m3fn", "--view")
    markdown = run(house, "sweep", *words, "summary", "--format", "markdown").stdout
    headings, _, cells = ([*map(str.strip, line.split("|"))] for line in markdown.splitlines()[-3:])
    summary = dict(zip(headings, cells, strict=True))
    beyond = [row["count"] for row in rows(house, *words, "histogram") if row["low"] >= 2]
    assert int(summary["over 2 ULP"]) == sum(beyond) > 0
    regions = rows(house, *words, "regions")
    assert sum(row["zeros"] for row in regions) == int(summary["zeros"]) > 2
    assert "over_2_ulp" not in regions[0]


def test_a_backend_is_one_file(tmp_path):
    house = copy_of_the_house(tmp_path)
    (house / "masked.py").write_text("from numpy.ma import MaskedArray\n", encoding="utf-8")
    (house / "mykernel.py").write_text(KERNEL, encoding="utf-8")
    words = ("--impl", "mykernel.py:gelu", "--dtype", "float16", "--range", "1:2")
    without = run(house, "sweep", *words)
    assert (without.returncode, "ndarray" in without.stderr) == (2, True)
    (house / "gelu_cli/kernels/backends/masked.py").write_text(BACKEND, encoding="utf-8")
    assert "numpy, torch, jax, masked" in " ".join(run(house, "sweep", "--help").stdout.split())
    (found,) = rows(house, *words)
    assert (found["inputs"], found["misrounded"], found["wrong_sign"]) == (1025, 1025, 1025)
