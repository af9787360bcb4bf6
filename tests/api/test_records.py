"""Records: written, read back, damaged, compared with a baseline and with one another."""

import copy
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
    "max_ulp",
    "mean_ulp",
    "max_ordinal",
    "max_abs_error",
    "max_rel_error",
    "rms_error",
    "noise_ratio",
]
COUNTS = [
    "over_half_ulp",
    "over_1_ulp",
    "misrounded",
    "wrong_nan",
    "wrong_inf",
    "wrong_sign",
    "wrong_zero",
    "wrong_special",
    "non_monotone",
]
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


def worse(path, base):
    """The sentences on a record beside a baseline."""
    try:
        load(path).assert_no_worse(base)
    except AssertionError as error:
        return str(error).splitlines()
    return []


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
        load(tmp_path / f"{name}.json").save(tmp_path / "copy.json")
        assert json.loads((tmp_path / "copy.json").read_text()) == record, name
    record = json.loads((tmp_path / "beyond.json").read_text())
    record["views"]["summary"][0]["max_ulp"] = "2e+400"
    (beyond := tmp_path / "less.json").write_text(json.dumps(record))
    (said,) = worse(tmp_path / "beyond.json", beyond)
    assert "max_ulp is 3.6385714125121573e+631" in said
    assert said.endswith("has 2.0000000000000000e+400")


def test_a_record_reads_back_as_the_sweep(original, record, tmp_path):
    found, direct = load(record()), sweep("erfc", **SOME)
    for name in ("gelu", "command", "question", "environment", "verdict"):
        assert getattr(found.record, name) == original[name]
    for view in original["views"]:
        assert repr(found.view(view)) == repr(direct.view(view))
    assert (str(found), found) == (str(direct), direct)
    with pytest.raises(AssertionError, match=r"erfc: max_ulp 4\.94837 at x = -2\.5 exceeds"):
        found.assert_within(max_ulp=2)
    for made in (sweep(["erfc", "logistic"], **SOME), compare("erfc", "logistic", **SOME)):
        made.save(tmp_path / "several.json")
        assert load(tmp_path / "several.json") == made


def test_numbers_that_json_lacks_are_texts_in_the_file_alone(record):
    changed = in_summary(noise_ratio="Infinity", max_abs_error="NaN")
    row = load(record(changed)).view("summary")[0]
    assert (row["noise_ratio"], str(row["max_abs_error"])) == (math.inf, "nan")
    sweep(nans, dtype=E5M2).save(path := record())
    assert json.loads(Path(path).read_text())["question"]["range"] == ["-Infinity", "Infinity"]
    assert load(path).view("regions")[-1]["high"] == math.inf
    assert math.isnan(load(path).view("worst")[0]["got"])


# What is no record

DAMAGE = {
    ("gelu",): [..., "gelu"],
    ("question",): [[], "'list' object is not a mapping"],
    ("question", "dtype"): [..., "dtype"],
    ("question", "mean"): ["x", "could not convert"],
    ("views",): [[], "'list' object has no attribute"],
    ("views", "summary"): [..., "summary"],
    ("views", "regions"): ["none", "no attribute"],
    ("views", "regions", 2): [7, "no attribute"],
    ("views", "summary", 0, "kernel"): [..., "kernel is missing"],
    **{("views", "summary", 0, name): [..., f"{name} is missing"] for name in (*ERRORS, *COUNTS)},
    ("views", "summary", 0, "max_ulp"): ["many", "ConversionSyntax"],
    ("views", "summary", 0, "mean_ulp"): [[], "TypeError"],
}


def test_a_damaged_record_is_refused(record):
    for path, (value, message) in DAMAGE.items():
        name = record(at(path, value))
        with pytest.raises(UsageError, match="is not a whole record") as error:
            load(name)
        assert message in str(error.value), path
    damaged = gelu("check", record(at(("views", "summary", 0, "max_ulp"), "?")))
    assert (damaged.code, damaged.out) == (2, "")


