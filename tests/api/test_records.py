"""Records: written, read back, damaged, compared with a baseline and with one another."""

import copy
import dataclasses
import json
import math
from pathlib import Path

import jsonschema
import ml_dtypes
import numpy as np
import pytest

from gelu_cli import compare, load, sweep
from gelu_cli.errors import UsageError
from tests.runner import gelu

E5M2 = "float8_e5m2"
SOME = {"dtype": E5M2, "range": "-4:4"}
LINE = ("--dtype", E5M2, "--range", "-4:4", "-q")
ERRORS = [
    "max_ulp", "mean_ulp", "max_ordinal", "max_abs_error", "max_rel_error", "rms_error",
    "noise_ratio",
]  # fmt: skip
COUNTS = [
    "over_half_ulp", "over_1_ulp", "misrounded", "wrong_nan", "wrong_inf", "wrong_sign",
    "wrong_zero", "wrong_special", "non_monotone",
]  # fmt: skip
SCHEMA = Path(__file__).parents[2] / "docs" / "record.schema.json"


def glu(gate, up):
    return (np.maximum(gate, 0) * up).astype(gate.dtype)


def nans(x):
    return np.full_like(x, np.nan)


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """The record of a routine, as JSON has it."""
    path = tmp_path_factory.mktemp("records") / "erfc.json"
    assert gelu("sweep", "erfc", *LINE, "-o", path).code == 0
    return json.loads(path.read_text())


@pytest.fixture
def record(original, tmp_path):
    """Write a copy of the record, changed by a function, and return its name."""

    def written(change=lambda record: None, name="base.json"):
        changed = copy.deepcopy(original)
        change(changed)
        (tmp_path / name).write_text(json.dumps(changed))
        return str(tmp_path / name)

    return written


def in_summary(**cells):
    return lambda record: record["views"]["summary"][0].update(cells)


def at(path, value):
    """A change of the field at a path; `...` removes it."""
    *above, last = path

    def change(record):
        for name in above:
            record = record[name]
        if value is ...:
            del record[last]
        else:
            record[last] = value

    return change


# Written and read


def test_records_follow_the_schema(tmp_path):
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    made = {
        "sample": sweep("erfc", dtype="float32", samples=1000, seed=3, range="-2:2"),
        "several": sweep(["erfc", "logistic"], **SOME, form="auto", ftz=True),
        "pairs": sweep(glu, **SOME, form="relu", glu=True, up="1,2", gate_limit=7),
        "upstreams": sweep(lambda up, x: x, **SOME, backward=True, up="1,2"),
        "failing": sweep(nans, **SOME),
        "beyond": sweep(lambda x: x, dtype="float64", range="-1.8e308:-1e308", samples=1),
        "two": compare("erfc", "logistic", **SOME, result="float16"),
    }
    for name, found in made.items():
        found.save(tmp_path / f"{name}.json")
        record = json.loads((tmp_path / f"{name}.json").read_text())
        jsonschema.validate(record, schema)
        assert load(tmp_path / f"{name}.json").to_dict() == record, name
    record = load(tmp_path / "beyond.json").to_dict()
    record["views"]["summary"][0]["max_ulp"] = "2e+400"
    (beyond := tmp_path / "less.json").write_text(json.dumps(record))
    with pytest.raises(
        AssertionError, match=r"max_ulp is 3\.6385714125121573e\+631; .* has 2e\+400"
    ):
        load(tmp_path / "beyond.json").assert_no_worse(beyond)


def test_a_record_reads_back_with_all_its_views(original, record, tmp_path):
    path = record()
    found, direct = load(path), sweep("erfc", **SOME)
    for name in ("gelu", "command", "question", "environment", "verdict"):
        assert getattr(found, name) == original[name]
    for view in original["views"]:
        rows = [{column: None if cell is None else type(mine[column])(cell)
                 for column, cell in row.items()}
                for row, mine in zip(direct.view(view), found.view(view), strict=True)]  # fmt: skip
        assert repr(found.view(view)) == repr(rows)
    assert "erfc" in str(found).splitlines()[-1]
    found.save(tmp_path / "copy.json")
    assert json.loads((tmp_path / "copy.json").read_text()) == original
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.command = "gelu"


def test_numbers_that_json_lacks_are_texts_in_the_file_alone(record):
    def change(record):
        record["views"]["worst"][0] |= {"got": "NaN", "exact": "-Infinity", "kernel": "NaN"}
        record["views"]["summary"][0]["noise_ratio"] = "Infinity"

    found = load(record(change))
    worst = found.view("worst")[0]
    assert math.isnan(worst["got"])
    assert (worst["exact"], worst["kernel"]) == (-math.inf, "NaN")
    assert found.view("summary")[0]["noise_ratio"] == math.inf
    path = record()
    sweep(nans, dtype=E5M2).save(path)
    assert json.loads(Path(path).read_text())["question"]["range"] == ["-Infinity", "Infinity"]
    assert load(path).view("regions")[-1]["high"] == math.inf


