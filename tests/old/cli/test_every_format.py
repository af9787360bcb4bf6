"""Every command in every format of text: what programs read has the same columns and cells.

How numbers look to people is tested in test_table.py.
"""

import csv
import json

import pytest

from tests.old.cli.runner import run_gelu
from tests.old.report.documents import TEXT_FORMATS

SWEEP = "sweep erf_sum --dtype float8_e5m2 --range -1:1 --view"
LINES = {
    "table": "table -3 1e-9 0.1 1e9 --form exact --form silu",
    "error at points": "error -2 0.5 --form relu --target softplus",
    "error over points": "error -2 0.5 --form relu --view histogram",
    "error": "error --range 1:2 --form relu --target softplus",
    "error by region": "error --range 1:2 --form relu --target softplus --view regions",
    "locate": "locate --form silu",
    "variance": "variance --form relu",
    "fit": "fit hard --range 0:2",
    "fit's points": "fit hard --range 0:2 --view points",
    "block": "block --form elu --target relu",
    "check": "check -1=-0.1587 1=0.8414 --column exact",
    "sweep": f"{SWEEP} summary",
    "sweep by region": f"{SWEEP} regions",
    "sweep's histogram": f"{SWEEP} histogram",
    "sweep's worst": f"{SWEEP} worst",
    "compare": "compare erf_sum erfc --dtype float8_e5m2 --range -1:1",
    "identify": "identify 2=1 --dtype float8_e5m2",
    "forms": "forms",
    "forms of one": "forms relu --view figures",
}


def answer(line, name):
    answer = run_gelu(*line.split(), "-q", "-f", name)
    assert answer.code == (1 if line.startswith("check") else 0)
    return answer


def is_cell(value, cell):
    """Tell whether a value of JSON is what the cell of a csv says."""
    if value is None:  # an empty cell, or what is not finite
        return cell in ("", "inf", "-inf", "NaN")
    return value == cell if isinstance(value, str) else value == float(cell)


@pytest.mark.parametrize("name", TEXT_FORMATS)
@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_a_command_says_the_same_in_every_format(line, name):
    plain, text = answer(line, "csv"), answer(line, name).out
    if name in ("csv", "tsv"):
        rows = list(csv.DictReader(text.splitlines(), delimiter=",\t"[name == "tsv"]))
        assert rows == plain.rows
    elif name in ("json", "jsonl"):
        rows = [json.loads(each) for each in text.splitlines()] if name == "jsonl" else (
            json.loads(text))  # fmt: skip
        assert [list(row) for row in rows] == [plain.columns] * len(plain.rows)
        for row, cells in zip(rows, plain.rows, strict=True):
            assert all(is_cell(row[column], cells[column]) for column in row)
    else:
        assert plain.rows[-1][plain.columns[0]][:2] in text.replace("\\_", "_").replace("−", "-")