NO_RECORDS = {
    b'{"schema": 1, "gelu": "0.1.0"}': "KeyError: 'command'); write it with",
    b'[{"x": 1}]': "is not a whole record",
    b"3": "is not a whole record",
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
    assert gelu(*line, record(), "--form", "gelu").code == 0  # an alias
    assert worse(record(elsewhere, "new.json"), record()) == []
    assert sweep("erfc", **SOME).assert_no_worse(load(record())) is None


def test_each_number_that_is_worse_is_a_sentence(record):
    for name in (*ERRORS, *COUNTS):
        base, more = record(in_summary(**{name: 2})), record(in_summary(**{name: 3}), "more.json")
        assert worse(base, more) == worse(base, base) == []
        assert worse(more, base) == [f"erfc: {name} is 3; the baseline {base} has 2"]
    both = in_summary(max_ulp=1, misrounded=0)
    run = gelu("sweep", "erfc", *LINE, "-f", "csv", "--baseline", record(both))
    assert (run.code, len(run.rows)) == (1, 1)
    failures = [line for line in run.err.splitlines() if "--baseline" in line]
    assert [line.split()[2] for line in failures] == ["max_ulp", "misrounded"]
    assert "max_ulp is 4.948371616993453; --baseline" in failures[0]
    assert worse(record(in_summary(unrepeatable=5), "new.json"), record()) == []


def test_no_bound_is_kept_that_is_not_there(record):
    whole = record()
    for name in ERRORS:
        for missing, found in {None: "missing", "NaN": "NaN"}.items():
            lacks = record(in_summary(**{name: missing}), "lacks.json")
            assert worse(lacks, whole)[0].startswith(f"erfc: {name} is {found}; the baseline")
        with pytest.raises(UsageError, match=f"lacks.json has no {name} of erfc"):
            worse(whole, record(in_summary(**{name: None}), "lacks.json"))
    lacks = record(in_summary(max_ulp=None), "lacks.json")
    with pytest.raises(UsageError, match="has no max_ulp"):
        worse(lacks, lacks)
    assert gelu("sweep", "erfc", *LINE, "--baseline", lacks).code == 2


def test_a_range_that_no_draw_meets_has_a_baseline(tmp_path):
    found = sweep("erfc", dtype="float16", range="60:64")
    found.save(tmp_path / "base.json")
    assert found.rms_error is None
    found.assert_no_worse(tmp_path / "base.json")


OTHER_QUESTIONS = {
    "dtype": {"dtype": "float8_e4m3fn"},
    "result": {"result": "float16"},
    "form": {"form": "tanh"},
    "quantity": {"quantity": "gradient"},
    "mean": {"mean": 1},
    "sigma": {"sigma": 2},
    "range": {"range": "-1:1"},
    "ftz": {"ftz": True},
    "up": {"backward": True, "up": 2},
}


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


def test_a_baseline_that_cannot_serve_is_refused_before_the_sweep(record, tmp_path):
    kernel = tmp_path / "kernel.py"
    kernel.write_text("import numpy as np\ndef f(x):\n    raise ValueError('called')\n")
    line = ("sweep", f"{kernel}:f", *LINE[:-1], "--baseline")
    faults = {
        "none.json": "cannot read",
        "": "cannot read",
        record(at(["views"], ...)): "KeyError: 'views'",
        record(at(["question", "dtype"], "float32"), "other.json"): "dtype is 'float32', not",
    }
    for base, fault in faults.items():
        run = gelu(*line, base)
        assert (run.code, fault in run.err) == (2, True), run.err
    run = gelu(*line, record(at(["question", "form"], "tanh"), "form.json"))
    assert (run.code, "called" in run.err) == (4, True)


def test_results_from_a_file_are_compared_at_the_same_inputs_alone(tmp_path):
    tables = {"base": (1, 2), "same": (2, 1), "other": (2, 3)}
    for name, inputs in tables.items():
        text = "".join(f"{x},{x}\n" for x in inputs)
        (tmp_path / f"{name}.csv").write_text(f"x,relu\n{text}")
    base = tmp_path / "base.json"
    line = ("--dtype", "bfloat16", "-q")
    assert gelu("check", tmp_path / "base.csv", *line, "-o", base).code == 0
    for name, code in {"base": 0, "same": 0, "other": 2}.items():
        run = gelu("check", tmp_path / f"{name}.csv", *line, "--baseline", base)
        assert (run.code, "question: inputs is" in run.err) == (code, code == 2), name


def test_several_kernels_are_bounded_by_those_of_their_names(record, tmp_path):
    base = str(tmp_path / "base.json")
    sweep(["erfc", "logistic"], **SOME).save(base)
    sweep("logistic", **SOME).assert_no_worse(base)
    with pytest.raises(UsageError, match="lacks a kernel 'sigmoid'"):
        sweep("sigmoid", **SOME).assert_no_worse(base)
    assert gelu("sweep", "erfc", "logistic", *LINE, "--baseline", base).code == 0
    with pytest.raises(UsageError, match="has other inputs of erfc"):
        worse(record(in_summary(inputs=7)), record(name="other.json"))


# Two records


def test_changed_numbers_of_two_records(record):
    def change(record):
        record["views"]["summary"][0] |= {"max_ulp": 5.5, "max_ulp_x": 2.0, "misrounded": 25}
        record["views"]["regions"][3] |= {"mean_ulp": 0.5}

    base, new = record(in_summary(max_ulp=5.25, rms_error=None)), record(change, "new.json")
    region, whole = load(base).view("regions")[3], load(base).view("summary")[0]
    found = compare(base, new)
    assert [each.figure for each in found] == [
        "max_ulp",
        "max_ulp_x",
        "misrounded",
        "rms_error",
        "mean_ulp",
    ]
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
    assert compare(record(in_summary(rms_error="NaN")), record(in_summary(rms_error="NaN"))) == []


def test_kernels_of_two_records_are_paired_by_name(tmp_path):
    a, b = str(tmp_path / "a.json"), str(tmp_path / "b.json")
    sweep(["erfc", "logistic"], **SOME).save(a)
    sweep("logistic", **SOME).save(b)
    assert gelu("compare", b, a, "-f", "csv").rows == []
    lacks = gelu("compare", a, b)
    assert (lacks.code, "b.json lacks a kernel 'erfc'" in lacks.err) == (2, True)
    sweep(["logistic", "erfc"], **SOME).save(b)
    record = json.loads(Path(b).read_text())
    for row in record["views"]["summary"]:
        row["misrounded"] += 1
    Path(b).write_text(json.dumps(record))
    rows = gelu("compare", a, b, "-f", "csv").rows
    assert [(row["kernel"], row["figure"], row["change"]) for row in rows] == [
        ("erfc", "misrounded", "1"),
        ("logistic", "misrounded", "1"),
    ]


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
        (base, record(at(("question", "ftz"), True), "ftz.json")): "question: ftz is True, not F",
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
