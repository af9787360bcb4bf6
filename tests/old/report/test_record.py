"""The record: it is what its schema says, holds what the tables hold, and can be read back."""

import copy
import json
import re
from datetime import datetime
from decimal import Decimal
from functools import reduce
from operator import getitem
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from gelu_cli.old.report import Column
from gelu_cli.old.report.documents import Document, Finding, Table, document_names
from gelu_cli.old.report.documents.record import SCHEMA
from gelu_cli.old.sweeping import records
from tests.old.cli.runner import gelu, run_gelu
from tests.old.report.documents import rendered

FILE = Path(__file__).parents[3] / "docs" / "record.schema.json"
VALIDATOR = Draft202012Validator(json.loads(FILE.read_text(encoding="utf-8")))
KERNEL = """
import numpy as np

def relu(x, a=1.0):
    return np.where(x == 2, np.nan, np.maximum(x, 0) * np.asarray(a, x.dtype)).astype(x.dtype)

def half(x):
    return np.maximum(x, 0).astype(np.float16)

def slope(upstream, x):
    return np.where(x > 0, upstream, 0 * upstream).astype(x.dtype)

def ragged(x):
    return np.maximum(x, len(x) % 8).astype(x.dtype)
"""
OF_RELU = "--dtype float8_e5m2 --form relu"
LINES = {
    "routines": "sweep erfc tanh_sum --form self --dtype e5m2 --range 0.1:9",
    "gradients": "sweep erfc --dtype e4m3 --quantity gradient --worst 3 --range -2:2",
    "sample": "sweep logistic --range -1e-3:1.5 --samples 500 --seed 7 --ftz",
    "two formats": "sweep erfc --dtype float16 --result float8_e4m3fn --range 1:2",
    "function": f"sweep kernel.py:relu --kwarg a=1.25 --batch 64 {OF_RELU} --max-ulp 1",
    "another result": f"sweep kernel.py:half --result float16 {OF_RELU}",
    "backward": f"sweep kernel.py:slope --backward own --upstream 2 {OF_RELU}",
    "shapes": f"sweep kernel.py:ragged --shapes --range 1:4 {OF_RELU}",
    "program": f"sweep --exec cat {OF_RELU}",
    "table": "check results.csv --dtype float8_e5m2",
    "every result": f"check all.bin --all {OF_RELU}",
    "digits": "sweep erfc --dtype float8_e5m2 --range 1:2 --digits 25",
}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A function from the words of a command to the record that it writes, each made once."""
    folder = tmp_path_factory.mktemp("records")
    (folder / "kernel.py").write_text(KERNEL)
    (folder / "results.csv").write_text("x,relu,exact_gradient\n1,1.25,1\n-2,0,0\ninf,inf,1\n")
    (folder / "all.bin").write_bytes(bytes(n if n < 0x7D else 0 for n in range(256)))
    made = {}

    def record(line):
        if line not in made:
            answer = run_gelu(*line.split(), "-q", "-o", "new.json")
            assert answer.code in (0, 1), answer.err
            made[line] = json.loads((folder / "new.json").read_text(encoding="utf-8"))
        return copy.deepcopy(made[line])

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("OMP_NUM_THREADS", "3")
        patch.setenv("CUDA_API_KEY", "secret")
        yield record


@pytest.mark.parametrize("name", LINES)
def test_a_record_is_what_the_schema_says(written, name):
    VALIDATOR.validate(written(LINES[name]))


def test_the_version_that_is_written_is_the_latest_that_is_read():
    Draft202012Validator.check_schema(VALIDATOR.schema)
    assert records.SCHEMA == SCHEMA == VALIDATOR.schema["properties"]["schema"]["const"]


BROKEN = [
    (["schema"], 2), (["made", "time"], "yesterday"), (["made", "host", "flags"], "avx2"),
    (["made", "kernels", 0, "digest", "sha256"], "0" * 63), (["question", "dtype"], "float128"),
    (["question", "range"], [1]), (["question", "exhaustive"], "yes"),
    (["question", "kernels"], []),
    (["views", "summary", 0, "inputs"], -1), (["views", "summary", 0, "wrong_zero"], 0.5),
    (["views", "worst", 0, "x_bits"], "3f80"), (["views", "worst", 0, "ulp"], "large"),
    (["views", "regions"], {}), (["views", "plot", 0, "max_ulp"], None), (["findings"], [{}]),
    (["views", "more"], [{"a": []}]),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value"), BROKEN, ids=[".".join(map(str, p)) for p, _ in BROKEN])
def test_the_schema_refuses_what_is_broken(written, path, value):
    record = written(LINES["routines"])
    *steps, last = path
    reduce(getitem, steps, record)[last] = value
    assert not VALIDATOR.is_valid(record)


def test_the_schema_misses_what_is_not_there(written):
    record = written(LINES["routines"])
    for field in VALIDATOR.schema["required"]:
        part = {name: value for name, value in record.items() if name != field}
        assert not VALIDATOR.is_valid(part), field


def number(value):
    return float(value) if isinstance(value, str) else value


def test_bits_are_those_of_the_numbers(written):
    """And the bits of numbers of e5m2 are the upper half of those of the same float16s."""
    for row in written(LINES["function"])["views"]["worst"]:
        for name in ("x", "got", "want"):
            bits = int(row[f"{name}_bits"], 16)
            due = np.uint16(bits << 8).view(np.float16)
            assert repr(number(row[name])) == repr(float(due))


def test_the_question_holds_what_decides_the_figures(written):
    asked = written(LINES["function"])["question"]
    assert (asked["answer"], asked["dtype"], asked["target"]) == ("sweep", "float8_e5m2", "relu")
    assert asked["kwargs"] == asked["kernels"][0]["kwargs"] == {"a": 1.25}
    assert (asked["kernels"][0]["impl"], asked["kernels"][0]["batch"]) == ("kernel.py:relu", 64)
    assert (asked["range"], asked["exhaustive"]) == (["-inf", "inf"], True)
    assert asked["samples"] is asked["seed"] is None
    asked = written(LINES["sample"])["question"]
    assert (asked["samples"], asked["seed"], asked["exhaustive"]) == (500, 7, False)
    assert (asked["range"], asked["ftz"]) == ([-1e-3, 1.5], True)
    asked = written(LINES["backward"])["question"]
    assert (asked["quantity"], asked["upstream"]) == ("gradient", 2.0)
    assert asked["kernels"][0]["backward"] == "own"
    asked = written(LINES["routines"])["question"]
    assert asked["target"] is None  # each routine has its own
    assert [each["target"] for each in asked["kernels"]] == ["exact", "tanh"]
    asked = written(LINES["two formats"])["question"]
    assert (asked["result"], asked["kernels"][0]["compute"]) == ("float8_e4m3fn", "float16")
    asked = written(LINES["table"])["question"]
    assert [each["column"] for each in asked["kernels"]] == ["relu", "exact_gradient"]


def test_it_says_when_and_where_it_was_made(written):
    made = written(LINES["function"])["made"]
    assert datetime.fromisoformat(made["time"]).utcoffset() is not None
    assert made["variables"]["OMP_NUM_THREADS"] == "3"
    assert "secret" not in json.dumps(made)
    (kernel,) = made["kernels"]
    assert kernel["provenance"]["library"].startswith("numpy ")
    assert kernel["versions"]["numpy"] == made["versions"]["numpy"]
    assert kernel["environments"][0]["rounding"] == "to nearest"


def test_limits_and_notes_are_in_it(written):
    record = written(LINES["function"])
    (finding,) = record["findings"]
    assert (finding["kernel"], finding["holds"]) == ("kernel.py:relu(a=1.25)", False)
    assert finding["limit"] == "max_ulp ≤ 1"
    assert "nan at x = 2.0" in finding["said"]
    assert any("depend on the surroundings" in each for each in written(LINES["shapes"])["notes"])


def test_steps_of_the_picture_hold_the_largest_errors(written):
    """In each step the largest of the errors whose inputs lie there, of the worst view at least."""
    for name in ("routines", "two formats", "function"):
        views = written(LINES[name])["views"]
        for row in views["worst"]:
            x, ulp = number(row["x"]), number(row["ulp"] or "inf")
            steps = [number(step["max_ulp"]) for step in views["plot"]
                     if step["routine"] == row["routine"]
                     and number(step["low"]) <= x <= number(step["high"])]  # fmt: skip
            assert max(steps) >= ulp * (1 - 1e-12)


def test_more_digits_than_float64s_have_are_text(written):
    largest = written(LINES["digits"])["views"]["summary"][0]["max_ulp"]
    assert isinstance(largest, str)
    assert len(largest.replace(".", "").strip("0")) >= 20


def test_without_a_view_json_is_a_record_with_one_it_is_the_table(written):
    line = ["sweep", "erfc", "--dtype", "float8_e5m2", "--range", "1:2"]
    for name, words in {"a": (), "b": ("--view", "summary"), "c": ("-f", "json")}.items():
        gelu(*line, *words, "-o", f"{name}.json")
    record, *tables = (Path(f"{name}.json").read_text() for name in "abc")
    assert tables == [gelu(*line, "-f", "json").out] * 2
    on_stdout = json.loads(gelu(*line, "-f", "record").out)
    assert on_stdout["views"] == json.loads(record)["views"]


def test_a_kernel_that_fails_leaves_the_old_file(written):
    Path("old.json").write_text("old")
    Path("raising.py").write_text("def f(x):\n    raise ValueError\n")
    answer = run_gelu("sweep", "raising.py:f", "--dtype", "bfloat16", "-o", "old.json")
    assert (answer.code, Path("old.json").read_text()) == (4, "old")


def test_names_from_outside_are_text_that_is_seen():
    table = Table("t", [Column("routine", "routine")], [("\x1b[31m\udcff",)], {})
    document = Document(
        "t", "gelu \udcff", {"kernels": ["\u202e"]}, {"a": {"b": "\n"}},
        {"summary": table, "\t": table}, [], [Finding("\x07", "", True, "")], ["\x00"],
        "0.1\x1b", table, ["\x01"],
    )  # fmt: skip
    record = json.loads(rendered("record", document).encode())
    assert record["views"]["summary"] == [{"routine": "\\x1b[31m\\udcff"}]
    assert record["command"] == "gelu \\udcff"
    assert (record["made"], record["question"]) == ({"kernels": ["\\u202e"]}, {"a": {"b": "\\n"}})
    assert (record["findings"][0]["kernel"], record["notes"]) == ("\\x07", ["\\x00"])
    assert (record["gelu"], record["caveats"]) == ("0.1\\x1b", ["\\x01"])
    assert [*record["views"]] == ["summary", "\\t", "plot"]
    for name in document_names():
        assert not re.search(r"[\x00-\x09\x1b\u202e]", rendered(name, document)), name


def test_a_number_that_is_no_float64_is_text():
    cells = [0.1, float("-inf"), Decimal("0.25"), Decimal("1e-400"), None]
    table = Table("t", [Column("x", "x")], [(cell,) for cell in cells], {})
    record = json.loads(rendered("record", Document("t", "", {}, {}, {"summary": table}, [], [])))
    assert [row["x"] for row in record["views"]["summary"]] == [0.1, "-inf", 0.25, "1e-400", None]