def test_check_prints_a_record_as_the_sweep_was_printed(record, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    record()
    for view in ("summary", "regions", "worst", "profile"):
        swept = gelu("sweep", "erfc", *LINE, "-f", "csv", "--view", view)
        shown = gelu("check", "base.json", "-f", "csv", "--view", view)
        numbers = [{name: cell if name == "x_bits" else _number(cell) for name, cell in row.items()}
                   for row in swept.rows]  # fmt: skip
        assert [{name: cell if name == "x_bits" else _number(cell) for name, cell in row.items()}
                for row in shown.rows] == numbers  # fmt: skip
        assert len(numbers) > 0


def _number(text):
    try:
        return float(text)
    except ValueError:
        return text


# What is no record

DAMAGE = {
    ("gelu",): {3: "gelu is 3, not a text", ...: "gelu is missing"},
    ("command",): {None: "command is None, not a text"},
    ("question",): {(): "question is [], not an object", ...: "question is missing"},
    ("question", "dtype"): {
        ...: "question.dtype is missing", "int8": "question.dtype is 'int8', not a format",
    },
    ("environment",): {"here": "environment is 'here', not an object"},
    ("verdict",): {"fine": "verdict is 'fine', not an array"},
    ("verdict", 1): {1: "verdict[1] is 1, not a text"},
    ("views",): {(): "views is [], not an object"},
    ("views", "summary"): {
        ...: "views.summary is missing", (): "views.summary[0].kernel is missing",
    },
    ("views", "regions"): {"none": "views.regions is 'none', not an array"},
    ("views", "regions", 2): {7: "views.regions[2] is 7, not an object"},
    ("views", "regions", 2, "low"): {
        ...: "views.regions[2].low is missing", (): "views.regions[2].low is [], not a number",
        True: "views.regions[2].low is True, not a number",
    },
    ("views", "summary", 0, "kernel"): {1: "views.summary[0].kernel is 1, not a text"},
    **{("views", "summary", 0, name): {
        ...: f"views.summary[0].{name} is missing", -1: f"views.summary[0].{name} is -1, not a",
        "many": f"views.summary[0].{name} is 'many', not a",
    } for name in (*ERRORS, *COUNTS, "inputs", "unrepeatable")},
    ("views", "summary", 0, "misrounded"): {
        1.5: "misrounded is 1.5, not a whole number from 0", None: "misrounded is None, not",
    },
}  # fmt: skip


def test_a_damaged_record_is_refused_by_the_path_of_its_field(record):
    for path, cases in DAMAGE.items():
        for value, message in cases.items():
            name = record(at(path, [] if value == () else value))
            with pytest.raises(UsageError) as error:
                load(name)
            assert message in str(error.value), (path, value)
            assert str(error.value).startswith(f"{name} is not a whole record: ")
    damaged = gelu("check", record(at(("views", "summary", 0, "max_ulp"), "?")))
    assert (damaged.code, damaged.out) == (2, "")
    assert "views.summary[0].max_ulp" in damaged.err


NO_RECORDS = {
    b'{"schema": 1, "gelu": "0.1.0"}': "is a record of an older gelu, which this version does not",
    b'[{"x": 1}]': "is a table; -o FILE.json without --view writes a record",
    b"3": "the file is 3, not an object",
    b"": "is not JSON",
    b"\xff\xfe{}": "is not JSON",
    b'{"gelu": NaN}': "is not JSON",
    b"[" * 100_000: "is not JSON",
}


def test_other_files_are_refused_with_the_remedy(tmp_path):
    path = tmp_path / "other.json"
    for text, message in NO_RECORDS.items():
        path.write_bytes(text)
        with pytest.raises(UsageError) as error:
            load(path)
        assert message in str(error.value)
        assert "; " in str(error.value)
    with pytest.raises(UsageError, match="No such file"):
        load(tmp_path / "missing.json")


# Baselines


def test_a_kernel_is_no_worse_than_itself_whatever_its_name_and_machine(record):
    def elsewhere(record):
        record["environment"] = {"machine": {"cpu": "another"}}
        record["gelu"] = "9.9"
        for row in record["views"]["summary"]:
            row["kernel"] = "old"

    line = ("sweep", "erfc", *LINE, "--baseline")
    assert gelu(*line, record(elsewhere)).code == 0
    assert gelu(*line, record(at(("question", "form"), "gelu"))).code == 0  # an alias
    assert load(record(elsewhere, "new.json")).assert_no_worse(record()) is None
    assert sweep("erfc", **SOME).assert_no_worse(load(record())) is None


def test_each_number_that_is_worse_is_a_sentence(record):
    for name in (*ERRORS, *COUNTS):
        base, more = record(in_summary(**{name: 2})), record(in_summary(**{name: 3}), "more.json")
        load(base).assert_no_worse(more)
        load(base).assert_no_worse(base)
        with pytest.raises(AssertionError) as error:
            load(more).assert_no_worse(base)
        assert str(error.value) == f"erfc: {name} is 3; the baseline {base} has 2"
    both = in_summary(max_ulp=1, misrounded=0)
    worse = gelu("sweep", "erfc", *LINE, "-f", "csv", "--baseline", record(both))
    assert worse.code == 1
    assert len(worse.rows) == 1
    failures = [line for line in worse.err.splitlines() if "--baseline" in line]
    assert [line.split()[2] for line in failures] == ["max_ulp", "misrounded"]
    assert "max_ulp is 4.948371616993453; --baseline" in failures[0]
    load(record(in_summary(unrepeatable=5), "new.json")).assert_no_worse(record())


def test_no_bound_is_kept_that_is_not_there(record):
    whole = record()
    for missing in (None, "NaN"):
        for name in ERRORS:
            lacks = record(in_summary(**{name: missing}), "lacks.json")
            with pytest.raises(AssertionError, match=f"erfc: {name} is missing; the baseline"):
                load(lacks).assert_no_worse(whole)
            with pytest.raises(UsageError, match=f"lacks.json has no {name} of erfc"):
                load(whole).assert_no_worse(lacks)
    for name in ("max_ulp", "mean_ulp", "max_ordinal", "max_abs_error"):
        lacks = record(in_summary(**{name: None}), "lacks.json")
        with pytest.raises(UsageError, match=f"has no {name}"):
            load(lacks).assert_no_worse(lacks)
    assert gelu("sweep", "erfc", *LINE, "--baseline", lacks).code == 2


def test_a_kernel_that_is_nan_everywhere_never_passes(record, tmp_path):
    with pytest.raises(AssertionError, match="max_ulp is missing"):
        sweep(nans, **SOME).assert_no_worse(record())
    sweep(nans, **SOME).save(tmp_path / "nan.json")
    with pytest.raises(UsageError, match="has no max_ulp"):
        sweep(nans, **SOME).assert_no_worse(tmp_path / "nan.json")


def test_a_range_that_no_draw_meets_has_a_baseline(tmp_path):
    found = sweep("erfc", dtype="float16", range="60:64")
    found.save(tmp_path / "base.json")
    assert found.rms_error is None
    found.assert_no_worse(tmp_path / "base.json")


OTHER_QUESTIONS = {
    "dtype": {"dtype": "float8_e4m3fn"}, "result": {"result": "float16"}, "form": {"form": "tanh"},
    "quantity": {"quantity": "gradient"}, "mean": {"mean": 1}, "sigma": {"sigma": 2},
    "range": {"range": "-1:1"}, "ftz": {"ftz": True}, "up": {"backward": True, "up": 2},
}  # fmt: skip


def test_another_question_is_refused_by_name(record):
    base = record()
    for name, options in OTHER_QUESTIONS.items():
        kernel = (lambda up, x: x) if name == "up" else "erfc"
        found = sweep(kernel, **{**SOME, **options})
        with pytest.raises(UsageError, match=rf"answers another question: .*\b{name} is ") as error:
            found.assert_no_worse(base)
        assert "sweep with the same options" in str(error.value)
    sampled = ("sweep", "erfc", "--dtype", "float32", "--samples", 100, "--range", "1:2", "-q")
    assert gelu(*sampled, "-o", base).code == 0
    assert gelu(*sampled, "--baseline", base).code == 0
    other = gelu(*sampled, "--seed", 1, "--baseline", base)
    assert (other.code, "seed is 0, not 1" in other.err) == (2, True)


def test_several_kernels_are_bounded_by_those_of_their_names(record, tmp_path):
    base = str(tmp_path / "base.json")
    sweep(["erfc", "logistic"], **SOME).save(base)
    sweep("logistic", **SOME).assert_no_worse(base)
    with pytest.raises(UsageError, match="lacks a kernel 'sigmoid'"):
        sweep("sigmoid", **SOME).assert_no_worse(base)
    worse = gelu("sweep", "erfc,logistic", *LINE, "--baseline", base)
    assert worse.code == 0
    with pytest.raises(UsageError, match="lacks all inputs of erfc"):
        load(record(in_summary(inputs=7))).assert_no_worse(record(name="other.json"))


# Two records


def test_changed_numbers_of_two_records(record):
    def change(record):
        record["views"]["summary"][0] |= {"max_ulp": 5.5, "max_ulp_x": 2.0, "misrounded": 25}
        record["views"]["regions"][3] |= {"mean_ulp": 0.5}

    base, new = record(in_summary(max_ulp=5.25, rms_error=None)), record(change, "new.json")
    region, whole = load(base).view("regions")[3], load(base).view("summary")[0]
    found = compare(base, new)
    assert [each.figure for each in found] == [
        "max_ulp", "max_ulp_x", "misrounded", "rms_error", "mean_ulp"
    ]  # fmt: skip
    ulp, x, count, rms, mean = found
    assert (ulp.a, ulp.b, ulp.change, ulp.low) == (5.25, 5.5, 0.25, None)
    assert (x.a, x.b, x.change) == (whole["max_ulp_x"], 2.0, None)
    assert (count.a, count.b, count.change) == (22, 25, 3)
    assert (rms.a, rms.change) == (None, None)
    assert (mean.low, mean.high, mean.b) == (region["low"], region["high"], 0.5)
    rows = gelu("compare", base, new, "-f", "csv").rows
    assert list(rows[0]) == ["low", "high", "figure", "a", "b", "change"]
    assert [row["figure"] for row in rows] == [each.figure for each in found]
    assert (rows[0]["low"], rows[0]["a"], rows[0]["change"]) == ("", "5.25", "0.25")
    few = gelu("compare", base, new, "-f", "csv", "-d", 2).rows
    assert (few[0]["a"], few[2]["a"]) == ("5.2", "22")


def test_equal_records_have_no_changes(record):
    same = gelu("compare", record(), record(name="new.json"), "-f", "csv")
    assert (same.code, same.rows) == (0, [])
    assert "None of " in same.err
    assert compare(record(in_summary(rms_error="NaN")), record(in_summary(rms_error="NaN"))) == []


def test_kernels_of_two_records_are_paired_by_name(tmp_path):
    a, b = str(tmp_path / "a.json"), str(tmp_path / "b.json")
    sweep(["erfc", "logistic"], **SOME).save(a)
    sweep("logistic", **SOME).save(b)
    one = gelu("compare", a, b, "-f", "csv")
    assert (one.code, one.rows) == (0, [])
    assert "erfc is in one of the records alone" in one.err
    sweep(["logistic", "erfc"], **SOME).save(b)
    record = json.loads(Path(b).read_text())
    for row in record["views"]["summary"]:
        row["misrounded"] += 1
    Path(b).write_text(json.dumps(record))
    rows = gelu("compare", a, b, "-f", "csv").rows
    assert [(row["kernel"], row["figure"], row["change"]) for row in rows] == [
        ("erfc", "misrounded", "1"), ("logistic", "misrounded", "1"),
    ]  # fmt: skip


def test_records_of_pairs_have_the_ends_of_both_inputs(tmp_path):
    a, b = str(tmp_path / "a.json"), str(tmp_path / "b.json")
    options = {**SOME, "form": "relu", "glu": True, "up": "1,2"}
    half = ml_dtypes.float8_e5m2(0.5)
    sweep(glu, **options).save(a)
    sweep(lambda gate, up: glu(gate, up) * half, **options).save(b)
    rows = gelu("compare", a, b, "-f", "csv").rows
    assert list(rows[0])[:5] == ["low", "high", "up_low", "up_high", "figure"]
    assert any(row["up_low"] == "1.0" and row["figure"] == "max_ulp" for row in rows)


def test_two_records_that_cannot_be_compared_are_refused(record, tmp_path):
    base = record()
    lines = {
        (
            base,
            record(at(("question", "ftz"), True), "ftz.json"),
        ): "different questions: ftz is False",
        (base, "erfc"): "base.json is a record, the other is not",
        (base, base, "--dtype", "float16"): "--dtype is for kernels, not for records",
        (base, base, "--glu"): "--glu is for kernels",
        (base, base, "--view", "regions"): "unknown view 'regions'",
        (base, base, "-o", str(tmp_path / "x.png")): "this answer has no picture",
    }
    for line, message in lines.items():
        run = gelu("compare", *line)
        assert (run.code, run.out) == (2, ""), line
        assert message in run.err.replace("\n", " ")
    assert not (tmp_path / "x.png").exists()
